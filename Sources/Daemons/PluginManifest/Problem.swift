// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// One fault in a file: its place, and what would be right. Two problems are equal if all their values are.
public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The rules that a file can break. Raw values are stable: `--json` prints them.
    public enum Code: String, Sendable, CaseIterable {
        /// The file is not JSON.
        case notJSON
        /// The file, or a text in it, is longer than it may be.
        case tooLong
        /// The value has a JSON type other than the field's.
        case wrongType
        /// A required field is missing.
        case missing
        /// The file has a field with an unknown name.
        case unknownField
        /// A text does not have the required form, for example a name with capital letters.
        case badForm
        /// A number or a length is too small or too large.
        case outOfRange
        /// A list has more elements than it may have.
        case tooMany
        /// Something is there twice that may be there only once.
        case duplicate
        /// Two fields exclude each other, or one lacks another that it needs.
        case contradiction
        /// The name of the interface is not that of a known text.
        case unknownInterface
        /// The interface has no method of this name.
        case unknownMethod
        /// The text of an interface is missing, cannot be read, or differs from the known one.
        case badInterface
        /// The grants contain a permission that the manifest does not ask for.
        case notAskedFor
        /// Something that only one plugin can have belongs to another one.
        case taken
        /// The value of a setting breaks the rules of the plugin's schema.
        case badSetting
    }

    /// The file that a problem is in.
    public enum Source: Hashable, Sendable {
        /// The manifest, `plugin.json`.
        case manifest
        /// The operator's grants, `grants.json`.
        case grants
        /// The text of an interface in `interfaces/`, by the file's name.
        case interface(String)
        /// The plugin's folder itself, such as its name.
        case folder
    }

    /// The rule that is broken.
    public let code: Code
    /// The file that the problem is in.
    public let source: Source
    /// The place in the file, such as `wants[0].methods[2]`; for ``Source/folder`` the path of a file in the folder. Empty
    /// for the file or folder as a whole.
    public let path: String
    /// The fault and what would be right, in English for people, at most 400 characters on one line. It may quote the file,
    /// but never the value of a setting.
    public let text: String

    /// Creates a problem at this place (see ``path``). `text` is cut to 400 characters on one line, and characters that
    /// could harm a terminal are replaced. Cannot fail.
    public init(_ code: Code, _ source: Source, at path: String, _ text: String) {
        self.code = code
        self.source = source
        self.path = path
        self.text = ForeignText.line(text, limit: 400)
    }

    /// The file, the place in it and ``text``, on one line for people; foreign text in it is harmless for a terminal.
    public var description: String {
        let file =
            switch source {
            case .manifest: "plugin.json"
            case .grants: "grants.json"
            case .interface(let name): "interfaces/\(ForeignText.line(name, limit: 120))"
            case .folder: "folder"
            }
        return path.isEmpty ? "\(file): \(text)" : "\(file): \(path): \(text)"
    }
}

/// The error for a file that cannot be used, with all of its problems.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// All problems, in the order in which they were found; at most ``mostProblems``.
    public let problems: [Problem]
    /// The most problems that are reported of a file: 100, our choice. Further ones are reported after these are corrected.
    public static let mostProblems = 100

    /// Creates an error with the first ``mostProblems`` of `problems`, which should have at least one. Cannot fail.
    public init(_ problems: [Problem]) { self.problems = Array(problems.prefix(Self.mostProblems)) }

    /// The problems, one a line, for people.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
