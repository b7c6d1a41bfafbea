// SPDX-License-Identifier: Apache-2.0

package import JSON

/// The form of a value in a document. Reader, writer and the published JSON Schema are all made from it, so they
/// cannot differ.
///
/// Reading never fails: problems are reported and a stand-in is used, so that the rest of the document is checked in
/// the same pass.
package struct Form<Value: Sendable>: Sendable {
    /// A function that reads the value at a path; it reports problems and then returns a stand-in.
    package typealias Read = @Sendable (JSON, JSONPath, inout ProblemList) -> Value

    /// The JSON Schema, draft 2020-12, of the value.
    package let schema: JSON.Object
    /// The value that replaces one that cannot be read, so that reading continues.
    package let standIn: Value
    /// The function that reads a value; it never fails.
    package let read: Read
    /// The function that writes a value in the form that ``read`` accepts; a value out of range is written
    /// unchanged.
    package let write: @Sendable (Value) -> JSON

    /// Creates a form from these parts, which must be consistent.
    package init(_ schema: JSON.Object, standIn: Value, read: @escaping Read, write: @escaping @Sendable (Value) -> JSON) {
        self.schema = schema
        self.standIn = standIn
        self.read = read
        self.write = write
    }

    /// Returns a form with the same text for another type. `to` converts a value that was read, and may report
    /// further problems; `from` converts back for writing; `other` is the stand-in of the new type.
    package func mapped<Other: Sendable>(
        to: @escaping @Sendable (Value, JSONPath, inout ProblemList) -> Other, from: @escaping @Sendable (Other) -> Value,
        standIn other: Other
    ) -> Form<Other> {
        Form<Other>(
            schema, standIn: other, read: { to(read($0, $1, &$2), $1, &$2) }, write: { write(from($0)) })
    }
}

extension JSON {
    /// The number, if it is one; whole or not.
    var anyNumber: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// As JSON Schema counts: 3.0 is a whole number.
    var wholeNumber: Int64? {
        switch self {
        case .int(let number): number
        case .double(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// In words for people.
    var words: String {
        switch self {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .int, .double: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension Form where Value == Double {
    /// Returns the form of a finite number in `range`, without its lower bound if `above` is `true`.
    package static func number(_ range: ClosedRange<Double>, above: Bool = false) -> Form {
        let rule =
            "must be a number \(above ? "above" : "from") \(range.lowerBound) \(above ? "and at most" : "to") \(range.upperBound)"
        return Form(
            [
                "type": "number", above ? "exclusiveMinimum" : "minimum": .double(range.lowerBound),
                "maximum": .double(range.upperBound),
            ], standIn: above ? range.upperBound : range.lowerBound
        ) { json, path, problems in
            guard let number = json.anyNumber else {
                problems.report(path, "\(rule), and is \(json.words)")
                return above ? range.upperBound : range.lowerBound
            }
            // NaN is in no range.
            guard range.contains(number), !above || number > range.lowerBound else {
                problems.report(path, rule, isRange: true)
                return above ? range.upperBound : range.lowerBound
            }
            return number
        } write: {
            .double($0)
        }
    }
}

extension Form where Value: FixedWidthInteger {
    /// Returns the form of a whole number in `range`; 3.0 counts as one, as in JSON Schema.
    package static func integer(_ range: ClosedRange<Value>) -> Form {
        Form(
            ["type": "integer", "minimum": .int(Int64(range.lowerBound)), "maximum": .int(Int64(range.upperBound))],
            standIn: range.lowerBound
        ) { json, path, problems in
            if let whole = json.wholeNumber, let number = Value(exactly: whole), range.contains(number) { return number }
            let found = json.anyNumber == nil ? ", and is \(json.words)" : ""
            problems.report(
                path, "must be a whole number from \(range.lowerBound) to \(range.upperBound)\(found)",
                isRange: json.anyNumber != nil)
            return range.lowerBound
        } write: {
            .int(Int64($0))
        }
    }
}

extension Form where Value == Bool {
    /// The form of `true` or `false`.
    package static var flag: Form {
        Form(["type": "boolean"], standIn: false) { json, path, problems in
            if let flag = json.bool { return flag }
            problems.report(path, "must be true or false, and is \(json.words)")
            return false
        } write: {
            .bool($0)
        }
    }
}

extension Form where Value == String {
    /// Returns the form of one line of text for people, without invisible characters; `count` is the allowed number
    /// of Unicode scalars.
    package static func words(_ count: ClosedRange<Int>) -> Form {
        let classes = invisible.map { "\\u\(hexadecimal($0.lowerBound))-\\u\(hexadecimal($0.upperBound))" }
        return Form(
            [
                "type": "string", "minLength": .int(Int64(count.lowerBound)), "maxLength": .int(Int64(count.upperBound)),
                "pattern": .string("^[^\(classes.joined())]*$"),
            ], standIn: ""
        ) { json, path, problems in
            if let text = json.string, count.contains(text.unicodeScalars.count),
                text.unicodeScalars.allSatisfy({ scalar in !invisible.contains { $0.contains(scalar.value) } })
            {
                return text
            }
            problems.report(
                path,
                "must be a text of \(count.lowerBound) to \(count.upperBound) characters on one line, none of them invisible"
            )
            return ""
        } write: {
            .string($0)
        }
    }

    /// Control characters and what turns or hides text (Unicode 15: Cc, Cf, Zl, Zp as far as they are in use).
    private static var invisible: [ClosedRange<UInt32>] {
        [
            0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
            0xFEFF...0xFEFF, 0xFFF9...0xFFFB,
        ]
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension Form {
    /// Returns the form of one of a few texts, or of the number that some documents write instead. The first text is
    /// the stand-in; `words` must not be empty.
    package static func word(_ words: [(String, Value)], numbers: [Int64: Value] = [:]) -> Form where Value: Equatable {
        let allowed = words.map { JSON.string($0.0) } + numbers.keys.sorted().map { .int($0) }
        let standIn = words[0].1
        return Form(["enum": .array(allowed)], standIn: standIn) { json, path, problems in
            if let text = json.string, let word = words.first(where: { $0.0 == text }) { return word.1 }
            if let number = json.wholeNumber, let value = numbers[number] { return value }
            problems.report(path, "must be \(allowed.map(\.description).joined(separator: " or "))")
            return standIn
        } write: { value in
            .string(words.first { $0.1 == value }?.0 ?? "")
        }
    }

    /// Returns the form of a list whose number of elements is in `count`; another number is a problem. Elements are
    /// read up to the maximum, and stand-ins fill a list that is too short.
    package static func list<Element>(_ element: Form<Element>, _ count: ClosedRange<Int>) -> Form
    where Value == [Element] {
        var schema: JSON.Object = ["type": "array", "items": .object(element.schema)]
        if count.lowerBound > 0 { schema["minItems"] = .int(Int64(count.lowerBound)) }
        schema["maxItems"] = .int(Int64(count.upperBound))
        let rule =
            count.lowerBound == count.upperBound
            ? "must be a list of \(count.lowerBound)" : "must be a list of \(count.lowerBound) to \(count.upperBound)"
        let standIn = Array(repeating: element.standIn, count: count.lowerBound)
        return Form(schema, standIn: standIn) { json, path, problems in
            guard let elements = json.array else {
                problems.report(path, "\(rule), and is \(json.words)")
                return standIn
            }
            if !count.contains(elements.count) { problems.report(path, "\(rule), and has \(elements.count)") }
            let values = elements.prefix(count.upperBound).enumerated().map {
                element.read($0.element, path.index($0.offset), &problems)
            }
            return values + standIn.dropFirst(values.count)
        } write: {
            .array($0.map(element.write))
        }
    }

    /// Returns the form of an object whose names are whole numbers in `names`, which is how protobuf's JSON writes
    /// maps.
    package static func byNumber<Element>(_ names: ClosedRange<Int>, _ element: Form<Element>) -> Form
    where Value == [Int: Element] {
        let schema: JSON.Object = [
            "type": "object", "propertyNames": ["enum": .array(names.map { .string("\($0)") })],
            "additionalProperties": .object(element.schema),
        ]
        return Form(schema, standIn: [:]) { json, path, problems in
            guard let object = json.object else {
                problems.report(path, "must be an object with numbers as names, and is \(json.words)")
                return [:]
            }
            var values: [Int: Element] = [:]
            for member in object.members {
                // "01" and "+1" would be second names for 1.
                guard let name = Int(member.name), "\(name)" == member.name, names.contains(name) else {
                    problems.report(
                        path.field(member.name),
                        "the name must be a whole number from \(names.lowerBound) to \(names.upperBound)")
                    continue
                }
                values[name] = element.read(member.value, path.field(member.name), &problems)
            }
            return values
        } write: { values in
            var object = JSON.Object()
            for name in values.keys.sorted() { object["\(name)"] = values[name].map(element.write) }
            return .object(object)
        }
    }
}
