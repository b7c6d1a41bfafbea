// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why bytes are not a value in deterministic CBOR: the rule, and the byte where it was broken. Two errors are
/// equal if their codes are. Holds none of the bytes.
public struct CBORError: CodedError {
    /// The rules, one of which was broken. The raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// More bytes than the limit.
        case tooLarge
        /// The bytes end before the value does, or a length says more than there are.
        case truncated
        /// Bytes follow after the value.
        case trailingBytes
        /// A number or a length takes more bytes than it needs.
        case notShortest
        /// A string, an array or a map without a length at its beginning.
        case indefiniteLength
        /// A first byte that RFC 8949 reserves, or an end of something that never began.
        case malformed
        /// A floating-point number, or a simple value other than `false`, `true` and `null`.
        case unsupportedValue
        /// More arrays, maps and tags in each other than the limit.
        case tooDeep
        /// A map has one key twice.
        case duplicateKey
        /// The keys of a map are not in the order of their encodings.
        case unsortedKeys
        /// A text is not UTF-8.
        case invalidText
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The place of the item that broke the rule, in bytes from the beginning, 0 or more.
    public let offset: Int
    /// Numbers that belong to the error; may be empty.
    public let detail: String

    /// Creates an error at the byte `offset`. `detail` must be printable and have nothing of the bytes.
    public init(_ code: Code, at offset: Int, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        self.offset = offset
        self.detail = detail
        origin = ErrorOrigin(file: file, line: line)
    }

    /// A sentence for logs: what is wrong and where, what to do, detail and code.
    public var description: String {
        let more = detail.isEmpty ? "" : " (\(detail))"
        return "CBOR, byte \(offset): \(Self.sentence(code))\(more) [\(code.rawValue)]"
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .tooLarge: "this is larger than anything that is expected here; look at what sent it"
        case .truncated: "the bytes end in the middle of a value; fetch them again"
        case .trailingBytes: "more bytes follow after the value; whoever sent it must leave them out"
        case .notShortest: "a number is longer than it has to be; whoever sent it must use deterministic encoding"
        case .indefiniteLength: "a length is missing; whoever sent it must use deterministic encoding"
        case .malformed: "this is not CBOR; look at what sent it"
        case .unsupportedValue: "floating-point numbers and unusual simple values are not accepted here"
        case .tooDeep: "too many values are nested in each other; look at what sent it"
        case .duplicateKey: "a key occurs twice in a map; do not trust whoever sent it"
        case .unsortedKeys: "the keys of a map are out of order; whoever sent it must use deterministic encoding"
        case .invalidText: "a text is not UTF-8; look at what sent it"
        }
    }
}
