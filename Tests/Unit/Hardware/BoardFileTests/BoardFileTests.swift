// SPDX-License-Identifier: Apache-2.0

import BoardFile
import Foundation
import Power
import RandomValues
import Testing

@Suite struct BoardFileTests {
    private static let head = #""name": "x", "title": "X", "architecture": "arm64", "radio": { "transport": "hci:0" }"#

    private static func parse(_ hardware: String) throws -> BoardFile {
        try BoardFile(parsing: Array("{ \(head), \"hardware\": \(hardware) }".utf8))
    }

    private static func problems(_ hardware: String) -> [String] {
        do {
            _ = try parse(hardware)
            return []
        } catch let refusal as BoardFile.Refusal {
            return refusal.problems
        } catch {
            return ["\(error)"]
        }
    }

    @Test func everyBoardOfThisTreeIsRead() throws {
        let folder =
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Board/boards")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json")
        }
        #expect(names.count >= 2)
        for name in names {
            let board = try BoardFile(parsing: Array(try Data(contentsOf: folder.appending(path: name))))
            #expect("\(board.name).json" == name)
        }
    }

    @Test func aTokenIsRead() throws {
        let board = try Self.parse(
            """
            { "lines": { "chip": "pinctrl-bcm2835",
                "lights": [{ "line": 17, "colour": "red" }, { "line": 27, "colour": "green", "activeLow": true }],
                "buzzer": { "line": 18 }, "button": { "line": 22, "activeLow": true, "bias": "pullUp" } },
              "battery": { "supply": "max17048", "milliwattHours": 3700, "low": 20, "stop": 6 },
              "clockChip": true, "watchdog": true, "randomness": false, "memory": 512, "profile": "token" }
            """)
        let lines = try #require(board.lines)
        #expect(lines.chip == "pinctrl-bcm2835")
        #expect(lines.lights.map(\.line.line) == [17, 27])
        #expect(lines.lights.map(\.line.activeLow) == [false, true])
        #expect(lines.lights.map(\.colour) == [.red, .green])
        #expect(lines.buzzer?.line == 18)
        #expect(lines.button?.activeLow == true && lines.bias == .pullUp)
        let battery = try #require(board.power.battery)
        #expect(battery.supply == "max17048" && battery.low == 20 && battery.stop == 6)
        #expect(battery.milliwattHours == 3_700)
        #expect(board.memory == 512 && board.hasClockChip == true && board.hasRandomness == false)
    }

    @Test(arguments: [
        ("[]", "hardware: must be an object"),
        (#"{ "lamps": {} }"#, "hardware.lamps: there is no such field"),
        (#"{ "lines": { "chip": "" } }"#, "hardware.lines.chip: must be a text"),
        (#"{ "lines": { "chip": "a" } }"#, "hardware.lines: must be at least one line"),
        (#"{ "lines": { "chip": "a", "buzzer": { "line": -1 } } }"#, "hardware.lines.buzzer.line"),
        (#"{ "lines": { "chip": "a", "buzzer": { "line": 4294967297 } } }"#, "hardware.lines.buzzer.line"),
        (#"{ "lines": { "chip": "a", "lights": [{ "line": 1, "colour": "ultraviolet" }] } }"#, "lights[0].colour"),
        (
            #"{ "lines": { "chip": "a", "buzzer": { "line": 1 }, "button": { "line": 1 } } }"#,
            "one is named twice"
        ),
        (#"{ "lines": { "chip": "a", "button": { "line": 1, "bias": "sideways" } } }"#, "button.bias"),
        (#"{ "battery": { "supply": "../../etc" } }"#, "hardware.battery.supply"),
        (#"{ "battery": { "supply": "b", "low": 5, "stop": 5 } }"#, "hardware.battery.stop"),
        (#"{ "battery": { "milliampHours": 1000 } }"#, "hardware.battery.milliampHours: there is no such field"),
        (#"{ "memory": 1e9 }"#, "hardware.memory"),
        (#"{ "watchdog": 1 }"#, "hardware.watchdog"),
    ])
    func whatIsWrongIsNamed(hardware: String, words: String) {
        #expect(Self.problems(hardware).contains { $0.contains(words) }, "\(Self.problems(hardware))")
    }

    @Test func hostileFilesAreRefusedAndNeverEndTheProgram() {
        #expect(throws: BoardFile.Refusal.self) { try BoardFile(parsing: [UInt8](repeating: 0x5B, count: 70_000)) }
        #expect(throws: BoardFile.Refusal.self) { try BoardFile(parsing: [UInt8](repeating: 0x5B, count: 60_000)) }
        #expect(throws: BoardFile.Refusal.self) { try BoardFile(parsing: []) }
        let good = Array(
            "{ \(Self.head), \"hardware\": { \"lines\": { \"chip\": \"a\", \"buzzer\": { \"line\": 1 } } } }".utf8)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<3_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? BoardFile(parsing: bytes)
        }
        let many = (0..<5_000).map { "\"f\($0)\": 1" }.joined(separator: ", ")
        let problems = Self.problems("{ \(many) }")
        #expect(problems.count <= 33)
    }
}
