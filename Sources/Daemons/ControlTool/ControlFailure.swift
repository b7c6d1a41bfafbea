// SPDX-License-Identifier: Apache-2.0

public import CodedError
import ForeignText
import Glibc
import Interfaces
public import JSON
public import Varlink
import VarlinkSocket

/// The reason why a command failed. Two failures are equal if their codes are. The text says what happened, why,
/// and what to do; it can be shown as it is.
public struct ControlFailure: CodedError {
    /// The kinds of failure. Raw values are stable: `--json` prints them as `vigil.ctl.CODE`.
    public enum Code: String, Sendable, CaseIterable {
        /// The core or a plugin answered with an error, which is ``ControlFailure/reply``; or there is nothing with
        /// the given number, and then there is no reply.
        case refused
        /// The person who was asked said no; nothing was changed.
        case declined
        /// A file that was named cannot be used.
        case badFile
        /// The command cannot be obeyed as it was given.
        case badUsage
        /// No core listens at the socket, or nobody serves the interface of a plugin that was asked.
        case noCore
        /// The answer does not fit the interface, or the connection was closed before an answer: versions differ,
        /// the other side is not a core, or it has ended.
        case notUnderstood
        /// Standard output is closed or full, so the answer could not be shown.
        case outputLost
        /// No answer came in time; whether the call was obeyed is not known.
        case timedOut
        /// This user may not connect, or this socket's caller may not call the method.
        case notPermitted
    }

    /// The kind of failure; the only part that counts when two failures are compared.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The core's or a plugin's error, `interface.Error`, with its parameters; `nil` for a failure that this side
    /// found.
    public let reply: Reply?
    private let text: String

    /// Creates a failure of this kind; `reply` is the core's error, `nil` if none came.
    ///
    /// - Parameter text: A sentence for people; it is cut to 2,000 characters on one line and made harmless for terminals.
    public init(_ code: Code, _ text: String, reply: Reply? = nil, file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.text = ForeignText.line(text, limit: 2_000)
        self.reply = reply
    }

    /// The sentence for people at a terminal; it may quote the core's words and the person's files, and never a secret.
    public var description: String { text }

    /// The exit status of the program for this failure, never `done`.
    public var status: ControlStatus {
        switch code {
        case .refused, .declined: .refused
        case .badFile: .input
        case .badUsage: .usage
        case .noCore: .unavailable
        case .notUnderstood: .protocolError
        case .outputLost: .output
        case .timedOut: .timedOut
        case .notPermitted: .notPermitted
        }
    }

    /// The JSON that `--json` prints: the core's own error, or `vigil.ctl.CODE` with a `reason`.
    public var json: JSON {
        if let reply, let error = reply.error { return ["error": .string(error), "parameters": .object(reply.parameters)] }
        return ["error": .string("vigil.ctl.\(code.rawValue)"), "parameters": ["reason": .string(text)]]
    }
}

extension ControlFailure {
    /// What the client says, in the words of somebody who wants something from the core, or a plugin, at `socket`.
    init(_ error: VarlinkSocketError, socket: String, _ peer: CoreLink.Peer = .core) {
        if case .plugin(let interface) = peer, error.code == .notThere || error.code == .nobodyListens {
            self.init(
                .noCore,
                "Nobody serves \(interface) here: there is nobody at \(socket). Either no board runs here (`vigil run`; --run FOLDER says where), or the plugin for it is not installed or not enabled: `vigil plugin list` shows that."
            )
            return
        }
        switch error.code {
        case .notThere:
            self.init(
                .noCore,
                "No core is running here: there is no socket at \(socket). Start `vigil core`, or say where it runs (--run FOLDER or --socket PATH)."
            )
        case .nobodyListens:
            self.init(
                .noCore,
                "No core is running any more: nobody listens at \(socket). Start `vigil core` again; its log says why it ended."
            )
        case .notAllowed:
            self.init(
                .notPermitted,
                "This user may not use \(socket): only the user of the core and root may. Run it as one of them; whoever holds this socket can do everything the wearer can."
            )
        case .timedOut:
            self.init(
                .timedOut,
                "The core did not answer in time. It may be busy with a slow disk; try again, allow more time (--timeout SECONDS), or look at its log."
            )
        case .closed:
            self.init(
                .notUnderstood,
                "The core closed the connection before it had answered: it was stopped, or ended by a fault. Look at its log, then try again."
            )
        case .errorReply:
            if let reply = error.reply { self = .answered(reply) } else { self.init(.notUnderstood, "\(error)") }
        case .pathNotUsable, .notASocket: self.init(.badUsage, "\(error)")
        case .pathInUse, .notVarlink, .system: self.init(.notUnderstood, "\(error)")
        }
    }

    /// The core's refusal: its own sentence if it gave one.
    static func answered(_ reply: Reply) -> ControlFailure {
        let name = reply.error ?? "an error"
        let short = name.split(separator: ".").last.map(String.init) ?? name
        var text: String
        if let reason = reply.parameters["reason"]?.string {
            text = reason
        } else {
            switch name {
            case ServiceError.permissionDenied:
                text = "This socket does not permit that call. Use the console's socket, as the core's user or root."
            case ServiceError.interfaceNotFound, ServiceError.methodNotFound, ServiceError.methodNotImplemented:
                text =
                    "The core does not know this call: it is another version, or the name is wrong (`vigil ctl interfaces` lists them)."
            case ServiceError.invalidParameter:
                let parameter = reply.parameters["parameter"]?.string ?? "a parameter"
                text = "The core does not accept \(parameter). `vigil ctl interfaces` says what it may be."
            case ServiceError.expectedMore: text = "This call answers in several parts: give --more."
            case "\(Checkin1.name).NoSuchNumber":
                text = "There is nothing of that number here; it may have been deleted or forgotten."
            default: text = "The core refused: \(JSON.object(reply.parameters))"
            }
        }
        if let file = reply.parameters["file"]?.string, !file.isEmpty, strstr(text, file) == nil {
            text = "\(file): \(text)"
        }
        if let next = reply.parameters["nextPermitted"]?.int {
            let moment = Words.moment(next)
            if strstr(text, moment) == nil { text += " Next possible: \(moment)." }
        }
        return ControlFailure(
            name == ServiceError.permissionDenied ? .notPermitted : .refused, "\(text) [\(short)]", reply: reply)
    }
}
