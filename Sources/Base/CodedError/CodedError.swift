// SPDX-License-Identifier: Apache-2.0

/// An error that callers decide about by its code, and that people read as a sentence.
///
/// Two are equal when their codes are: details, offsets and origins take no part, in `hash(into:)` neither. `description` is for logs and
/// technicians, by the rules of each type; `debugDescription` has the line of the source behind it. An error holds no secret.
public protocol CodedError: Error, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The kinds of failure; each is one thing that a caller can do about it.
    associatedtype Code: Hashable & Sendable

    /// The kind of failure; the only part that counts in comparisons.
    var code: Code { get }
    /// The file and line in the source that made the error; for developers, never compared.
    var origin: ErrorOrigin { get }
}

extension CodedError {
    /// Compares the codes only.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
    /// Hashes the code only, as equality has it.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The description, and the line of the source: `… (KeyExport/ExportDecoder.swift:40)`. For developers; never shown to a person.
    public var debugDescription: String { "\(description) (\(origin))" }
}

/// A line of the source. Makes no copy of the file's name.
public struct ErrorOrigin: Sendable, CustomStringConvertible {
    /// The module and the file in it, as `#fileID` gives them.
    public let file: StaticString
    /// The line, from 1.
    public let line: UInt

    /// The line where it is called, unless a caller hands its own on. Cannot fail.
    public init(file: StaticString = #fileID, line: UInt = #line) {
        self.file = file
        self.line = line
    }

    /// `Module/File.swift:LINE`.
    public var description: String { "\(file):\(line)" }
}
