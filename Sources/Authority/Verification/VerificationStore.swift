// SPDX-License-Identifier: Apache-2.0

/// The people that a TAN is for: those who were met, or visitors of a venue. Raw values are those of the protocol and
/// of databases.
public enum WarningType: String, Sendable, CaseIterable {
    /// A test of the wearer (`X-CWA-TELETAN-TYPE: TEST`).
    case test = "TEST"
    /// An event that the health office warns about (`EVENT`).
    case event = "EVENT"
    /// The rest of the day of a warning that is out (ours): keys of one day that is over, once.
    case remainder = "REMAINDER"

    /// Whether the health office issues teleTANs for it.
    var hasTeleTANs: Bool { self != .remainder }
}

/// One device's right to ask about one test. What it holds of secrets are codes under the ``VerificationSecret``.
/// Nothing is checked.
public struct Registration: Hashable, Sendable {
    /// Code of the registration token, 32 bytes.
    public var token: [UInt8]
    /// The test; `nil` when a teleTAN was registered, which says "positive" by itself.
    public var test: TestIdentity?
    /// The test as reported for the date of birth; `nil` when none was given, and for a teleTAN.
    public var birthTest: TestIdentity?
    /// Code of the teleTAN, 32 bytes; `nil` when a test was registered.
    public var teleTAN: [UInt8]?
    /// The kind of warning that a TAN for this registration is for; ``VerificationStore/register(_:now:)`` stores the
    /// kind of the teleTAN instead, if there is one.
    public var type: WarningType
    /// The time when the registration was made: Unix seconds, rounded down to the full hour.
    public var created: Int64
    /// The code of the one TAN, 32 bytes; `nil` before it is issued.
    public var tan: [UInt8]?
}

/// The outcome of registering a key. All but `stored` leave nothing stored.
public enum RegistrationOutcome: Hashable, Sendable {
    /// The registration is stored and durable.
    case stored
    /// The test, the date of birth or the teleTAN has or had a registration: the code of its token, 32 bytes; `nil`
    /// once that registration is forgotten.
    case known(token: [UInt8]?)
    /// The teleTAN was not issued, or it is forgotten.
    case unknownTeleTAN
    /// The time of the teleTAN is over, whether somebody else registered with it or not.
    case expiredTeleTAN
}

/// A second TAN, for the rest of the day of a warning: its code, its end in Unix seconds, and the handle of the same warning under the mask of
/// this TAN, so that what is taken back is taken back whole.
public struct Remainder: Sendable, Hashable {
    /// Code of the TAN, 32 bytes.
    public let tan: [UInt8]
    /// The time when the TAN ends, exclusive: Unix seconds, a full hour.
    public let expiry: Int64
    /// The masked handle of the same warning, 32 bytes.
    public let warning: [UInt8]

    /// A second TAN of these parts, unchecked: a code and a handle of 32 bytes each, `expiry` in Unix seconds.
    public init(tan: [UInt8], expiry: Int64, warning: [UInt8]) {
        self.tan = tan
        self.expiry = expiry
        self.warning = warning
    }
}

/// The outcome of asking for a TAN for a registration. All but `stored` leave nothing stored.
public enum TANOutcome: Hashable, Sendable {
    /// The TAN is stored and durable.
    case stored
    /// The registration has had its one TAN: the code of that, 32 bytes.
    case known(tan: [UInt8])
    /// No registration has that token's code.
    case unknownToken
}

/// Counts of what one cleaning removed.
public struct RetentionReport: Hashable, Sendable {
    /// The number of registrations that were over and removed, 0 or more.
    public var registrations = 0
    /// The number of teleTANs that were over and forgotten, 0 or more.
    public var teleTANs = 0
    /// The number of TANs that were over and removed, used ones among them; 0 or more.
    public var tans = 0
    /// The number of tests, dates of birth and teleTANs of which it was forgotten that they were registered, so that
    /// tests and dates of birth may be registered anew; 0 or more.
    public var spentKeys = 0
}

/// Counts of what is kept, for an operator's metrics.
public struct StorageCounts: Hashable, Sendable {
    /// The number of registrations that are kept, with a TAN or without, good or over and not removed yet; 0 or more.
    public var registrations: Int64 = 0
    /// The number of the kept registrations that had their TAN, 0 or more.
    public var registrationsWithTAN: Int64 = 0
    /// The number of teleTANs that are good and that nobody registered with, 0 or more.
    public var teleTANs: Int64 = 0
    /// The number of TANs that are good and not used, those for the rest of a day among them; 0 or more.
    public var tans: Int64 = 0
}

/// The storage of the verification server. Every function is all or nothing, and durable when it returns; several
/// processes may use the same storage. Times are Unix seconds; what is called a code has 32 bytes and is not checked.
/// Every function may block while another process writes, and throws `storageUnusable`, `storageDamaged`,
/// `storageInUse` or `full`.
public protocol VerificationStore: AnyObject {
    /// Stores a registration at `now` (Unix seconds) and uses its teleTAN up, unless its test, date of birth or teleTAN has
    /// a registration or had one, or the teleTAN is not good: then the outcome says so. A teleTAN whose time is over is
    /// `expiredTeleTAN` also when another token was registered with it. Throws `storageUnusable`, `storageDamaged`,
    /// `storageInUse` or `full`, as every function here.
    func register(_ registration: Registration, now: Int64) throws(VerificationError) -> RegistrationOutcome
    /// The registration of a token's code (32 bytes), whatever its age; `nil` when there is none. Throws `storageUnusable`,
    /// `storageDamaged`, `storageInUse` or `full`, as every function here.
    func registration(token: [UInt8]) throws(VerificationError) -> Registration?
    /// Stores the code of the one TAN of the registration of `token` (a code), valid until `expiry` (Unix seconds,
    /// exclusive), with the masked handle (32 bytes) of what will be warned with it; and beside it `remainder`, a second
    /// one for the rest of the day, unless its code is there already; `nil` for none. Nothing stored says that the two
    /// belong together. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full`, as every function here.
    func issueTAN(
        _ tan: [UInt8], token: [UInt8], type: WarningType, expiry: Int64, warning: [UInt8], remainder: Remainder?
    ) throws(VerificationError) -> TANOutcome
    /// The masked handle (32 bytes) that was stored with a TAN's code, whatever its end; `nil` when there is no such TAN,
    /// or it is older than handles. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full`, as every function
    /// here.
    func warning(ofTAN tan: [UInt8]) throws(VerificationError) -> [UInt8]?
    /// Confirms the TAN of that code once, at `now` (Unix seconds), and gives its type. With `request`, a code, the same
    /// request gets the same answer until the TAN ends; with `nil` the TAN is deleted. `nil` when there is no such TAN, its
    /// time is over, another request has confirmed it, or it is of another type than `type` (with `nil`: it is
    /// ``WarningType/remainder``). Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full`, as every function
    /// here.
    func confirmTAN(
        _ tan: [UInt8], type: WarningType?, request: [UInt8]?, now: Int64
    ) throws(VerificationError) -> WarningType?
    /// Stores the code of a teleTAN (32 bytes), issued at `now` and valid until `expiry` (exclusive), and gives true;
    /// false, with nothing stored, when `limit` or more were issued after `windowStart`. Times are Unix seconds. Throws
    /// `storageUnusable`, `storageDamaged`, `storageInUse` or `full`, as every function here.
    func issueTeleTAN(
        _ teleTAN: [UInt8], type: WarningType, now: Int64, expiry: Int64, limit: Int, windowStart: Int64
    ) throws(VerificationError) -> Bool
    /// Counts what is kept: all registrations, and the TANs and teleTANs that are good at `now` (Unix seconds) and not
    /// used. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full`, as every function here.
    func counts(now: Int64) throws(VerificationError) -> StorageCounts
    /// Forgets what is over at `now` (Unix seconds) by `rules`, and counts it. Throws `storageUnusable`, `storageDamaged`,
    /// `storageInUse` or `full`, as every function here.
    func clean(now: Int64, rules: VerificationRules) throws(VerificationError) -> RetentionReport
}
