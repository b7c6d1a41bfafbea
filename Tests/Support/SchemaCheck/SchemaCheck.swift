// SPDX-License-Identifier: Apache-2.0

public import JSON
import Synchronization

/// As much of JSON Schema as the published files use, written without a look at the parser.
public enum SchemaCheck {
    /// What `schema` does not allow in `value`, each with its place; empty when it fits.
    public static func faults(_ value: JSON, _ schema: JSON, _ path: String = "") -> [String] {
        // The schema that nothing fits.
        if schema == false { return ["\(path): nothing may be here"] }
        var faults: [String] = []
        func fault(_ text: String) { faults.append("\(path): \(text)") }
        if let type = schema["type"]?.string, !isOf(type, value) { return ["\(path): not \(type)"] }
        if let constant = schema["const"], !isSame(constant, value) { fault("const") }
        if let choices = schema["enum"]?.array, !choices.contains(where: { isSame($0, value) }) { fault("enum") }
        if let number = number(value) {
            if let low = schema["minimum"].flatMap(Self.number), number < low { fault("minimum") }
            if let low = schema["exclusiveMinimum"].flatMap(Self.number), number <= low { fault("exclusiveMinimum") }
            if let high = schema["maximum"].flatMap(Self.number), number > high { fault("maximum") }
        }
        if case .string(let text) = value {
            let count = Int64(text.unicodeScalars.count)
            if let low = schema["minLength"]?.int, count < low { fault("minLength") }
            if let high = schema["maxLength"]?.int, count > high { fault("maxLength") }
            if let pattern = schema["pattern"]?.string,
                (try? regex(pattern).firstMatch(in: text)) == nil
            {
                fault("pattern")
            }
        }
        if case .array(let elements) = value {
            if let low = schema["minItems"]?.int, elements.count < low { fault("minItems") }
            if let high = schema["maxItems"]?.int, elements.count > high { fault("maxItems") }
            if let items = schema["items"] {
                for (index, element) in elements.enumerated() {
                    faults += Self.faults(element, items, "\(path)[\(index)]")
                }
            }
        }
        if case .object(let object) = value {
            for name in schema["required"]?.array ?? [] where object[name.string ?? ""] == nil { fault("required") }
            if let least = schema["minProperties"]?.int, object.members.count < least { fault("minProperties") }
            if let most = schema["maxProperties"]?.int, object.members.count > most { fault("maxProperties") }
            for member in object.members {
                if let names = schema["propertyNames"] { faults += Self.faults(.string(member.name), names, path) }
                if let property = schema["properties"]?[member.name] {
                    faults += Self.faults(member.value, property, "\(path).\(member.name)")
                } else if schema["additionalProperties"] == false {
                    fault("additionalProperties")
                } else if let additional = schema["additionalProperties"] {
                    faults += Self.faults(member.value, additional, "\(path).\(member.name)")
                }
            }
        }
        if let options = schema["oneOf"]?.array, options.filter({ Self.faults(value, $0, path).isEmpty }).count != 1 {
            fault("oneOf")
        }
        return faults
    }

    private static func number(_ value: JSON) -> Double? {
        switch value {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    private static func isSame(_ left: JSON, _ right: JSON) -> Bool {
        if let left = number(left), let right = number(right) { return left == right }
        return left == right
    }

    /// Made once for each pattern: making one takes longer than using it a hundred times.
    private static func regex(_ pattern: String) throws -> Regex<AnyRegexOutput> {
        try made.withLock { made in
            if let regex = made[pattern] { return regex }
            let regex = try Regex(pattern).matchingSemantics(.unicodeScalar)
            made[pattern] = regex
            return regex
        }
    }

    private static let made = Mutex<[String: Regex<AnyRegexOutput>]>([:])

    private static func isOf(_ type: String, _ value: JSON) -> Bool {
        switch (type, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("integer", .int),
            ("number", .int), ("number", .double), ("null", .null):
            true
        // 3.0 is a whole number (draft 2020-12, 4.2.3).
        case ("integer", .double(let number)): number == number.rounded()
        default: false
        }
    }
}
