// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import JSON
import Reality
import VirtualAir

struct RealityAirCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "air", abstract: "What a scan of real phones brought, by true distance; the simulated air beside it.",
        discussion: """
            For each scene and distance: scans that heard nothing, receptions of all scans, quartiles of the signal strengths in dBm, and within \
            scans of three receptions or more their standard deviation and the strongest less the mean, in dB; each with the middle 95 % of a \
            bootstrap over pairs of people. With --air the same scans are simulated, and a star marks what is outside of the interval. \
            Exit status: 0, or 2 when a file cannot be used.
            """)

    @Argument(help: "The folder exp34-epfl-soldiers of DP-3T/bt-measurements.") var folder: String
    @Option(help: "Simulate as well: plain, measured, fitted or bodies (docs/virtual-air.md).") var air: String?
    @Option(parsing: .upToNextOption, help: "Scenes: lunch, train, office, movement.") var scenes =
        ScenePositions.Name.allCases.map(\.rawValue)
    @Option(help: "Write a picture into this file.") var svg: String?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard !scenes.isEmpty, scenes.allSatisfy({ ScenePositions.Name(rawValue: $0) != nil }) else {
            throw ValidationError("--scenes must be of lunch, train, office and movement")
        }
        guard air == nil || environment != nil else {
            throw ValidationError("--air must be plain, measured, fitted or bodies")
        }
    }

    private var environment: Environment? {
        air.flatMap(Scenario.EnvironmentChange.Air.init).map(\.environment)
    }

    func run() throws {
        var bar = ProgressBar("captures and scenes")
        let all = UInt64(RecordedAfternoon.phones.count + scenes.count)
        let data = try RecordedAfternoon(folder: folder) { bar.update(UInt64($0), of: all) }
        var comparisons: [AirComparison] = []
        for scene in scenes.compactMap(ScenePositions.Name.init) {
            comparisons.append(try AirComparison(data, scene, environments: environment.map { [$0] } ?? []))
            bar.update(UInt64(RecordedAfternoon.phones.count + comparisons.count), of: all)
        }
        let rhythm = ScanRhythm(data)
        if let svg { try Files.write(Array(AirPicture.svg(comparisons).utf8), to: svg) }
        if json {
            return print(
                JSON.object([
                    "rhythm": rhythm.document,
                    "scenes": .array(comparisons.map { AirReport.document($0, names: [air ?? ""]) }),
                ]))
        }
        for line in rhythm.lines { print(line) }
        for comparison in comparisons {
            print("")
            for line in AirReport.lines(comparison, names: [air ?? ""]) { print(line) }
        }
    }
}

struct RealityFitAirCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fit-air",
        abstract: "Searches for the simulated air in which scans bring what they brought real phones.",
        discussion: """
            Searches by the scenes lunch and train, and holds the air of NIST's measurements and the one that was found against all four. The \
            same seed finds the same air. The source has one without people in between (Environment.fitted) and one with them (Environment.bodies). Takes about ten minutes in a release build. \
            Exit status: 0, or 2 when a file cannot be used.
            """)

    @Argument(help: "The folder exp34-epfl-soldiers of DP-3T/bt-measurements.") var folder: String
    @Option(help: "The seed of all that is drawn.") var seed: UInt64 = 1
    @Option(help: "How many airs are looked at, from 0 (compares the air of the source) to 10000.") var evaluations = 300
    @Flag(help: "Search with people who stand in between, too.") var bodies = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (0...10_000).contains(evaluations) else { throw ValidationError("--evaluations must be from 0 to 10000") }
    }

    func run() throws {
        let data = try RecordedAfternoon(folder: folder)
        let fit = try AirFit(data, seed: seed, bodies: bodies)
        var bar = ProgressBar("airs")
        let before = fit.distance(of: .measured)
        let known = bodies ? Environment.bodies : .fitted
        let found =
            evaluations == 0
            ? (environment: known, distance: fit.distance(of: known))
            : fit.search(evaluations: evaluations) { bar.update(UInt64($0), of: UInt64(max(evaluations, $0))) }
        let names = ["measured", "found"]
        let comparisons = try ScenePositions.Name.allCases.map {
            try AirComparison(data, $0, environments: [.measured, found.environment], seed: seed)
        }
        let values = fit.searched.map { ($0.name, $0.value(in: found.environment)) }
        if json {
            var environment: JSON.Object = [:]
            for (name, value) in values { environment[name] = .double(value) }
            return print(
                JSON.object([
                    "environment": .object(environment), "distance": .double(found.distance), "measured": .double(before),
                    "scenes": .array(comparisons.map { AirReport.document($0, names: names) }),
                ]))
        }
        for (name, value) in values { print("\(name) \(Terminal.fixed(value, 2))") }
        print("distance \(Terminal.fixed(found.distance, 1)), of the measured air \(Terminal.fixed(before, 1))")
        for comparison in comparisons {
            print("")
            for line in AirReport.lines(comparison, names: names) { print(line) }
        }
    }
}
