// SPDX-License-Identifier: Apache-2.0

import JSON

extension MessageSchema {
    /// Notes every fault of `value` under its path.
    func check(_ value: JSON, path: String, _ problems: Problems) {
        guard let object = value.object else { return problems.add(path, "must be an object, is \(value.kind)") }
        for member in object.members {
            guard let field = fields.first(where: { $0.name == member.name }) else {
                let known = fields.map(\.name).joined(separator: ", ")
                problems.add("\(path).\(member.name.prefix(60))", "is not known; known are \(known)")
                continue
            }
            Self.check(member.value, field, path: "\(path).\(field.name)", problems)
        }
    }

    private static func check(_ value: JSON, _ field: Field, path: String, _ problems: Problems) {
        guard let maximum = field.repeats else { return check(value, field.kind, path: path, problems) }
        guard let elements = value.array, elements.count <= maximum else {
            return problems.add(path, "must be a list of at most \(maximum)")
        }
        for (index, element) in elements.enumerated() { check(element, field.kind, path: "\(path)[\(index)]", problems) }
    }

    private static func check(_ value: JSON, _ kind: Kind, path: String, _ problems: Problems) {
        switch kind {
        case .bool: if value.bool == nil { problems.add(path, "must be true or false") }
        case .integer(let range):
            guard let number = value.wholeNumber, range.contains(number) else {
                return problems.add(path, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
        case .double(let range):
            guard let number = value.anyNumber, range.contains(number) else {
                return problems.add(path, "must be a number from \(range.lowerBound) to \(range.upperBound)")
            }
        case .text(let maximum):
            guard let text = value.string, !text.isEmpty, text.utf8.count <= maximum else {
                return problems.add(path, "must be a text of 1 to \(maximum) bytes")
            }
        case .enumeration(let names):
            guard let name = value.string, names.contains(name) else {
                return problems.add(path, "must be one of \(names.joined(separator: ", "))")
            }
        case .message(let schema): schema.check(value, path: path, problems)
        case .integerMap(let keys, let values):
            checkMap(value, keys, path: path, problems) { check($0, .integer(values), path: $1, problems) }
        case .doubleMap(let keys, let values):
            checkMap(value, keys, path: path, problems) { check($0, .double(values), path: $1, problems) }
        }
    }

    private static func checkMap(
        _ value: JSON, _ keys: ClosedRange<Int64>, path: String, _ problems: Problems, _ element: (JSON, String) -> Void
    ) {
        guard let object = value.object else { return problems.add(path, "must be an object, is \(value.kind)") }
        for member in object.members {
            // "01" and "+1" would be a second name for 1.
            guard let key = Int64(member.name), "\(key)" == member.name, keys.contains(key) else {
                problems.add(
                    "\(path).\(member.name.prefix(20))",
                    "a name must be a whole number from \(keys.lowerBound) to \(keys.upperBound)")
                continue
            }
            element(member.value, "\(path).\(member.name)")
        }
    }
}

extension JSON {
    /// Protobuf's JSON mapping writes 64-bit numbers as texts.
    var wholeNumber: Int64? { int ?? string.flatMap { text in Int64(text).flatMap { "\($0)" == text ? $0 : nil } } }
    var anyNumber: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
