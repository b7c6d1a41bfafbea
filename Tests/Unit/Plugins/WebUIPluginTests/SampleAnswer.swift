// SPDX-License-Identifier: Apache-2.0

import JSON
import Varlink

enum SampleAnswer {
    /// What an interface allows as an answer.
    static func of(_ fields: [InterfaceDescription.Field], _ interface: InterfaceDescription) -> JSON {
        func value(_ type: InterfaceDescription.TypeExpression) -> JSON? {
            switch type {
            case .bool: true
            case .int: 1
            case .float: 1.0
            case .string: "x"
            case .array: .array([])
            case .enumeration(let words): .string(words.first?.name ?? "")
            case .structure(let fields): of(fields, interface)
            case .named(let name): interface.type(named: name).flatMap { value($0.type) }
            case .dictionary, .object: .empty
            case .optional: nil
            }
        }
        var object = JSON.Object()
        for field in fields { object[field.name] = value(field.type) }
        return .object(object)
    }
}
