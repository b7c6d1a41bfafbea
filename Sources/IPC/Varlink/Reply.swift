// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A reply or an error, with the parts of its message.
public struct Reply: Hashable, Sendable {
    /// The results, or the parameters of the error; empty if there are none.
    public var parameters: JSON.Object
    /// Whether another reply to the same call follows; always false for an error.
    public var continues: Bool
    /// The name of the error, `interface.Error`; `nil` if the call succeeded.
    public var error: String?

    /// Creates the reply of a successful call; it is the last one unless `continues`. Cannot fail.
    public init(_ parameters: JSON.Object = JSON.Object(), continues: Bool = false) {
        self.parameters = parameters
        self.continues = continues
    }

    /// Creates an error, which is always the last reply. Cannot fail.
    public init(error: String, parameters: JSON.Object = JSON.Object()) {
        self.parameters = parameters
        self.error = error
        continues = false
    }

    /// Reads a reply from its message, as strictly as ``Call/init(message:)`` and for the same reason. Throws `notAnObject`
    /// if the message is not an object, `wrongType` if a key has a value of the wrong type, `unknownTopLevelKey` for any
    /// key but `parameters`, `continues` and `error`, and `errorWithContinues` if an error announces another reply.
    public init(message: JSON) throws(VarlinkError) {
        guard case .object(let object) = message else { throw VarlinkError(.notAnObject) }
        self.init()
        for member in object.members {
            switch member.name {
            case "parameters": parameters = try Envelope.parameters(member.value)
            case "continues": continues = try Envelope.flag(member)
            case "error":
                guard let name = member.value.string else { throw Envelope.wrongType("error", "string") }
                error = name
            default: throw VarlinkError(.unknownTopLevelKey)
            }
        }
        if error != nil && continues { throw VarlinkError(.errorWithContinues) }
    }

    /// The message without its final NUL. Parameters are always included, because some clients require them.
    public var message: JSON {
        var object = JSON.Object()
        if let error { object["error"] = .string(error) }
        object["parameters"] = .object(parameters)
        if continues { object["continues"] = true }
        return .object(object)
    }
}
