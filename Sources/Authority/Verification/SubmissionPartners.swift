// SPDX-License-Identifier: Apache-2.0

/// The judge of TANs: a ``VerificationServer`` in this process, or whoever asks one elsewhere.
public protocol TANConfirming: AnyObject {
    /// Uses up a TAN of that type at `now` (Unix seconds), and gives the handle of what is warned with it; `nil` when
    /// none was stored with the TAN, since it is older than handles. `request` is what the TAN is used for, any bytes,
    /// such as a hash: the same gets the same answer again until the TAN's time is over. May block for as long as
    /// another server takes.
    ///
    /// Throws `invalidTAN` for a text that is no good TAN of that type, or one that another request has used;
    /// `partnerFailed`, `cryptography`, or what ``VerificationStore`` throws.
    func confirm(
        _ tan: String, type: WarningType, request: [UInt8], now: Int64
    ) throws(VerificationError) -> WarningHandle?
}

extension VerificationServer: TANConfirming {
    /// Confirms over the server's own storage at `now` (Unix seconds), as ``confirmTAN(_:type:request:now:)``, and
    /// gives the handle of what is warned with the TAN; `nil` when none was stored with it, since it is older than
    /// handles. Durable when this returns. Throws `invalidTAN`, `cryptography`, or what ``VerificationStore`` throws.
    public func confirm(
        _ tan: String, type: WarningType, request: [UInt8], now: Int64
    ) throws(VerificationError) -> WarningHandle? {
        _ = try confirmTAN(tan, type: type, request: request, now: now)
        return try warning(ofTAN: tan)
    }
}

/// The publisher of keys. Taking the same keys twice must be as taking them once.
public protocol KeyTaking: AnyObject {
    /// Takes a submission that kept all rules, at `now` (Unix seconds); it is durable when this returns. With `warning` its
    /// keys can be taken back; of a warning that was taken back nothing is taken, without an error. `nil` for keys that nobody
    /// takes back by a code. Gives how much of it was new.
    ///
    /// May block for as long as another server takes. Throws `intakeFailed` or `partnerFailed`; then the same submission may
    /// be handed over again.
    func take(
        _ accepted: SubmissionRules.Accepted, warning: WarningHandle?, now: Int64
    ) throws(VerificationError) -> TakenSubmission
}

/// What a publisher took of a submission.
public struct TakenSubmission: Sendable, Hashable {
    /// The number of keys that were taken and new, 0 or more.
    public var keys: Int
    /// The number of check-ins that were taken and new, 0 or more.
    public var checkIns: Int
    /// The number of check-ins that are not to be published, since their kind, their time or their level is not, 0 or more.
    public var filteredCheckIns: Int

    /// So many of each; nothing is checked.
    public init(keys: Int, checkIns: Int = 0, filteredCheckIns: Int = 0) {
        self.keys = keys
        self.checkIns = checkIns
        self.filteredCheckIns = filteredCheckIns
    }
}
