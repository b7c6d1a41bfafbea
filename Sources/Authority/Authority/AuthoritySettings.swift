// SPDX-License-Identifier: Apache-2.0

public import CrowdNotifier
public import KeyLevels
public import Trust

/// The settings of this service: `settings.json` in the state folder, read when a command starts. What it publishes to
/// boards about risk is in ``PublicConfiguration``.
public struct AuthoritySettings: Sendable, Hashable {
    /// The regions for which packages are published: 1 to 16 names of two or three capital letters. Each region has
    /// packages of its own. Apps of the Corona-Warn-App family ask for `EUR`.
    public var regions = ["DE", "EUR"]
    /// The name by which receivers know the key that signs key files, in the form that ``keyName(_:)`` reads. 262 is
    /// Germany's mobile country code.
    public var exportKeyName = KeyName(id: "262", version: "v1")
    /// The name by which receivers know the key that signs documents, in the form that ``keyName(_:)`` reads; 262-v1 unless
    /// set.
    public var configKeyName = KeyName(id: "262", version: "v1")
    /// The name by which receivers know the key that signs the time, in the form that ``keyName(_:)`` reads; 262-v1 unless
    /// set.
    public var timeKeyName = KeyName(id: "262", version: "v1")
    /// The app's identifier that is written into each signature because old receivers look for it, up to 200 bytes; `nil`
    /// to write none.
    public var appBundleID: String?
    /// The rules about when keys become public, and how.
    public var publishing = PublishingRules()
    /// The rules that say which check-ins are published, and how many at once.
    public var checkIns = CheckInRules()
    /// The rules for SwissCovid's check-in; `nil` to offer no trace keys and take no hours at venues.
    public var swissCovid: SwissCovidRules?
    /// The rules for signing the time.
    public var time = TimeRules()
    /// The address and ports on which the service listens.
    public var http = HTTPRules()
    /// The broker that gets wake messages, and how it is reached; `nil` to send none.
    public var wake: WakeRules?

    /// Creates the settings of a new state folder: the defaults stated, which are valid.
    public init() {}

    /// The rules for check-ins that come with submissions.
    public struct CheckInRules: Sendable, Hashable {
        /// Whether check-ins of the first version, which everybody can read, are published; `false` unless set
        /// (cwa-server `unencrypted-checkins-enabled`).
        public var areReadableOnesTaken = false
        /// The most warnings that one package holds, 1 to 100,000; 100,000 unless set. Others wait for the next
        /// hour. Boards refuse a larger package (`TraceWarningPackage.Limits`).
        public var maximumWarnings: Int64 = 100_000
    }

    /// The rules for SwissCovid's check-in: which codes venues have, and what their visitors read.
    public struct SwissCovidRules: Sendable, Hashable {
        /// The host of the links in venues' codes, 1 to 253 bytes; that of SwissCovid unless set.
        public var codeHost = CrowdNotifierCode.swissCovid.host
        /// The version in the links of venues' codes, 1 to 20 bytes; that of SwissCovid unless set.
        public var codeVersion = CrowdNotifierCode.swissCovid.version
        /// What visitors read when another visitor has warned them, at most ``VenueWarning/maximumMessageBytes`` bytes;
        /// empty unless set, and then they read the notice of their device alone.
        public var message = ""
        /// Whether such a warning is urgent; `false` unless set.
        public var isUrgent = false

        /// Creates rules with the defaults stated.
        public init() {}

        /// The system of venue codes.
        public var code: CrowdNotifierCode { CrowdNotifierCode(host: codeHost, version: codeVersion) }
    }

    /// Rules for signing the time that boards ask for.
    public struct TimeRules: Sendable, Hashable {
        /// The smallest possible error that a signed time states, in milliseconds either way; 1 to 600,000. Our own choice.
        public var uncertaintyMilliseconds: Int64 = 100
        /// Whether time is signed only while the kernel says that its clock is synchronised; `true` unless set.
        public var requireSynchronisedClock = true
    }

    /// The address and ports on which the service listens. Both sockets speak plain HTTP: a web server in front of them has
    /// the certificate.
    public struct HTTPRules: Sendable, Hashable {
        /// The address to listen on: an IP address of this machine, up to 45 bytes; the loopback unless set.
        public var address = "127.0.0.1"
        /// The port of the published tree and the signed time; 0 takes any free port.
        public var port: UInt16 = 8780
        /// The port where keys are handed in, always on 127.0.0.1; 0 takes any free port.
        public var adminPort: UInt16 = 8781
    }

    /// The broker of wake messages, the credentials for it, and the occasions on which boards are woken.
    public struct WakeRules: Sendable, Hashable {
        /// The name or address of the broker, 1 to 253 bytes; required.
        public var host = ""
        /// The broker's port, 1 to 65,535; 8883, the port of MQTT over TLS, unless set.
        public var port: UInt16 = 8883
        /// The path of a PEM file with the certificate authorities that may have signed the broker's certificate,
        /// up to 1,000 bytes as all paths here; `nil` to connect without TLS, which is refused with a client
        /// certificate or a password.
        public var caFile: String?
        /// The path of the PEM file of the client certificate that is shown to the broker. Needs ``keyFile`` and
        /// ``caFile``; `nil` to show none.
        public var certificateFile: String?
        /// The path of the PEM file of the certificate's private key; needed with ``certificateFile``, `nil`
        /// without.
        public var keyFile: String?
        /// The user name for the broker, up to 1,000 bytes. With `nil` none is sent, except that
        /// ``clientIdentifier`` is sent when ``passwordFile`` is set.
        public var username: String?
        /// The path of a file with the broker's password in its first line; `nil` for no password. The file has up to 4,096
        /// bytes, and only its owner may read it; the line break is not part of the password. Needs ``caFile``.
        public var passwordFile: String?
        /// The MQTT client identifier of the connection, up to 64 bytes; `vigil-authority` unless set.
        public var clientIdentifier = "vigil-authority"
        /// The prefix of topics, which have the form PREFIX/REGION/wake: 1 to 200 bytes without NUL, `+`, `#` and
        /// empty levels; `vigil` unless set.
        public var topicPrefix = "vigil"
        /// Whether a package without keys wakes boards too; `false` unless set.
        public var isSentWithoutKeys = false

        /// Creates rules with the defaults stated and an empty ``host``, which must be set before the rules are used.
        public init() {}
    }
}

/// The rules of publication: the delay of keys, the size of packages, and the time for which they are offered.
public struct PublishingRules: Sendable, Hashable {
    /// The minutes between the end of a key's rolling period and its publication, rounded up to the next hour; 0 to 1,440.
    /// A receiver accepts a beacon up to two hours late, so a key published earlier could be replayed (cwa-server
    /// `expiry-policy-minutes`).
    public var expiryMinutes: Int64 = 120
    /// The smallest number of keys that a package is published with, 0 to 100,000; fewer keys wait for a later hour
    /// (cwa-server `shifting-policy-threshold`).
    public var shiftingThreshold: Int64 = 140
    /// The hours after which keys that waited for others are published together with random ones, so that a small region
    /// warns too; 0 to 168, and at most 24 times one less than ``daysToPublish``. Our own choice.
    public var holdHours: Int64 = 24
    /// The number of published keys for each real one: all but one are random and share its metadata. 1 to 100; 1 adds none
    /// (cwa-server `random-key-padding-multiplier`).
    public var paddingMultiplier: Int64 = 1
    /// The largest number of further random keys in a padded package, drawn at random so that its size does not show the
    /// padding; 0 to 10,000 (exposure-notifications-server: 0 to 100).
    public var paddingExtra: Int64 = 100
    /// The largest number of keys of one region that become public in one UTC day; further keys wait. 1,000 to 5,000,000
    /// (cwa-server: 600,000).
    public var maximumKeys: Int64 = 600_000
    /// The transmission risk level below which keys are stored and never published; 1 to 8 (cwa-server
    /// `minimum-trl-value-allowed`). With the same number, `minimumLevel` of the diagnosis plugin, boards tell their
    /// wearers for which days people who were near are warned.
    public var minimumLevel: Int64 = 3
    /// Whether packages have the codes of ``levelEncoding`` as report type and onset; `true` unless set. Set it to `false`
    /// if the authority's rules are for real days since onset.
    public var encodesLevels = true
    /// The codes by which packages state levels; used only with ``encodesLevels``.
    public var levelEncoding = LevelEncoding.coronaWarnApp
    /// The number of days before today whose packages are offered; 1 to 14, and at most ``retentionDays`` (cwa-server
    /// `days-to-publish`).
    public var daysToPublish: Int64 = 10
    /// The number of days for which the authority remembers published keys, 1 to 14; 14 unless set, which is as long as
    /// phones keep keys.
    public var retentionDays: Int64 = 14
    /// The number of days, today included, whose hour packages are offered; 1 to 14, and at most ``daysToPublish``. Our own
    /// choice.
    public var hourDays: Int64 = 2
    /// The seconds between the end of an hour and its publication; 0 to 3,000. Our own choice.
    public var delaySeconds: Int64 = 60
    /// Whether the packages are also offered in the layout of exposure-notifications-server, with an index at
    /// `ens/REGION/index.txt`; `false` unless set.
    public var isOfferedAsBatches = false

    /// Creates rules with the defaults stated: those of cwa-server where one is named, and our own choices elsewhere.
    public init() {}
}
