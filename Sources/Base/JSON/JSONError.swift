// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why a text is not JSON, or why a value does not fit a Swift type: the broken rule and its place. Two errors
/// are equal if their codes are.
public struct JSONError: CodedError {
    /// The rules that a text or a value can break. Raw values are stable: they appear in logs and counters.
    public enum Code: String, Sendable, CaseIterable {
        // Text.
        /// A byte sequence of the text is not UTF-8.
        case notUTF8
        /// The text breaks the grammar of RFC 8259: a character that may not stand there, or an early end.
        case malformedJSON
        /// An object has two members of one name, or of names that are canonically equivalent in Unicode; readers
        /// would disagree about which one counts.
        case duplicateKey
        /// Arrays and objects are nested deeper than the reader allows.
        case nestedTooDeep
        /// A whole number does not fit into `Int64`, another one is not finite as a `Double`, or a number is longer
        /// than 128 characters.
        case numberOutOfRange
        /// An escape `\u` gives only one half of a surrogate pair, which is not a character.
        case loneSurrogate
        /// A text contains U+0000, at which other programs would cut it off.
        case zeroCharacter
        /// A text has more combining marks in a row than any language, and to compare it would take long (`StreamSafe`).
        case tooManyMarks
        // Values and Swift types.
        /// A Swift value has no form in JSON, such as a number that is not finite.
        case notEncodable
        /// The value has another kind than the Swift type requires, is outside its range, or lacks a member.
        case notDecodable
    }

    /// The place of a broken rule.
    public enum Place: Hashable, Sendable {
        /// The number of bytes from the start of the text.
        case byte(Int)
        /// A path in a value, such as `files[3].name`.
        case path(String)
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The place of the broken rule; `nil` when it is not known.
    public let place: Place?
    /// Field names, limits and what was expected; never a value.
    public let detail: String

    /// Creates an error with this code. Leave out `place` and `detail` if they are not known. `detail` must not contain
    /// values.
    public init(
        _ code: Code, at place: Place? = nil, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.place = place
        self.detail = detail
    }

    /// A text for logs and plugin authors: place, rule, detail and the stable code. Contains field names, but no values.
    public var description: String {
        let start: String
        switch place {
        case .byte(let offset): start = "at byte \(offset): "
        case .path(let path): start = "\(path): "
        case nil: start = ""
        }
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(start)\(Self.sentence(code))\(more) [\(code.rawValue)]"
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .notUTF8: return "the text is not UTF-8"
        case .malformedJSON: return "this is not JSON"
        case .duplicateKey: return "a key appears twice in one object"
        case .nestedTooDeep: return "the nesting is too deep"
        case .numberOutOfRange: return "the number does not fit; whole numbers have 64 bits"
        case .loneSurrogate: return "half of a surrogate pair is no character"
        case .zeroCharacter: return "the character U+0000 is not allowed in strings"
        case .tooManyMarks: return "a text has more combining marks in a row than any language has"
        case .notEncodable: return "the value cannot be written as JSON"
        case .notDecodable: return "the value is not what was expected"
        }
    }
}
