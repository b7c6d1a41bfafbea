// SPDX-License-Identifier: Apache-2.0

public import CodedError
public import ControlTool
import ForeignText
import Glibc
public import JSON
public import PluginManifest

/// The reason why a command about plugins failed. Two failures are equal if their codes are. The text says what happened,
/// why, and what to do.
public struct PluginFailure: CodedError {
    /// The kinds of failure. Raw values are stable: `--json` prints them as `vigil.plugin.CODE`.
    public enum Code: String, Sendable, CaseIterable {
        /// The folder of a plugin cannot be used: it is missing, unsafe or unreadable.
        case badFolder
        /// The file `grants.json` cannot be used as it is; nothing was changed.
        case badGrants
        /// There is no plugin with this name on the board, and no grants for one that the command could change.
        case notInstalled
        /// The plugin's files or grants have problems: see ``PluginFailure/problems``.
        case hasProblems
        /// The command cannot be carried out as given, for example to remove a part of the system, or while another command
        /// is making changes.
        case badUsage
        /// This user may not read or change the files; root may.
        case notPermitted
        /// No supervisor is running here to be asked.
        case noSupervisor
        /// The system refuses, for example because the disk is full or read-only.
        case system
    }

    /// The kind of failure; the only part that counts when two failures are compared.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The problems of files, for ``Code/hasProblems`` and ``Code/badGrants``; otherwise empty, and also if the command has
    /// shown them already.
    public let problems: [Problem]
    private let text: String

    init(_ code: Code, _ text: String, problems: [Problem] = [], file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.problems = problems
        self.text = ForeignText.line(text, limit: 1_000)
    }

    /// A refusal of the kernel, just now.
    static func system(_ what: String, _ error: Int32 = errno) -> Self {
        let words = String(cString: strerror(error))
        guard error == EACCES || error == EPERM || error == EROFS else { return Self(.system, "\(what): \(words).") }
        return Self(.notPermitted, "\(what): \(words). Do it as the user they belong to, usually root.")
    }

    /// The text for people at a terminal: the sentence, then a line for each problem. Foreign text in it cannot harm the
    /// terminal, and it contains no value of a setting.
    public var description: String {
        ([text] + problems.map { ForeignText.line("\($0)", limit: 600) }).joined(separator: "\n  ")
    }

    /// The exit status of `vigil plugin`, one of those of `vigil ctl` except `done`, `bad` and `unknown`.
    public var status: ControlStatus {
        switch code {
        case .badFolder, .badGrants, .notInstalled: .input
        case .hasProblems: .refused
        case .badUsage: .usage
        case .notPermitted: .notPermitted
        case .noSupervisor: .unavailable
        case .system: .output
        }
    }

    /// The JSON that `--json` prints: `vigil.plugin.CODE`, the sentence as `reason`, and the problems with file, path and
    /// code.
    public var json: JSON {
        [
            "error": .string("vigil.plugin.\(code.rawValue)"),
            "parameters": ["reason": .string(text), "problems": .array(problems.map(\.json))],
        ]
    }
}

extension Problem {
    /// For scripts.
    var json: JSON {
        let file =
            switch source {
            case .manifest: "plugin.json"
            case .grants: "grants.json"
            case .interface(let name): "interfaces/\(name)"
            case .folder: ""
            }
        return ["code": .string(code.rawValue), "file": .string(file), "path": .string(path), "text": .string(text)]
    }
}
