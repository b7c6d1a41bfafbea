// SPDX-License-Identifier: Apache-2.0

import JSON

/// Every fault of one file, so that whoever edits it hears of all of them at once.
final class Problems {
    private static let maximum = 100
    private(set) var lines: [String] = []
    private var omitted = 0

    func add(_ path: String, _ text: String) {
        if lines.count < Self.maximum { lines.append("\(path): \(text)") } else { omitted += 1 }
    }

    var isEmpty: Bool { lines.isEmpty }
    /// One line per fault.
    var text: String { (lines + (omitted > 0 ? ["and \(omitted) more"] : [])).joined(separator: "\n  ") }
}

/// Takes an object apart member by member; what nobody asked for is a fault.
struct ObjectReader {
    let path: String
    private let object: JSON.Object
    private let problems: Problems
    private var known: Set<String> = []

    /// `value` absent reads as an object without members.
    init(_ value: JSON?, path: String, problems: Problems) {
        self.path = path
        self.problems = problems
        if let value, value.object == nil { problems.add(path, "must be an object, is \(value.kind)") }
        object = value?.object ?? JSON.Object()
    }

    mutating func value(_ name: String) -> JSON? {
        known.insert(name)
        return object[name]
    }

    mutating func reader(_ name: String) -> ObjectReader {
        ObjectReader(value(name), path: "\(path).\(name)", problems: problems)
    }

    mutating func has(_ name: String) -> Bool { value(name) != nil }

    func problem(_ name: String, _ text: String) { problems.add("\(path).\(name)", text) }

    mutating func integer(_ name: String, in range: ClosedRange<Int64>, default standard: Int64) -> Int64 {
        guard let value = value(name) else { return standard }
        guard let number = value.int, range.contains(number) else {
            problem(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return standard
        }
        return number
    }

    mutating func bool(_ name: String, default standard: Bool) -> Bool {
        guard let value = value(name) else { return standard }
        guard let flag = value.bool else {
            problem(name, "must be true or false")
            return standard
        }
        return flag
    }

    mutating func text(
        _ name: String, default standard: String, maximum: Int = 200, rule: String = "a text",
        isValid: (String) -> Bool = { _ in true }
    ) -> String {
        guard let value = value(name) else { return standard }
        guard let text = value.string, text.utf8.count <= maximum, isValid(text) else {
            problem(name, "must be \(rule), at most \(maximum) bytes")
            return standard
        }
        return text
    }

    mutating func optionalText(_ name: String, maximum: Int = 1_000) -> String? {
        guard has(name) else { return nil }
        return text(name, default: "", maximum: maximum, rule: "a text that is not empty") { !$0.isEmpty }
    }

    mutating func texts(
        _ name: String, default standard: [String], count: ClosedRange<Int>, rule: String, isValid: (String) -> Bool
    ) -> [String] {
        guard let value = value(name) else { return standard }
        let list = value.array?.compactMap(\.string).filter(isValid) ?? []
        guard list.count == value.array?.count, count.contains(list.count), Set(list).count == list.count else {
            problem(name, "must be a list of \(count.lowerBound) to \(count.upperBound) different texts, each \(rule)")
            return standard
        }
        return list
    }

    /// Names that are there and mean nothing.
    func finish() {
        for member in object.members where !known.contains(member.name) {
            let name = String(member.name.prefix(40))
            problems.add("\(path).\(name)", "is not known; known are \(known.sorted().joined(separator: ", "))")
        }
    }
}
