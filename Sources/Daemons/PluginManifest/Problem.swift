// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// One thing that is wrong in a file, where, and what would be right. Equal by all of it.
public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The rules that a file can break. Raw values are stable: `--json` prints them.
    public enum Code: String, Sendable, CaseIterable {
        /// The file is no JSON.
        case notJSON
        /// The file, or a text in it, is longer than it may be.
        case tooLong
        /// The value is of another JSON type than the field takes.
        case wrongType
        /// A field that must be there is not.
        case missing
        /// A field of a name that the file does not have.
        case unknownField
        /// A text that does not have the form it must have, such as a name with capital letters.
        case badForm
        /// A number or a length that is too small or too large.
        case outOfRange
        /// A list that has more elements than it may have.
        case tooMany
        /// Something that may be there once, and is there again.
        case duplicate
        /// Two fields that exclude each other, or one without another that it needs.
        case contradiction
        /// The interface has a name of which no text is known.
        case unknownInterface
        /// The interface has no method of this name.
        case unknownMethod
        /// An interface's text is missing, cannot be read or is not the known one.
        case badInterface
        /// The grants give more than the manifest asks for.
        case notAskedFor
        /// Something that only one plugin can have, and another one has.
        case taken
        /// A settings value that the plugin's own rules do not allow.
        case badSetting
    }

    /// The file that a problem is in.
    public enum Source: Hashable, Sendable {
        /// The manifest, `plugin.json`.
        case manifest
        /// The operator's grants, `grants.json`.
        case grants
        /// A text of an interface in `interfaces/`, by the file's name.
        case interface(String)
        /// The plugin's folder itself, such as its name.
        case folder
    }

    /// The rule that is broken.
    public let code: Code
    /// The file that the problem is in.
    public let source: Source
    /// The place in the file, such as `wants[0].methods[2]`, or for ``Source/folder`` the path of a file in it; empty for the file or folder as a
    /// whole.
    public let path: String
    /// The fault and what would be right, in English for people, at most 400 characters on one line. It may quote the file;
    /// a value of a setting is never quoted.
    public let text: String

    /// A problem at this place (see ``path``); `text` is made harmless for terminals and cut to 400 characters on one line.
    /// Cannot fail.
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

/// A file that cannot be used, with everything that is wrong with it.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// All problems, in the order in which they were found; at most ``mostProblems``.
    public let problems: [Problem]
    /// The most problems that are told of a file; what is beyond is told after these are mended. A choice of ours: no one reads more at once.
    public static let mostProblems = 100

    /// The error with the first ``mostProblems`` of these; at least one is expected. Cannot fail.
    public init(_ problems: [Problem]) { self.problems = Array(problems.prefix(Self.mostProblems)) }

    /// One line for each problem, for people.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
