// SPDX-License-Identifier: Apache-2.0

public import CodedError
import Glibc
public import JSON
import Varlink
import VarlinkSocket

/// The reason why a plugin's storage could not be opened or changed. Two errors are equal if their codes are.
public struct StorageError: CodedError {
    /// The kinds of failure. Raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The values have more bytes than the store or the quota takes, or the disk is full.
        case full
        /// JSON cannot hold the value, such as an infinite number, or the values cannot be sealed.
        case notEncodable
        /// The supervisor gave the plugin no folder for lasting files.
        case noFolder
        /// The kernel refused to read or write; the text says why.
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

/// The reason why a call failed, classified by the remedy. Two errors are equal if their codes are.
public struct CallError: CodedError {
    /// The kinds of failure, each with a remedy of its own. Raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The call has no provider: the interface is not granted, its provider is not installed or not enabled, or
        /// the plugin has no run folder. Another call fails, too, until the operator changes that.
        case notAvailable
        /// The provider cannot be reached at the moment, 1,024 calls to it wait already, or it closed the
        /// connection; in the last case it is not known whether it carried out the call. Try again later.
        case unreachable
        /// The provider did not answer in time; whether it carried out the call is not known.
        case timedOut
        /// The provider answered with an error: see ``CallError/name`` and ``CallError/parameters``.
        case refused
        /// The answer does not fit the type that the caller expects, the provider broke a rule of Varlink, or the
        /// call cannot be sent: its parameters cannot be written as a JSON object, or it is longer than a message.
        case notUnderstood
    }

    /// The kind of failure, by what can be done about it; the only part that counts when two errors are compared.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The qualified name of the provider's error, `interface.Error`, for ``Code/refused``; `nil` for all other codes.
    public let name: String?
    /// The parameters of the provider's error, an object as the provider wrote it; an empty object for all codes but
    /// ``Code/refused``.
    public let parameters: JSON
    private let text: String

    /// Creates an error of this code; for this module and tests. `text` is a sentence for logs.
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

    /// The text for logs: the method, and why the call failed; it contains the name of the provider's error, and may
    /// contain its parameters.
    public var description: String { text }
}

/// The reason why a plugin cannot start: a fault of the plugin's own, or of the way it was started. Two errors are equal if
/// their codes are.
public struct StartError: CodedError {
    /// The kinds of failure. Raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// An interface text cannot be parsed, is served twice, or cannot be served together with the others.
        case badInterface
        /// A handler names a method that the interface does not have, or one that has a handler already.
        case badHandler
        /// `settings.json` cannot be read, or does not fit the plugin's type for settings.
        case badSettings
        /// An interface was served after the plugin's `init` had returned.
        case tooLate
        /// A descriptor, folder, variable or thread is missing that the supervisor or the system should provide.
        case environment
    }

    /// The kind of fault; the only part that counts when two errors are compared.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    private let text: String

    /// Creates an error of this code; it equals every other error of the code. Cannot fail.
    ///
    /// - Parameter text: A sentence for logs, which must not contain a secret.
    public init(_ code: Code, _ text: String, file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.text = text
    }

    /// A text for logs: the sentence and the code in brackets.
    public var description: String { "\(text) [\(code.rawValue)]" }
}
