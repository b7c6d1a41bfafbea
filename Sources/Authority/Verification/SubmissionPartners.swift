// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// The judge of TANs: a ``VerificationServer`` in this process, or whoever asks one elsewhere.
public protocol TANConfirming: AnyObject {
    /// Uses up a TAN of that type at `now` (Unix seconds), and gives the handle of what is warned with it; `nil` for a TAN
    /// that is older than handles. The same `request` gets the same answer again. May block for as long as another server
    /// takes. Throws `invalidTAN`, or what storage or partner refuse.
    func confirm(
        _ tan: String, type: WarningType, request: [UInt8], now: Int64
    ) throws(VerificationError) -> WarningHandle?
}

extension VerificationServer: TANConfirming {
    /// Confirms over the server's own storage at `now` (Unix seconds), and gives the handle of what is warned with the TAN;
    /// `nil` for a TAN that is older than handles. Durable when this returns. Throws `invalidTAN`, or what the storage
    /// refuses.
    public func confirm(
        _ tan: String, type: WarningType, request: [UInt8], now: Int64
    ) throws(VerificationError) -> WarningHandle? {
        _ = try confirmTAN(tan, type: type, request: request, now: now)
        return try warning(ofTAN: tan)
    }
}

/// The publisher of keys. Taking the same keys twice must be as taking them once.
public protocol KeyTaking: AnyObject {
    /// Takes keys that kept all rules, at `now` (Unix seconds); they are durable when this returns. With `warning` they can
    /// be taken back. Gives how many were new. May block for as long as another server takes. Throws `intakeFailed`, or
    /// `partnerFailed`.
    func take(
        _ keys: [ExportedKey], visitedCountries: [String], consentsToFederation: Bool, warning: WarningHandle?, now: Int64
    ) throws(VerificationError) -> Int
}
