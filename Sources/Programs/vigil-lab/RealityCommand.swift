// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import JSON
import Reality

/// What real phones sent, heard and reported, held against this firmware.
struct RealityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reality", abstract: "Holds this firmware against captures and reports of real phones.",
        discussion: "docs/reality.md says where the data comes from and what the figures mean.",
        subcommands: [
            RealityWindowsCommand.self, RealityTableCommand.self, RealityVerdictsCommand.self, RealityFitCommand.self,
            RealityDistanceCommand.self, RealityChamberCommand.self, RealityBusCommand.self,
            RealityAirCommand.self, RealityFitAirCommand.self,
        ])
}

struct RealityWindowsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "windows", abstract: "Rebuilds exposure windows from captures, and compares them with reported ones.",
        discussion: """
            The folder is exp34-epfl-soldiers of DP-3T/bt-measurements. The control makes the same windows with a calibration that is \
            8 dB off. Exit status: 0 when at least 85 % matched, no receiver has less than 60 %, the control less than 20 %, and the scans \
            agree as the sheet demands; else 1.
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
        let agreements = [try soldiers.agreement(.july2020), try soldiers.agreement(.august2020)]
        let isGood =
            Double(matched) >= 0.85 * Double(all) && lowest >= 0.6 && Double(controlMatched) < 0.2 * Double(all)
            && agreements[0].isAsDemanded
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
                    "control": .int(Int64(controlMatched)), "scans": Self.json(agreements[0]),
                    "controlScans": Self.json(agreements[1]), "passed": .bool(isGood),
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
            Self.show(agreements[0], "scans that agree")
            Self.show(agreements[1], "the same, control")
        }
        guard isGood else { throw ExitCode.failure }
    }

    private static func kinds(_ agreement: ScanAgreement) -> [(name: String, errors: ScanAgreement.Errors, steps: [Int])] {
        [
            ("minimum", agreement.minimum, [0, 1, 2]), ("typical", agreement.typical, [0, 1, 2]),
            ("secondsSinceLastScan", agreement.seconds, [0, 60]), ("the same, matched", agreement.matchedSeconds, [0, 60]),
        ]
    }

    private static func show(_ agreement: ScanAgreement, _ title: String) {
        print("\n\(title)       scans  exact  within 1 and 2 dB, or 60 s; bias")
        for (name, errors, steps) in kinds(agreement) {
            let shares = steps.map { TextColumn.right("\(Terminal.fixed(100 * errors.share(within: $0), 1)) %", 8) }
            print(
                "  " + name + TextColumn.right("\(errors.count)", 28 - name.utf8.count) + shares.joined()
                    + "  \(Terminal.fixed(errors.bias, 2))")
        }
    }

    private static func json(_ agreement: ScanAgreement) -> JSON {
        var object = JSON.Object()
        for (name, errors, steps) in kinds(agreement) {
            object[name == "the same, matched" ? "matchedSecondsSinceLastScan" : name] = [
                "scans": .int(Int64(errors.count)), "shares": .array(steps.map { .double(errors.share(within: $0)) }),
                "bias": .double(errors.bias),
            ]
        }
        return .object(object)
    }
}

struct RealityTableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table",
        abstract: "Precision and recall of an alarm by attenuation, for each reception with a distance.",
        discussion: "Attenuation is --power less the signal strength. Exit status: 0, or 2 when a file cannot be used.")

    @Argument(help: "Databases of DP-3T/bt-measurements (scenario….sqlite).") var databases: [String]
    @Option(parsing: .unconditional, help: "Transmit power of the senders in dBm.") var power = -29
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

    /// `text` at the left of `width` characters; longer text stays whole.
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}
