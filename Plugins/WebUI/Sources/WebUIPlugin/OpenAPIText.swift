// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Varlink

/// `openapi.json` (OpenAPI 3.1), from the table that routes and the texts that the calls are checked by.
struct OpenAPIText {
    static let base = "/api/v1"
    private var schemas = JSON.Object()

    static func make(_ operations: [Operation], composed: [ComposedOperation], version: String) -> JSON {
        var text = OpenAPIText()
        var paths = JSON.Object()
        for operation in operations { text.add(text.object(operation), operation.method, operation.path, to: &paths) }
        for operation in composed { text.add(text.object(operation), "GET", operation.path, to: &paths) }
        text.schemas["Problem"] = [
            "type": "object", "required": ["type", "title", "status", "code"],
            "properties": [
                "type": ["type": "string"], "title": ["type": "string"], "status": ["type": "integer"],
                "code": ["type": "string", "description": "One stable word."],
                "detail": ["type": "string", "description": "What to do next."],
            ],
        ]
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Vigil", "version": .string(version),
                "description":
                    "The device's own interface for scripts. Who asks brings a token (Authorization: Bearer), or a browser's session with X-Vigil-Form. Times are Unix seconds unless they say otherwise.",
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": .string(base)]],
            "paths": .object(paths),
            "components": [
                "schemas": .object(text.schemas),
                "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
            ],
        ]
    }

    private func add(_ object: JSON, _ method: String, _ path: String, to paths: inout JSON.Object) {
        var known = paths[path]?.object ?? JSON.Object()
        known[method.lowercased()] = object
        paths[path] = .object(known)
    }

    // MARK: Operations

    private mutating func object(_ operation: Operation) -> JSON {
        var object: JSON.Object = [
            "operationId": .string(operation.id), "summary": .string(operation.summary),
        ]
        note(operation.roles, in: &object)
        var parameters: [JSON] = []
        for (place, fields) in [("path", operation.pathFields), ("query", operation.query)] {
            for field in fields {
                let known = operation.declared?.parameters.first { $0.name == field.name }
                parameters.append([
                    "name": .string(field.name), "in": .string(place), "required": .bool(place == "path"),
                    "description": .string(known?.documentation ?? ""),
                    "schema": field.isNumber
                        ? ["type": "integer", "format": "int64"] : ["type": "string", "minLength": 1, "maxLength": 64],
                ])
            }
        }
        if !parameters.isEmpty { object["parameters"] = .array(parameters) }
        let interface = type(of: operation.call).interface
        switch operation.body {
        case .none: break
        case .parameters:
            let fields = (operation.declared?.parameters ?? []).filter { !operation.takenNames.contains($0.name) }
            object["requestBody"] = body(structure(fields, interface, isClosed: true))
        case .text: object["requestBody"] = body(["type": "object"])
        }
        var responses = refusals(operation)
        if operation.success == 204 {
            responses["204"] = ["description": "It was done."]
        } else {
            var schema = structure(operation.declared?.results ?? [], interface, isClosed: false)
            if operation.joinsVisits, case .object(var object) = schema {
                var properties = object["properties"]?.object ?? JSON.Object()
                for (name, added) in RiskWithVisits.schemas { properties[name] = added }
                object["properties"] = .object(properties)
                schema = .object(object)
            }
            responses["\(operation.success)"] = [
                "description": .string(operation.summary), "content": ["application/json": ["schema": schema]],
            ]
        }
        object["responses"] = .object(responses)
        return .object(object)
    }

    private func object(_ operation: ComposedOperation) -> JSON {
        var object: JSON.Object = ["operationId": .string(operation.id), "summary": .string(operation.summary)]
        note(operation.roles, in: &object)
        var responses = Self.problems(operation.roles == nil ? [421, 431] : [401, 403, 421, 431, 503])
        responses["200"] = [
            "description": .string(operation.summary), "content": ["application/json": ["schema": ["type": "object"]]],
        ]
        object["responses"] = .object(responses)
        return .object(object)
    }

    private func note(_ roles: [Access1.Role]?, in object: inout JSON.Object) {
        object["security"] = roles == nil ? [] : [["token": []]]
        if let roles { object["x-roles"] = .array(roles.map { .string($0.rawValue) }) }
    }

    private func body(_ schema: JSON) -> JSON {
        ["required": true, "content": ["application/json": ["schema": schema]]]
    }

    /// What may come instead: some by our own rules, some by whoever is called.
    private func refusals(_ operation: Operation) -> JSON.Object {
        var statuses: [Int] = [401, 403, 404, 409, 421, 422, 429, 431, 503]
        // A body where there is none to be is a 400, too.
        statuses.append(400)
        if case .none = operation.body {} else { statuses += [413, 415] }
        return Self.problems(statuses)
    }

    private static func problems(_ statuses: [Int]) -> JSON.Object {
        var responses = JSON.Object()
        for status in statuses.sorted() {
            // Too large a head is refused before it is read.
            responses["\(status)"] =
                status == 431
                ? ["description": .string(Problem.titles[431] ?? "")]
                : [
                    "description": .string(Problem.titles[UInt32(status)] ?? ""),
                    "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
                ]
        }
        return responses
    }

    // MARK: Types

    private mutating func structure(
        _ fields: [InterfaceDescription.Field], _ interface: String, isClosed: Bool
    ) -> JSON {
        var properties = JSON.Object()
        var required: [JSON] = []
        for field in fields {
            var schema = self.schema(field.type, interface, isClosed)
            if !field.documentation.isEmpty, case .object(var object) = schema {
                object["description"] = .string(field.documentation)
                schema = .object(object)
            }
            properties[field.name] = schema
            if case .optional = field.type { continue }
            required.append(.string(field.name))
        }
        var object: JSON.Object = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { object["required"] = .array(required) }
        if isClosed { object["additionalProperties"] = false }
        return .object(object)
    }

    private mutating func schema(
        _ type: InterfaceDescription.TypeExpression, _ interface: String, _ isClosed: Bool
    ) -> JSON {
        switch type {
        case .bool: return ["type": "boolean"]
        case .int: return ["type": "integer", "format": "int64"]
        case .float: return ["type": "number"]
        case .string: return ["type": "string"]
        case .object: return [:]
        case .structure(let fields): return structure(fields, interface, isClosed: isClosed)
        case .enumeration(let words): return ["type": "string", "enum": .array(words.map { .string($0.name) })]
        case .array(let element): return ["type": "array", "items": schema(element, interface, isClosed)]
        case .dictionary(let value):
            return ["type": "object", "additionalProperties": schema(value, interface, isClosed)]
        case .optional(let inner): return ["anyOf": [schema(inner, interface, isClosed), ["type": "null"]]]
        case .named(let name):
            let short = interface.split(separator: ".").last.map(String.init) ?? interface
            let key = "\(short).\(name)\(isClosed ? ".given" : "")"
            if schemas[key] == nil {
                schemas[key] = [:]
                if let alias = Operation.interfaceTexts.interface(interface)?.type(named: name) {
                    schemas[key] = schema(alias.type, interface, isClosed)
                }
            }
            return ["$ref": .string("#/components/schemas/\(key)")]
        }
    }
}
