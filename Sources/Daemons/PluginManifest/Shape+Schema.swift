// SPDX-License-Identifier: Apache-2.0

import JSON

extension Shape {
    /// The same as JSON Schema, draft 2020-12.
    var schema: JSON {
        switch self {
        case .text(let form):
            var schema: JSON.Object = ["type": "string"]
            if form.length.lowerBound > 0 { schema["minLength"] = .int(Int64(form.length.lowerBound)) }
            schema["maxLength"] = .int(Int64(form.length.upperBound))
            if let pattern = form.pattern { schema["pattern"] = .string(pattern) }
            return .object(schema)
        case .word(let words): return ["enum": .array(words.map(JSON.string))]
        case .integer(let range):
            return ["type": "integer", "minimum": .int(range.lowerBound), "maximum": .int(range.upperBound)]
        case .number: return ["type": "number"]
        case .bool(let only): return only.map { ["const": .bool($0)] } ?? ["type": "boolean"]
        case .anything: return [:]
        case .list(let element, let count):
            var schema: JSON.Object = ["type": "array", "items": element.schema]
            if count.lowerBound > 0 { schema["minItems"] = .int(Int64(count.lowerBound)) }
            schema["maxItems"] = .int(Int64(count.upperBound))
            return .object(schema)
        case .object(let object): return .object(object.schema)
        case .map(let form, let shape, let most):
            return [
                "type": "object", "propertyNames": Shape.text(form).schema, "maxProperties": .int(Int64(most)),
                "additionalProperties": shape.schema,
            ]
        }
    }

    /// A whole document of it.
    func document(title: String, note: String) -> JSON {
        var document: JSON.Object = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": .string(title),
            "description": .string(note),
        ]
        for member in schema.object?.members ?? [] { document[member.name] = member.value }
        return .object(document)
    }
}

extension Shape.ObjectShape {
    var schema: JSON.Object {
        var properties = JSON.Object()
        for field in fields {
            var property: JSON.Object = ["description": .string(field.note)]
            for member in field.shape.schema.object?.members ?? [] { property[member.name] = member.value }
            if let standard = field.standard { property["default"] = standard }
            properties[field.name] = .object(property)
        }
        var schema: JSON.Object = ["type": "object", "additionalProperties": false]
        let required = fields.filter(\.isRequired).map { JSON.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        if !exactlyOneOf.isEmpty { schema["oneOf"] = .array(exactlyOneOf.map { ["required": [.string($0)]] }) }
        schema["properties"] = .object(properties)
        return schema
    }
}
