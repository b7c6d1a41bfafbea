// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ExposureRisk
import GAEN
public import JSON
import RiskConfiguration

/// The document, for reader, writer and schema.
enum ProfileForm {
    private static let empty = AuthorityProfile(name: "", title: [:])

    static let document: Form<AuthorityProfile> = {
        let fields = Form<AuthorityProfile>.object(
            empty,
            [
                .unused("$schema", .words(0...500), "Where this schema lies; for editors."),
                .required("name", \.name, name, "By which everything else calls this authority; not \"authority\"."),
                .required("title", \.title, titles, "What people call it, by language."),
                .required(
                    "status", \.status, .word(AuthorityProfile.Status.allCases.map { ($0.rawValue, $0) }),
                    "running, or switchedOff once the authority has ended its service: then nothing of it is compared or judged."
                ),
                .maybe("region", \.region, region, "The region that its files are signed for; any if not given."),
                .required("keys", \.keys, keys, "Who signs its files and rules."),
                .maybe("rules", \.rules, rules, "How it says what counts; nothing is judged without."),
                .maybe("distribution", \.distribution, distribution, "Where its files lie."),
                .maybe("warn", \.warning, warning, "How people warn through it."),
                .maybe("checkIn", \.checkIn, checkIn, "Check-in at venues."),
            ])
        return Form(fields.schema, standIn: empty) { json, path, problems in
            let profile = fields.read(json, path, &problems)
            // What holds between fields is looked at when each of them is one.
            if problems.problems.isEmpty { judge(profile, path, &problems) }
            return profile
        } write: {
            fields.write($0)
        }
    }()

    // MARK: Between the fields

    private static func judge(_ profile: AuthorityProfile, _ path: JSONPath, _ problems: inout ProblemList) {
        let keys = path.field("keys")
        var seen: Set<[String]> = []
        for (index, key) in profile.keys.enumerated() {
            if !seen.insert([key.role.rawValue, key.id, key.version]).inserted {
                problems.report(
                    keys.index(index), "a key of the role \(key.role.rawValue) is called \(key.id)-\(key.version) already")
            }
        }
        for (index, key) in profile.keys.enumerated() where key.isSpare {
            guard let twin = profile.keys.first(where: { !$0.isSpare && $0.role == key.role && $0.key == key.key }) else {
                continue
            }
            problems.report(
                keys.index(index).field("key"),
                "is the key of \(twin.id)-\(twin.version): a spare is another key, or both are lost on one day")
        }
        guard profile.status == .running else { return }
        if !profile.keys.contains(where: { $0.role == .export }) {
            problems.report(keys, "an authority that is running needs a key of the role export")
        }
        let signsRules = profile.keys.contains { $0.role == .rules }
        if let rules = profile.rules, rules.form != .profile, !signsRules {
            problems.report(keys, "rules of the form \(rules.form.rawValue) need a key of the role rules")
        } else if profile.warning?.kind == .nhs, !signsRules {
            problems.report(keys, "to warn by nhs needs a key of the role rules: it signs the servers' answers, too")
        } else if profile.checkIn?.base != nil, !signsRules {
            problems.report(keys, "warnings about venues need a key of the role rules: it signs the lists")
        }
    }

    /// What a kind needs, may have, and cannot have.
    static func judge(
        _ kind: String, _ fields: [(name: String, isThere: Bool)], needs: [String], allows: [String] = [],
        _ path: JSONPath, _ problems: inout ProblemList
    ) {
        for field in fields {
            if needs.contains(field.name), !field.isThere {
                problems.report(path.field(field.name), "is missing: \(kind) needs it")
            }
            if field.isThere, !needs.contains(field.name), !allows.contains(field.name) {
                problems.report(path.field(field.name), "does not belong to \(kind)")
            }
        }
    }

    // MARK: Texts

    /// A text of visible ASCII that fits `pattern`, which `fits` must say the same as.
    static func text(
        _ rule: String, _ pattern: String, standIn: String = "", _ fits: @escaping @Sendable (String) -> Bool
    ) -> Form<String> {
        Form(["type": "string", "pattern": .string(pattern)], standIn: standIn) { json, path, problems in
            if let text = json.string, fits(text) { return text }
            problems.report(path, "must be \(rule)")
            return standIn
        } write: {
            .string($0)
        }
    }

    static func isLower(_ byte: UInt8) -> Bool { (97...122).contains(byte) }
    static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

    private static let name = text(
        "a name of 1 to 32 small letters, digits and dashes, with a letter first, and not \"authority\"",
        "^(?!authority$)[a-z][a-z0-9-]{0,31}$", AuthorityProfile.isName)

    static func visible(_ most: Int) -> Form<String> {
        text("a text of 1 to \(most) visible characters of ASCII", "^[!-~]{1,\(most)}$") {
            (1...most).contains($0.utf8.count) && $0.utf8.allSatisfy(isVisible)
        }
    }

    private static let region = visible(32)

    private static let country = text("two capital letters, such as DE", "^[A-Z]{2}$") {
        $0.utf8.count == 2 && $0.utf8.allSatisfy { (65...90).contains($0) }
    }

    /// 1 to 65535 in digits, without leading zeros.
    private static let port =
        "([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"

    /// `https://HOST[:PORT][/PATH]`; plain http for machines of one's own.
    static let address = text(
        "an address such as https://example.org/path, with its https://, without blanks, a user, a query and a final slash, and with a port of 1 to 65535 if any",
        "^https?://[A-Za-z0-9.-]{1,253}(:\(port))?(/[A-Za-z0-9._~%-]+)*$"
    ) { text in
        guard text.utf8.count <= 400, let colon = text.utf8.firstIndex(of: 58) else { return false }
        guard text[..<colon] == "https" || text[..<colon] == "http" else { return false }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { return false }
        let parts = rest.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false)
        let authority = parts[0].split(separator: ":", omittingEmptySubsequences: false)
        guard authority.count <= 2, (1...253).contains(authority[0].utf8.count),
            authority[0].utf8.allSatisfy({ isLetter($0) || isDigit($0) || $0 == 45 || $0 == 46 })
        else { return false }
        if authority.count == 2 {
            guard let port = UInt16(authority[1]), port > 0, "\(port)" == authority[1] else { return false }
        }
        return parts.dropFirst().allSatisfy(isSegment)
    }

    /// What follows a base: `segment/segment`, as it is published.
    private static let relativePath = text(
        "a path behind the base, such as exposureKeyExport-FD/index.txt, without a slash at its ends",
        "^[A-Za-z0-9._~%-]+(/[A-Za-z0-9._~%-]+)*$"
    ) { $0.utf8.count <= 300 && $0.split(separator: "/", omittingEmptySubsequences: false).allSatisfy(isSegment) }

    private static func isLetter(_ byte: UInt8) -> Bool { isLower(byte) || (65...90).contains(byte) }

    private static func isSegment(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                isLetter($0) || isDigit($0) || $0 == 46 || $0 == 95 || $0 == 126 || $0 == 37 || $0 == 45
            }
    }

    private static let titles: Form<[String: String]> = {
        let words = Form<String>.words(1...80)
        var properties = JSON.Object()
        for language in AuthorityProfile.languages { properties[language] = .object(words.schema) }
        let schema: JSON.Object = [
            "type": "object", "additionalProperties": false, "required": ["en"], "properties": .object(properties),
        ]
        return Form(schema, standIn: [:]) { json, path, problems in
            guard let object = json.object else {
                problems.report(path, "must be an object with a text for each language")
                return [:]
            }
            var titles: [String: String] = [:]
            for member in object.members {
                guard AuthorityProfile.languages.contains(member.name) else {
                    problems.report(
                        path.field(member.name),
                        "there is no such language; there are \(AuthorityProfile.languages.joined(separator: ", "))")
                    continue
                }
                titles[member.name] = words.read(member.value, path.field(member.name), &problems)
            }
            if object["en"] == nil { problems.report(path.field("en"), "is missing: the title in English") }
            return titles
        } write: { titles in
            var object = JSON.Object()
            for language in AuthorityProfile.languages { object[language] = titles[language].map { .string($0) } }
            return .object(object)
        }
    }()

    // MARK: Keys

    private struct KeyDraft: Sendable {
        var id = ""
        var version = ""
        var role = AuthorityProfile.Role.export
        var key: P256.VerificationKey?
        var isSpare = false
    }

    /// Stands for a key that cannot be read; the profile is refused then.
    static let verificationKey: Form<P256.VerificationKey?> = Form(
        ["type": "string", "minLength": 40, "maxLength": 2_000], standIn: nil
    ) { json, path, problems in
        let text = json.string ?? ""
        let bytes = text.contains("-----BEGIN") ? Array(text.utf8) : Base64.bytes(text)
        if let bytes, text.unicodeScalars.count <= 2_000, !text.contains("PRIVATE"),
            let key = try? P256.VerificationKey(pemOrDER: bytes)
        {
            return key
        }
        problems.report(path, KeyFault.sentence(text, bytes: bytes))
        return nil
    } write: { key in
        .string(key.flatMap { try? $0.pem() } ?? "")
    }

    private static let keys: Form<[AuthorityProfile.Key]> = {
        let fields = Form<KeyDraft>.object(
            KeyDraft(),
            [
                .required("id", \.id, visible(64), "verification_key_id in what it signs."),
                .required("version", \.version, visible(64), "verification_key_version in what it signs."),
                .required(
                    "role", \.role, .word(AuthorityProfile.Role.allCases.map { ($0.rawValue, $0) }),
                    "export for a key that signs key files, rules for one that signs the rules."),
                .required("key", \.key, verificationKey, "PEM, or DER in Base64."),
                .optional("spare", \.isSpare, .flag, "For the day the first key is lost; verifies like any other."),
            ])
        // One that could not be read is a problem, and nothing of such a profile is used.
        return Form<[KeyDraft]>.list(fields, 0...AuthorityProfile.mostKeys).mapped(
            to: { drafts, _, _ in
                drafts.compactMap { draft in
                    draft.key.map {
                        AuthorityProfile.Key(
                            id: draft.id, version: draft.version, role: draft.role, key: $0, isSpare: draft.isSpare)
                    }
                }
            },
            from: { keys in
                keys.map { KeyDraft(id: $0.id, version: $0.version, role: $0.role, key: $0.key, isSpare: $0.isSpare) }
            }, standIn: [])
    }()

    // MARK: Rules

    private static let riskDocument: Form<RiskConfiguration> = {
        var schema = JSON.Object()
        for member in RiskConfiguration.schema.object?.members ?? [] where member.name != "$schema" {
            schema[member.name] = member.value
        }
        let map: JSON = ["type": "object", "required": ["symptomOnsetToInfectiousnessMap"]]
        let enExpress: JSON = ["type": "object", "required": ["config"], "properties": ["config": map]]
        schema = ["oneOf": [.object(schema), map, enExpress]]
        let standIn = RiskConfiguration(version: 1, models: [], mapping: .standard)
        return Form(schema, standIn: standIn) { json, path, problems in
            do throws(RiskConfigurationError) {
                return try RiskConfiguration(profileDocument: json.bytes)
            } catch {
                if error.code == .emptyMapping {
                    problems.report(
                        path,
                        "nobody is infectious by its mapping: everybody who met somebody would read that nothing is known, for ever"
                    )
                } else if error.problems.isEmpty {
                    problems.report(path, "\(error)")
                }
                for problem in error.problems { problems.report(path.joined(problem.path), problem.sentence) }
                return standIn
            }
        } write: {
            (try? JSON(parsing: $0.document)) ?? .null
        }
    }()

    private static let rules: Form<AuthorityProfile.Rules> = {
        let fields = Form<AuthorityProfile.Rules>.object(
            AuthorityProfile.Rules(form: .vigil),
            [
                .required(
                    "form", \.form, .word(RuleForm.allCases.map { ($0.rawValue, $0) }),
                    "In which form it publishes them: vigil, cwa, cwaIOS, nhs, swissCovid, or profile where they are in the document here."
                ),
                .maybe(
                    "path", \.path, relativePath, "Behind the base of the distribution; as the form has it if not given."),
                .maybe(
                    "document", \.document, riskDocument,
                    "With profile only: Vigil's own risk document (risk-configuration.schema.json), or an EN Express app's settings."
                ),
                .maybe("country", \.country, country, "With cwa and cwaIOS: whose part counts."),
            ])
        return Form(fields.schema, standIn: fields.standIn) { json, path, problems in
            let count = problems.problems.count
            let rules = fields.read(json, path, &problems)
            guard problems.problems.count == count else { return rules }
            judge(
                "the form \(rules.form.rawValue)",
                [
                    ("path", rules.path != nil), ("document", rules.document != nil), ("country", rules.country != nil),
                ], needs: rules.form == .profile ? ["document"] : [],
                allows: rules.form == .profile
                    ? [] : rules.form == .cwa || rules.form == .cwaIOS ? ["path", "country"] : ["path"], path, &problems)
            return rules
        } write: {
            fields.write($0)
        }
    }()

    // MARK: Addresses

    /// Of files that authorities publish; a tree does not end so.
    private static let endings = [".txt", ".zip", ".bin", ".json"]

    private static let distribution: Form<AuthorityProfile.Distribution> = {
        let fields = Form<AuthorityProfile.Distribution>.object(
            AuthorityProfile.Distribution(kind: .folder),
            [
                .required(
                    "kind", \.kind, .word(AuthorityProfile.Distribution.Kind.allCases.map { ($0.rawValue, $0) }),
                    "The shape of its tree: cwa, index, nhs, swissCovid, or folder where nobody fetches its files."),
                .maybe("base", \.base, address, "Where the tree begins."),
                .maybe("country", \.country, visible(32), "With cwa: whose packages, as the tree names it."),
                .maybe(
                    "continuous", \.isContinuous, .flag,
                    "With cwa: whether there is a package for every hour, with or without keys; true if not given."),
                .maybe("index", \.index, relativePath, "With index: the list's path behind the base."),
                .maybe(
                    "intervalSeconds", \.intervalSeconds, .integer(600...172_800),
                    "Between two looks; as the board's settings say if not given."),
            ])
        return Form(fields.schema, standIn: fields.standIn) { json, path, problems in
            let count = problems.problems.count
            let found = fields.read(json, path, &problems)
            guard problems.problems.count == count else { return found }
            let needs: [String] =
                switch found.kind {
                case .cwa: ["base", "country"]
                case .index: ["base", "index"]
                case .nhs, .swissCovid: ["base"]
                case .folder: []
                }
            judge(
                "the kind \(found.kind.rawValue)",
                [
                    ("base", found.base != nil), ("country", found.country != nil), ("index", found.index != nil),
                    ("intervalSeconds", found.intervalSeconds != nil), ("continuous", found.isContinuous != nil),
                ], needs: needs, allows: ["intervalSeconds"] + (found.kind == .cwa ? ["continuous"] : []), path, &problems)
            if let base = found.base, let end = endings.first(where: { base.lowercased().hasSuffix($0) }) {
                problems.report(
                    path.field("base"),
                    "ends in \(end), which is a file: the base is the address that paths are appended to")
            }
            return found
        } write: {
            fields.write($0)
        }
    }()

    private static let testCountry = text("England or Wales", "^(England|Wales)$") { $0 == "England" || $0 == "Wales" }

    /// What boards append to the addresses of servers.
    private static let calls = [
        "/api/verify", "/api/certificate", "/v1/publish", "/version/v1/registrationToken", "/version/v1/testresult",
        "/version/v1/tan", "/version/v1/diagnosis-keys", "/submission/diagnosis-keys", "/virology-test/v2/cta-exchange",
        "/virology-test/v2/results",
    ]

    private static let warning: Form<AuthorityProfile.Warning> = {
        let fields = Form<AuthorityProfile.Warning>.object(
            AuthorityProfile.Warning(kind: .none),
            [
                .required(
                    "kind", \.kind, .word(AuthorityProfile.Warning.Kind.allCases.map { ($0.rawValue, $0) }),
                    "Whose way it is: cwa, ens, nhs, or none where nobody can warn through it."),
                .maybe("verification", \.verification, address, "Where a code or a test is exchanged."),
                .maybe("publish", \.publish, address, "Where keys are sent."),
                .maybe(
                    "apiKey", \.apiKey, visible(256),
                    "With ens: the device key of the verification server. With nhs: name:value."),
                .maybe(
                    "healthAuthority", \.healthAuthority, visible(128), "With ens: the authority's id at the key server."),
                .maybe(
                    "linkRegion", \.linkRegion, visible(6),
                    "With ens: whose links are taken, such as US-WA; all if not given."),
                .maybe("userAgent", \.userAgent, visible(200), "As the authority's own app calls itself; nhs needs it."),
                .maybe("testCountry", \.testCountry, testCountry, "With nhs: whose tests people enter."),
                .maybe(
                    "origin", \.origin, country,
                    "With cwa: the country that submissions name; the server's own if not given."),
                .optional(
                    "countries", \.countries, .list(country, 0...64),
                    "With cwa: to which countries keys may go if the wearer agrees; to none if not given."),
            ])
        return Form(fields.schema, standIn: fields.standIn) { json, path, problems in
            let count = problems.problems.count
            let found = fields.read(json, path, &problems)
            guard problems.problems.count == count else { return found }
            let needs: [String] =
                switch found.kind {
                case .cwa: ["verification", "publish"]
                case .ens: ["verification", "publish", "apiKey", "healthAuthority"]
                case .nhs: ["publish", "apiKey", "userAgent", "testCountry"]
                case .none: []
                }
            let allows: [String] =
                switch found.kind {
                case .cwa: ["userAgent", "origin", "countries"]
                case .ens: ["userAgent", "linkRegion"]
                case .nhs: ["verification"]
                case .none: []
                }
            for (name, address) in [("verification", found.verification), ("publish", found.publish)] {
                guard let address, let call = calls.first(where: address.hasSuffix) else { continue }
                problems.report(path.field(name), "ends in \(call): leave that out, the board appends it")
            }
            judge(
                "the kind \(found.kind.rawValue)",
                [
                    ("verification", found.verification != nil), ("publish", found.publish != nil),
                    ("apiKey", found.apiKey != nil), ("healthAuthority", found.healthAuthority != nil),
                    ("linkRegion", found.linkRegion != nil), ("userAgent", found.userAgent != nil),
                    ("testCountry", found.testCountry != nil), ("origin", found.origin != nil),
                    ("countries", !found.countries.isEmpty),
                ], needs: needs, allows: allows, path, &problems)
            return found
        } write: {
            fields.write($0)
        }
    }()
}

extension AuthorityProfile {
    /// Whether a profile can have this name: `[a-z][a-z0-9-]{0,31}`, and not ``reservedName``.
    public static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return (1...32).contains(bytes.count) && (97...122).contains(bytes[0])
            && bytes.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 } && text != reservedName
    }

    /// The JSON Schema (draft 2020-12) of ``document``, generated from the reader.
    public static var schema: JSON {
        var schema: JSON.Object = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Profile of a health authority",
            "description": "An authority as a Vigil board follows it; docs/authorities.md.",
        ]
        for member in ProfileForm.document.schema.members { schema[member.name] = member.value }
        return .object(schema)
    }
}
