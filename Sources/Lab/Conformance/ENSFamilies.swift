// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DiagnosisPlan
import FoundationEssentials
import GAEN
import HTTPFields
import VirtualAir

/// The code over the keys, and what of it a key server compares.
enum ENSProofs: VectorFamily {
    static let name = "ens_hmac"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                if !vector["publish"].isNull { return try compare(vector) }
                let secret = try vector["secretHex"].hex("secret")
                let keys = try ensKeys(vector["keys"])
                let code = Base64.string(try UploadProof.code(for: keys, secret: SecretBytes(copying: secret)))
                let accepted = vector["hmac"].array.compactMap(\.string)
                try expect("code", code, require("code", accepted.first))
                for (name, wrong) in vector["mustNotEqual"].object where wrong.string == code {
                    throw Mismatch(description: "it is the code of \(name)")
                }
                if accepted.count > 1 {
                    let short = try UploadProof.code(
                        for: keys, secret: SecretBytes(copying: secret), withoutLevels: true)
                    try expect("short code", Base64.string(short), accepted[1])
                }
            }
        }
    }

    /// As the server compares: by the text of the request.
    private static func compare(_ vector: VectorValue) throws {
        let publish = vector["publish"]
        let secret = try require("secret", publish["hmacKey"].string.flatMap(LenientBase64.bytes))
        let rows = publish["temporaryExposureKeys"].array
        func code(_ form: (VectorValue) -> String) throws -> String {
            let text = rows.map(form).sorted().joined(separator: ",")
            return Base64.string(try HMACSHA256.code(for: Array(text.utf8), key: SecretBytes(copying: secret)))
        }
        func base(_ row: VectorValue) -> String {
            "\(row["key"].string ?? "").\(row["rollingStartNumber"].int ?? 0).\(row["rollingPeriod"].int ?? 0)"
        }
        var codes = [try code { "\(base($0)).\($0["transmissionRisk"].int ?? 0)" }]
        if rows.allSatisfy({ ($0["transmissionRisk"].int ?? 0) == 0 }) { codes.append(try code(base)) }
        let certified = try require("tekmac", vector["certificate"]["tekmac"].string)
        try expect("match", codes.contains(certified), require("match", vector["match"].bool))
    }
}

func ensKeys(_ json: VectorValue) throws -> [DiagnosisKey] {
    try json.array.map { key in
        let data = try require("key", key["key"].string.flatMap { Base64.bytes($0) }.flatMap { Block($0) })
        return try require(
            "numbers of the key",
            DiagnosisKey(
                data: data, rollingStart: ENIN(UInt32(try require("start", key["rollingStartNumber"].int))),
                rollingPeriod: UInt32(try require("period", key["rollingPeriod"].int)),
                transmissionRiskLevel: UInt8(key["transmissionRisk"].int ?? 0)))
    }
}

/// What is typed, links, and what codes, lists and subjects mean.
enum ENSCodeFormats: VectorFamily {
    static let name = "ens_code_formats"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                let expected = vector["expect"]
                switch try require("kind", vector["kind"].string) {
                case "typed":
                    let code = try? ENSCode(typed: require("input", vector["input"].string))
                    try expect("code", code?.text, expected["code"].string)
                    let form = code.map { $0.isDigits ? "digits" : "alphanumeric" }
                    try expect("form", form, expected["form"].string)
                case "link":
                    let input = try require("input", vector["input"].string)
                    if expected["action"].string == "onboarding" {
                        return try expect("onboarding", ENSCode.isOnboarding(input), true)
                    }
                    let code = try? ENSCode(link: input)
                    try expect("code", code?.text, expected["code"].string)
                    try expect("region", code?.region, expected["region"].string)
                case "expiry": try expiry(vector)
                case "accept":
                    let types = ENSTestType.accepted(vector["accept"].array.compactMap(\.string))
                    try expect("read", types != nil, require("ok", expected["ok"].bool))
                    let named = expected["types"].array.compactMap(\.string)
                    try expect("types", types?.map(\.rawValue).sorted() ?? [], named.sorted())
                case "subject":
                    let subject = ENSCertificate.Subject(try require("input", vector["input"].string))
                    try expect("read", subject != nil, require("ok", expected["ok"].bool))
                    try expect("type", subject?.type, expected["testType"].string)
                    try expect("symptoms", subject?.symptomDate, expected["symptomDate"].string)
                    try expect("test", subject?.testDate, expected["testDate"].string)
                    let onset = subject?.symptomDate.flatMap { CivilDate(isoText: $0) }.map { Int($0.dayNumber * 144) }
                    try expect("onset", onset, expected["certificateSymptomOnsetInterval"].int)
                case "nonce":
                    let count = try require("bytes", vector["bytes"].int)
                    let text = Base64.string([UInt8](repeating: 7, count: count))
                    try expect("length", text.utf8.count, require("length", vector["base64Length"].int))
                    try expect("sent", count == ENSRequest.nonceBytes, expected.string == "sms_sent")
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }

    /// A long code that was not sent by SMS dies with the short one.
    private static func expiry(_ vector: VectorValue) throws {
        let issued = try require("issued", vector["issuedAt"].int)
        let isLong = vector["form"].string == "long" && vector["channel"].string == "sms"
        let life =
            isLong
            ? try require("hours", vector["longHours"].int) * 3_600
            : try require("minutes", vector["shortMinutes"].int) * 60
        let expected = vector["expect"]
        try expect("expires", issued + life, require("expires", expected["expiresAt"].int))
        let presented = try require("presented", vector["presentedAt"].int)
        try expect("valid", presented < issued + life, require("valid", expected["valid"].bool))
    }
}

/// Days between onset and key, and which dates are allowed.
enum ENSDates: VectorFamily {
    static let name = "ens_dates"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                func date(_ name: String) throws -> Int64 {
                    try require(name, vector[name].string.flatMap { CivilDate(isoText: $0) }).dayNumber
                }
                switch try require("kind", vector["kind"].string) {
                case "days":
                    let days = ENSKeyRules.daysSinceOnset(
                        start: Int64(try require("start", vector["keyStartInterval"].int)),
                        onset: Int64(try require("onset", vector["onsetInterval"].int)))
                    try expect("days", Int(days), require("days", vector["expect"].int))
                case "interval":
                    try expect("interval", Int(try date("date") * 144), require("interval", vector["expect"].int))
                case "dateAllowed":
                    let offset = try require("offset", vector["tzOffset"].int)
                    let isAllowed =
                        try date("date") >= date("oldest") - (offset < 0 ? 1 : 0) && date("date") <= date("today")
                    try expect("allowed", isAllowed, require("allowed", vector["expect"].bool))
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }
}

/// What a key server does with each key.
enum ENSTransformations: VectorFamily {
    static let name = "ens_publish_transform"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases { check.check(vector["name"].string ?? "?") { try run(vector) } }
    }

    private static func run(_ vector: VectorValue) throws {
        var rules = ENSKeyRules()
        for (name, value) in vector["config"].object {
            switch name {
            case "max_keys": rules.maximumKeys = try require(name, value.int)
            case "max_same_start": rules.maximumSameStart = try require(name, value.int)
            case "max_age_hours": rules.maximumAgeSeconds = Int64(try require(name, value.int)) * 3_600
            case "truncate_seconds": rules.truncateSeconds = Int64(try require(name, value.int))
            case "max_onset_days": rules.maximumOnsetDays = Int64(try require(name, value.int))
            case "max_onset_report_days": rules.maximumReportDays = Int64(try require(name, value.int))
            case "default_onset_days_ago": rules.defaultOnsetDays = Int64(try require(name, value.int))
            case "release_same_day_keys": rules.releasesSameDayKeys = try require(name, value.bool)
            default: throw Mismatch(description: "nobody knows the setting \(name)")
            }
        }
        let request = vector["request"]
        let keys = try request["temporaryExposureKeys"].array.map(key)
        let type = try vector["certificate"]["reportType"].string.map { try require("type", ENSTestType($0)) }
        let isTraveler = request["traveler"].bool ?? false
        let verdict = rules.judge(
            keys, onset: request["symptomOnsetInterval"].int.map(Int64.init),
            certified: vector["certificate"]["symptomOnsetInterval"].int.map(Int64.init), type: type,
            at: Int64(try require("now", vector["now"].int)))
        let expected = vector["expect"]
        try expect("status", verdict.status, require("status", expected["http"].int))
        try expect("code", verdict.code, require("code", expected["code"].string))
        try expect("reason", verdict.refusal?.rawValue ?? "", expected["reason"].string ?? "")
        if let onset = expected["onsetInterval"].int { try expect("onset", verdict.onset.map { Int($0) }, onset) }
        if let source = expected["onsetSource"].string { try expect("source", verdict.onsetSource?.rawValue, source) }
        let dropped = verdict.dropped.map {
            "\($0.key.text) \($0.reason.rawValue) \($0.reason.isWarning ? "warning" : "error")"
        }
        let wanted = expected["dropped"].array.map {
            "\($0["key"].string ?? "") \($0["reason"].string ?? "") \($0["kind"].string ?? "")"
        }
        try expect("dropped", dropped.sorted(), wanted.sorted())
        // A first report that is negative is stored nowhere.
        let isStored = verdict.status == 200 && type != .negative
        if let inserted = expected["inserted"].int {
            try expect("inserted", isStored ? Set(verdict.kept.map(\.key.text)).count : 0, inserted)
        }
        if let token = expected["revisionToken"].bool {
            try expect("token", verdict.status == 200 && !verdict.kept.isEmpty, token)
        }
        let found = verdict.kept.map { kept in
            """
            \(LenientBase64.bytes(kept.key.text).map { Base64.string($0) } ?? "") \(kept.key.start) \(kept.key.period) \(kept.risk) \(type?.rawValue ?? "") \(kept.daysSinceOnset) \
            \(kept.created) \(kept.isEmbargoed) \(isTraveler)
            """
        }
        let rows = try expected["kept"].array.map { row in
            """
            \(row["key"].string ?? "") \(try require("start", row["rollingStartNumber"].int)) \
            \(try require("period", row["rollingPeriod"].int)) \(try require("risk", row["transmissionRisk"].int)) \
            \(row["reportType"].string ?? "") \(try require("days", row["daysSinceOnset"].int)) \
            \(try require("created", row["createdAt"].int)) \(try require("embargo", row["embargoed"].bool)) \
            \(try require("traveler", row["traveler"].bool))
            """
        }
        try expect("kept", found.sorted(), rows.sorted())
    }

    static func key(_ row: VectorValue) throws -> ENSKeyRules.Key {
        ENSKeyRules.Key(
            text: try require("key", row["key"].string), start: Int64(try require("start", row["rollingStartNumber"].int)),
            period: Int64(try require("period", row["rollingPeriod"].int)), risk: Int64(row["transmissionRisk"].int ?? 0))
    }
}

/// What a key server does with keys that it has.
enum ENSRevisions: VectorFamily {
    static let name = "ens_revise"

    private struct Row {
        let start: Int
        let period: Int

        init(_ json: VectorValue) throws {
            start = try require("start", json["rollingStartNumber"].int)
            period = try require("period", json["rollingPeriod"].int)
        }
    }

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                if !vector["existing"].isNull { return try publish(vector) }
                let previous = vector["previous"]
                let next = try require("type", ENSTestType(vector["incoming"]["reportType"].string ?? ""))
                let first = ENSTestType(previous["reportType"].string ?? "")
                let revised = previous["revisedReportType"].string.flatMap { ENSTestType($0) }
                let outcome = ENSRevision.outcome(of: first, revisedTo: revised, to: next)
                // Keys of another server are not this one's to revise.
                let isForeign = previous["local"].bool == false && outcome == .revised
                try expect("outcome", isForeign ? "internal_error" : outcome.rawValue, vector["expect"].string)
            }
        }
    }

    private static func publish(_ vector: VectorValue) throws {
        let incoming = try vector["incoming"].array.map { (try require("key", $0["key"].string), try Row($0)) }
        let type = try require("type", vector["reportType"].string.flatMap { ENSTestType($0) })
        var (inserted, revised, unchanged, dropped) = (0, 0, 0, 0)
        var refusal: String?
        let existing = Dictionary(uniqueKeysWithValues: vector["existing"].array.map { ($0["key"].string ?? "", $0) })
        var token: [String: Row]? = vector["token"].isNull ? nil : [:]
        for row in vector["token"].array { token?[row["key"].string ?? ""] = try Row(row) }
        let isReadable = vector["token"].string == nil
        var published: [String] = isReadable ? token.map { Array($0.keys) } ?? [] : []
        for (text, row) in incoming.sorted(by: { $0.0 < $1.0 }) where refusal == nil {
            guard let known = existing[text] else {
                if type != .negative { inserted += 1 }
                published.append(text)
                continue
            }
            guard let token else {
                refusal = "missing_revision_token"
                break
            }
            let knownRow = try Row(known)
            let named = isReadable ? token[text] : nil
            if isReadable, row.start != knownRow.start || row.period != knownRow.period {
                refusal = "internal_error"
            } else if named == nil, vector["allowPartialRevisions"].bool == true, isReadable {
                dropped += 1
            } else if named.map({ $0.start == knownRow.start && $0.period == knownRow.period }) != true {
                refusal = "invalid_revision_token"
            } else {
                let first = known["reportType"].string.flatMap { ENSTestType($0) }
                let before = known["revisedTo"].string.flatMap { ENSTestType($0) }
                switch ENSRevision.outcome(of: first, revisedTo: before, to: type) {
                case .revised: revised += 1
                case .unchanged: unchanged += 1
                case let other: refusal = other.rawValue
                }
            }
        }
        let expected = vector["expect"]
        try expect("status", refusal == nil ? 200 : 400, require("status", expected["http"].int))
        try expect("code", refusal ?? "", require("code", expected["code"].string))
        // What the client does about it.
        let action = ENSAnswer.read(
            .publish, status: refusal == nil ? 200 : 400,
            body: Array(#"{"code":"\#(refusal ?? "")","revisionToken":"\#(refusal == nil ? "dG9rZW4=" : "")"}"#.utf8)
        ).action
        let wanted: ENSAnswer.Action =
            switch refusal {
            case nil: .published
            case "missing_revision_token": .keysAlreadyThere
            case "internal_error": .retry
            default: .newKeysOnly
            }
        try expect("action", action, wanted)
        guard refusal == nil else { return }
        try expect("inserted", inserted, require("inserted", expected["inserted"].int))
        try expect("revised", revised, require("revised", expected["revised"].int))
        try expect("dropped", dropped, require("dropped", expected["dropped"].int))
        try expect("unchanged", unchanged, require("unchanged", expected["unchanged"].int))
        try expect("token", Set(published).sorted(), expected["newTokenKeys"].array.compactMap(\.string).sorted())
    }
}

/// Answers, and what is done about them.
enum ENSAnswers: VectorFamily {
    static let name = "ens_verify_errors"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                let endpoint = try require("endpoint", ENSAnswer.Endpoint(rawValue: vector["endpoint"].string ?? ""))
                let response = vector["response"]
                let retryAfter = response["headers"]["Retry-After"].string
                let body: [UInt8] =
                    switch response["body"] {
                    case .null: []
                    case .string(let text): Array(text.utf8)
                    case let json: try Array(JSONEncoder().encode(json))
                    }
                let answer = ENSAnswer.read(
                    endpoint, status: try require("status", response["status"].int), body: body,
                    retryAfter: retryAfter != nil, isChaff: vector["chaff"].bool ?? false)
                let expected = vector["expect"]
                try expect("action", answer.action.rawValue, require("action", expected["action"].string))
                try expect("again", answer.action.mayRepeat, require("again", expected["retrySameRequest"].bool))
                if !expected["keep"].isNull {
                    try expect("kept", answer.keeps(endpoint), expected["keep"].array.compactMap(\.string))
                }
                if let moment = expected["notBefore"].int {
                    let now = Int64(moment - 50)
                    let wait = try require("wait", RetryAfter.seconds(retryAfter ?? "", date: nil, now: now))
                    try expect("not before", Int(now + wait), moment)
                }
            }
        }
    }
}

/// Requests as they are made, and what servers' readers say of others.
enum ENSRequests: VectorFamily {
    static let name = "ens_publish_requests"
    private static let apiKey = "<device API key>"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                switch try require("kind", vector["kind"].string) {
                case "build": try build(vector)
                case "read": try read(vector)
                case "padding":
                    let count = try require("bytes", vector["bodyWithoutPadding"].int)
                    let characters = ENSRequest.paddingCharacters(
                        bodyWithoutPadding: count, target: try require("target", vector["target"].int))
                    try expect("characters", characters, require("characters", vector["expect"]["paddingCharacters"].int))
                    try expect("size", count + 13 + characters, require("size", vector["expect"]["bodySize"].int))
                case "certificate":
                    let certificate = try require("certificate", ENSCertificate(vector["jwt"].string ?? ""))
                    let claims = vector["expect"]["claims"]
                    try expect("expires", Int(certificate.expires), require("exp", claims["exp"].int))
                    try expect("code", certificate.code, require("tekmac", claims["tekmac"].string))
                    try expect("onset", certificate.onset.map { Int($0) }, claims["symptomOnsetInterval"].int)
                    let secret = SecretBytes(copying: try vector["secretHex"].hex("secret"))
                    let keys = try ensKeys(vector["keys"])
                    var codes = [Base64.string(try UploadProof.code(for: keys, secret: secret))]
                    if keys.allSatisfy({ $0.transmissionRiskLevel == 0 }) {
                        codes.append(Base64.string(try UploadProof.code(for: keys, secret: secret, withoutLevels: true)))
                    }
                    let now = Int64(try require("now", vector["now"].int))
                    try expect(
                        "usable", certificate.isUsable(for: codes, at: now),
                        require("usable", vector["expect"]["usable"].bool))
                case "token":
                    let text = vector["jwt"].string ?? ""
                    let token = try require("token", ENSCertificate.Token(text))
                    try expect("expires", Int(token.expires), require("expires", vector["expect"]["expiresAt"].int))
                    try expect("subject", token.subject, require("subject", vector["expect"]["subject"].string))
                    try expect("length", text.utf8.count, require("length", vector["expect"]["length"].int))
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }

    private static func build(_ vector: VectorValue) throws {
        let request = try request(vector)
        let expected = vector["expect"]
        try expect("method", request.method.rawValue, expected["method"].string)
        let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name.lowercased(), $0.value) })
        for (name, value) in expected["headers"].object { try expect(name, headers[name], value.string) }
        let extra = Set(headers.keys).subtracting(expected["headers"].object.keys)
        try expect("other headers", extra.subtracting(["accept"]), [])
        let body = try JSONDecoder().decode(VectorValue.self, from: Data(request.body))
        for (name, value) in expected["fields"].object { try expect(name, body[name], value) }
        for name in expected["absentFields"].array.compactMap(\.string) where body.object[name] != nil {
            throw Mismatch(description: "\(name) is there")
        }
        for name in expected["freeFields"].array.compactMap(\.string) { _ = try require(name, body.object[name]) }
        let chaff = headers["x-chaff"] == nil ? 0 : "x-chaff: 1\r\n".utf8.count
        try expect("length", request.body.count + chaff, ENSRequest.bodyBytes)
        try expect("read", ENSServerReader.read(vector["endpoint"].string ?? "", "application/json", request.body), nil)
    }

    private static func request(_ vector: VectorValue) throws -> ExchangeRequest {
        let inputs = vector["inputs"]
        var random = SplitMix64(seed: 1)
        let endpoint = try require("endpoint", ENSAnswer.Endpoint(rawValue: vector["endpoint"].string ?? ""))
        if vector["expect"]["headers"]["x-chaff"].string != nil {
            return ENSRequest.fake(endpoint, apiKey: apiKey, using: &random)
        }
        func secret() throws -> SecretBytes { SecretBytes(copying: try inputs["secretHex"].hex("secret")) }
        switch endpoint {
        case .verify:
            let code =
                try inputs["link"].string.map { try ENSCode(link: $0) }?.text ?? require("code", inputs["code"].string)
            let types = try inputs["accept"].array.map { try require("type", ENSTestType($0.string ?? "")) }
            let nonce = inputs["nonceHex"].string.flatMap { Hex.bytes($0) }
            return try ENSRequest.verify(code, accepts: types, nonce: nonce, apiKey: apiKey, using: &random)
        case .certificate:
            let proof = Base64.string(try UploadProof.code(for: ensKeys(inputs["keys"]), secret: secret()))
            return try ENSRequest.certificate(
                token: require("token", inputs["token"].string), proof: proof, apiKey: apiKey, using: &random)
        case .userReport:
            return try ENSRequest.userReport(
                phone: require("phone", inputs["phone"].string), nonce: inputs["nonceHex"].hex("nonce"),
                symptomDate: inputs["symptomDate"].string, testDate: inputs["testDate"].string, apiKey: apiKey,
                using: &random)
        case .publish:
            let onset = try inputs["onsetDate"].string.map { try require("onset", CivilDate(isoText: $0)) }
            let body = try PublishRequest(
                keys: ensKeys(inputs["keys"]), healthAuthority: require("authority", inputs["healthAuthorityID"].string),
                certificate: require("certificate", inputs["certificate"].string), secret: secret(),
                symptomOnset: onset.map { ENIN(UInt32($0.dayNumber * 144)) }, isTraveler: inputs["traveler"].bool ?? false,
                revisionToken: inputs["storedRevisionToken"].string ?? ""
            ).encoded(as: SubmissionShape(bytes: ENSRequest.bodyBytes), using: &random)
            return ENSRequest.publish(body: body)
        }
    }

    private static func read(_ vector: VectorValue) throws {
        let body =
            vector["bodySize"].int.map { [UInt8](repeating: 0x20, count: $0) } ?? Array((vector["body"].string ?? "").utf8)
        let refusal = ENSServerReader.read(vector["endpoint"].string ?? "", vector["contentType"].string ?? "", body)
        let expected = vector["expect"]
        try expect("code", refusal?.code, expected["code"].string)
        try expect("status", refusal?.status, expected["status"].int)
    }
}

/// How Google's servers read a body (specification ens 2 and 6): what a request of ours has to get past.
enum ENSServerReader {
    struct Refusal: Equatable {
        let status: Int
        let code: String
    }

    private enum Kind { case text, texts, integer, flag, keys, anything }

    private static let fields: [String: [String: Kind]] = [
        "/api/verify": ["code": .text, "accept": .texts, "nonce": .text, "padding": .anything],
        "/api/certificate": ["token": .text, "ekeyhmac": .text, "padding": .anything],
        "/api/user-report": [
            "phone": .text, "nonce": .text, "symptomdate": .text, "testdate": .text, "tzoffset": .integer,
            "padding": .anything,
        ],
        "/v1/publish": [
            "temporaryexposurekeys": .keys, "healthauthorityid": .text, "verificationpayload": .text, "hmackey": .text,
            "symptomonsetinterval": .integer, "traveler": .flag, "revisiontoken": .text, "padding": .text,
        ],
    ]

    /// `nil` when it is read.
    static func read(_ path: String, _ contentType: String, _ body: [UInt8]) -> Refusal? {
        let isPublish = path == "/v1/publish"
        let bad = Refusal(
            status: 400,
            code: isPublish ? "bad_request" : path == "/api/certificate" ? "token_invalid" : "unparsable_request")
        guard contentType.hasPrefix("application/json") else {
            return isPublish ? Refusal(status: 415, code: "bad_request") : bad
        }
        guard body.count <= 64_000 else { return isPublish ? Refusal(status: 413, code: "bad_request") : bad }
        guard let known = fields[path], let json = try? JSONDecoder().decode(VectorValue.self, from: Data(body)),
            case .object(let object) = json
        else { return bad }
        for (name, value) in object {
            guard let kind = known[name.lowercased()], fits(value, kind) else { return bad }
        }
        return nil
    }

    private static func fits(_ value: VectorValue, _ kind: Kind) -> Bool {
        switch kind {
        case .anything: return true
        case .text: return value.string != nil || value.isNull
        case .integer: if case .integer = value { return true } else { return value.isNull }
        case .flag: return value.bool != nil || value.isNull
        case .texts:
            guard case .array(let items) = value else { return value.isNull }
            return items.allSatisfy { $0.string != nil }
        case .keys:
            guard case .array(let items) = value else { return value.isNull }
            let members: Set = ["key", "rollingstartnumber", "rollingperiod", "transmissionrisk"]
            return items.allSatisfy { Set($0.object.keys.map { $0.lowercased() }).isSubset(of: members) }
        }
    }
}
