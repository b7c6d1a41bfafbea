// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// The judge of TANs: a ``VerificationServer`` in this process, or a client of one elsewhere.
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
    /// Takes keys that kept all rules, at `now` (Unix seconds); they are durable when this returns. With `warning` they
    /// can be taken back; of a warning that was taken back none is taken, without an error. `nil` for keys that nobody
    /// takes back by a code. Gives the number of keys that were taken and new, 0 or more.
    ///
    /// May block for as long as another server takes. Throws `intakeFailed` or `partnerFailed`; then the same keys may
    /// be handed over again.
    func take(
        _ keys: [ExportedKey], visitedCountries: [String], consentsToFederation: Bool, warning: WarningHandle?, now: Int64
    ) throws(VerificationError) -> Int
}
