// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import ExposureRisk
import JSON
import Reality

struct RealityDistanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "distance", abstract: "How far the NHS's estimate of distance is from the truth by video.",
        discussion: """
            Each window: the model's distance, the median distance of the other scenes, and a straight line of log10 of \
            metres over dB through the other scenes. Each scan by itself: the last two. Error: mean |difference| in metres / mean |log10 of \
            the ratio|; bias: mean log10 of the model's ratio. All four scenes if --scenes is not given. Exit status: 0, or 2 when a file cannot be used.
            """)

    @OptionGroup var options: RealityOptions

    func run() throws {
        var options = options
        if Set(options.scenes) == ["lunch", "train", "office"] { options.scenes.append("movement") }
        var sections: [JSON] = []
        for (power, pairs) in try options.pairs() {
            let errors = DistanceErrors(pairs, by: NHSSecondParameters())
            if options.json {
                sections.append(json(power, errors))
                continue
            }
            print("attenuation = \(power) - RSSI; \(errors.leftOut) units left out; metres / |log10 ratio|")
            print(
                TextColumn.left("scene", 10) + TextColumn.right("windows", 8)
                    + ["model", "constant", "line"].map { TextColumn.right($0, 13) }.joined() + TextColumn.right("bias", 7)
                    + TextColumn.right("scans", 8)
                    + ["constant", "line"].map { TextColumn.right($0, 13) }.joined() + TextColumn.right("slope", 9))
            for scene in errors.scenes {
                func text(_ error: DistanceErrors.Error?) -> String {
                    TextColumn.right(
                        error.map { "\(Terminal.fixed($0.metres, 2)) / \(Terminal.fixed($0.logarithm, 2))" } ?? "-", 13)
                }
                print(
                    TextColumn.left(scene.name.rawValue, 10) + TextColumn.right("\(scene.model?.count ?? 0)", 8)
                        + [scene.model, scene.constant, scene.line].map(text).joined()
                        + TextColumn.right(scene.model.map { Terminal.fixed($0.bias, 2) } ?? "-", 7)
                        + TextColumn.right("\(scene.constantOfScans?.count ?? 0)", 8)
                        + [scene.constantOfScans, scene.lineOfScans].map(text).joined()
                        + TextColumn.right(scene.fitted.map { Terminal.fixed($0.slope, 4) } ?? "-", 9))
            }
            print("")
        }
        if options.json { print(JSON.object(["tables": .array(sections)])) }
    }

    private func json(_ power: Int, _ errors: DistanceErrors) -> JSON {
        [
            "power": .int(Int64(power)), "leftOut": .int(Int64(errors.leftOut)),
            "scenes": .array(
                errors.scenes.map { scene in
                    var row: JSON.Object = ["scene": .string(scene.name.rawValue)]
                    for (name, error) in [
                        ("model", scene.model), ("constant", scene.constant), ("line", scene.line),
                        ("constantOfScans", scene.constantOfScans), ("lineOfScans", scene.lineOfScans),
                    ] {
                        row[name] = error.map {
                            [
                                "count": .int(Int64($0.count)), "metres": .double($0.metres),
                                "logarithm": .double($0.logarithm), "bias": .double($0.bias),
                            ]
                        }
                    }
                    row["slope"] = scene.fitted.map { .double($0.slope) }
                    return .object(row)
                }),
        ]
    }
}

struct RealityChamberCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chamber", abstract: "How strongly phones heard each other at one metre in an anechoic chamber.",
        discussion: """
            The folder is bt-measurements (experiments 25, 27, 28 and 29). The offset is how much stronger the receiver hears a sender than \
            an iPhone 11 hears the same one in the same experiment. Exit status: 0, or 2 when a file cannot be used.
            """)

    @Argument(help: "The folder bt-measurements of DP-3T/bt-measurements.") var folder: String
    @Flag(help: "Print JSON.") var json = false

    private static let reference = "iPhone11"

    func run() throws {
        let table = try ChamberTable(folder: folder)
        if json {
            return print(
                JSON.object([
                    "refused": .int(Int64(table.refused)),
                    "rows": .array(
                        table.rows.map { row in
                            var object: JSON.Object = [
                                "experiment": .string(row.experiment), "receiver": .string(row.receiver),
                                "transmitter": .string(row.transmitter), "power": .int(Int64(row.power)),
                                "count": .int(Int64(row.count)),
                                "quartiles": .array(row.quartiles.map { .int(Int64($0)) }),
                            ]
                            object["offset"] = table.offset(of: row, from: Self.reference).map { .int(Int64($0)) }
                            return .object(object)
                        }),
                ]))
        }
        print("RSSI at 1 m in dBm; \(table.refused) receptions left out that no controller measures")
        print(
            TextColumn.left("", 7) + TextColumn.left("receiver", 14) + TextColumn.left("sender", 14)
                + ["power", "count", "median", "quartiles", "offset"].map { TextColumn.right($0, 12) }.joined())
        for row in table.rows {
            print(
                TextColumn.left(row.experiment, 7) + TextColumn.left(row.receiver, 14)
                    + TextColumn.left(row.transmitter, 14)
                    + [
                        "\(row.power)", "\(row.count)", "\(row.quartiles[1])", "\(row.quartiles[0]) to \(row.quartiles[2])",
                        table.offset(of: row, from: Self.reference).map { "\($0)" } ?? "-",
                    ].map { TextColumn.right($0, 12) }.joined())
        }
    }
}
