// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import JSON
import Reality

/// The comparison of one scene, for people and for programs.
enum AirReport {
    /// Lines of a table; `names` are those of the simulated airs, in their order.
    static func lines(_ comparison: AirComparison, names: [String]) -> [String] {
        let widths = [8, 6] + AirTable.Measure.allCases.map { _ in 26 }
        func row(_ cells: [String]) -> String { zip(cells, widths).map { TextColumn.right($0, $1) }.joined() }
        var lines = [comparison.scene.rawValue]
        lines.append(row(["metres", "scans"] + AirTable.Measure.allCases.map(heading)))
        for entry in comparison.captured.rows {
            lines.append(
                row(
                    [range(entry), "\(entry.scans)"]
                        + AirTable.Measure.allCases.map { measure in
                            entry.values[measure].map { text($0, measure) } ?? "-"
                        }))
            for (index, means) in comparison.simulated.enumerated() {
                lines.append(
                    row(
                        ["", ""]
                            + AirTable.Measure.allCases.map { measure in
                                let value = means.values[entry.from]?[measure]
                                let isInside = comparison.isInside(measure, entry, index)
                                return "\(names[index]) \(value.map { number($0, measure) } ?? "-")"
                                    + (isInside == false ? " *" : "  ")
                            }))
            }
        }
        for index in comparison.simulated.indices {
            let inside = comparison.inside(index)
            lines.append(
                "\(names[index]): \(inside.count) of \(inside.all) inside (nothing, receptions, median, deviation)")
        }
        return lines
    }

    /// The same as JSON.
    static func document(_ comparison: AirComparison, names: [String]) -> JSON {
        let rows: [JSON] = comparison.captured.rows.map { entry in
            var row: JSON.Object = ["from": .double(entry.from), "scans": .int(Int64(entry.scans))]
            if entry.to.isFinite { row["to"] = .double(entry.to) }
            for (measure, estimate) in entry.values {
                var value: JSON.Object = [
                    "captured": .array([estimate.value, estimate.low, estimate.high].map(JSON.double))
                ]
                for (index, means) in comparison.simulated.enumerated() {
                    if let simulated = means.values[entry.from]?[measure] { value[names[index]] = .double(simulated) }
                }
                row[measure.rawValue] = .object(value)
            }
            return .object(row)
        }
        var inside: JSON.Object = [:]
        for index in comparison.simulated.indices {
            let (count, all) = comparison.inside(index)
            inside[names[index]] = .array([.int(Int64(count)), .int(Int64(all))])
        }
        return .object(["scene": .string(comparison.scene.rawValue), "rows": .array(rows), "inside": .object(inside)])
    }

    static func range(_ row: AirTable.Row) -> String {
        func text(_ metres: Double) -> String { metres == metres.rounded() ? "\(Int(metres))" : "\(metres)" }
        return row.to.isFinite ? "\(text(row.from))-\(text(row.to))" : "\(text(row.from))-"
    }

    private static func heading(_ measure: AirTable.Measure) -> String {
        switch measure {
        case .nothing: "nothing"
        case .receptions: "receptions"
        case .lowerQuartile: "lower quartile"
        case .median: "median"
        case .upperQuartile: "upper quartile"
        case .deviation: "deviation"
        case .peak: "peak"
        }
    }

    private static func number(_ value: Double, _ measure: AirTable.Measure) -> String {
        switch measure {
        case .nothing: "\(Int((100 * value).rounded())) %"
        case .receptions, .deviation, .peak: Terminal.fixed(value, 1)
        case .lowerQuartile, .median, .upperQuartile: Terminal.fixed(value, 1)
        }
    }

    private static func text(_ estimate: Estimate, _ measure: AirTable.Measure) -> String {
        "\(number(estimate.value, measure)) (\(number(estimate.low, measure)) to \(number(estimate.high, measure)))"
    }
}

/// How often and how long the captured phones scanned.
struct ScanRhythm {
    private let scans: Int
    private let lengths: [Double]
    private let periods: [Double]

    init(_ data: RecordedAfternoon) {
        let all = data.captures.values.map(\.scans)
        scans = all.reduce(0) { $0 + $1.count }
        lengths = all.joined().map { Double($0.end - $0.start) / 1e6 }.sorted()
        periods = all.flatMap { scans in zip(scans, scans.dropFirst()).map { Double($1.start - $0.start) / 1e6 } }.sorted()
    }

    private func quantile(_ values: [Double], _ share: Double) -> Double {
        values.isEmpty ? 0 : values[min(values.count - 1, Int(share * Double(values.count)))]
    }

    /// For people.
    var lines: [String] {
        func text(_ values: [Double], _ share: Double) -> String { Terminal.fixed(quantile(values, share), 1) }
        return [
            "\(scans) scans; length \(text(lengths, 0.5)) s (quartiles \(text(lengths, 0.25)), \(text(lengths, 0.75))), "
                + "from one to the next \(text(periods, 0.5)) s (\(text(periods, 0.25)), \(text(periods, 0.75)))"
        ]
    }

    /// For programs.
    var document: JSON {
        func quartiles(_ values: [Double]) -> JSON { .array([0.25, 0.5, 0.75].map { .double(quantile(values, $0)) }) }
        return .object(["scans": .int(Int64(scans)), "seconds": quartiles(lengths), "period": quartiles(periods)])
    }
}
