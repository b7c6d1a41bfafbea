// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why evidence of a device was refused: the rule, and what to do. Two errors are equal if their codes are. Names no
/// device.
public struct EvidenceError: CodedError {
    /// The rules, one of which was broken, in the order in which they are looked at. The raw values are stable: they appear in
    /// answers and logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The token is not a CWT with COSE_Sign1 in deterministic CBOR, or lacks a claim.
        case malformed
        /// The signature is of another algorithm than ES256.
        case unsupportedAlgorithm = "unsupported-algorithm"
        /// No device is known with this key.
        case unknownDevice = "unknown-device"
        /// The device's key has not signed the token.
        case badSignature = "bad-signature"
        /// The token was made for another request.
        case nonceMismatch = "nonce-mismatch"
        /// The token was made too long ago, or in the future.
        case stale
        /// What the device says of itself is not accepted here.
        case policy
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// What exactly; may be empty.
    public let detail: String

    /// Creates an error. `detail` must be printable and name no device.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        self.detail = detail
        origin = ErrorOrigin(file: file, line: line)
    }

    /// A sentence for logs: what is wrong, what to do, detail and code.
    public var description: String {
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(Self.sentence(code))\(more) [\(code.rawValue)]"
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .malformed: "this is not evidence of a device as this version reads it; update whoever sent it"
        case .unsupportedAlgorithm: "the evidence is not signed with ES256; update whoever sent it"
        case .unknownDevice: "no device of the fleet has this key; enrol the device"
        case .badSignature: "the device's key has not signed this evidence; do not answer it"
        case .nonceMismatch: "the evidence is for another request; ask with the newest nonce"
        case .stale: "the evidence is too old or from the future; set the clock of the device"
        case .policy: "what the device says of itself is not accepted here"
        }
    }
}
