// SPDX-License-Identifier: Apache-2.0

import JSON
import Varlink

/// Parameters that an interface allows: a call with them comes as far as what decides about it.
enum SampleCall {
    static func parameters(_ method: InterfaceDescription.Method, _ interface: InterfaceDescription) -> JSON {
        object(method.parameters, interface)
    }

    private static func sample(
        _ type: InterfaceDescription.TypeExpression, _ interface: InterfaceDescription
    ) -> JSON {
        switch type {
        case .bool: false
        case .int: 1
        case .float: 1.0
        case .string: "x"
        case .array: .array([])
        case .dictionary, .object: .empty
        case .optional: .null
        case .enumeration(let words): .string(words.first?.name ?? "")
        case .structure(let fields): object(fields, interface)
        case .named(let name): interface.type(named: name).map { sample($0.type, interface) } ?? .null
        }
    }

    private static func object(_ fields: [InterfaceDescription.Field], _ interface: InterfaceDescription) -> JSON {
        var object = JSON.Object()
        for field in fields {
            let value = sample(field.type, interface)
            if value != .null { object[field.name] = value }
        }
        return .object(object)
    }
}
