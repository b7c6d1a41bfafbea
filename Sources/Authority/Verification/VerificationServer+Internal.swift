// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// What the health office and the submission ask; never reachable from boards.
extension VerificationServer {
    /// Issues a teleTAN (13 characters, ``TeleTANIssuing``) at `now` (Unix seconds), to be read out to one person; durable
    /// when this returns. Throws `teleTANRateExceeded` when ``VerificationRules/teleTANLimit`` is reached,
    /// `malformedRequest` for ``WarningType/remainder``, `cryptography` when the library refuses, and what
    /// ``VerificationStore`` throws.
    public func issueTeleTAN(_ type: WarningType, now: Int64) throws(VerificationError) -> String {
        try counted { () throws(VerificationError) in
            guard type.hasTeleTANs else { throw VerificationError(.malformedRequest, "the type of a teleTAN") }
            let text = TeleTANIssuing.make(using: &generator)
            let isIssued = try store.issueTeleTAN(
                try secret.code(.storedTeleTAN, [Array(text.utf8)]), type: type, now: now,
                expiry: now + rules.teleTANSeconds(type),
                limit: rules.teleTANLimit, windowStart: now - rules.teleTANWindowSeconds)
            guard isIssued else { throw VerificationError(.teleTANRateExceeded) }
            counters.teleTANs += 1
            return text
        }
    }

    /// Confirms a TAN (a UUID in any case) of this type (`nil` for any type but ``WarningType/remainder``) at `now` (Unix
    /// seconds), uses it up, and returns its type; durable when this returns.
    ///
    /// Without `request` the TAN is deleted, as in **ver**. With a `request` (any bytes), the same request gets the same
    /// answer until the TAN expires, and any other is refused; so a caller that stores data after confirming can confirm
    /// again after a crash. `request` should identify these data: ``SubmissionServer`` uses the SHA-256 of the body.
    ///
    /// Throws `invalidTAN` for a text that is not a UUID, a TAN that does not exist or has expired, one of another type,
    /// and one that another request has used; `cryptography` when the library refuses; and what ``VerificationStore``
    /// throws.
    public func confirmTAN(
        _ tan: String, type: WarningType? = nil, request: [UInt8]? = nil, now: Int64
    ) throws(VerificationError) -> WarningType {
        try counted { () throws(VerificationError) in
            guard RandomUUID.bytes(tan) != nil else { throw VerificationError(.invalidTAN) }
            let stored = try secret.code(.storedTAN, [Array(tan.lowercased().utf8)])
            var name: [UInt8]?
            if let request { name = try secret.code(.storedRequest, [request]) }
            guard let found = try store.confirmTAN(stored, type: type, request: name, now: now) else {
                throw VerificationError(.invalidTAN)
            }
            counters.confirmedTANs += 1
            return found
        }
    }

    /// The handle of what is warned with a TAN that a request has confirmed; `nil` for a TAN that is older than handles.
    func warning(ofTAN tan: String) throws(VerificationError) -> WarningHandle? {
        let stored = try secret.code(.storedTAN, [Array(tan.lowercased().utf8)])
        return try handle(try store.warning(ofTAN: stored), tan: tan)
    }
}
