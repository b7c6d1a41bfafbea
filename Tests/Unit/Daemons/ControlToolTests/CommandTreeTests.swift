// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Testing

@testable import ControlTool

@Suite struct CommandTreeTests {
    static let tree = CommandTree(
        "vigil",
        [
            CommandTree(
                "ctl",
                [
                    CommandTree("status"), CommandTree("radio"), CommandTree("reset"),
                    CommandTree("time", [CommandTree("show"), CommandTree("set")]),
                ]), CommandTree("plugin", [CommandTree("list"), CommandTree("check"), CommandTree("start")]),
            CommandTree("match"),
        ])

    @Test(arguments: [
        (["status"], "`vigil` has no command status. Did you mean `vigil ctl status`? `vigil --help` lists what there is."),
        (
            ["ctl", "stauts"],
            "`vigil ctl` has no command stauts. Did you mean `vigil ctl status`? `vigil ctl --help` lists what there is."
        ),
        (
            ["plugin", "chekc", "x"],
            "`vigil plugin` has no command chekc. Did you mean `vigil plugin check`? `vigil plugin --help` lists what there is."
        ),
        (
            ["ctl", "list"],
            "`vigil ctl` has no command list. Did you mean `vigil plugin list`? `vigil ctl --help` lists what there is."
        ),
        (["xylophone"], "`vigil` has no command xylophone. `vigil --help` lists what there is."),
        (
            ["ctl", "time", "sett"],
            "`vigil ctl time` has no command sett. Did you mean `vigil ctl time set`? `vigil ctl time --help` lists what there is."
        ),
    ])
    func whoMistypesIsHelped(words: [String], sentence: String) { #expect(Self.tree.correction(of: words) == sentence) }

    @Test(arguments: [
        ["ctl"], ["ctl", "status"], ["ctl", "--jsn"], ["--help"], ["match", "x"], ["ctl", "time", "set", "x"], [],
    ])
    func otherMistakesAreTheParsers(words: [String]) { #expect(Self.tree.correction(of: words) == nil) }

    @Test func whatIsTypedIsShownHarmlessly() {
        #expect(Self.tree.correction(of: ["\u{1B}[31m"])?.contains("\u{1B}") == false)
        #expect(Self.tree.correction(of: [String(repeating: "x", count: 100_000)]).map { $0.count < 200 } == true)
    }

    @Test func distancesAreThoseOfTyping() {
        for (one, other, distance) in [
            ("status", "stauts", 1), ("status", "status", 0), ("", "abc", 3), ("list", "lst", 1), ("check", "chekc", 1),
            ("a", "b", 1),
        ] { #expect(CommandTree.distance(one, other) == distance && CommandTree.distance(other, one) == distance) }
    }
}

@Suite struct DatesTests {
    @Test func eachDayHasItsDate() throws {
        let text = #"{"days":[{"day":20778,"x":1},{"day":-5},{"day":"no"}],"mostRelevantDay":20780,"date":"kept","day":1}"#
        #expect(
            try JSON(parsing: Array(text.utf8)).withDates.description
                == #"{"days":[{"day":20778,"date":"2026-11-21","x":1},{"day":-5},{"day":"no"}],"mostRelevantDay":20780,"mostRelevantDate":"2026-11-23","date":"kept","day":1}"#
        )
    }

    @Test func storageSaysWhatIsFree() {
        let screen = Screen(width: 100)
        let storage = Device1.Storage(
            dayCount: 3, writtenByteCount: 5, findings: [], problem: nil, freeByteCount: 3 << 30, byteCount: 8 << 30)
        #expect(
            DeviceViews.storage(storage, screen).contains("Free       3.2 GB of 8.6 GB"),
            "\(DeviceViews.storage(storage, screen))")
        var unknown = storage
        unknown.freeByteCount = nil
        #expect(!DeviceViews.storage(unknown, screen).contains("Free"))
    }
}
