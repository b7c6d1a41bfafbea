// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Testing

/// `vigil ctl calibrate` at a terminal, with a running core on a running air. What it says of every fault is tested in virtual time
/// (`CalibrationCommandTests`).
@Suite(.serialized) struct CalibrationProcessTests {
    /// A board whose receiver is 4 dB deaf, and a phone at 1 m that sends very often, so that three seconds are enough.
    private final class Desk {
        let air: AirProcess
        let core: CoreProcess
        let control: StreamClient

        init() throws {
            air = try AirProcess()
            core = try CoreProcess("board", on: air)
            control = try StreamClient(air.control)
            #expect(control.ask(#"{"op":"env","pl0":48.5,"sigma":3.4}"#).contains(#""ok":true"#))
            #expect(
                control.ask(#"{"op":"phone","x":1,"y":0,"tx":-12,"interval":0.02}"#).contains(#""ok":true"#))
            try core.start()
            #expect(core.waits { access(core.folder + "/ctl.sock", F_OK) == 0 })
            try core.setTime()
            try #require(core.waits { core.field("onAir") == "true" })
            turn(4)
        }

        /// The board in another orientation: so much does it lose there.
        func turn(_ loss: Int) {
            #expect(control.ask(#"{"op":"set","id":1,"body":\#(loss)}"#).contains(#""ok":true"#))
        }

        func calibrate(seconds: Int = 3) throws -> TerminalProcess {
            try TerminalProcess(
                Program.folder + "/vigil",
                ["ctl", "calibrate", "--power", "-12", "--seconds", "\(seconds)", "--run", core.folder, "--timeout", "60"])
        }

        func ask(_ words: String...) throws -> Program.Outcome {
            try Program.run(
                Program.folder + "/vigil", ["ctl"] + words + ["--run", core.folder, "--timeout", "60", "--json"])
        }

        func correction() throws -> String {
            let output = try ask("call", "org.vigil.device1.GetMeasurement").output
            return String(output.split(separator: "\"correction\":").last ?? "")
        }

        /// Six more scans take twelve seconds if they begin every two seconds; one after the other, three. The state that is read may
        /// be some scans old.
        func hasItsRhythm() -> Bool {
            // What was under way may be over first.
            let first = core.number("scans")
            guard core.waits({ core.number("scans") > first }) else { return false }
            let (begin, start) = (core.number("scans"), ContinuousClock().now)
            guard core.waits({ core.number("scans") >= begin + 6 }) else { return false }
            return ContinuousClock().now - start > .seconds(5)
        }
    }

    @Test func theNumberIsRightAndIsSetWhenSomebodyAgrees() throws {
        let desk = try Desk()
        let pattern = [0, 1, 0, 12, 1, 0, 0, 1, 1, 0, 1, 0]
        let terminal = try desk.calibrate()
        #expect(terminal.wait(for: ["Go on? [y/N]"]) != nil)
        terminal.type("y")
        var count = 0
        while let found = terminal.wait(for: ["press Enter", "Press Enter", "Set the correction"]),
            found != "Set the correction"
        {
            // Twelve, and then the fourth again.
            desk.turn(4 + (count < 12 ? pattern[count] : pattern[3]))
            count += 1
            terminal.type("")
        }
        terminal.type("y")
        #expect(terminal.end() == 0, "\(terminal.shown)")
        #expect(count == 13, "\(terminal.shown)")
        let correction = try desk.correction()
        #expect(["3}", "4}", "5}"].contains { correction.hasPrefix($0) }, "\(correction) \(terminal.shown)")
        #expect(try desk.ask("audit").output.contains("calibrationBegun"))
        #expect(desk.hasItsRhythm())
        #expect(desk.core.end() == 0)
    }

    /// In the middle of a measurement the terminal is gone, or somebody gives up.
    @Test func interruptedNothingHasChanged() throws {
        let desk = try Desk()
        let killed = try desk.calibrate(seconds: 15)
        #expect(killed.wait(for: ["Go on? [y/N]"]) != nil)
        killed.type("y")
        #expect(killed.wait(for: ["Press Enter"]) != nil)
        killed.type("")
        #expect(killed.wait(for: ["s left"]) != nil)
        #expect(killed.end(SIGINT) == 128 + SIGINT)
        let given = try desk.calibrate()
        #expect(given.wait(for: ["Go on? [y/N]"]) != nil)
        given.type("y")
        #expect(given.wait(for: ["Press Enter"]) != nil)
        given.type("q")
        #expect(given.end() == 1 && given.shown.contains("Nothing was changed."))
        #expect(try desk.correction().hasPrefix("0}"))
        // The core ends it by itself.
        #expect(
            desk.core.waits {
                (try? desk.ask("call", "org.vigil.device1.GetNeighbours").output.contains(#""running":false"#)) == true
            })
        #expect(desk.hasItsRhythm())
        #expect(desk.core.end() == 0)
    }

    @Test func nobodyAtTheTerminalAndWordsThatAreWrong() throws {
        let desk = try Desk()
        #expect(try desk.ask("calibrate", "--power", "-12", "--yes").status == 64)
        for words in [[], ["--power", "21"], ["--power", "1", "--other-board"], ["--power", "1", "--seconds", "61"]] {
            let outcome = try Program.run(
                Program.folder + "/vigil", ["ctl", "calibrate"] + words + ["--run", desk.core.folder])
            #expect(outcome.status == 64, "\(words)")
        }
        #expect(desk.core.end() == 0)
    }
}
