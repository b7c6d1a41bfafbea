// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import JSON
public import RiskConfiguration
public import Trust

/// One health authority as a board follows it: its keys, its rules, where its files lie and how people warn through it
/// (docs/authorities.md). Written by an operator, one JSON document for each authority.
///
/// Says what a board believes, so it belongs where the board's own configuration lies; it is not signed and never fetched.
public struct AuthorityProfile: Hashable, Sendable {
    /// Bytes of the largest document that is read, inclusive, 128 KiB; one with 32 keys and rules of five models has 20 KB.
    /// Our own bound.
    public static let maximumByteCount = 131_072
    /// Most keys of one authority, of all roles together. Our own bound.
    public static let mostKeys = 32
    /// The name of the source that `--verify` and `--config-key` make; no profile can have it.
    public static let reservedName = "authority"
    /// Languages that a title may have; English is always there.
    public static let languages = ["en", "de", "fr", "de-simple"]

    /// The state of the authority's service. Raw values are those of the document.
    public enum Status: String, Sendable, CaseIterable {
        /// It publishes keys and rules.
        case running
        /// The authority has ended its service. Nothing of it is compared or judged; the board says that it is off.
        case switchedOff
    }

    /// The kind of document that a key of an authority signs.
    public enum Role: String, Sendable, CaseIterable {
        /// Signs key files.
        case export
        /// Signs the rules by which encounters are judged.
        case rules
    }

    /// A verification key as the authority publishes it.
    public struct Key: Hashable, Sendable {
        /// The key's id, in key files `verification_key_id`, often the mobile country code; 1 to 64 visible ASCII
        /// characters.
        public var id: String
        /// The key's version, in key files `verification_key_version`; 1 to 64 visible ASCII characters. Unique with ``id``
        /// among the keys of one role.
        public var version: String
        /// The kind of document that the key signs: key files or rules.
        public var role: Role
        /// The public key; nothing in a profile's keys is secret.
        public var key: P256.VerificationKey
        /// Whether it was provisioned for the day when the first key is lost; it verifies like any other. In a
        /// document, it is not the same key as one of its role that is no spare.
        public var isSpare: Bool

        /// A key of these parts, unchecked; reading the profile's document says what is wrong.
        public init(id: String, version: String, role: Role, key: P256.VerificationKey, isSpare: Bool = false) {
            self.id = id
            self.version = version
            self.role = role
            self.key = key
            self.isSpare = isSpare
        }
    }

    /// The rules by which the authority says what counts.
    public struct Rules: Hashable, Sendable {
        /// The form in which the authority publishes its rules.
        public var form: RuleForm
        /// Path of the rules behind the base of the distribution, up to 300 bytes; `nil` for the path that the form has
        /// by itself, and always with the form *profile*.
        public var path: String?
        /// The operator's rules, for the form *profile* only, which needs them; `nil` with any other form.
        public var document: RiskConfiguration?
        /// The country that a Corona-Warn-App's rules must name, where they name any: two capital letters. `nil` takes
        /// rules for any country, and is all that other forms allow.
        public var country: String?

        /// Rules of these parts, unchecked; `nil` for what the form does not need.
        public init(
            form: RuleForm, path: String? = nil, document: RiskConfiguration? = nil, country: String? = nil
        ) {
            self.form = form
            self.path = path
            self.document = document
            self.country = country
        }
    }

    /// The place of an authority's files, and the kind of tree they lie in.
    public struct Distribution: Hashable, Sendable {
        /// The shape of a tree of files.
        public enum Kind: String, Sendable, CaseIterable {
            /// The Corona-Warn-App's tree of days and hours.
            case cwa
            /// exposure-notifications-server: a text of names, one on each line.
            case index
            /// NHS COVID-19's days and two-hour windows.
            case nhs
            /// SwissCovid's tree: one package of keys for each day.
            case swissCovid
            /// Nobody fetches them: they come on a stick, or somebody puts them into a folder.
            case folder
        }

        /// The shape of the tree of files.
        public var kind: Kind
        /// The address at which the tree begins: `https://HOST[:PORT][/PATH]` (or `http:`) without a final slash, up to
        /// 400 bytes; `nil` with the kind *folder* only, whose files nobody fetches.
        public var base: String?
        /// The country whose packages are fetched, as the tree names it, for the kind *cwa*; 1 to 32 visible ASCII
        /// characters. `nil` with any other kind.
        public var country: String?
        /// The path of the list behind ``base``, up to 300 bytes, without a slash at its ends, for the kind *index*;
        /// `nil` with any other kind.
        public var index: String?
        /// Seconds between two looks, 600 to 172,800; `nil` leaves it to the board's settings. The plugin *sync* takes
        /// more than 86,400 as 86,400.
        public var intervalSeconds: Int64?

        /// A distribution of these parts, unchecked; `intervalSeconds` is in seconds. `nil` for what the kind does not
        /// need.
        public init(
            kind: Kind, base: String? = nil, country: String? = nil, index: String? = nil, intervalSeconds: Int64? = nil
        ) {
            self.kind = kind
            self.base = base
            self.country = country
            self.index = index
            self.intervalSeconds = intervalSeconds
        }
    }

    /// The way to warn people through an authority: its protocol, and the addresses of its servers.
    public struct Warning: Hashable, Sendable {
        /// The protocol of warning: whose requests and answers it takes.
        public enum Kind: String, Sendable, CaseIterable {
            /// Corona-Warn-App's way: a code or a test is exchanged for a TAN, and the TAN pays for the upload.
            case cwa
            /// Google's exposure-notifications-verification-server and exposure-notifications-server.
            case ens
            /// NHS COVID-19's way: a test is exchanged for a token that pays for the upload.
            case nhs
            /// Nobody can warn others through this authority.
            case none
        }

        /// The protocol that is spoken to warn others.
        public var kind: Kind
        /// The address where a code or a test is exchanged for the right to warn: `https://HOST[:PORT][/PATH]` (or
        /// `http:`), up to 400 bytes. With the kind *nhs*, `nil` stands for ``publish``; otherwise it is `nil` for the
        /// kind *none* only.
        public var verification: String?
        /// The address that keys are sent to: `https://HOST[:PORT][/PATH]` (or `http:`), up to 400 bytes; `nil` for the
        /// kind *none* only.
        public var publish: String?
        /// The key that requests carry: for the kind *ens* the device key of the verification server's realm, for *nhs*
        /// `name:value` (that form is not checked). 1 to 256 visible ASCII characters; both kinds need it, and it is
        /// `nil` with others. It is no secret: it is in every copy of that authority's app.
        public var apiKey: String?
        /// The health authority's id at the key server, for the kind *ens*, which needs it; 1 to 128 visible ASCII
        /// characters. `nil` with other kinds.
        public var healthAuthority: String?
        /// The region whose links are taken, such as US-WA, 1 to 6 visible ASCII characters, for the kind *ens*, where
        /// `nil` takes all; `nil` with other kinds.
        public var linkRegion: String?
        /// The name by which the authority's own app calls itself (`User-Agent`), 1 to 200 visible ASCII characters.
        /// The kind *nhs* needs it; *ens* and *cwa* send none for `nil`, but servers that promise `exactlyOnce` (the
        /// kind *cwa*) are always told the board's own. `nil` with the kind *none*.
        public var userAgent: String?
        /// The country whose tests people enter, `England` or `Wales`, for the kind *nhs*, which needs it; `nil` with other
        /// kinds.
        public var testCountry: String?

        /// A way to warn of these parts, unchecked; `nil` for what the kind does not need.
        public init(
            kind: Kind, verification: String? = nil, publish: String? = nil, apiKey: String? = nil,
            healthAuthority: String? = nil, linkRegion: String? = nil, userAgent: String? = nil,
            testCountry: String? = nil
        ) {
            self.kind = kind
            self.verification = verification
            self.publish = publish
            self.apiKey = apiKey
            self.healthAuthority = healthAuthority
            self.linkRegion = linkRegion
            self.userAgent = userAgent
            self.testCountry = testCountry
        }
    }

    /// The name by which everything else calls this source: `[a-z][a-z0-9-]{0,31}`, and not ``reservedName``.
    public var name: String
    /// The authority's name for people, by language of ``languages``; each of 1 to 80 Unicode scalars on one line,
    /// English always.
    public var title: [String: String]
    /// The state of the authority's service. Only while it is running, keys and rules are fetched and its files compared.
    public var status: Status
    /// The region its files are signed for, 1 to 32 visible ASCII characters; `nil` where any region counts.
    public var region: String?
    /// The authority's keys, at most ``mostKeys``; one that is running has at least one of the role *export*, and one
    /// of the role *rules* where rules are signed or the kind of warning is *nhs*.
    public var keys: [Key]
    /// The authority's rules about which encounters count; `nil` where nothing is judged.
    public var rules: Rules?
    /// The place of its files; `nil` where nobody fetches them, which the kind *folder* says, too.
    public var distribution: Distribution?
    /// The way to warn people through it; `nil` where nobody can, which the kind *none* says, too.
    public var warning: Warning?

    /// A profile of any parts can be made, wrong ones too; reading its ``document`` says what is wrong with it. `nil` for
    /// what the authority does not have.
    public init(
        name: String, title: [String: String], status: Status = .running, region: String? = nil, keys: [Key] = [],
        rules: Rules? = nil, distribution: Distribution? = nil, warning: Warning? = nil
    ) {
        self.name = name
        self.title = title
        self.status = status
        self.region = region
        self.keys = keys
        self.rules = rules
        self.distribution = distribution
        self.warning = warning
    }

    /// Reads the document. Throws everything that is wrong with it, with the places; of more than ``maximumByteCount``
    /// bytes, or of what is no JSON, that alone. Texts of the document may be quoted in the error, keys are not.
    public init(parsing bytes: [UInt8]) throws(AuthorityProfileError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw AuthorityProfileError("it has more than \(Self.maximumByteCount) bytes")
        }
        let json: JSON
        do { json = try JSON(parsing: bytes, maximumDepth: 24) } catch {
            throw AuthorityProfileError(ProfileText.sentence(error, in: bytes))
        }
        var problems = ProblemList()
        let profile = ProfileForm.document.read(json, JSONPath(), &problems)
        guard problems.problems.isEmpty else { throw AuthorityProfileError(problems.problems) }
        self = profile
    }

    /// The document as JSON, everything written out. The same profile always gives the same bytes. Cannot fail; a wrong
    /// profile gives a document that is refused.
    public var document: [UInt8] { ProfileForm.document.write(self).bytes }

    /// The keys, as what they are believed for: those of the role *rules* sign configurations. Of two with one role and
    /// name the first counts. None has a limit of validity.
    public var trust: TrustStore {
        let keys = keys.map {
            TrustedKey(
                name: KeyName(id: $0.id, version: $0.version), role: $0.role == .export ? .export : .config, key: $0.key,
                isSpare: $0.isSpare)
        }
        // Names are looked at when it is read; of one that was made by hand the first counts.
        var seen: Set<[String]> = []
        let distinct = keys.filter { seen.insert([$0.role.rawValue, $0.name.id, $0.name.version]).inserted }
        return (try? TrustStore(keys: distinct)) ?? Self.nobody
    }

    private static let nobody: TrustStore = {
        guard let empty = try? TrustStore(keys: []) else { preconditionFailure("no two keys have one name") }
        return empty
    }()

    /// The authority's title in English; its name where there is none, as in a profile made by hand.
    public var englishTitle: String { title["en"] ?? name }
}
