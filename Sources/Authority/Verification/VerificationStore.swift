// SPDX-License-Identifier: Apache-2.0

/// The kind of warning that a TAN allows. Raw values are those of the protocol and of databases.
public enum WarningType: String, Sendable, CaseIterable {
    /// A warning after a test of the wearer (`X-CWA-TELETAN-TYPE: TEST`).
    case test = "TEST"
    /// A warning of the visitors of an event, by the health office (`EVENT`).
    case event = "EVENT"
    /// The rest of the day of an earlier warning (our own extension): keys of one day that is over, once.
    case remainder = "REMAINDER"

    /// Whether the health office issues teleTANs for it.
    var hasTeleTANs: Bool { self != .remainder }
}

/// A device's right to ask about one test. Secrets are held as codes under the ``VerificationSecret``. Nothing is checked.
public struct Registration: Hashable, Sendable {
    /// The code of the registration token, 32 bytes.
    public var token: [UInt8]
    /// The identity of the test; `nil` if a teleTAN was registered, which by itself stands for a positive result.
    public var test: TestIdentity?
    /// The identity of the test as reported with the date of birth; `nil` if none was given, and for a teleTAN.
    public var birthTest: TestIdentity?
    /// The code of the teleTAN, 32 bytes; `nil` if a test was registered.
    public var teleTAN: [UInt8]?
    /// The kind of warning that a TAN of this registration allows. For a registration by teleTAN,
    /// ``VerificationStore/register(_:now:)`` stores the teleTAN's kind instead.
    public var type: WarningType
    /// The time of the registration in Unix seconds, rounded down to the full hour.
    public var created: Int64
    /// The code of the only TAN, 32 bytes; `nil` before it is issued.
    public var tan: [UInt8]?
}

/// The outcome of a registration. Nothing is stored except with `stored`.
public enum RegistrationOutcome: Hashable, Sendable {
    /// The registration is stored and durable.
    case stored
    /// The test, the date of birth or the teleTAN was registered within ``VerificationRules/spentKeySeconds``.
    /// `token` is the code of that registration's token, 32 bytes; `nil` if the registration was deleted since.
    case known(token: [UInt8]?)
    /// The teleTAN was not issued, or was deleted since.
    case unknownTeleTAN
    /// The teleTAN has expired, whether or not another token was registered with it.
    case expiredTeleTAN
}

/// A second TAN, for the rest of the day of a warning. It has the handle of the same warning, masked by this TAN, so that
/// both parts of the warning can be taken back together.
public struct Remainder: Sendable, Hashable {
    /// The code of the TAN, 32 bytes.
    public let tan: [UInt8]
    /// The time at which the TAN expires, in Unix seconds, exclusive; a full hour.
    public let expiry: Int64
    /// The masked handle of the warning, 32 bytes.
    public let warning: [UInt8]

    /// Creates a second TAN of these parts, which are not checked: a code and a handle of 32 bytes each, and `expiry` in
    /// Unix seconds.
    public init(tan: [UInt8], expiry: Int64, warning: [UInt8]) {
        self.tan = tan
        self.expiry = expiry
        self.warning = warning
    }
}

/// The outcome of asking for a registration's TAN. Nothing is stored except with `stored`.
public enum TANOutcome: Hashable, Sendable {
    /// The TAN is stored and durable.
    case stored
    /// The registration has its TAN already; `tan` is the code of that TAN, 32 bytes.
    case known(tan: [UInt8])
    /// No registration has this code of a token.
    case unknownToken
}

/// The numbers of what one cleaning deleted.
public struct RetentionReport: Hashable, Sendable {
    /// The number of expired registrations that were deleted, 0 or more.
    public var registrations = 0
    /// The number of expired teleTANs that were deleted, 0 or more.
    public var teleTANs = 0
    /// The number of expired TANs that were deleted, used ones included; 0 or more.
    public var tans = 0
    /// The number of tests, dates of birth and teleTANs that are no longer remembered as registered, 0 or more; these tests
    /// and dates of birth may be registered again.
    public var spentKeys = 0
}

/// The numbers of what is stored, for metrics.
public struct StorageCounts: Hashable, Sendable {
    /// The number of stored registrations, with and without a TAN, expired ones that are not yet deleted included; 0 or
    /// more.
    public var registrations: Int64 = 0
    /// The number of stored registrations whose TAN was issued, 0 or more.
    public var registrationsWithTAN: Int64 = 0
    /// The number of valid teleTANs that are not yet registered, 0 or more.
    public var teleTANs: Int64 = 0
    /// The number of valid and unused TANs, those for the rest of a day included; 0 or more.
    public var tans: Int64 = 0
}

/// The storage of the verification server. Every function does its work completely or not at all, and the result is durable
/// when it returns; several processes may use the same storage. Times are in Unix seconds; a code has 32 bytes, which is
/// not checked. Every function may block while another process writes, and throws `storageUnusable`, `storageDamaged`,
/// `storageInUse` or `full` when the storage fails.
public protocol VerificationStore: AnyObject {
    /// Stores a registration at `now` (Unix seconds) and uses up its teleTAN. Stores nothing, and says so in the outcome,
    /// when its test, date of birth or teleTAN is or was registered, or the teleTAN is not valid. An expired teleTAN gives
    /// `expiredTeleTAN` even if another token was registered with it. Throws the errors of ``VerificationStore``.
    func register(_ registration: Registration, now: Int64) throws(VerificationError) -> RegistrationOutcome
    /// Returns the registration with this code of its token (32 bytes), whatever its age; `nil` if there is none. Throws
    /// the errors of ``VerificationStore``.
    func registration(token: [UInt8]) throws(VerificationError) -> Registration?
    /// Stores the code of the only TAN of the registration with the code `token`, of the kind `type`, valid until
    /// `expiry` (Unix seconds, exclusive), with the masked handle `warning` (32 bytes) of the warning that it
    /// allows. Beside it stores `remainder`, a second TAN for the rest of the day, unless its code is stored
    /// already; `nil` for none. Nothing that is stored connects the two TANs. Throws the errors of
    /// ``VerificationStore``.
    func issueTAN(
        _ tan: [UInt8], token: [UInt8], type: WarningType, expiry: Int64, warning: [UInt8], remainder: Remainder?
    ) throws(VerificationError) -> TANOutcome
    /// Returns the masked handle (32 bytes) that was stored with the code of a TAN, even if the TAN has expired; `nil` if
    /// there is no such TAN, or it is older than handles. Throws the errors of ``VerificationStore``.
    func warning(ofTAN tan: [UInt8]) throws(VerificationError) -> [UInt8]?
    /// Confirms the TAN of this code once, at `now` (Unix seconds), and returns its type. With `request`, a code, the same
    /// request gets the same answer until the TAN expires; with `nil` the TAN is deleted. Returns `nil` when there is no
    /// such TAN, it has expired, another request has confirmed it, or its type is not `type` (with `nil`: it is
    /// ``WarningType/remainder``). Throws the errors of ``VerificationStore``.
    func confirmTAN(
        _ tan: [UInt8], type: WarningType?, request: [UInt8]?, now: Int64
    ) throws(VerificationError) -> WarningType?
    /// Stores the code of a teleTAN (32 bytes) that is issued at `now` and valid until `expiry` (exclusive), and returns
    /// `true`. Returns `false`, with nothing stored, when `limit` or more teleTANs were issued after `windowStart`. Times
    /// are in Unix seconds. Throws the errors of ``VerificationStore``.
    func issueTeleTAN(
        _ teleTAN: [UInt8], type: WarningType, now: Int64, expiry: Int64, limit: Int, windowStart: Int64
    ) throws(VerificationError) -> Bool
    /// Returns the numbers of all registrations, and of the TANs and teleTANs that are valid at `now` (Unix seconds) and
    /// unused. Throws the errors of ``VerificationStore``.
    func counts(now: Int64) throws(VerificationError) -> StorageCounts
    /// Deletes everything that has reached its age limit in `rules` at `now` (Unix seconds), and returns how much it was.
    /// Throws the errors of ``VerificationStore``.
    func clean(now: Int64, rules: VerificationRules) throws(VerificationError) -> RetentionReport
}
