// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A reply, or an error in place of one, in the form in which it travels.
public struct Reply: Hashable, Sendable {
    /// The results, or the error's parameters; empty when there are none.
    public var parameters: JSON.Object
    /// Whether another reply to the same call follows; never with an error.
    public var continues: Bool
    /// Name of the error, `interface.Error`; `nil` when the call went well.
    public var error: String?

    /// A reply of success; the last one unless `continues`. Cannot fail.
    public init(_ parameters: JSON.Object = JSON.Object(), continues: Bool = false) {
        self.parameters = parameters
        self.continues = continues
    }

    /// An error in place of a reply; always the last. Cannot fail.
    public init(error: String, parameters: JSON.Object = JSON.Object()) {
        self.parameters = parameters
        self.error = error
        continues = false
    }

    /// Reads a message; as strict as ``Call/init(message:)``, and for the same reason. Throws `notAnObject`, `wrongType`, `unknownTopLevelKey` or
    /// `errorWithContinues`.
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

    /// The message without its NUL. Parameters are written even when there are none: some clients look for them.
    public var message: JSON {
        var object = JSON.Object()
        if let error { object["error"] = .string(error) }
        object["parameters"] = .object(parameters)
        if continues { object["continues"] = true }
        return .object(object)
    }
}
