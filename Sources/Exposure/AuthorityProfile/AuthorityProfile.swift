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
    /// Largest document that is read; one with 32 keys and rules of five models has 20 KB.
    public static let maximumByteCount = 131_072
    /// Keys at most.
    public static let mostKeys = 32
    /// The name of the source that `--verify` and `--config-key` make; no profile can have it.
    public static let reservedName = "authority"
    /// Languages that a title may have; English is always there.
    public static let languages = ["en", "de", "fr", "de-simple"]

    public enum Status: String, Sendable, CaseIterable {
        case running
        /// The authority has ended its service. Nothing of it is compared or judged; the board says that it is off.
        case switchedOff
    }

    public enum Role: String, Sendable, CaseIterable {
        /// Signs key files.
        case export
        /// Signs the rules.
        case rules
    }

    /// A verification key as the authority publishes it.
    public struct Key: Hashable, Sendable {
        /// In key files `verification_key_id`, often the mobile country code.
        public var id: String
        public var version: String
        public var role: Role
        public var key: P256.VerificationKey
        /// Provisioned for the day the first key is lost.
        public var isSpare: Bool

        public init(id: String, version: String, role: Role, key: P256.VerificationKey, isSpare: Bool = false) {
            self.id = id
            self.version = version
            self.role = role
            self.key = key
            self.isSpare = isSpare
        }
    }

    /// How the authority says what counts.
    public struct Rules: Hashable, Sendable {
        public var form: RuleForm
        /// Behind the base of the distribution; `nil` where the form has its own.
        public var path: String?
        /// For the form *profile* only: the operator's rules.
        public var document: RiskConfiguration?
        /// For the Corona-Warn-App's forms: which country's part counts, two capital letters.
        public var country: String?

        public init(
            form: RuleForm, path: String? = nil, document: RiskConfiguration? = nil, country: String? = nil
        ) {
            self.form = form
            self.path = path
            self.document = document
            self.country = country
        }
    }

    /// Where its files lie.
    public struct Distribution: Hashable, Sendable {
        public enum Kind: String, Sendable, CaseIterable {
            /// The Corona-Warn-App's tree of days and hours.
            case cwa
            /// exposure-notifications-server: a text of names, one on each line.
            case index
            /// NHS COVID-19's days and two-hour windows.
            case nhs
            /// SwissCovid's days.
            case swissCovid
            /// Nobody fetches them: they come on a stick, or somebody puts them into a folder.
            case folder
        }

        public var kind: Kind
        /// `https://HOST[:PORT][/PATH]`, without a final slash.
        public var base: String?
        /// For the kind *cwa*: whose packages are fetched, as the tree names it.
        public var country: String?
        /// For the kind *index*: the list's path behind the base.
        public var index: String?
        /// Seconds between two looks; as the board's settings say if not given.
        public var intervalSeconds: Int64?

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

    /// How people warn through it.
    public struct Warning: Hashable, Sendable {
        public enum Kind: String, Sendable, CaseIterable {
            case cwa
            /// Google's exposure-notifications-verification-server and exposure-notifications-server.
            case ens
            case nhs
            /// Not at all.
            case none
        }

        public var kind: Kind
        /// Where a code or a test is exchanged for the right to warn: `https://HOST[:PORT][/PATH]`; for the kind *nhs*, ``publish`` if not
        /// given.
        public var verification: String?
        /// Where keys are sent.
        public var publish: String?
        /// For the kind *ens*: the device key of the verification server's realm; for *nhs* `name:value`. It is in every copy of that
        /// authority's app.
        public var apiKey: String?
        /// For the kind *ens*: the health authority's id at the key server.
        public var healthAuthority: String?
        /// For the kind *ens*: whose links are taken, such as US-WA; all are if not given.
        public var linkRegion: String?
        /// As the authority's own app calls itself; *nhs* needs it, and *cwa* and *ens* send none if not given.
        public var userAgent: String?
        /// For the kind *nhs*: England or Wales.
        public var testCountry: String?

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

    /// `[a-z][a-z0-9-]{0,31}`, by which everything else calls this source.
    public var name: String
    /// What people call it, by language.
    public var title: [String: String]
    public var status: Status
    /// The region its files are signed for; `nil` where it signs none.
    public var region: String?
    public var keys: [Key]
    /// `nil` where nothing is judged.
    public var rules: Rules?
    public var distribution: Distribution?
    public var warning: Warning?

    /// A profile of any kind can be made; reading its ``document`` says what is wrong with it.
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

    /// Reads the document; throws everything that is wrong with it, with the places.
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

    /// The document, everything written out. The same profile always gives the same bytes.
    public var document: [UInt8] { ProfileForm.document.write(self).bytes }

    /// The keys, as what they are believed for: those of the role *rules* sign configurations.
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

    /// What people call it in English, else its name.
    public var englishTitle: String { title["en"] ?? name }
}
