// SPDX-License-Identifier: Apache-2.0

public import CodedError
import Glibc
public import JSON
import Varlink
import VarlinkSocket

/// The reason why a plugin's storage could not be opened or changed. Equal by code.
public struct StorageError: CodedError {
    /// The kinds of failure. Raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The values have more bytes than the store or the quota takes, or the disk is full.
        case full
        /// A value that JSON cannot say, such as an infinite number, or that cannot be sealed.
        case notEncodable
        /// The supervisor gave the plugin no folder for what lasts.
        case noFolder
        /// The kernel refuses to read or write; its words are in the text.
        case system
    }

    /// The kind of obstacle; the only part that counts when two errors are compared.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    private let text: String

    init(_ code: Code, _ text: String, file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.text = text
    }

    static func system(_ what: String, _ error: Int32 = errno) -> Self {
        let words = String(cString: strerror(error))
        return Self(error == ENOSPC || error == EDQUOT ? .full : .system, "\(what): \(words)")
    }

    /// A text for logs: paths and the kernel's words, and the code in brackets; no value of the store.
    public var description: String { "\(text) [\(code.rawValue)]" }
}

/// The reason why a call failed, by the remedy. Equal by code.
public struct CallError: CodedError {
    /// The kinds of failure, each with a remedy of its own. Raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// Nobody can be called: the interface is not granted, or its provider is not installed or not enabled. Asking again does
        /// not help before the operator changes that.
        case notAvailable
        /// The provider cannot be reached at the moment, or ended the connection; in that case it is not known whether the call was obeyed. Try again
        /// later.
        case unreachable
        /// No answer in time; whether the call was obeyed is not known.
        case timedOut
        /// The provider answered with an error: see ``CallError/name`` and ``CallError/parameters``.
        case refused
        /// The answer is not what the interface says, or the call's parameters cannot be written as JSON.
        case notUnderstood
    }

    /// The kind of failure, by what can be done about it; the only part that counts when two errors are compared.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The provider's error, `interface.Error`, for ``Code/refused``; otherwise `nil`.
    public let name: String?
    /// The parameters of the provider's error, an object in the provider's words; an empty object for any code but ``Code/refused``.
    public let parameters: JSON
    private let text: String

    /// For this module and tests; `text` is a sentence for logs.
    package init(
        _ code: Code, _ text: String, name: String? = nil, parameters: JSON = .empty,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.text = text
        self.name = name
        self.parameters = parameters
    }

    init(_ error: VarlinkSocketError, method: String) {
        let code: Code =
            switch error.code {
            case .notThere, .pathNotUsable, .notASocket: .notAvailable
            case .timedOut: .timedOut
            case .errorReply: .refused
            case .notVarlink: .notUnderstood
            case .notAllowed, .nobodyListens, .closed, .pathInUse, .system: .unreachable
            }
        let hint =
            code == .notAvailable ? " It is not granted, or nothing provides it: `vigil plugin list` says which." : ""
        self.init(
            code, "\(method): \(error)\(hint)", name: error.reply?.error,
            parameters: error.reply.map { .object($0.parameters) } ?? .empty)
    }

    /// A text for logs: the method, and why; the name of the provider's error is in it, its parameters may be.
    public var description: String { text }
}

/// The reason why a plugin cannot start: a fault of its own, or of how it was started. Equal by code.
public struct StartError: CodedError {
    /// The kinds of failure. Raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// An interface text cannot be read, is served twice, or cannot be served beside the others.
        case badInterface
        /// A handler for a method that the interface does not have, or that has one.
        case badHandler
        /// `settings.json` cannot be read or is not what the plugin's settings type says.
        case badSettings
        /// Interfaces can be served only while the plugin is made.
        case tooLate
        /// A descriptor, folder, variable or thread that the supervisor or the system should give is missing.
        case environment
    }

    /// The kind of fault; the only part that counts when two errors are compared.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    private let text: String

    /// An error of this code; equal to every other one of the code. Cannot fail.
    ///
    /// - Parameter text: A sentence for logs, without a secret.
    public init(_ code: Code, _ text: String, file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.text = text
    }

    /// A text for logs: the sentence and the code in brackets.
    public var description: String { "\(text) [\(code.rawValue)]" }
}
