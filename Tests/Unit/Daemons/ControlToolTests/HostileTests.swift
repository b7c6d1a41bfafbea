// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Interfaces
import JSON
import Testing

@testable import ControlTool

/// A core that wants to do something to the terminal, or to the arithmetic.
@Suite struct HostileTests {
    private static let evil = "\u{1B}[2J\u{1B}]0;owned\u{7}a\r\nb\u{202E}c\u{9B}31m\u{2028}"
    private static let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, 1 << 53, .max - 1, .max]

    /// The same answer with every text and every number replaced.
    private static func poisoned(_ value: JSON, _ number: Int64) -> JSON {
        switch value {
        case .string(let text):
            // Words of enumerations stay, or nothing would be shown at all.
            text.contains(" ") || text.contains("-") || text.contains("/") || text.count > 26
                ? .string(evil + text + evil) : value
        case .int(let old): .int(old >= 0 && number < 0 && old < 100 ? 1 : number)
        case .array(let list): .array(list.map { poisoned($0, number) })
        case .object(let object):
            .object(
                object.members.reduce(into: JSON.Object()) {
                    let name = object.members.count == 1 && $1.value.string != nil ? $1.name + evil : $1.name
                    $0[name] = poisoned($1.value, number)
                })
        default: value
        }
    }

    @Test(arguments: numbers) func nothingReachesTheTerminalAndNothingTraps(_ number: Int64) throws {
        let core = try TestCore(checks: false) { method, parameters in
            switch Canned.answer(method, parameters) {
            case .reply(let json): .reply(Self.poisoned(json, number))
            case .replies(let list): .replies(list.map { Self.poisoned($0, number) })
            case let other: other
            }
        }
        defer { core.end() }
        let desk = Desk(core)
        typealias Command = (ControlSession) throws -> Void
        let commands: [Command] = [
            { session in try session.status() }, { session in try session.radio() },
            { session in try session.evidence(days: 15, byHour: true) },
            { session in try session.evidence(days: 15, byHour: false) },
            { session in try session.showTime() }, { session in try session.audit(after: nil) },
            { session in try session.storage() },
            { session in try session.exportMyData(to: nil) },
            { session in try session.windows() },
            { session in try session.daily(configuration: nil) },
            { session in try session.summary(configuration: nil) },
            { session in try session.information(configuration: nil) },
            { session in try session.mapping() }, { session in try session.listPaired() },
            { session in try session.consent(.pair) }, { session in try session.watch() },
            { session in try session.showDonation() }, { session in try session.previewDonation() },
            { session in try session.showDonor() },
        ]
        var shownCount = 0
        for command in commands {
            for isJSON in [false, true] {
                let failure = desk.failure(json: isJSON, command)
                #expect(isHarmless(desk.shown) && isHarmless(failure?.description ?? ""))
                if failure == nil { shownCount += 1 }
            }
        }
        // Most answers are shown, not refused: the test looks at what it means to.
        #expect(shownCount >= 16, "\(shownCount)")
    }

    @Test func errorsAreCleanToo() throws {
        let core = try TestCore(checks: false) { _, _ in
            .error("org.vigil.exposure1.Bad", ["reason": .string(Self.evil), "file": .string(Self.evil)])
        }
        defer { core.end() }
        let desk = Desk(core)
        let failure = desk.failure(json: true) { session in try session.status() }
        #expect(failure.map { isHarmless($0.description) } == true && isHarmless(desk.shown))
        // To a program it is the same text all the same.
        #expect(json(desk.shown)["parameters"]?["reason"]?.string == Self.evil)
    }

    @Test func longTextsAreCut() {
        #expect(ForeignText.line(String(repeating: "x", count: 10_000)).count == 401)
        #expect(Screen().paragraph(String(repeating: "word ", count: 10_000)).count < 3_000)
    }
}
