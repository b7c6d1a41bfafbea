// SPDX-License-Identifier: Apache-2.0

public import KeyLevels
public import Trust

/// How this service works: `settings.json` in the state folder, read when a command starts. What it publishes to boards about
/// risk is in ``PublicConfiguration``.
public struct AuthoritySettings: Sendable, Hashable {
    /// The regions packages are published for; each has packages of its own. `EUR` is the one the apps of the Corona-Warn-App
    /// family ask for.
    public var regions = ["DE", "EUR"]
    /// What receivers know the signing keys as.
    public var exportKeyName = KeyName(id: "262", version: "v1")
    public var configKeyName = KeyName(id: "262", version: "v1")
    public var timeKeyName = KeyName(id: "262", version: "v1")
    /// Written into each signature when there is one; old receivers look for it.
    public var appBundleID: String?
    public var publishing = PublishingRules()
    public var time = TimeRules()
    public var http = HTTPRules()
    /// Where wake messages go; none without a broker.
    public var wake: WakeRules?

    /// The settings a new state folder begins with.
    public init() {}

    /// How time is signed.
    public struct TimeRules: Sendable, Hashable {
        /// The least that is stated as possible error, in milliseconds.
        public var uncertaintyMilliseconds: Int64 = 100
        /// Whether time is signed only while the kernel says that its clock is synchronised.
        public var requireSynchronisedClock = true
    }

    /// Where the service listens. Both sockets speak plain HTTP: a web server in front has the certificate.
    public struct HTTPRules: Sendable, Hashable {
        public var address = "127.0.0.1"
        /// The published tree and the signed time; 0 takes any free port.
        public var port: UInt16 = 8780
        /// Where keys are handed in; always on 127.0.0.1.
        public var adminPort: UInt16 = 8781
    }

    /// How boards are woken after a publication.
    public struct WakeRules: Sendable, Hashable {
        public var host = ""
        public var port: UInt16 = 8883
        /// PEM files of certificate authorities, of our certificate and of its key; without `caFile` there is no TLS.
        public var caFile: String?
        public var certificateFile: String?
        public var keyFile: String?
        public var username: String?
        /// A file that holds the password and nothing else; a line end is left out.
        public var passwordFile: String?
        public var clientIdentifier = "vigil-authority"
        /// Topics are PREFIX/REGION/wake.
        public var topicPrefix = "vigil"
        /// Whether packages without keys wake too.
        public var isSentWithoutKeys = false

        /// A broker that is to be named.
        public init() {}
    }
}

/// When keys become public.
public struct PublishingRules: Sendable, Hashable {
    /// Minutes between the end of a key's rolling period and its publication, rounded up to the next hour. A receiver counts
    /// what it hears up to two hours late, so a key published earlier could be replayed (cwa-server `expiry-policy-minutes`).
    public var expiryMinutes: Int64 = 120
    /// A package of fewer keys is not published; its keys wait for a later hour (cwa-server `shifting-policy-threshold`).
    public var shiftingThreshold: Int64 = 140
    /// A key that waited this many hours for others is published with random ones, so that a small region warns as well.
    public var holdHours: Int64 = 24
    /// Real keys count for this many: the others are random and share their metadata (cwa-server
    /// `random-key-padding-multiplier`). 1 adds none.
    public var paddingMultiplier: Int64 = 1
    /// A package that is padded gets up to this many more, so that its size does not say that it was
    /// (exposure-notifications-server: 0 to 100).
    public var paddingExtra: Int64 = 100
    /// Most keys of one package; the others wait (cwa-server: 600,000).
    public var maximumKeys: Int64 = 600_000
    /// Keys of a lower transmission risk level are kept and never published (cwa-server `minimum-trl-value-allowed`). Boards tell their
    /// wearers by this number which days' meetings are warned (`minimumLevel` of the diagnosis plugin).
    public var minimumLevel: Int64 = 3
    /// Whether report type and onset of packages are ``levelEncoding``'s codes. An authority whose rules are for real days since onset
    /// publishes these.
    public var encodesLevels = true
    /// How levels are written into packages.
    public var levelEncoding = LevelEncoding.coronaWarnApp
    /// Days before today whose packages are offered (cwa-server `days-to-publish`).
    public var daysToPublish: Int64 = 10
    /// Days that published keys are known here.
    public var retentionDays: Int64 = 14
    /// Days, the current one included, whose hour packages are offered.
    public var hourDays: Int64 = 2
    /// Seconds after a full hour at which the finished hour is published.
    public var delaySeconds: Int64 = 60
    /// Whether the same packages are also offered as exposure-notifications-server does: `ens/REGION/index.txt`.
    public var isOfferedAsBatches = false

    /// The values cwa-server published with, and a bound on waiting.
    public init() {}
}
