// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A method call in the form in which it travels.
public struct Call: Hashable, Sendable {
    /// The method, `interface.Method`; not checked here.
    public var method: String
    /// The call's parameters by name; empty when there are none.
    public var parameters: JSON.Object
    /// Whether the caller takes several replies.
    public var wantsMore: Bool
    /// Whether the caller takes no reply at all, not even an error.
    public var isOneway: Bool

    /// A call of `interface.Method` to be sent; ``ClientSession/send(_:)`` checks it. One that is `isOneway` has no reply, one that `wantsMore` may
    /// have several; both at once is refused there.
    public init(
        _ method: String, parameters: JSON.Object = JSON.Object(), wantsMore: Bool = false, isOneway: Bool = false
    ) {
        self.method = method
        self.parameters = parameters
        self.wantsMore = wantsMore
        self.isOneway = isOneway
    }

    /// Reads a message. Absent and null parameters are none. Throws `notAnObject`, `wrongType`, `unknownTopLevelKey`, `upgradeRefused`,
    /// `missingMethod` or `contradictoryFlags`.
    ///
    /// As strict as systemd: every key but `method`, `parameters`, `more`, `oneway` and `upgrade` is refused, so extensions under a reverse-domain
    /// name are too; `upgrade` may only be false. After an error the connection must be closed, as nobody knows what the other side takes the next
    /// messages for.
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

    /// The message without its NUL. Flags that are false are left out.
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
