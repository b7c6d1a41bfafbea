// SPDX-License-Identifier: Apache-2.0

public import KeyLevels
public import Trust

/// The settings of this service: `settings.json` in the state folder, read when a command starts. What it publishes to
/// boards about risk is in ``PublicConfiguration``.
public struct AuthoritySettings: Sendable, Hashable {
    /// The regions packages are published for, 1 to 16 of two or three capital letters; each has packages of its own. `EUR`
    /// is the one the apps of the Corona-Warn-App family ask for.
    public var regions = ["DE", "EUR"]
    /// The name by which receivers know the key that signs key files (``keyName(_:)``). 262 is Germany's mobile country
    /// code.
    public var exportKeyName = KeyName(id: "262", version: "v1")
    /// The name by which receivers know the key that signs documents; by default as ``exportKeyName``.
    public var configKeyName = KeyName(id: "262", version: "v1")
    /// The name by which receivers know the key that signs the time; by default as ``exportKeyName``.
    public var timeKeyName = KeyName(id: "262", version: "v1")
    /// An identifier that is written into each signature, up to 200 bytes, since old receivers look for it; `nil` to write
    /// none.
    public var appBundleID: String?
    /// The rules about when keys become public, and how.
    public var publishing = PublishingRules()
    /// Which check-ins are published, and how many at once.
    public var checkIns = CheckInRules()
    /// How the time is signed, and when it is not.
    public var time = TimeRules()
    /// The addresses on which the service listens, and its limits.
    public var http = HTTPRules()
    /// The broker that wake messages go to; `nil` sends none.
    public var wake: WakeRules?

    /// The settings a new state folder begins with: the defaults stated, which are valid.
    public init() {}

    /// Rules for check-ins that come with submissions.
    public struct CheckInRules: Sendable, Hashable {
        /// Whether those of the first version, which everybody can read, are published; `false` unless set (cwa-server `unencrypted-checkins-enabled`).
        public var areReadableOnesTaken = false
        /// Most warnings of one package, 1 to 100,000; others wait for the next hour. Boards refuse more (`TraceWarningPackage.Limits`).
        public var maximumWarnings: Int64 = 100_000
    }

    /// Rules for signing the time that boards ask for.
    public struct TimeRules: Sendable, Hashable {
        /// The least that is stated as possible error, in milliseconds either way; 1 to 600,000. Our own choice.
        public var uncertaintyMilliseconds: Int64 = 100
        /// Whether time is signed only while the kernel says that its clock is synchronised; `true` unless set.
        public var requireSynchronisedClock = true
    }

    /// The addresses on which the service listens. Both sockets speak plain HTTP: a web server in front has the
    /// certificate.
    public struct HTTPRules: Sendable, Hashable {
        /// The address to listen on: an IP address of this machine, up to 45 bytes; the loopback unless set.
        public var address = "127.0.0.1"
        /// The port of the published tree and the signed time; 0 takes any free port.
        public var port: UInt16 = 8780
        /// The port where keys are handed in, always on 127.0.0.1; 0 takes any free port.
        public var adminPort: UInt16 = 8781
    }

    /// The rules by which boards are woken after a publication.
    public struct WakeRules: Sendable, Hashable {
        /// Name or address of the broker, 1 to 253 bytes; required.
        public var host = ""
        /// The broker's port, 1 to 65,535; 8883 is MQTT's over TLS.
        public var port: UInt16 = 8883
        /// The path of the PEM file of the certificate authorities that the broker is known by; `nil` for a connection without TLS.
        public var caFile: String?
        /// The path of the PEM file of our certificate; comes with ``keyFile``, and needs ``caFile``. `nil` to show the broker none.
        public var certificateFile: String?
        /// The path of the PEM file of the certificate's private key; `nil` without a certificate.
        public var keyFile: String?
        /// The name the broker knows us by; `nil` for none, or for ``clientIdentifier`` if there is a password only.
        public var username: String?
        /// The path of a file that holds the password in its first line, up to 4,096 bytes, readable by its owner only; the line's end is left out.
        /// Needs ``caFile``. `nil` for no password.
        public var passwordFile: String?
        /// Identifier of our connection at the broker, up to 64 bytes.
        public var clientIdentifier = "vigil-authority"
        /// The beginning of topics: they are PREFIX/REGION/wake. Up to 200 bytes without `+`, `#` and empty levels.
        public var topicPrefix = "vigil"
        /// Whether packages without keys wake boards, too; `false` unless set.
        public var isSentWithoutKeys = false

        /// A broker that is to be named: without ``host`` the rules cannot be used.
        public init() {}
    }
}

/// The rules of publication: the delay of keys, the size of packages, and the time for which they are offered.
public struct PublishingRules: Sendable, Hashable {
    /// Minutes between the end of a key's rolling period and its publication, rounded up to the next hour; 0 to 1,440. A
    /// receiver counts what it hears up to two hours late, so a key published earlier could be replayed (cwa-server
    /// `expiry-policy-minutes`).
    public var expiryMinutes: Int64 = 120
    /// A package of fewer keys is not published; its keys wait for a later hour. 0 to 100,000 (cwa-server
    /// `shifting-policy-threshold`).
    public var shiftingThreshold: Int64 = 140
    /// Hours after which keys that waited for others are published with random ones, so that a small region warns as well; 0 to 168, and at most 24
    /// for each day of ``daysToPublish`` but one. Our own choice.
    public var holdHours: Int64 = 24
    /// The number of keys that each real one makes: the others are random and share its metadata (cwa-server
    /// `random-key-padding-multiplier`). 1 to 100; 1 adds none.
    public var paddingMultiplier: Int64 = 1
    /// A package that is padded gets up to this many more keys, so that its size does not say that it was; 0 to 10,000
    /// (exposure-notifications-server: 0 to 100).
    public var paddingExtra: Int64 = 100
    /// Most keys of a region that become public in one UTC day; the others wait. 1,000 to 5,000,000 (cwa-server: 600,000).
    public var maximumKeys: Int64 = 600_000
    /// The transmission risk level below which keys are kept and never published; 1 to 8 (cwa-server
    /// `minimum-trl-value-allowed`). Boards tell their wearers by this number which days' meetings are warned
    /// (`minimumLevel` of the diagnosis plugin).
    public var minimumLevel: Int64 = 3
    /// Whether report type and onset of packages are ``levelEncoding``'s codes; `true` unless set. An authority whose rules are for real days since
    /// onset publishes these.
    public var encodesLevels = true
    /// The form in which levels are written into packages; of effect with ``encodesLevels`` only.
    public var levelEncoding = LevelEncoding.coronaWarnApp
    /// Days before today whose packages are offered; 1 to 14, not above ``retentionDays`` (cwa-server `days-to-publish`).
    public var daysToPublish: Int64 = 10
    /// Days that published keys are known here, 1 to 14; as long as phones keep keys unless set.
    public var retentionDays: Int64 = 14
    /// Days, the current one included, whose hour packages are offered; 1 to 14, not above ``daysToPublish``. Our own
    /// choice.
    public var hourDays: Int64 = 2
    /// Seconds after a full hour at which the finished hour is published; 0 to 3,000. Our own choice.
    public var delaySeconds: Int64 = 60
    /// Whether the same packages are also offered as exposure-notifications-server does: `ens/REGION/index.txt`; `false` unless set.
    public var isOfferedAsBatches = false

    /// The values cwa-server published with, and a bound on waiting.
    public init() {}
}
