// SPDX-License-Identifier: Apache-2.0

import HTTPClient
import Interfaces
import JSON
import PrivacyPass

/// What an issuer of tokens has said to one request (specification donation 6.4), as far as this plugin understands it.
struct IssuerReply: Sendable, Equatable {
    /// What the answer is.
    enum Answer: Sendable, Equatable {
        /// A blind signature, which only the core can judge.
        case signature([UInt8])
        /// It wants evidence with this nonce; `nil` if it gave none that can be used.
        case challenge([UInt8]?)
        /// There is no token.
        case refusal(Donation1.IssuerRefusal)
    }

    /// A blind signature by a key of 2,048 bits has so many bytes.
    static let signatureByteCount = 256
    /// The header fields of an answer that are read.
    static let headers = ["WWW-Authenticate", EvidenceScheme.nextNonceHeader]

    let answer: Answer
    /// The nonce for the next request; `nil` if there is none that can be used.
    let nextNonce: [UInt8]?

    /// There was no answer, or none that can be read.
    static let nothing = IssuerReply(answer: .refusal(.unreachable), nextNonce: nil)

    private init(answer: Answer, nextNonce: [UInt8]?) {
        self.answer = answer
        self.nextNonce = nextNonce
    }

    /// Reads an answer, whatever it is.
    init(_ response: HTTPResponse) {
        nextNonce = response.headers[EvidenceScheme.nextNonceHeader].flatMap { EvidenceScheme.nonce(inNextNonce: $0) }
        switch response.status {
        case 200 where response.body.count == Self.signatureByteCount: answer = .signature(response.body)
        case 401:
            answer = .challenge(
                response.headers["WWW-Authenticate"].flatMap { EvidenceScheme.nonce(inWWWAuthenticate: $0) })
        case 403: answer = .refusal(Self.refusal(response.body))
        case 422, 429: answer = .refusal(.notThisDay)
        default: answer = .refusal(.unreachable)
        }
    }

    /// The reason in the body of a 403: an object with `errorCode`, and padding.
    private static func refusal(_ body: [UInt8]) -> Donation1.IssuerRefusal {
        switch (try? JSON(parsing: body))?["errorCode"]?.string {
        case "DEVICE_BLOCKED", "EVIDENCE_POLICY": .deviceRefused
        case "FLEET_TOO_SMALL": .notYet
        default: .unreachable
        }
    }
}
