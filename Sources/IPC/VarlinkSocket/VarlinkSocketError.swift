// SPDX-License-Identifier: Apache-2.0

public import CodedError
import ForeignText
import JSON
import SystemCalls
public import Varlink

/// The reason why a socket could not be used, or a call failed. Two errors are equal if their codes are. The text says what
/// happened, why, and what to do.
public struct VarlinkSocketError: CodedError {
    /// The kinds of failure. Raw values are stable, because they appear in logs and scripts.
    public enum Code: String, Sendable, CaseIterable {
        /// The path is empty, too long, belongs to a file that is not a socket, or cannot be created.
        case pathNotUsable
        /// Another process listens at the path.
        case pathInUse
        /// The descriptor or file is not a socket of the required kind.
        case notASocket
        /// There is no socket at the path.
        case notThere
        /// There is a socket at the path, but no process listens on it.
        case nobodyListens
        /// This user may not connect, or the service closed the connection before it answered anything.
        case notAllowed
        /// The service did not answer in time.
        case timedOut
        /// The service closed the connection after it had answered before, or the client's connection was already closed.
        case closed
        /// The service broke a rule of Varlink, or the call cannot be sent as a message: see ``VarlinkSocketError/cause``.
        case notVarlink
        /// The service answered with an error: see ``VarlinkSocketError/reply``.
        case errorReply
        /// Any other refusal by the kernel, or too many waiting calls: see ``VarlinkSocketError/systemError``.
        case system
    }

    /// The kind of failure; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The `errno` of the system call that failed; `nil` if none failed.
    public let systemError: Int32?
    /// The error reply of the service, for ``Code/errorReply``; `nil` otherwise.
    public let reply: Reply?
    /// The rule that was broken, for ``Code/notVarlink``; `nil` otherwise.
    public let cause: VarlinkError?
    /// Characters (Unicode scalars) of the event and of the advice, each; what is longer is cut.
    private static let longestText = 1_000
    private let what: String
    private let advice: String

    init(
        _ code: Code, _ what: String, advice: String, systemError: Int32? = nil, reply: Reply? = nil,
        cause: VarlinkError? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        // Either may hold what the other side wrote.
        self.what = ForeignText.line(what, limit: Self.longestText)
        self.advice = ForeignText.line(advice, limit: Self.longestText)
        self.systemError = systemError
        self.reply = reply
        self.cause = cause
    }

    /// A text in English of one line: what happened, why, what to do, and the stable code in brackets. For an error reply
    /// it contains the parameters from the service, made safe to show (`ForeignText`) and cut after 1,000 characters;
    /// ``reply`` contains them unchanged.
    public var description: String {
        let system = systemError.map { " (\(SystemCall.text($0)))" } ?? ""
        return "\(what)\(system). \(advice). [\(code.rawValue)]"
    }
}

extension VarlinkSocketError {
    static func unusable(_ path: String) -> Self {
        Self(
            .pathNotUsable, "A socket's path has 1 to \(UnixAddress.maximumPathByteCount) bytes, not \(path.utf8.count)",
            advice: "Choose a shorter path, such as one in /run")
    }

    static func system(_ what: String, _ error: Int32) -> Self {
        Self(.system, what, advice: "See the kernel's answer in brackets", systemError: error)
    }

    static func notVarlink(_ cause: VarlinkError) -> Self {
        Self(
            .notVarlink, "The message cannot be used: \(cause)",
            advice: "Make sure both sides speak Varlink, and versions of the interface that fit", cause: cause)
    }

    static func errorReply(_ reply: Reply) -> Self {
        let advice =
            switch reply.error {
            case ServiceError.permissionDenied:
                reply.parameters["reason"]?.string.map { String($0.unicodeScalars.prefix { $0 != "\n" }) }
                    ?? "This caller may not; its grants say what it may"
            case ServiceError.invalidParameter:
                "Compare the parameter with the interface's description"
            case ServiceError.interfaceNotFound, ServiceError.methodNotFound, ServiceError.methodNotImplemented:
                "Ask the service for its interfaces; it may be another version"
            case ServiceError.expectedMore: "Call it so that it may reply several times"
            default: "The interface's description says what the error means"
            }
        return Self(
            .errorReply, "The service answered \(reply.error ?? "an error") \(JSON.object(reply.parameters))",
            advice: advice.hasSuffix(".") ? String(advice.dropLast()) : advice, reply: reply)
    }
}
