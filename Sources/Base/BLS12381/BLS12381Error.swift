// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why bytes are no number or no point. Two errors are equal if their codes are. Holds none of the bytes.
public struct BLS12381Error: CodedError {
    /// The rules, one of which was broken. The raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// Fewer or more bytes than a number or point of this kind has.
        case wrongLength
        /// A number is not below its modulus, or the bit for the sign says what cannot be: each point has one form only.
        case notCanonical
        /// There is no point with this x on the curve.
        case notOnCurve
        /// The point is on the curve, but not in the group of order r.
        case notInGroup
        /// The point is zero, which is not allowed as a key or in an encrypted message.
        case isZero
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// Lengths that belong to the error; may be empty.
    public let detail: String

    /// Creates an error. `detail` must be printable and have nothing of the bytes.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// A sentence for logs: what is wrong, what to do, detail and code.
    public var description: String {
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(Self.sentence(code))\(more) [\(code.rawValue)]"
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .wrongLength: "these bytes are no number or point of BLS12-381; look whether they were cut"
        case .notCanonical: "a number or point of BLS12-381 has another form; whoever sent it must write that"
        case .notOnCurve: "the point is not on the curve BLS12-381; it was damaged, fetch it again"
        case .notInGroup: "the point is outside the group that keys are in; do not trust whoever sent it"
        case .isZero: "the point is zero, which is no key; ask whoever sent it for a real one"
        }
    }
}
