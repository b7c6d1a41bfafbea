// SPDX-License-Identifier: Apache-2.0

/// What the health office and the submission ask; never reachable from boards.
extension VerificationServer {
    /// A new teleTAN at `now` (Unix seconds), to be read out to one person; durable when this returns. Throws
    /// `teleTANRateExceeded`, `malformedRequest` for ``WarningType/remainder``, or what the storage refuses.
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

    /// Confirms a TAN of that type (`nil`: of any but ``WarningType/remainder``) and uses it up. Throws `invalidTAN`.
    ///
    /// Without `request` it is deleted, as **ver** does. With one, the same request gets the same answer until the TAN's
    /// time is over, and any other is refused: who stores after asking can ask again after a crash. `request` should bind
    /// what is stored, see ``SubmissionRules``. `now` is in Unix seconds.
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
