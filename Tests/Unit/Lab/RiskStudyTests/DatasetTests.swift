// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Glibc
import JSON
import Matching
import PluginManifest
import RandomValues
import SchemaCheck
import Testing

@testable import RiskStudy

/// What is written is read as the same, what is wrong is told whole, and nothing that looks like a date gets in.
@Suite struct DatasetTests {
    private static func dataset(_ dice: inout SeededGenerator) -> StudyDataset {
        func maybe<Value>(_ value: Value, _ dice: inout SeededGenerator) -> Value? {
            Bool.random(using: &dice) ? value : nil
        }
        let names = (0..<Int.random(in: 0...6, using: &dice)).map { "case \($0) “ü\\\"/ <&>" }
        return StudyDataset(
            about: maybe("about", &dice), licence: maybe("CC0-1.0", &dice),
            cases: names.map { name in
                let metres = Double.random(in: 0...20, using: &dice)
                let truth = StudyTruth(
                    metres: maybe(metres, &dice), minutes: maybe(12.5, &dice), geometry: maybe("tram", &dice),
                    expected: maybe(.increased, &dice) ?? maybe(.low, &dice))
                let windows = (0..<Int.random(in: 0...5, using: &dice)).map { _ in
                    let infectiousness = maybe(Infectiousness.allCases.randomElement(using: &dice) ?? .high, &dice)
                    let onset = maybe(Int32.random(in: -14...14, using: &dice), &dice)
                    return StudyWindow(
                        day: Int.random(in: StudyDataset.days, using: &dice),
                        reportType: ReportType.allCases.randomElement(using: &dice) ?? .selfReport,
                        infectiousness: infectiousness, daysSinceOnset: infectiousness == nil ? onset : nil,
                        transmissionRiskLevel: maybe(UInt8.random(in: 1...8, using: &dice), &dice),
                        calibrationConfidence: CalibrationConfidence.allCases.randomElement(using: &dice) ?? .low,
                        scanInstances: (0..<Int.random(in: 0...9, using: &dice)).map { _ in
                            ScanInstance(
                                typicalAttenuation: Int.random(in: 0...255, using: &dice),
                                minimumAttenuation: Int.random(in: 0...255, using: &dice),
                                secondsSinceLastScan: Int.random(in: 0...300, using: &dice))
                        })
                }
                let exposures = (0..<Int.random(in: 0...3, using: &dice)).map { _ in
                    StudyExposure(
                        day: Int.random(in: StudyDataset.days, using: &dice),
                        transmissionRiskLevel: UInt8.random(in: 0...8, using: &dice), calibrationConfidence: .medium,
                        periods: [.init(attenuation: Int.random(in: 0...255, using: &dice), seconds: 600)])
                }
                return StudyCase(
                    name: name, truth: maybe(truth, &dice), windows: windows, exposures: maybe(exposures, &dice))
            })
    }

    @Test func whatIsWrittenIsRead() throws {
        var dice = SeededGenerator(seed: 1)
        for _ in 0..<300 {
            let dataset = Self.dataset(&dice)
            let again = try StudyDataset(parsing: dataset.document)
            #expect(again == dataset)
            #expect(again.document == dataset.document)
            #expect(SchemaCheck.faults(try JSON(parsing: dataset.document), StudyDataset.schema).isEmpty)
        }
    }

    private static let good = """
        {"format":"vigil-windows-1","cases":[{"name":"a","truth":{"metres":2},"windows":[{"day":0,
        "reportType":"confirmedTest","infectiousness":"high","calibrationConfidence":"low",
        "scanInstances":[{"minAttenuation":50,"typicalAttenuation":55,"secondsSinceLastScan":300}]}]}]}
        """

    private static func problems(_ text: String) -> [RiskProblem] {
        do throws(StudyError) {
            _ = try StudyDataset(reading: Array(text.utf8))
            return []
        } catch { return error.problems }
    }

    @Test(
        arguments: [
            ("\"day\":0", "\"day\":18500", "cases[0].windows[0].day"),
            ("\"day\":0", "\"day\":\"2021-03-01\"", "cases[0].windows[0].day"),
            ("\"day\":0", "\"day\":0,\"firstSighting\":1614556800", "cases[0].windows[0].firstSighting"),
            (
                "\"infectiousness\":\"high\"", "\"infectiousness\":\"high\",\"daysSinceOnset\":0",
                "cases[0].windows[0].daysSinceOnset"
            ),
            ("\"infectiousness\":\"high\"", "\"daysSinceOnset\":15", "cases[0].windows[0].daysSinceOnset"),
            (
                "\"typicalAttenuation\":55", "\"typicalAttenuation\":-1",
                "cases[0].windows[0].scanInstances[0].typicalAttenuation"
            ),
            (
                "\"typicalAttenuation\":55", "\"typicalAttenuation\":1e300",
                "cases[0].windows[0].scanInstances[0].typicalAttenuation"
            ),
            (",\"secondsSinceLastScan\":300", "", "cases[0].windows[0].scanInstances[0].secondsSinceLastScan"),
            ("vigil-windows-1", "vigil-windows-2", "format"),
            ("\"name\":\"a\"", "\"name\":\"a\\u001b[31m\"", "cases[0].name"),
            ("\"metres\":2", "\"expected\":\"maybe\"", "cases[0].truth.expected"),
            ("\"low\"", "\"best\"", "cases[0].windows[0].calibrationConfidence"),
        ])
    func whatIsWrongHasAPlace(_ old: String, _ new: String, _ path: String) throws {
        #expect(Self.problems(Self.good).isEmpty)
        let bad = Self.good.replacing(old, with: new)
        #expect(Self.problems(bad).map(\.path) == [path])
        // What only the reader says is that a path is wrong twice; all of these the schema says as well.
        #expect(!SchemaCheck.faults(try JSON(parsing: Array(bad.utf8)), StudyDataset.schema).isEmpty)
    }

    @Test func allIsToldAtOnce() throws {
        let bad = Self.good.replacing("\"day\":0", with: "\"day\":1.5").replacing("\"low\"", with: "7")
            .replacing("\"metres\":2", with: "\"metres\":-2")
        #expect(Self.problems(bad).count == 3)
        let double = try StudyDataset(parsing: Array(Self.good.utf8))
        var twice = double
        twice.cases += double.cases
        #expect(Self.problems(String(decoding: twice.document, as: UTF8.self)).map(\.path) == ["cases[1].name"])
    }

    @Test func hostileInputEnds() throws {
        #expect(throws: StudyError(.tooLarge)) {
            try StudyDataset(reading: [UInt8](repeating: 0x20, count: StudyDataset.maximumByteCount + 1))
        }
        let deep = String(repeating: "[", count: 100_000)
        let many = "{\"format\":\"vigil-windows-1\",\"cases\":[" + String(repeating: "{},", count: 30_000) + "{}]}"
        for text in ["", "{", "[]", "null", "1e999", deep, many, "case,case\n", "\u{0}", "case;window\n1;2"] {
            let problems = Self.problems(text)
            #expect(!problems.isEmpty && problems.count <= 100, "\(text.prefix(20))")
        }
        // Memory is that of the rows that count, not of what separates them.
        let blank = String(repeating: "\n", count: 4 << 20)
        #expect(try StudyDataset(reading: Array((Self.table + blank).utf8)).cases.count == 2)
        let commas = Self.problems(Self.table + String(repeating: ",", count: 4 << 20))
        #expect(commas.map(\.description) == ["line 6: is longer than 4096 bytes"])
        #expect(!Self.problems(String(repeating: ",", count: 4 << 20)).isEmpty)
        // Bytes changed at random are read or refused, never worse; what is read can be written.
        var dice = SeededGenerator(seed: 2)
        let good = Array(Self.good.utf8)
        for _ in 0..<3_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...3, using: &dice) {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                switch Int.random(in: 0..<3, using: &dice) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &dice)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
                }
            }
            guard let dataset = try? StudyDataset(reading: bytes) else { continue }
            #expect(try StudyDataset(parsing: dataset.document) == dataset)
        }
    }

    // MARK: Tables

    private static let table = """
        case,window,day,reportType,infectiousness,calibrationConfidence,minAttenuation,typicalAttenuation,secondsSinceLastScan,expected,geometry
        a,1,0,confirmedTest,high,low,50,55,300,increased,12
        a,1,0,confirmedTest,high,low,52,58,240,,
        a,2,1,selfReport,standard,high,70,75,300,,
        b,1,0,confirmedTest,,low,50,55,300,,

        """

    @Test func aTableIsADataset() throws {
        let dataset = try StudyDataset(reading: Array(Self.table.utf8))
        #expect(dataset.cases.map(\.name) == ["a", "b"])
        #expect(dataset.cases[0].truth == StudyTruth(geometry: "12", expected: .increased))
        #expect(dataset.cases[0].windows.map(\.scanInstances.count) == [2, 1])
        #expect(dataset.cases[0].windows[0].scanInstances[1].secondsSinceLastScan == 240)
        #expect(dataset.cases[1].windows[0].infectiousness == nil)
        #expect(try StudyDataset(reading: Array(Self.table.replacing("\n", with: "\r\n").utf8)) == dataset)
    }

    @Test(
        arguments: [
            ("58,240", "258,240", "line 3, typicalAttenuation"), ("a,2,1", "a,2,500", "line 4, day"),
            ("a,1,0,confirmedTest,high,low,52", "a,1,1,confirmedTest,high,low,52", "line 3"),
            ("b,1,0", "b,1,0,0", "line 5"), ("minAttenuation", "minimum", "line 1"), ("240,,", "240,low,", "line 3"),
            ("b,1,0,confirmedTest", "b,1,0,", "line 5, reportType"),
        ])
    func whatIsWrongInATableHasALine(_ old: String, _ new: String, _ place: String) {
        #expect(Self.problems(Self.table.replacing(old, with: new)).first?.path == place)
    }

    // MARK: What is published

    /// With `VIGIL_WRITE_SCHEMAS=1` it writes it instead: to be done after a change, and looked through.
    @Test func thePublishedSchemaIsTheReaders() throws {
        let path = "docs/schemas/windows.schema.json"
        let text = StudyDataset.schema.indentedText
        if getenv("VIGIL_WRITE_SCHEMAS") != nil, let file = fopen("\(Samples.root)/\(path)", "w") {
            fputs(text, file)
            fclose(file)
        }
        #expect(
            String(decoding: try Samples.file(path), as: UTF8.self) == text,
            "\(path) is not what the reader says; run this test with VIGIL_WRITE_SCHEMAS=1 and look at the difference")
    }

    @Test func joinedDatasetsKeepAllCases() throws {
        let one = StudyDataset(cases: [StudyCase(name: "a"), StudyCase(name: "b")])
        let other = StudyDataset(cases: [StudyCase(name: "a"), StudyCase(name: "1: a")])
        #expect(StudyDataset.joined([one, other]).cases.map(\.name) == ["1: a", "b", "2: a", "1: a'"])
        #expect(StudyDataset.joined([one]) == one)
    }
}
