// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import JSON
public import RiskConfiguration
public import Trust

/// One health authority as a board follows it: its keys, its rules, the place of its files, and the way to warn
/// people through it (docs/authorities.md). An operator writes it, as one JSON document for each authority.
///
/// It determines what a board trusts, so it must be stored with the board's own configuration; it is not signed and
/// never fetched.
public struct AuthorityProfile: Hashable, Sendable {
    /// The maximum size of a document in bytes, inclusive; 128 KiB, where one with 32 keys and rules of five models
    /// has 20 KB. The number is this project's own.
    public static let maximumByteCount = 131_072
    /// The maximum number of keys of one authority, of all roles together. The number is this project's own.
    public static let mostKeys = 32
    /// The name of the source that `--verify` and `--config-key` create; a profile cannot have it.
    public static let reservedName = "authority"
    /// The languages that a title may have; English is required.
    public static let languages = ["en", "de", "fr", "de-simple"]

    /// The state of the authority's service. Raw values are those of the document.
    public enum Status: String, Sendable, CaseIterable {
        /// The authority publishes keys and rules.
        case running
        /// The authority has ended its service. Its files are not matched and nothing is judged; the board shows that
        /// the service is off.
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
        /// Whether the key was provisioned in case the first key is lost; it verifies like any other. In a document
        /// it must not be the same key as a regular one of its role.
        public var isSpare: Bool

        /// Creates a key from these parts, which are not checked; reading the profile's document reports problems.
        public init(id: String, version: String, role: Role, key: P256.VerificationKey, isSpare: Bool = false) {
            self.id = id
            self.version = version
            self.role = role
            self.key = key
            self.isSpare = isSpare
        }
    }

    /// The rules by which the authority decides which encounters count.
    public struct Rules: Hashable, Sendable {
        /// The form in which the authority publishes its rules.
        public var form: RuleForm
        /// The path of the rules below the base of the distribution, up to 300 bytes, without a slash at its ends;
        /// `nil` for the default path of the form, and always for the form *profile*.
        public var path: String?
        /// The operator's rules, which the form *profile* requires, at most ``RiskConfiguration/maximumByteCount``
        /// bytes of JSON; `nil` for any other form.
        public var document: RiskConfiguration?
        /// The country, as two capital letters, that a Corona-Warn-App's rules must name if they name any. `nil`
        /// accepts rules for any country, and is the only value for other forms.
        public var country: String?

        /// Creates rules from these parts, which are not checked; `nil` for those that the form does not need.
        public init(
            form: RuleForm, path: String? = nil, document: RiskConfiguration? = nil, country: String? = nil
        ) {
            self.form = form
            self.path = path
            self.document = document
            self.country = country
        }
    }

    /// The place of an authority's files, and the structure of their tree.
    public struct Distribution: Hashable, Sendable {
        /// The structure of a tree of files.
        public enum Kind: String, Sendable, CaseIterable {
            /// The Corona-Warn-App's tree of days and hours.
            case cwa
            /// The list of exposure-notifications-server: a text of file names, one on each line.
            case index
            /// NHS COVID-19's days and two-hour windows.
            case nhs
            /// SwissCovid's tree: one package of keys for each day. The plugin *sync* does not fetch it.
            case swissCovid
            /// No tree: the files are not fetched, but come on a USB stick or are put into a folder.
            case folder
        }

        /// The structure of the tree of files.
        public var kind: Kind
        /// The address at which the tree begins: `https://HOST[:PORT][/PATH]` (or `http:`) without a user, a query
        /// and a final slash, up to 400 bytes, and not ending in `.txt`, `.zip`, `.bin` or `.json`, as files do.
        /// `nil` only for the kind *folder*, where it cannot be given.
        public var base: String?
        /// The country whose packages are fetched, as the tree names it, for the kind *cwa*; 1 to 32 visible ASCII
        /// characters. `nil` for any other kind.
        public var country: String?
        /// The path of the list below ``base``, up to 300 bytes, without a slash at its ends, for the kind *index*;
        /// `nil` for any other kind.
        public var index: String?
        /// For the kind *cwa*: whether the server publishes a package for every hour, also where it has no keys, so that a
        /// missing one means that something is held back. cwa-server does so for its own country, and for others only with
        /// `apply-policies-for-all-countries`. `nil` counts as `true`; always `nil` for any other kind.
        public var isContinuous: Bool?
        /// The number of seconds between two fetches, 600 to 172,800; `nil` uses the board's settings. The plugin
        /// *sync* treats more than 86,400 as 86,400.
        public var intervalSeconds: Int64?

        /// Creates a distribution from these parts, which are not checked; `intervalSeconds` is in seconds. `nil` for
        /// those that the kind does not need.
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
        /// The protocol with which people are warned.
        public enum Kind: String, Sendable, CaseIterable {
            /// The Corona-Warn-App's protocol: a code or a test is exchanged for a TAN, which authorises the upload.
            case cwa
            /// Google's exposure-notifications-verification-server and exposure-notifications-server.
            case ens
            /// NHS COVID-19's protocol: a test is exchanged for a token, which authorises the upload.
            case nhs
            /// No protocol: people cannot warn others through this authority.
            case none
        }

        /// The protocol with which others are warned.
        public var kind: Kind
        /// The address at which a code or a test is exchanged for the right to warn: `https://HOST[:PORT][/PATH]`
        /// (or `http:`), up to 400 bytes, without the path of a call, such as `/api/verify`, which boards append.
        /// For the kind *nhs*, `nil` stands for ``publish``; otherwise it is `nil` only for the kind *none*.
        public var verification: String?
        /// The address to which keys are sent, in the same form as ``verification``, and without the path of a
        /// call, such as `/v1/publish`; `nil` only for the kind *none*.
        public var publish: String?
        /// The key that requests have: for the kind *ens* the device key of the verification server's realm, for
        /// *nhs* `name:value` (that form is not checked). 1 to 256 visible ASCII characters, required by both kinds;
        /// `nil` for others. It is no secret, because every copy of that authority's app has it.
        public var apiKey: String?
        /// The health authority's id at the key server, which the kind *ens* requires; 1 to 128 visible ASCII
        /// characters. `nil` for other kinds.
        public var healthAuthority: String?
        /// The region whose links are accepted, such as US-WA, for the kind *ens*; 1 to 6 visible ASCII characters,
        /// and `nil` accepts all. `nil` for other kinds.
        public var linkRegion: String?
        /// The name by which the authority's own app calls itself (`User-Agent`), 1 to 200 visible ASCII characters.
        /// The kind *nhs* needs it; *ens* and *cwa* send none for `nil`, but servers that promise `exactlyOnce` (the
        /// kind *cwa*) are always told the board's own. `nil` with the kind *none*.
        public var userAgent: String?
        /// The country of the tests that people enter, `England` or `Wales`, which the kind *nhs* requires; `nil` for
        /// other kinds.
        public var testCountry: String?
        /// The country that submissions of the kind *cwa* name as theirs, two capital letters; servers refuse any other than
        /// their own. `nil` leaves it to the server, as it always does for other kinds.
        public var origin: String?
        /// The countries to whose authorities keys of the kind *cwa* may go if the wearer agrees, two capital letters each, at
        /// most 64; empty if to none, and for other kinds. The Corona-Warn-App names all of its `supportedCountries`.
        public var countries: [String] = []

        /// Creates a way to warn from these parts, which are not checked; `nil` for those that the kind does not
        /// need.
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

    /// Check-in at venues: the systems whose codes a board takes, and the place of the authority's warnings about venues
    /// (docs/check-in-setup.md).
    public struct CheckIn: Hashable, Sendable {
        /// A system of check-in. Raw values are those of the document and of the plugin's settings.
        public enum System: String, Sendable, CaseIterable { case coronaWarnApp, swissCovid, nhs }

        /// A key that signs posters of NHS COVID-19.
        public struct PosterKey: Hashable, Sendable {
            /// The key's id, `kid` in a poster's code; 1 to 100 visible ASCII characters, unique in a profile.
            public var id: String
            /// The public key.
            public var key: P256.VerificationKey

            /// Creates a key from these parts, which are not checked.
            public init(id: String, key: P256.VerificationKey) {
                self.id = id
                self.key = key
            }
        }

        /// The systems whose codes are taken, 1 to 3, each once.
        public var systems: [System]
        /// The address that the paths of warnings are appended to, the same for all ``systems``, in the form of
        /// ``Distribution/base``; `nil` when the authority publishes no warnings: codes are taken, and nobody is warned. Lists
        /// are signed by the profile's keys of the role *rules*, the Corona-Warn-App's packages by those of the role *export*.
        public var base: String?
        /// The country in the paths of the Corona-Warn-App's packages, as the tree names it, 1 to 8 visible ASCII characters;
        /// required if that system and ``base`` are given, and `nil` otherwise.
        public var country: String?
        /// The host of SwissCovid's links, 1 to 253 letters, digits, dots and dashes; `nil` for that of the public app, and
        /// without that system.
        public var codeHost: String?
        /// With that system the key whose counterparts the authority publishes with trace keys, so that visits can be hidden: a point of G2 on BLS12-381, 96 bytes in
        /// Base64, not looked at further than that; `nil` when it publishes none.
        public var swissCovidKey: String?
        /// The keys that sign posters, 1 to 8 with the system *nhs*, and none without it.
        public var posterKeys: [PosterKey]

        /// Creates check-in from these parts, which are not checked.
        public init(
            systems: [System], base: String? = nil, country: String? = nil, codeHost: String? = nil,
            swissCovidKey: String? = nil, posterKeys: [PosterKey] = []
        ) {
            self.systems = systems
            self.base = base
            self.country = country
            self.codeHost = codeHost
            self.swissCovidKey = swissCovidKey
            self.posterKeys = posterKeys
        }
    }

    /// The name of this source everywhere else: `[a-z][a-z0-9-]{0,31}`, and not ``reservedName``.
    public var name: String
    /// The authority's name for people, by language of ``languages``: one line of 1 to 80 Unicode scalars each;
    /// English is required.
    public var title: [String: String]
    /// The state of the authority's service. Keys and rules are fetched and files matched only while it is running.
    public var status: Status
    /// The region for which its files are signed, 1 to 32 visible ASCII characters; `nil` when any region is
    /// accepted.
    public var region: String?
    /// The authority's keys, at most ``mostKeys``. An authority whose service is running has at least one of the role
    /// *export*, and one of the role *rules* if its rules are signed or its kind of warning is *nhs*.
    public var keys: [Key]
    /// The authority's rules about which encounters count; `nil` when nothing is judged.
    public var rules: Rules?
    /// The place of its files; `nil` when they are not fetched, like the kind *folder*.
    public var distribution: Distribution?
    /// The way to warn people through it; `nil` when there is none, like the kind *none*.
    public var warning: Warning?
    /// Check-in at venues; `nil` when there is none.
    public var checkIn: CheckIn?

    /// Creates a profile from any parts, even wrong ones; reading its ``document`` reports problems. `nil` for parts
    /// that the authority does not have.
    public init(
        name: String, title: [String: String], status: Status = .running, region: String? = nil, keys: [Key] = [],
        rules: Rules? = nil, distribution: Distribution? = nil, warning: Warning? = nil,
        checkIn: CheckIn? = nil
    ) {
        self.name = name
        self.title = title
        self.status = status
        self.region = region
        self.keys = keys
        self.rules = rules
        self.distribution = distribution
        self.warning = warning
        self.checkIn = checkIn
    }

    /// Reads the document. Throws an error with all problems and their places, at most
    /// ``RiskConfigurationError/mostProblems``, or with a single one when the document has more than
    /// ``maximumByteCount`` bytes or is not JSON. The error may quote texts of the document, but not keys.
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

    /// The profile as JSON, with every value written out. The same profile always results in the same bytes. Cannot
    /// fail; a wrong profile results in a document that is refused.
    public var document: [UInt8] { ProfileForm.document.write(self).bytes }

    /// The keys with the roles for which they are trusted: those of the role *rules* sign configurations. Of two with
    /// the same role and name the first counts. None has a limit of validity.
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

    /// The authority's title in English; its name if there is none, as in a profile created from parts.
    public var englishTitle: String { title["en"] ?? name }
}
