// SPDX-License-Identifier: Apache-2.0

/// The people that a TAN is for: those who were met, or visitors of a venue.
public enum WarningType: String, Sendable, CaseIterable {
    /// A test of the wearer (`X-CWA-TELETAN-TYPE: TEST`).
    case test = "TEST"
    /// An event the health office warns about (`EVENT`).
    case event = "EVENT"
    /// The rest of the day of a warning that is out (ours): keys of one day that is over, once.
    case remainder = "REMAINDER"

    /// Whether the health office issues teleTANs for it.
    var hasTeleTANs: Bool { self != .remainder }
}

/// One device's right to ask about one test. What it holds of secrets are codes under the ``VerificationSecret``.
public struct Registration: Hashable, Sendable {
    /// Code of the registration token, 32 bytes.
    public var token: [UInt8]
    /// The test; `nil` when it was registered by teleTAN, which says "positive" by itself.
    public var test: TestIdentity?
    /// The test as reported for the date of birth; `nil` when none was given.
    public var birthTest: TestIdentity?
    /// Code of the teleTAN, 32 bytes; `nil` when a test was registered.
    public var teleTAN: [UInt8]?
    /// The kind of warning that a TAN for this registration is for.
    public var type: WarningType
    /// The time when it was made: Unix seconds, rounded down to the hour.
    public var created: Int64
    /// Code of the one TAN, 32 bytes; `nil` before it.
    public var tan: [UInt8]?
}

/// The outcome of registering a key, by whether it was registered already.
public enum RegistrationOutcome: Hashable, Sendable {
    /// The registration is stored and durable.
    case stored
    /// The key has had its registration; the token's code unless that is gone.
    case known(token: [UInt8]?)
    /// No such teleTAN is valid.
    case unknownTeleTAN
    /// Its time is over, whether somebody registered with it or not.
    case expiredTeleTAN
}

/// A second TAN, for the rest of the day of a warning: its code, its end in Unix seconds, and the handle of the same warning under the mask of
/// this TAN, so that what is taken back is taken back whole.
public struct Remainder: Sendable, Hashable {
    /// Code of the TAN, 32 bytes.
    public let tan: [UInt8]
    /// The time when it ends, exclusive: Unix seconds, a full hour.
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

/// The outcome of asking for a TAN for a registration.
public enum TANOutcome: Hashable, Sendable {
    /// The TAN is stored and durable.
    case stored
    /// The registration has had its one TAN: this one's code.
    case known(tan: [UInt8])
    /// No registration has that token's code.
    case unknownToken
}

/// Counts of what retention removed.
public struct RetentionReport: Hashable, Sendable {
    /// How many registrations were over and removed, 0 or more.
    public var registrations = 0
    /// How many teleTANs were over and forgotten, 0 or more.
    public var teleTANs = 0
    /// How many TANs were over and removed, 0 or more.
    public var tans = 0
    /// How many tests, dates of birth and teleTANs may be registered anew, because it was forgotten that they were; 0 or
    /// more.
    public var spentKeys = 0
}

/// How much is kept, for an operator's metrics.
public struct StorageCounts: Hashable, Sendable {
    /// How many registrations are kept, with a TAN or without; 0 or more.
    public var registrations: Int64 = 0
    /// How many of the kept registrations had their TAN, 0 or more.
    public var registrationsWithTAN: Int64 = 0
    /// How many teleTANs are good that nobody registered with, 0 or more.
    public var teleTANs: Int64 = 0
    /// How many TANs are good that nobody used, 0 or more.
    public var tans: Int64 = 0
}

/// The storage of the verification server. Every function is all or nothing, and durable when it returns; several processes
/// may use the same storage. Times are Unix seconds.
public protocol VerificationStore: AnyObject {
    /// Stores a registration at `now` (Unix seconds), unless its test, date of birth or teleTAN has one or had one: then
    /// the outcome says so. Uses the teleTAN up. Throws what the storage refuses, as every function here.
    func register(_ registration: Registration, now: Int64) throws(VerificationError) -> RegistrationOutcome
    /// The registration of a token's code (32 bytes); `nil` when there is none. Throws what the storage refuses.
    func registration(token: [UInt8]) throws(VerificationError) -> Registration?
    /// Stores the one TAN of a registration, valid until `expiry`, with the masked handle of what will be warned with it;
    /// and beside it a second one for the rest of the day, if there is one and nobody has it. Nothing stored says that the
    /// two belong together. `nil` as `remainder` for none. Throws what the storage refuses.
    func issueTAN(
        _ tan: [UInt8], token: [UInt8], type: WarningType, expiry: Int64, warning: [UInt8], remainder: Remainder?
    ) throws(VerificationError) -> TANOutcome
    /// The masked handle (32 bytes) that was stored with a TAN's code; `nil` when there is no such TAN, or it is older than
    /// handles. Throws what the storage refuses.
    func warning(ofTAN tan: [UInt8]) throws(VerificationError) -> [UInt8]?
    /// Confirms a TAN of that type, once, at `now` (Unix seconds); with `nil` as type, one of any but
    /// ``WarningType/remainder``. With `request` the same request gets the same answer again; without, the TAN is deleted.
    /// `nil` when there is no such TAN. Throws what the storage refuses.
    func confirmTAN(
        _ tan: [UInt8], type: WarningType?, request: [UInt8]?, now: Int64
    ) throws(VerificationError) -> WarningType?
    /// Stores the code of a teleTAN (32 bytes) unless `limit` were issued after `windowStart`; `false` then. Times are Unix
    /// seconds. Throws what the storage refuses.
    func issueTeleTAN(
        _ teleTAN: [UInt8], type: WarningType, now: Int64, expiry: Int64, limit: Int, windowStart: Int64
    ) throws(VerificationError) -> Bool
    /// How much is kept that is still good at `now` (Unix seconds). Throws what the storage refuses.
    func counts(now: Int64) throws(VerificationError) -> StorageCounts
    /// Forgets what is over at `now` (Unix seconds) by `rules`, and counts it. Throws what the storage refuses.
    func clean(now: Int64, rules: VerificationRules) throws(VerificationError) -> RetentionReport
}
