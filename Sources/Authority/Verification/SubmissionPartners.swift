// SPDX-License-Identifier: Apache-2.0

/// The judge of TANs: a ``VerificationServer`` in this process, or a client of one elsewhere.
public protocol TANConfirming: AnyObject {
    /// Uses up a TAN of this type at `now` (Unix seconds), and returns the handle of the warning that is made with it;
    /// `nil` for a TAN that is older than handles. `request` identifies what the TAN is used for, with any bytes, such as a
    /// hash: the same request gets the same answer until the TAN expires. May block for as long as another server takes.
    ///
    /// Throws `invalidTAN` for a text that is not a valid TAN of this type, or one that another request has used;
    /// `partnerFailed` when another server does not answer as it should; `cryptography` when the library refuses; and what
    /// ``VerificationStore`` throws.
    func confirm(
        _ tan: String, type: WarningType, request: [UInt8], now: Int64
    ) throws(VerificationError) -> WarningHandle?
}

extension VerificationServer: TANConfirming {
    /// Confirms a TAN in the server's own storage at `now` (Unix seconds), as ``confirmTAN(_:type:request:now:)`` does, and
    /// returns the handle of the warning that is made with it; `nil` for a TAN that is older than handles. Durable when
    /// this returns. Throws `invalidTAN` for a text that is not a valid TAN of this type, or one that another request has
    /// used, `cryptography` when the library refuses, and what ``VerificationStore`` throws.
    public func confirm(
        _ tan: String, type: WarningType, request: [UInt8], now: Int64
    ) throws(VerificationError) -> WarningHandle? {
        _ = try confirmTAN(tan, type: type, request: request, now: now)
        return try warning(ofTAN: tan)
    }
}

/// The publisher of keys and check-ins. Taking the same submission twice must have the same effect as taking it
/// once.
public protocol KeyTaking: AnyObject {
    /// Takes keys and check-ins that passed all rules, at `now` (Unix seconds); they are durable when this returns.
    /// Returns how many of them were new, and how many check-ins are not to be published. With `warning` the keys
    /// can be taken back later; if that warning was already taken back, nothing is taken, without an error. With
    /// `nil` they cannot be taken back by a code.
    ///
    /// May block for as long as another server takes. Throws `intakeFailed` when the publisher refuses, and
    /// `partnerFailed` when it does not answer as it should; then the same submission may be handed over again.
    func take(
        _ accepted: SubmissionRules.Accepted, warning: WarningHandle?, now: Int64
    ) throws(VerificationError) -> TakenSubmission
}

/// The counts of keys and check-ins that a publisher took or filtered out of a submission.
public struct TakenSubmission: Sendable, Hashable {
    /// The number of keys that were taken and new, 0 or more.
    public var keys: Int
    /// The number of check-ins that were taken and new, 0 or more.
    public var checkIns: Int
    /// The number of check-ins that are not to be published, because of their kind, time or level, or because the
    /// warning was taken back; 0 or more.
    public var filteredCheckIns: Int

    /// Creates the outcome from these numbers, which are not checked.
    public init(keys: Int, checkIns: Int = 0, filteredCheckIns: Int = 0) {
        self.keys = keys
        self.checkIns = checkIns
        self.filteredCheckIns = filteredCheckIns
    }
}
