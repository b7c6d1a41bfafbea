// SPDX-License-Identifier: Apache-2.0

import CivilTime
import CommandFiles
import FoundationEssentials
import GAEN
import KeyExport
import Matching
import RandomValues
import Testing
import TimeTrust

/// A file that is gone when the test is over.
final class ScratchFile {
    let path: String
    init(_ content: [UInt8]) throws {
        path = FileManager.default.temporaryDirectory.path + "/vigil-test-\(Unique.name())"
        try Data(content).write(to: URL(filePath: path))
    }
    convenience init(_ text: String) throws { try self.init(Array(text.utf8)) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite struct SightingsFileTests {
    private let rpi = "8be6cd371c5c891604bfbe49df845096"

    private func problem(_ text: String) throws -> InputError? {
        let file = try ScratchFile(text)
        do {
            _ = try SightingsFile.read(path: file.path)
            return nil
        } catch {
            return error
        }
    }

    @Test func whatIsWrittenIsRead() throws {
        let file = try ScratchFile("time,previous_scan,rssi,rpi,aem\r\n1600000000,0,-60,\(rpi),72033874\r\n\n")
        let sightings = try SightingsFile.read(path: file.path)
        #expect(sightings.count == 1)
        #expect(sightings[0].time == 1_600_000_000)
        #expect(sightings[0].rssi == -60)
        let again = try ScratchFile(SightingsFile.text(sightings))
        #expect(try SightingsFile.read(path: again.path) == sightings)
    }

    @Test func columnsMayStandInAnyOrder() throws {
        let file = try ScratchFile("aem,rpi,rssi,time\n72033874,\(rpi),-1,5")
        #expect(try SightingsFile.read(path: file.path).first?.time == 5)
    }

    @Test func problemsNameTheirLine() throws {
        let head = "time,rssi,rpi,aem\n"
        #expect(try problem("")?.line == 0)
        #expect(try problem("time,rssi,rpi\n")?.message.contains("aem") == true)
        #expect(try problem("time,rssi,rpi,aem,mood\n")?.message.contains("mood") == true)
        #expect(try problem("time,time,rssi,rpi,aem\n")?.line == 1)
        #expect(try problem(head + "1,-60,\(rpi)\n")?.line == 2)
        #expect(try problem(head + "1,-60,\(rpi),72033874\nx,-60,\(rpi),72033874\n")?.line == 3)
        #expect(try problem(head + "1,127,\(rpi),72033874\n")?.message.contains("126") == true)
        #expect(try problem(head + "1,-60,\(rpi)00,72033874\n")?.message.contains("32") == true)
        #expect(try problem(head + "1,-60,\(rpi),7203387\n")?.message.contains("8 ") == true)
        #expect(try problem(head + "99999999999,-60,\(rpi),72033874\n")?.line == 2)
        #expect(try problem(head + String(repeating: "a", count: 5_000))?.message.contains("longer") == true)
        #expect(try problem(head + String(repeating: "a", count: 500_000))?.message.contains("longer") == true)
        #expect(throws: InputError.self) { try SightingsFile.read(path: "/no/such/file") }
        #expect(throws: InputError.self) { try SightingsFile.read(path: "/") }
    }

    @Test func noiseIsRefused() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<300 {
            let noise = generator.bytes(.random(in: 0...200, using: &generator))
            let file = try ScratchFile(noise)
            #expect(throws: InputError.self) { try SightingsFile.read(path: file.path) }
            #expect(throws: InputError.self) { try KeysFile.read(path: file.path) }
        }
    }
}

@Suite struct KeysFileTests {
    @Test func whatIsWrittenIsRead() throws {
        let text = """
            \(KeysFile.header)
            8be6cd371c5c891604bfbe49df845096,2642976,144,3,1,-14,,0
            8be6cd371c5c891604bfbe49df845097,2642976,1,0,0,,4,1

            """
        let file = try ScratchFile(text)
        let keys = try KeysFile.read(path: file.path)
        #expect(keys.map(\.isRevised) == [false, true])
        #expect(KeysFile.text(keys) + "" == text.replacing("\n\n", with: "\n"))
    }

    @Test(arguments: ["145", "0", "-1", "x"])
    func impossiblePeriodsAreRefused(_ period: String) throws {
        let file = try ScratchFile("key,rolling_start,rolling_period\n\(String(repeating: "0", count: 32)),1,\(period)\n")
        #expect(throws: InputError.self) { try KeysFile.read(path: file.path) }
    }
}

@Suite struct MatchConfigurationTests {
    private func read(_ text: String) throws -> MatchConfiguration {
        let file = try ScratchFile(text)
        defer { withExtendedLifetime(file) {} }
        return try MatchConfiguration.read(path: file.path)
    }

    @Test func mappingsAreReadInBothForms() throws {
        let long = try read(
            #"{"format": "vigil-match-config-1", "infectiousness": {"0": "high", "-14": "standard"}, "infectiousnessWhenOnsetMissing": "none"}"#
        )
        #expect(long.mapping.infectiousness(daysSinceOnset: 0) == .high)
        #expect(long.mapping.infectiousness(daysSinceOnset: 1) == .none)
        #expect(long.mapping.infectiousness(daysSinceOnset: nil) == .none)
        let short = try read(
            #"{"format": "vigil-match-config-1", "infectiousnessCompact": "0x0104555aa6100000", "reportTypeWhenMissing": "selfReport"}"#
        )
        #expect(short.mapping.compact == 0x0104_555a_a610_0000)
        #expect(short.mapping.reportTypeWhenMissing == .selfReport)
    }

    @Test func everyProblemIsNamedAtOnce() {
        let text = #"""
            {"format": "x", "infectiousness": {"15": "high", "1": "very"}, "reportTypeWhenMissing": "rumour",
             "v1": {"attenuationScores": [1], "daysScores": [], "durationScores": [], "transmissionRiskScores": []}}
            """#
        let error = #expect(throws: InputError.self) { try read(text) }
        for part in ["format", "infectiousness.15", "infectiousness.1 ", "reportTypeWhenMissing", "v1"] {
            #expect(error?.message.contains(part) == true)
        }
        for text in ["", "[]", "{}", "nonsense", #"{"format": 5}"#] {
            #expect(throws: InputError.self) { try read(text) }
        }
        // What alone is out of range is among what is said.
        let scores = "[1, 1, 1, 1, 1, 1, 1, 1]"
        let minimum = #expect(throws: InputError.self) {
            try read(
                #"""
                {"format": "vigil-match-config-1", "v1": {"minimumRiskScore": 4097, "attenuationScores": \#(scores),
                 "daysScores": \#(scores), "durationScores": \#(scores), "transmissionRiskScores": \#(scores)}}
                """#)
        }
        #expect(minimum?.message.contains("minimumRiskScore from 0 to 4096") == true)
    }
}

@Suite struct TextTests {
    @Test(arguments: [
        (UInt32(0), "1970-01-01"), (18_321, "2020-02-29"), (18_322, "2020-03-01"), (20_778, "2026-11-21"),
        (47_540, "2100-02-28"), (47_541, "2100-03-01"),
    ])
    func daysHaveTheirDates(_ day: UInt32, _ text: String) { #expect(UTCDay.text(day: day) == text) }

    @Test func timesAndNumbersReadWell() {
        #expect(UTCDay.text(time: 1_585_785_600) == "2020-04-02 00:00 UTC")
        #expect(!UTCDay.text(time: .max).isEmpty)
        #expect(Terminal.grouped(1_234_567) == "1,234,567")
        #expect(Terminal.grouped(-1_234) == "-1,234")
        #expect(Terminal.grouped(12) == "12")
        #expect(Terminal.fixed(1.005, 1) == "1.0")
        #expect(Terminal.fixed(-0.04, 1) == "0.0")
        #expect(Terminal.fixed(0.05, 2) == "0.05")
        #expect(Terminal.fixed(.nan, 2) == "-")
        #expect(Terminal.bars([-1, 0, 0.5, 1, 2]) == "▁▁▅██")
    }
}
