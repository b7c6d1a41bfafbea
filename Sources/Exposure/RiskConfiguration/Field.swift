// SPDX-License-Identifier: Apache-2.0

package import JSON

/// A field of an object in a document, and the property that holds its value.
package struct Field<Root: Sendable>: Sendable {
    /// The field's name in the document.
    package let name: String
    /// The JSON Schema of the field's value.
    package let schema: JSON.Object
    /// Whether it is a problem when the field is missing.
    package let isRequired: Bool
    /// The purpose of the field, as a sentence for the schema and for the problem that is reported when it is
    /// missing.
    package let note: String
    /// The function that reads the field's value at a path and stores it in the root; it reports problems.
    package let read: @Sendable (JSON, JSONPath, inout ProblemList, inout Root) -> Void
    /// The function that returns the field's value in the document; `nil` when it is left out.
    package let write: @Sendable (Root) -> JSON?

    private init(
        _ name: String, _ schema: JSON.Object, _ isRequired: Bool, _ note: String,
        read: @escaping @Sendable (JSON, JSONPath, inout ProblemList, inout Root) -> Void,
        write: @escaping @Sendable (Root) -> JSON?
    ) {
        self.name = name
        self.schema = schema
        self.isRequired = isRequired
        self.note = note
        self.read = read
        self.write = write
    }

    /// Returns a field that must be there. `place` is the property of the root that holds its value, `form` the
    /// form of the value, and `note` a sentence about its purpose, which is quoted when the field is missing.
    package static func required<Value>(
        _ name: String, _ place: any WritableKeyPath<Root, Value> & Sendable, _ form: Form<Value>, _ note: String
    ) -> Field {
        Field(name, form.schema, true, note) {
            $3[keyPath: place] = form.read($0, $1, &$2)
        } write: {
            form.write($0[keyPath: place])
        }
    }

    /// Returns a field that may be left out, in which case its value is that of a new `Root`, unless `isRequired`
    /// says that it is required.
    package static func optional<Value>(
        _ name: String, _ place: any WritableKeyPath<Root, Value> & Sendable, _ form: Form<Value>,
        unless isRequired: Bool = false, _ note: String
    ) -> Field {
        Field(name, form.schema, isRequired, note) {
            $3[keyPath: place] = form.read($0, $1, &$2)
        } write: {
            form.write($0[keyPath: place])
        }
    }

    /// Returns a field for a value that no key path leads to; otherwise the same as ``optional(_:_:_:unless:_:)``.
    package static func computed<Value>(
        _ name: String, get: @escaping @Sendable (Root) -> Value, set: @escaping @Sendable (inout Root, Value) -> Void,
        _ form: Form<Value>, _ note: String
    ) -> Field {
        Field(name, form.schema, false, note) {
            set(&$3, form.read($0, $1, &$2))
        } write: {
            form.write(get($0))
        }
    }

    /// Returns a field that may be left out, in which case its value is `nil`; `nil` is written by leaving the field
    /// out.
    package static func maybe<Value>(
        _ name: String, _ place: any WritableKeyPath<Root, Value?> & Sendable, _ form: Form<Value>, _ note: String
    ) -> Field {
        Field(name, form.schema, false, note) {
            $3[keyPath: place] = form.read($0, $1, &$2)
        } write: {
            $0[keyPath: place].map(form.write)
        }
    }

    /// Returns a field whose value is an object of `fields`, which are stored in the same root as the other fields.
    /// `empty` is the root with the defaults of these fields; `isRequired` says whether the absence of the object
    /// is a problem.
    package static func group(
        _ name: String, _ fields: [Field], in empty: Root, isRequired: Bool = true, _ note: String
    ) -> Field {
        let form = Form<Root>.object(empty, fields)
        return Field(name, form.schema, isRequired, note) { json, path, problems, root in
            guard let object = json.object else { return problems.report(path, "must be an object, and is \(json.words)") }
            root = Form.read(object, path, &problems, root, fields)
        } write: {
            form.write($0)
        }
    }

    /// Returns a field whose value is checked but not stored, and never written.
    package static func unused<Value>(_ name: String, _ form: Form<Value>, _ note: String) -> Field {
        Field(name, form.schema, false, note) { json, path, problems, _ in
            _ = form.read(json, path, &problems)
        } write: { _ in
            nil
        }
    }
}

extension Form {
    /// Returns the form of an object with exactly these fields. `empty` is its value when all fields are left out.
    package static func object(_ empty: Value, _ fields: [Field<Value>]) -> Form {
        Form(schema(empty, fields), standIn: empty) { json, path, problems in
            guard let object = json.object else {
                problems.report(path, "must be an object, and is \(json.words)")
                return empty
            }
            return read(object, path, &problems, empty, fields)
        } write: { value in
            var object = JSON.Object()
            for field in fields { object[field.name] = field.write(value) }
            return .object(object)
        }
    }

    /// Reads the object's fields into a copy of `empty` and returns it; unknown and missing fields are reported.
    package static func read(
        _ object: JSON.Object, _ path: JSONPath, _ problems: inout ProblemList, _ empty: Value, _ fields: [Field<Value>]
    ) -> Value {
        var value = empty
        for field in fields {
            if let member = object[field.name] {
                field.read(member, path.field(field.name), &problems, &value)
            } else if field.isRequired {
                problems.report(path.field(field.name), "is missing: \(field.note)")
            }
        }
        let known = fields.map(\.name)
        for member in object.members where !known.contains(member.name) {
            problems.report(path.field(member.name), "there is no such field; there are \(known.joined(separator: ", "))")
        }
        return value
    }

    private static func schema(_ empty: Value, _ fields: [Field<Value>]) -> JSON.Object {
        var properties = JSON.Object()
        for field in fields {
            var property: JSON.Object = ["description": .string(field.note)]
            for member in field.schema.members { property[member.name] = member.value }
            if !field.isRequired { property["default"] = field.write(empty) }
            properties[field.name] = .object(property)
        }
        var schema: JSON.Object = ["type": "object", "additionalProperties": false]
        let required = fields.filter(\.isRequired).map { JSON.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        schema["properties"] = .object(properties)
        return schema
    }
}
