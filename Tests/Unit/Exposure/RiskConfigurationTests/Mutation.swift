// SPDX-License-Identifier: Apache-2.0

import JSON
import RandomValues

/// One to three changes somewhere in a value: something removed, added, doubled, replaced.
enum Mutation {
    static func changed(_ value: JSON, using dice: inout SeededGenerator) -> JSON {
        var value = value
        for _ in 0..<Int.random(in: 1...3, using: &dice) { value = once(value, using: &dice) }
        return value
    }

    private static let strange: [JSON] = [
        nil, true, 0, -1, 1, 2, 63, 1.5, 0.25, 1e300, -1e300, 1e-300, "", "a", "LOW", "HIGH", "2027-01-31", [], [1], [:],
        ["a": 1],
        "\u{202E}", .int(.max), .int(.min), .string(String(repeating: "x", count: 2_000)), "running", "ended",
    ]
    private static let names = ["min", "max", "weight", "x", "cwaSecond", "15", "1", "-14", "state", "words", "$schema"]

    private static func once(_ value: JSON, using dice: inout SeededGenerator) -> JSON {
        let goesDeeper = Int.random(in: 0..<12, using: &dice) > 0
        switch value {
        case .array(var elements) where !elements.isEmpty && goesDeeper:
            let index = Int.random(in: 0..<elements.count, using: &dice)
            switch Int.random(in: 0..<12, using: &dice) {
            case 0: elements.remove(at: index)
            case 1: elements.append(elements[index])
            case 2: elements.swapAt(0, index)
            default: elements[index] = once(elements[index], using: &dice)
            }
            return .array(elements)
        case .object(var object) where !object.isEmpty && goesDeeper:
            let member = object.members[Int.random(in: 0..<object.members.count, using: &dice)]
            switch Int.random(in: 0..<16, using: &dice) {
            case 0: object[member.name] = nil
            case 1: object[names.randomElement(using: &dice) ?? "x"] = strange.randomElement(using: &dice)
            default: object[member.name] = once(member.value, using: &dice)
            }
            return .object(object)
        case .double(let number) where goesDeeper: return .double(number * Double.random(in: -0.2...3, using: &dice))
        case .int(let number) where goesDeeper: return .int(number &+ Int64.random(in: -2...2, using: &dice))
        default: return strange.randomElement(using: &dice) ?? .null
        }
    }
}
