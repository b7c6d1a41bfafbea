// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import RandomValues
import Testing

/// The commands for studies, as they are started: what they print, write and refuse.
@Suite final class RiskCommandTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-risk-\(Unique.name())"
    private static let examples =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
        + "/docs/examples"
    private static let config = examples + "/risk.json"
    private static let windows = examples + "/encounters.json"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func risk(_ arguments: String...) throws -> Program.Outcome {
        try Program.run(Program.folder + "/vigil-lab", ["risk"] + arguments)
    }

    private func lines(_ text: String) -> Int { text.split(separator: "\n").count }

    @Test func theExampleIsJudged() throws {
        let picture = folder + "/picture.svg"
        let outcome = try risk("evaluate", "--config", Self.config, "--windows", Self.windows, "--svg", picture)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        for part in ["cwaSecond", "nhsSecond", "dailySummaries", "sensitivity", "specificity", "either way"] {
            #expect(outcome.output.contains(part), "\(part)")
        }
        let text = String(decoding: try Data(contentsOf: URL(filePath: picture)), as: UTF8.self)
        #expect(text.hasPrefix("<svg") && text.hasSuffix("</svg>\n"))
        let one = try risk("evaluate", "--config", Self.config, "--windows", Self.windows, "--model", "cwaSecond", "--csv")
        let cases = try String(decoding: Data(contentsOf: URL(filePath: Self.windows)), as: UTF8.self).ranges(
            of: "\"name\"")
        #expect(lines(one.output) == cases.count + 1)
        let json = try risk("evaluate", "--config", Self.config, "--windows", Self.windows, "--json", "--calibration", "0")
        #expect(json.output.contains("\"eitherWay\":0"))
    }

    @Test func aParameterIsVaried() throws {
        let outcome = try risk(
            "sweep", "--config", Self.config, "--windows", Self.windows, "--vary",
            "models[0].cwaSecond.minutesAtAttenuationWeights[1].weight=-0.5:1:0.5", "--csv")
        #expect(outcome.status == 0)
        #expect(lines(outcome.output) == 5)
        #expect(outcome.output.contains("-0.5,,,"))
    }

    @Test func whatCannotBeUsedIsSaid() throws {
        let bad = folder + "/bad.json"
        try Data("{\"format\":\"vigil-windows-1\",\"cases\":[{\"name\":\"a\",\"windows\":[{\"day\":18000}]}]}".utf8)
            .write(to: URL(filePath: bad))
        let outcome = try risk("evaluate", "--config", Self.config, "--windows", bad)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("cases[0].windows[0].day: must be a whole number from -366 to 366"))
        #expect(outcome.errors.contains("cases[0].windows[0].scanInstances: is missing"))
        for arguments in [
            ["evaluate", "--config", Self.windows, "--windows", Self.windows],
            ["evaluate", "--config", folder + "/none", "--windows", Self.windows],
            ["evaluate", "--config", Self.config, "--windows", Self.windows, "--model", "cwaFirst"],
            ["sweep", "--config", Self.config, "--windows", Self.windows, "--vary", "models[7].x=0:1:1"],
        ] {
            let outcome = try Program.run(Program.folder + "/vigil-lab", ["risk"] + arguments)
            #expect(outcome.status == 2, "\(arguments)")
            #expect(outcome.output.isEmpty && !outcome.errors.isEmpty)
        }
        #expect(try risk("evaluate", "--config", Self.config).status == 64)
    }
}
