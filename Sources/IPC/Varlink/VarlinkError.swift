// SPDX-License-Identifier: Apache-2.0

public import CodedError
public import JSON

/// The reason why messages, names or interface texts were refused: which rule, and where. Equal by code.
public struct VarlinkError: CodedError {
    /// The rules that messages, names and texts can break. Raw values are stable: they appear in logs and counters.
    public enum Code: String, Sendable, CaseIterable {
        // Messages. After any of these the connection must be closed.
        /// A message is not JSON; ``VarlinkError/cause`` says why.
        case json
        /// A message is longer than the limit.
        case messageTooLong
        /// A message, or its parameters, are no JSON object.
        case notAnObject
        /// A message has a key that Varlink does not know.
        case unknownTopLevelKey
        /// A field of the message has the wrong type.
        case wrongType
        /// A call names no method.
        case missingMethod
        /// A call asks for several replies and for none.
        case contradictoryFlags
        /// A call asks to leave Varlink on this connection, which is not offered.
        case upgradeRefused
        /// A reply announces another one that the call did not ask for.
        case continuesWithoutMore
        /// An error announces another reply; it is always the last.
        case errorWithContinues
        /// A reply came that no call waits for.
        case replyWithoutCall
        // Use of a session.
        /// There is no call to answer: it has its last reply already, or the connection is closed.
        case noCallWaiting
        /// A text is no name of an interface, method or error.
        case malformedName
        /// Too many calls wait for their replies.
        case tooManyCalls
        // Interface texts.
        /// The text breaks the grammar of interface texts.
        case syntax
        /// Types are nested deeper than ``InterfaceDescription/maximumDepth``.
        case nestedTooDeep
        /// A name is taken already in its scope.
        case duplicateName
        /// A type is used that the interface does not define.
        case undefinedType
        /// A type contains itself, so that no value of it can end.
        case endlessType
        /// The text is too long to be sent in one message.
        case textTooLong
        // Services.
        /// Two descriptions have the same interface.
        case duplicateInterface
        /// A grant is not of the form `interface.Method` or `interface.*`.
        case malformedGrant
    }

    /// The place of a broken rule: in an interface text or in a message.
    public enum Place: Hashable, Sendable {
        /// Both counted from 1; columns in characters of ASCII, other characters count as their bytes.
        case line(Int, column: Int)
        /// A path such as `files[3].name`.
        case path(String)
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The place of the broken rule; `nil` when it is not known.
    public let place: Place?
    /// Field names, limits and what was expected; never values.
    public let detail: String
    /// The rule of JSON that was broken, for ``Code/json``; `nil` otherwise.
    public let cause: JSONError?

    /// An error of that rule. `place` is `nil` and `detail` empty when they are not known; values must not go into
    /// `detail`.
    public init(
        _ code: Code, at place: Place? = nil, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.place = place
        self.detail = detail
        cause = nil
    }

    /// The error ``Code/json`` for a message that is not JSON. Cannot fail.
    public init(_ cause: JSONError) {
        code = .json
        origin = cause.origin
        place = nil
        detail = ""
        self.cause = cause
    }

    /// A text for logs and plugin authors: place, rule, detail and the stable code. May hold names that the other side
    /// wrote, never values.
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
