// SPDX-License-Identifier: Apache-2.0

import JSON

/// What a file may hold. The check and the published JSON Schema are both made from it, so they cannot differ.
indirect enum Shape: Sendable {
    case text(Form)
    case word([String])
    case integer(ClosedRange<Int64>)
    /// Whole or not, finite.
    case number
    case bool(only: Bool? = nil)
    /// Judged elsewhere.
    case anything
    case list(Shape, count: ClosedRange<Int>)
    case object(ObjectShape)
    /// Any names of that form.
    case map(Form, Shape, atMost: Int)

    /// An object with fields of its own.
    struct ObjectShape: Sendable {
        var fields: [Field]
        /// Exactly one of these is there.
        var exactlyOneOf: [String] = []
    }

    struct Field: Sendable {
        let name: String
        let shape: Shape
        let isRequired: Bool
        /// For the published schema.
        let note: String
        /// What holds when it is left out; for the published schema.
        let standard: JSON?

        init(_ name: String, _ shape: Shape, required: Bool = false, standard: JSON? = nil, _ note: String) {
            self.name = name
            self.shape = shape
            isRequired = required
            self.standard = standard
            self.note = note
        }
    }
}

/// Everything in a file that its shape does not allow.
struct ShapeCheck {
    let source: Problem.Source
    private(set) var problems: [Problem] = []

    init(_ source: Problem.Source) { self.source = source }

    mutating func report(_ code: Problem.Code, at path: JSONPath, _ text: String) {
        // One more than is told, so that it shows that there are more; work stays bounded by the file.
        guard problems.count <= Refusal.mostProblems else { return }
        problems.append(Problem(code, source, at: path.description, text))
    }

    mutating func check(_ value: JSON, _ shape: Shape, at path: JSONPath) {
        switch (shape, value) {
        case (.anything, _), (.number, .int): break
        case (.number, .double(let number)) where number.isFinite: break
        case (.text(let form), .string(let text)):
            if !form.holds(text) { report(.badForm, at: path, "must be \(form.words)") }
        case (.word(let words), .string(let text)):
            if !words.contains(text) { report(.badForm, at: path, "must be \(Self.choice(words))") }
        case (.integer(let range), .int(let number)):
            if !range.contains(number) {
                report(.outOfRange, at: path, "must be between \(range.lowerBound) and \(range.upperBound)")
            }
        case (.bool(let only), .bool(let flag)):
            if let only, only != flag { report(.badForm, at: path, "must be \(only)") }
        case (.list(let element, let count), .array(let elements)):
            if elements.count > count.upperBound {
                report(.tooMany, at: path, "has \(elements.count) entries; at most \(count.upperBound) are possible")
            }
            if elements.count < count.lowerBound { report(.missing, at: path, "needs at least \(count.lowerBound)") }
            for (index, value) in elements.prefix(count.upperBound).enumerated() {
                check(value, element, at: path.index(index))
            }
        case (.object(let shape), .object(let object)): check(object, shape, at: path)
        case (.map(let form, let shape, let most), .object(let object)):
            if object.members.count > most {
                report(.tooMany, at: path, "has \(object.members.count) entries; at most \(most) are possible")
            }
            for member in object.members.prefix(most) {
                if !form.holds(member.name) {
                    report(.badForm, at: path.field(member.name), "the name must be \(form.words)")
                }
                check(member.value, shape, at: path.field(member.name))
            }
        default: report(.wrongType, at: path, "must be \(Self.kind(shape)), and is \(Self.kind(value))")
        }
    }

    private mutating func check(_ object: JSON.Object, _ shape: Shape.ObjectShape, at path: JSONPath) {
        for field in shape.fields {
            guard let value = object[field.name] else {
                if field.isRequired { report(.missing, at: path.field(field.name), "is missing: \(field.note)") }
                continue
            }
            check(value, field.shape, at: path.field(field.name))
        }
        let known = shape.fields.map(\.name)
        for member in object.members where !known.contains(member.name) {
            report(
                .unknownField, at: path.field(member.name), "there is no such field; there are \(Self.choice(known, "and"))"
            )
        }
        let present = shape.exactlyOneOf.filter { object[$0] != nil }
        if !shape.exactlyOneOf.isEmpty && present.count != 1 {
            report(.contradiction, at: path, "must have exactly one of \(Self.choice(shape.exactlyOneOf, "and"))")
        }
    }

    static func choice(_ words: [String], _ joint: String = "or") -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
        return "\(words.dropLast().joined(separator: ", ")) \(joint) \(last)"
    }

    private static func kind(_ shape: Shape) -> String {
        switch shape {
        case .text, .word: "a text"
        case .integer: "a whole number"
        case .number: "a number"
        case .bool: "true or false"
        case .anything: "anything"
        case .list: "a list"
        case .object, .map: "an object"
        }
    }

    private static func kind(_ value: JSON) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .int: "a whole number"
        case .double: "a number with a fraction"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
