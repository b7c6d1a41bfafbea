// SPDX-License-Identifier: Apache-2.0

import Core
import FoundationEssentials
import GAEN
import Radio
import RandomValues
import Testing

@Suite struct ProfileFileTests {
    private func parse(_ text: String) throws -> BoardProfile { try ProfileFile.parse(Array(text.utf8)) }

    private func problems(_ text: String) -> [String] {
        do {
            _ = try parse(text)
            return []
        } catch { return (error as? ProfileFile.Refusal)?.problems ?? ["\(error)"] }
    }

    @Test func whatIsLeftOutIsAsOnAToken() throws {
        var expected = BoardProfile.token
        expected.name = "mine"
        #expect(try parse(#"{"name": "mine"}"#) == expected)
    }

    @Test func everyFieldCounts() throws {
        let profile = try parse(
            """
            {"$schema": "profile.schema.json", "name": "door", "revision": 7, "role": "place", "commands": "extended", "timeSlice": true,
             "beacon": {"interval": [210, 250], "rotation": [660, 900], "flags": false},
             "scan": {"duration": 2000, "period": 30000, "spread": 5000},
             "calibration": {"transmitPower": -9, "confidence": "high", "rssiCorrection": 3}, "controllerCheck": 20000}
            """)
        var expected = BoardProfile(
            name: "door", revision: 7, role: .place, commands: .extended, mustTimeSlice: true,
            beacon: .init(
                interval: .milliseconds(210) ... .milliseconds(250), rotation: .seconds(660) ... .seconds(900),
                form: .withoutFlags),
            scan: .init(duration: .seconds(2), period: .seconds(30), spread: .seconds(5)),
            calibration: .init(transmitPower: -9, confidence: .high, rssiCorrection: 3), controllerCheck: .seconds(20))
        #expect(profile == expected)
        expected.revision = 8
        #expect(profile != expected)
    }

    @Test func theBuiltInProfilesAreSound() throws {
        #expect(BoardProfile.token.problems.isEmpty)
        #expect(BoardProfile.kiosk.problems.isEmpty)
        #expect(try ProfileFile.load("kiosk") == .kiosk)
    }

    /// The files to start from are what is built in.
    @Test func theFilesOfTheTreeAreTheBuiltInProfiles() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Board/profiles")
        #expect(try ProfileFile.load(folder.appending(path: "token.json").path()) == .token)
        #expect(try ProfileFile.load(folder.appending(path: "kiosk.json").path()) == .kiosk)
    }

    /// All problems in one go, each with its path.
    @Test func problemsAreNamed() {
        let found = problems(
            #"{"name": "x", "scn": {}, "scan": {"period": 900000, "lenght": 1}, "beacon": {"rotation": [60, 90]}, "role": "dog"}"#
        )
        for path in ["scn:", "scan.lenght:", "scan.period:", "beacon.rotation:", "role:"] {
            #expect(found.contains { $0.hasPrefix(path) }, "\(path) is not among \(found)")
        }
    }

    @Test(arguments: [
        "", "{", "[]", "null", "7", #"{"name": 7}"#, #"{}"#, #"{"name": ""}"#, #"{"name": "x", "scan": 7}"#,
        #"{"name": "x", "beacon": {"interval": [1]}}"#, #"{"name": "x", "beacon": {"interval": [250, 200]}}"#,
        #"{"name": "x", "controllerCheck": 9223372036854775807}"#, #"{"name": "x", "controllerCheck": 1e300}"#,
        #"{"name": "x", "calibration": {"transmitPower": 200}}"#, #"{"name": "x", "calibration": {"confidence": "yes"}}"#,
        #"{"name": "x", "scan": {"duration": 4000, "period": 4000, "spread": 0}}"#,
    ]) func whatCannotBeUsedIsRefused(_ text: String) { #expect(!problems(text).isEmpty) }

    @Test func noiseNeverCrashes() {
        var generator = SeededGenerator(seed: 1)
        let words = [
            "{", "}", "[", "]", ":", ",", "\"name\"", "\"scan\"", "7", "-1e9", "null", "true", "\"x\"", "\"period\"",
            "\\u0000",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                words.randomElement(using: &generator) ?? ""
            }
            _ = problems(text.joined())
        }
        _ = problems(String(repeating: "[", count: 60_000))
        _ = problems(String(repeating: #"{"scan":"#, count: 8_000))
        #expect(problems(String(repeating: " ", count: 70_000)) == ["it is longer than 64 KiB"])
    }
}
