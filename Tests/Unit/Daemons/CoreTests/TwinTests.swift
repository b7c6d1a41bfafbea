// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Core

/// Two boards that differ only in what is the wearer's alone look the same to everybody else: every answer to every method, every message that comes by
/// itself, every line of the log, by byte, order, moment, and turns of the core.
@Suite struct TwinTests {
    /// What may differ, and why: everything else must not.
    private struct Permitted {
        /// `nil` for all.
        let secret: TwinBoard.Secret?
        /// Whoever sees it; `nil` for all.
        let observer: String?
        /// What the line is about.
        let method: String
        /// Fields whose values are passed over; `nil` for the whole line, be it there or not.
        let fields: [String]?
        let why: String
    }

    private static let permitted: [Permitted] = [
        Permitted(
            secret: nil, observer: nil, method: "org.vigil.donation1.GetDonor", fields: ["name", "publicHalf"],
            why: "drawn on each board by the first call"),
        Permitted(
            secret: .met, observer: "indicator", method: "org.vigil.indicator1.Watch", fields: nil,
            why: "a light that says that there is news; who was granted it reads"),
        Permitted(
            secret: .tested, observer: "indicator", method: "org.vigil.indicator1.Watch", fields: nil,
            why: "the same light"),
        // A release makes a new identifier at once, of a fresh key, which whoever listens to the air hears, too (docs/threat-model.md).
        Permitted(
            secret: .warned, observer: nil, method: "org.vigil.device1.GetRadio",
            fields: ["secondsToRotation", "rotationCount", "prove-alive"],
            why: "the new identifier, and when the controller was asked whether it is there"),
        Permitted(
            secret: .warned, observer: nil, method: "org.vigil.device1.GetEvidence", fields: ["rotationCount"],
            why: "the new identifier"),
        Permitted(
            secret: .warned, observer: nil, method: "org.vigil.device1.GetStorage", fields: ["writtenByteCount"],
            why: "the new key, written before it is used"),
        Permitted(
            secret: .warned, observer: "log", method: "debug", fields: nil,
            why: "scans that the new identifier cut short, in lines that are kept only where somebody asks for them"),
    ]

    private static func reduced(_ lines: [String], _ secret: TwinBoard.Secret, _ observer: String) throws -> [String] {
        let rules = permitted.filter { ($0.secret ?? secret) == secret && ($0.observer ?? observer) == observer }
        return try lines.compactMap { line in
            var line = line
            for rule in rules where line.contains(" \(rule.method) ") {
                guard let fields = rule.fields else { return nil }
                for field in fields {
                    line.replace(try Regex("\"\(field)\":(-?[0-9]+|\"[^\"]*\")"), with: "\"\(field)\":…")
                }
            }
            return line
        }
    }

    private static let rules = Result { try TwinBoard.Rules() }
    /// What is seen of a board on which nothing of it happened.
    private static let plain = rules.flatMap { rules in Result { try life(nil, rules) } }

    private static func life(_ secret: TwinBoard.Secret?, _ rules: TwinBoard.Rules) throws -> [String: [String]] {
        let board = try TwinBoard(secret, rules)
        try board.live()
        return board.seen
    }

    @Test(arguments: TwinBoard.Secret.allCases) func nobodyElseSeesADifference(secret: TwinBoard.Secret) throws {
        let plain = try Self.plain.get()
        let other = try Self.rules.flatMap { rules in Result { try Self.life(secret, rules) } }.get()
        #expect(Set(plain.keys) == Set(other.keys))
        var count = 0
        for (observer, lines) in plain.sorted(by: { $0.key < $1.key }) {
            let one = try Self.reduced(lines, secret, observer)
            let two = try Self.reduced(other[observer] ?? [], secret, observer)
            count += lines.count
            let words = "\(secret), \(observer): \(one.count) and \(two.count) lines"
            let different = zip(one, two).filter { $0 != $1 }
            let kinds = Set(different.map { $0.0.split(separator: " ").dropFirst().first ?? "" }).sorted()
            let first = different.first.map { "\nwithout it:\n\($0)\nwith it:\n\($1)" } ?? ""
            // One value: a list of thousands of lines tells nobody anything.
            let isSame = one.count == two.count && different.isEmpty
            #expect(isSame, "\(words), \(different.count) differ: \(kinds)\(first)")
        }
        #expect(count > 1_000 && plain.count >= 9, "\(count) lines of \(plain.keys.sorted())")
        print("\(secret): \(count) lines of \(plain.count) observers compared")
    }
}
