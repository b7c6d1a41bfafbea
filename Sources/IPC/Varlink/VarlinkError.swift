// SPDX-License-Identifier: Apache-2.0

public import CodedError
public import JSON

/// The reason why a message, a name or an interface text is refused: the broken rule and its place. Two errors are equal if
/// their codes are.
public struct VarlinkError: CodedError {
    /// The rules that messages, names and texts can break. Raw values are stable, because they appear in logs and counters.
    public enum Code: String, Sendable, CaseIterable {
        // Messages. After any of these the connection must be closed.
        /// A message is not JSON; ``VarlinkError/cause`` says why.
        case json
        /// A message is longer than ``MessageFramer/maximumMessageByteCount``.
        case messageTooLong
        /// A message is not a JSON object, or the parameters to be sent are none. Received parameters that are no
        /// object are ``wrongType``.
        case notAnObject
        /// A message has a key that Varlink does not define.
        case unknownTopLevelKey
        /// A key of the message has a value of the wrong type, or a reply to be sent differs from the interface.
        case wrongType
        /// A call has no method.
        case missingMethod
        /// A call asks for several replies and for none at once.
        case contradictoryFlags
        /// A call asks to switch the connection to another protocol, which is not supported.
        case upgradeRefused
        /// A reply announces another one, but the call did not ask for several.
        case continuesWithoutMore
        /// An error announces another reply, although it must be the last.
        case errorWithContinues
        /// A reply arrived, but no call is waiting for one.
        case replyWithoutCall
        // Use of a session.
        /// There is no call to answer: it has had its last reply, or the connection is closed.
        case noCallWaiting
        /// The text is not the name of a method or an error, or the service declares no such error.
        case malformedName
        /// ``ClientSession/maximumWaitingCallCount`` calls are waiting for their replies.
        case tooManyCalls
        // Interface texts.
        /// The text breaks the grammar of interface texts.
        case syntax
        /// Types are nested deeper than ``InterfaceDescription/maximumDepth``.
        case nestedTooDeep
        /// The name is already used in its scope.
        case duplicateName
        /// The interface uses a type that it does not define.
        case undefinedType
        /// A type contains itself, so a value of it would be infinite.
        case endlessType
        /// The text is too long to be sent in one message.
        case textTooLong
        // Services.
        /// Two interfaces of a service have the same name.
        case duplicateInterface
        /// A grant does not have the form `interface.Method` or `interface.*`.
        case malformedGrant
    }

    /// The place of a broken rule.
    public enum Place: Hashable, Sendable {
        /// A line and a column in an interface text, both counted from 1. Columns count bytes.
        case line(Int, column: Int)
        /// A path in a message, such as `files[3].name`.
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
    /// The error of the JSON parser, for ``Code/json``; `nil` otherwise.
    public let cause: JSONError?

    /// Creates an error for a broken rule. Leave out `place` and `detail` if they are not known. `detail` must not contain
    /// values.
    public init(
        _ code: Code, at place: Place? = nil, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.place = place
        self.detail = detail
        cause = nil
    }

    /// Creates the error ``Code/json`` for a message that is not JSON. Cannot fail.
    public init(_ cause: JSONError) {
        code = .json
        origin = cause.origin
        place = nil
        detail = ""
        self.cause = cause
    }

    /// A text for logs and plugin authors: place, rule, detail and the stable code. May contain names from the other side,
    /// but no values.
    public var description: String {
        if let cause { return cause.description }
        let start: String
        switch place {
        case .line(let line, let column): start = "line \(line), column \(column): "
        case .path(let path): start = "\(path): "
        case nil: start = ""
        }
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(start)\(Self.sentence(code))\(more) [\(code.rawValue)]"
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .json: return "this is not JSON"
        case .messageTooLong: return "the message is too long"
        case .notAnObject: return "a message and its parameters must be JSON objects"
        case .unknownTopLevelKey: return "the message has a key that Varlink does not know"
        case .wrongType: return "a field of the message has the wrong type"
        case .missingMethod: return "the call names no method"
        case .contradictoryFlags: return "a call cannot ask for several replies and for none"
        case .upgradeRefused: return "connections stay Varlink here; upgrade is not offered"
        case .continuesWithoutMore: return "a reply announces another one that the call did not ask for"
        case .errorWithContinues: return "an error is always the last reply"
        case .replyWithoutCall: return "a reply came that no call waits for"
        case .noCallWaiting: return "there is no call to answer: it has its last reply already, or the connection is closed"
        case .malformedName: return "this is no name of an interface, method or error"
        case .tooManyCalls: return "too many calls wait for their replies; read replies first"
        case .nestedTooDeep: return "the nesting is too deep"
        case .syntax: return "the interface text is not understood"
        case .duplicateName: return "the name is taken already"
        case .undefinedType: return "the type is not defined in this interface"
        case .endlessType: return "the type contains itself without ?, [] or [string] between, so no value of it can end"
        case .textTooLong: return "the interface text is too long to be sent in one message"
        case .duplicateInterface: return "the service has two interfaces of this name"
        case .malformedGrant: return "a grant is written interface.Method or interface.*"
        }
    }
}
