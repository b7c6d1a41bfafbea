// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// Who knows whether a TAN is good: a ``VerificationServer`` in this process, or whoever asks one elsewhere.
public protocol TANConfirming: AnyObject {
    /// Uses the TAN up, and gives the handle of what is warned with it. The same `request` gets the same answer again. Throws `invalidTAN`.
    func confirm(
        _ tan: String, type: WarningType, request: [UInt8], now: Int64
    ) throws(VerificationError) -> WarningHandle?
}

extension VerificationServer: TANConfirming {
    public func confirm(
        _ tan: String, type: WarningType, request: [UInt8], now: Int64
    ) throws(VerificationError) -> WarningHandle? {
        _ = try confirmTAN(tan, type: type, request: request, now: now)
        return try warning(ofTAN: tan)
    }
}

/// Who publishes keys. Taking the same keys twice must be as taking them once.
public protocol KeyTaking: AnyObject {
    /// Takes keys that kept all rules; they are durable when this returns. With `warning` they can be taken back. How many were new.
    func take(
        _ keys: [ExportedKey], visitedCountries: [String], consentsToFederation: Bool, warning: WarningHandle?, now: Int64
    ) throws(VerificationError) -> Int
}
