// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// What a server answered to `simpleenroll` or `simplereenroll`.
public struct ESTAnswer: Sendable {
    /// The status of HTTP.
    public var status: Int
    /// The body. Its type is not looked at: servers differ, and what is in it decides.
    public var body: [UInt8]
    /// `Retry-After` in seconds; `nil` if there is none.
    public var retryAfter: Int64?

    /// Takes an answer as it came.
    public init(status: Int, body: [UInt8], retryAfter: Int64? = nil) {
        (self.status, self.body, self.retryAfter) = (status, body, retryAfter)
    }

    /// The certificate for this board and this key, valid at `now` (Unix seconds); certificates of authorities beside it are passed over.
    ///
    /// A certificate may begin up to an hour after `now`: clocks differ.
    /// Throws one of the codes from `pending` to `badCertificate`.
    public func certificate(
        for name: BoardName, key: P256.VerificationKey, now: Int64
    ) throws(EnrolmentError) -> DeviceCertificate {
        switch status {
        case 200: break
        case 202, 429: throw EnrolmentError(.pending, "status \(status)", retryAfter: retryAfter)
        case 401, 403: throw EnrolmentError(.refused, "status \(status)")
        case 410: throw EnrolmentError(.retired)
        case 400...499: throw EnrolmentError(.badRequest, "status \(status)")
        case 500...599: throw EnrolmentError(.serverFailed, "status \(status)", retryAfter: retryAfter)
        default: throw EnrolmentError(.badAnswer, "status \(status)")
        }
        guard let bytes = ESTText.decoded(body), let bag = CertificateBag.certificates(der: bytes) else {
            throw EnrolmentError(.badAnswer, "\(body.count) bytes without certificates")
        }
        // Authorities may be on other curves: they cannot be read, and need not be.
        let readable = bag.compactMap { try? DeviceCertificate(der: $0) }
        guard !readable.isEmpty else { throw EnrolmentError(.badCertificate) }
        guard let found = readable.first(where: { $0.key == key }) else { throw EnrolmentError(.otherKey) }
        guard found.name == name else { throw EnrolmentError(.otherSubject) }
        guard found.validity.notBefore - 3_600 <= now, now <= found.validity.notAfter else {
            throw EnrolmentError(.notValidNow)
        }
        return found
    }
}
