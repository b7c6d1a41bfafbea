// SPDX-License-Identifier: Apache-2.0

/// An error with a code that callers act on and a sentence that people read.
///
/// Two errors are equal if their codes are; details, offsets and origins do not count, and `hash(into:)` ignores them too.
/// `description` is meant for logs and technicians, and each type says what it may contain. `debugDescription` adds the
/// line of the source. An error holds no secret.
public protocol CodedError: Error, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The kinds of failure. Each kind is a case that a caller can handle in its own way.
    associatedtype Code: Hashable & Sendable

    /// The kind of failure; the only part that counts in comparisons.
    var code: Code { get }
    /// The file and line in the source that made the error; for developers, never compared.
    var origin: ErrorOrigin { get }
}

extension CodedError {
    /// Returns whether both errors have the same code. Nothing else is compared.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
    /// Hashes the code only, in agreement with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The description, followed by the line of the source: `… (KeyExport/ExportDecoder.swift:40)`. For developers; never
    /// shown to users.
    public var debugDescription: String { "\(description) (\(origin))" }
}

/// A line of the source code. Refers to the file's name without copying it.
public struct ErrorOrigin: Sendable, CustomStringConvertible {
    /// The module and the file, in the form of `#fileID`.
    public let file: StaticString
    /// The line number, counted from 1.
    public let line: UInt

    /// Creates an origin for the line of the call, or for the `file` and `line` that a caller passes on. Cannot fail.
    public init(file: StaticString = #fileID, line: UInt = #line) {
        self.file = file
        self.line = line
    }

    /// The line in the form `Module/File.swift:LINE`.
    public var description: String { "\(file):\(line)" }
}
