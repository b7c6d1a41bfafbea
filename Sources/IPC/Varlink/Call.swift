// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A method call, with the parts of its message.
public struct Call: Hashable, Sendable {
    /// The method as `interface.Method`; not checked here.
    public var method: String
    /// The parameters by name; empty if there are none.
    public var parameters: JSON.Object
    /// Whether the caller accepts several replies.
    public var wantsMore: Bool
    /// Whether the caller wants no reply at all, not even an error.
    public var isOneway: Bool

    /// Creates a call of `interface.Method`. ``ClientSession/send(_:)`` checks it, and refuses a call that is `isOneway`
    /// (without replies) and `wantsMore` (with several) at once.
    public init(
        _ method: String, parameters: JSON.Object = JSON.Object(), wantsMore: Bool = false, isOneway: Bool = false
    ) {
        self.method = method
        self.parameters = parameters
        self.wantsMore = wantsMore
        self.isOneway = isOneway
    }

    /// Reads a call from its message. Absent and null parameters count as an empty object.
    ///
    /// Throws `notAnObject` if the message is not an object, `wrongType` if a key has a value of the wrong type,
    /// `unknownTopLevelKey` for any key but `method`, `parameters`, `more`, `oneway` and `upgrade`, `upgradeRefused` if
    /// `upgrade` is true, `missingMethod` if there is no `method`, and `contradictoryFlags` if `more` and `oneway` are both
    /// true. This is as strict as systemd, so extensions under a reverse-domain name are refused too. After an error the
    /// connection must be closed, because the other side may interpret later messages differently.
    public init(message: JSON) throws(VarlinkError) {
        guard case .object(let object) = message else { throw VarlinkError(.notAnObject) }
        self.init("")
        var hasMethod = false
        for member in object.members {
            switch member.name {
            case "method":
                guard let name = member.value.string else { throw Envelope.wrongType("method", "string") }
                method = name
                hasMethod = true
            case "parameters": parameters = try Envelope.parameters(member.value)
            case "more": wantsMore = try Envelope.flag(member)
            case "oneway": isOneway = try Envelope.flag(member)
            case "upgrade": if try Envelope.flag(member) { throw VarlinkError(.upgradeRefused) }
            default: throw VarlinkError(.unknownTopLevelKey)
            }
        }
        guard hasMethod else { throw VarlinkError(.missingMethod) }
        if wantsMore && isOneway { throw VarlinkError(.contradictoryFlags) }
    }

    /// The message without its final NUL. Flags that are false and empty parameters are left out.
    public var message: JSON {
        var object = JSON.Object()
        object["method"] = .string(method)
        if !parameters.isEmpty { object["parameters"] = .object(parameters) }
        if wantsMore { object["more"] = true }
        if isOneway { object["oneway"] = true }
        return .object(object)
    }
}

/// What calls and replies read alike.
enum Envelope {
    static func wrongType(_ key: String, _ expected: String) -> VarlinkError {
        VarlinkError(.wrongType, at: .path(key), "expected \(expected)")
    }

    static func flag(_ member: JSON.Object.Member) throws(VarlinkError) -> Bool {
        guard let value = member.value.bool else { throw wrongType(member.name, "bool") }
        return value
    }

    static func parameters(_ value: JSON) throws(VarlinkError) -> JSON.Object {
        switch value {
        case .object(let object): return object
        case .null: return JSON.Object()
        default: throw wrongType("parameters", "object")
        }
    }
}
