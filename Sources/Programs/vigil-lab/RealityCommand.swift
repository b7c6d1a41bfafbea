// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import ExposureRisk
import JSON
import Reality
import RiskConfiguration
import RiskStudy

/// What real phones sent, heard and reported, held against this firmware.
struct RealityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reality", abstract: "Holds this firmware against captures and reports of real phones.",
        discussion: "docs/reality.md says where the data comes from and what the figures mean.",
        subcommands: [
            RealityWindowsCommand.self, RealityTableCommand.self, RealityVerdictsCommand.self, RealityBusCommand.self,
            RealityAirCommand.self, RealityFitAirCommand.self,
        ])
}

struct RealityWindowsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "windows", abstract: "Rebuilds exposure windows from captures, and compares them with reported ones.",
        discussion: """
            The folder is exp34-epfl-soldiers of DP-3T/bt-measurements. The control makes the same windows with a calibration that is \
            8 dB off. Exit status: 0 when at least 85 % matched, no receiver has less than 60 %, and the control less than 20 %; else 1.
            """)

    @Argument(help: "The folder with pcaps and backend-checks.") var folder: String
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        var bar = ProgressBar("captures")
        let soldiers = try RecordedAfternoon(folder: folder) {
            bar.update(UInt64($0), of: UInt64(RecordedAfternoon.phones.count))
        }
        let found = try soldiers.compare(.july2020)
        let control = try soldiers.compare(.august2020)
        let all = found.reduce(0) { $0 + $1.comparison.reportedCount }
        let matched = found.reduce(0) { $0 + $1.comparison.matched.count }
        let controlMatched = control.reduce(0) { $0 + $1.comparison.matched.count }
        let lowest = found.map(\.comparison.share).min() ?? 0
        let isGood = Double(matched) >= 0.85 * Double(all) && lowest >= 0.6 && Double(controlMatched) < 0.2 * Double(all)
        if json {
            print(
                JSON.object([
                    "receivers": .array(
                        found.map { receiver, comparison in
                            [
                                "receiver": .int(Int64(receiver)), "reported": .int(Int64(comparison.reportedCount)),
                                "rebuilt": .int(Int64(comparison.rebuiltCount)),
                                "matched": .int(Int64(comparison.matched.count)),
                            ]
                        }), "reported": .int(Int64(all)), "matched": .int(Int64(matched)),
                    "control": .int(Int64(controlMatched)), "passed": .bool(isGood),
                ]))
        } else {
            print("receiver  reported  rebuilt  matched")
            for (receiver, comparison) in found {
                print(
                    [
                        (receiver, 8), (comparison.reportedCount, 10), (comparison.rebuiltCount, 9),
                        (comparison.matched.count, 9),
                    ].map { TextColumn.right("\($0)", $1) }.joined())
            }
            print(
                "\(matched) of \(all) matched (\(Terminal.fixed(100 * Double(matched) / Double(max(1, all)), 1)) %), control \(controlMatched)"
            )
        }
        guard isGood else { throw ExitCode.failure }
    }
}

struct RealityTableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table",
        abstract: "Precision and recall of an alarm by attenuation, for each reception with a distance.",
        discussion: "Attenuation is --power less the signal strength. Exit status: 0, or 2 when a file cannot be used.")

    @Argument(help: "Databases of DP-3T/bt-measurements (scenario….sqlite).") var databases: [String]
    @Option(help: "Transmit power of the senders in dBm.") var power = -29
    @Option(parsing: .upToNextOption, help: "Attenuations in dB.") var attenuations = [50, 55, 60, 65]
    @Option(parsing: .upToNextOption, help: "Distances in metres.") var distances = [1.5, 2, 3]
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        let table = DistanceTable(
            try MeasuredReception.read(databases), power: power, attenuations: attenuations, distances: distances)
        if json {
            let rows: [JSON] = zip(attenuations, table.cells).flatMap { attenuation, cells in
                zip(distances, cells).map { distance, cell in
                    [
                        "attenuation": .int(Int64(attenuation)), "distance": .double(distance),
                        "hits": .int(Int64(cell.hits)),
                        "alarms": .int(Int64(cell.alarms)), "positives": .int(Int64(cell.positives)),
                    ]
                }
            }
            return print(JSON.object(["receptions": .int(Int64(table.count)), "cells": .array(rows)]))
        }
        func share(_ value: Double?) -> String {
            value.map { Terminal.fixed(($0 * 1_000).rounded() / 1_000, 3) } ?? "-"
        }
        print("\(table.count) receptions; precision/recall")
        print("  dB" + distances.map { TextColumn.right("\($0) m", 14) }.joined())
        for (attenuation, cells) in zip(attenuations, table.cells) {
            print(
                TextColumn.right("\(attenuation)", 4)
                    + cells.map { TextColumn.right("\(share($0.precision))/\(share($0.recall))", 14) }.joined())
        }
    }
}

struct RealityVerdictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verdicts", abstract: "Judges who met whom by risk models, and compares with where everybody stood.",
        discussion: """
            A unit is one phone that heard another while both were seen for at least eight minutes. Positive: a quarter of an hour within \
            --metres. The area is the chance that a positive unit scores above another; its interval is of a bootstrap over pairs of \
            people. Exit status: 0, or 2 when a file cannot be used.
            """)

    @Argument(help: "The folder exp34-epfl-soldiers of DP-3T/bt-measurements.") var folder: String
    @Option(parsing: .upToNextOption, help: "Risk configurations, as for vigil-lab risk.") var config: [String]
    @Option(parsing: .upToNextOption, help: "Scenes: lunch, train, office, movement.") var scenes = [
        "lunch", "train", "office",
    ]
    @Option(help: "2 or 1.5.") var metres = 2.0
    @Option(help: "Attenuation is this less the signal strength: -21 as on the day, -29 by Google's later tables.")
    var power = -21
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard metres == 2 || metres == 1.5 else { throw ValidationError("--metres must be 2 or 1.5") }
        guard (-50...20).contains(power) else { throw ValidationError("--power must be from -50 to 20 dBm") }
        guard !scenes.isEmpty, scenes.allSatisfy({ ScenePositions.Name(rawValue: $0) != nil }) else {
            throw ValidationError("--scenes must be of lunch, train, office and movement")
        }
    }

    func run() throws {
        let models = try config.flatMap { path in
            try StudyOptions.naming(path) {
                try StudyConfiguration.read(Files.read(path, limit: StudyConfiguration.maximumByteCount)).models
            }
        }
        var bar = ProgressBar("captures and scenes")
        let all = UInt64(RecordedAfternoon.phones.count + scenes.count)
        let soldiers = try RecordedAfternoon(folder: folder) { bar.update(UInt64($0), of: all) }
        let pairs = try soldiers.pairs(
            scenes.compactMap(ScenePositions.Name.init), .init(transmitPower: Int8(power), correction: 0)
        ) { bar.update(UInt64(RecordedAfternoon.phones.count + $0), of: all) }
        let verdicts = ModelVerdicts.judge(pairs, by: models, isNearer: metres == 1.5)
        let positives = verdicts.first?.positives ?? 0
        if json {
            return print(
                JSON.object([
                    "units": .int(Int64(pairs.count)), "positives": .int(Int64(positives)), "power": .int(Int64(power)),
                    "metres": .double(metres),
                    "models": .array(
                        verdicts.map { verdict in
                            var row: JSON.Object = [
                                "model": .string(verdict.model.rawValue), "alarms": .int(Int64(verdict.alarms)),
                                "hits": .int(Int64(verdict.hits)),
                            ]
                            row["area"] = verdict.area.map {
                                .array([.double($0.value), .double($0.low), .double($0.high)])
                            }
                            return .object(row)
                        }),
                ]))
        }
        func share(_ value: Double?) -> String { value.map { Terminal.fixed($0, 2) } ?? "-" }
        print("\(pairs.count) units, \(positives) positive; attenuation = \(power) - RSSI")
        print("model             alarms  precision  recall  area (95 %)")
        let rate = pairs.isEmpty ? 0 : Double(positives) / Double(pairs.count)
        print(
            "everybody warned \(TextColumn.right("\(pairs.count)", 7))\(TextColumn.right(share(rate), 11))    1.00  0.50"
        )
        for verdict in verdicts {
            let name = verdict.model.rawValue
            let area = verdict.area.map { "\(share($0.value)) (\(share($0.low)) to \(share($0.high)))" } ?? "-"
            print(
                name + String(repeating: " ", count: max(0, 17 - name.utf8.count))
                    + TextColumn.right("\(verdict.alarms)", 7) + TextColumn.right(share(verdict.precision), 11)
                    + TextColumn.right(share(verdict.recall), 8) + "  \(area)")
        }
    }
}

struct RealityBusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bus", abstract: "How many pairs on a bus would have been warned, by published rules.",
        discussion: "All pairs were within 2 m for 15 minutes. Exit status: 0, or 2 when the file cannot be used.")

    @Argument(help: "dublinbus_dataset_attenuations.txt.") var file: String
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        let table = try BusTable(path: file)
        let swiss = table.count(full: 50, half: 55, minutes: 15, orEqual: true)
        let (fifteen, ten) = (table.count(full: 70, minutes: 15), table.count(full: 70, minutes: 10))
        if json {
            return print(
                JSON.object([
                    "pairs": .int(Int64(table.pairs.count)), "swiss": .int(Int64(swiss)),
                    "above15MinutesTo70dB": .int(Int64(fifteen)), "above10MinutesTo70dB": .int(Int64(ten)),
                ]))
        }
        print("Swiss rule (to 50 dB in full, to 55 dB half, 15 minutes or more): \(swiss) of \(table.pairs.count)")
        print("more than 15 minutes to 70 dB: \(fifteen) of \(table.pairs.count)")
        print("more than 10 minutes to 70 dB: \(ten) of \(table.pairs.count)")
    }
}

/// Text in tables of fixed width.
enum TextColumn {
    /// `text` at the right of `width` characters; longer text stays whole.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
}
