// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Reality

/// What was heard by distance as a picture: a row of panels for each scene; bars are the captures' intervals, rings are simulated.
enum AirPicture {
    private static let panel = (width: 250.0, height: 150.0, left: 60.0, top: 60.0)
    private static let measures: [(AirTable.Measure, String, ClosedRange<Double>)] = [
        (.nothing, "scans that heard nothing", 0...1), (.receptions, "receptions of a scan", 0...12),
        (.median, "median, dBm", -105 ... -65), (.deviation, "deviation in a scan, dB", 0...9),
    ]

    /// The SVG file.
    static func svg(_ comparisons: [AirComparison]) -> String {
        let width = panel.left + Double(measures.count) * panel.width
        let height = panel.top + Double(comparisons.count) * panel.height
        var body = ""
        for (column, measure) in measures.enumerated() {
            body += text(panel.left + Double(column) * panel.width, 40, measure.1)
        }
        for (line, comparison) in comparisons.enumerated() {
            let top = panel.top + Double(line) * panel.height
            body += text(4, top + 20, comparison.scene.rawValue)
            for (column, measure) in measures.enumerated() {
                body += draw(comparison, measure.0, measure.2, left: panel.left + Double(column) * panel.width, top: top)
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" font-family="sans-serif" font-size="12">
            <title>What a scan brings, by distance</title>
            <desc>Bars are the middle 95 % of a bootstrap of what real phones heard, with the value as a line; rings are simulated.</desc>
            <rect width="100%" height="100%" fill="#fff"/>
            \(body)</svg>

            """
    }

    private static func draw(
        _ comparison: AirComparison, _ measure: AirTable.Measure, _ range: ClosedRange<Double>, left: Double, top: Double
    ) -> String {
        let height = panel.height - 40
        func y(_ value: Double) -> Double {
            let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
            return top + height * (1 - min(max(share, 0), 1))
        }
        var body = ""
        for value in [range.lowerBound, range.upperBound] {
            body += "<path d=\"M\(number(left)) \(number(y(value)))h210\" stroke=\"#ccc\"/>\n"
            body += text(left - 4, y(value) + 4, Terminal.fixed(value, 0), anchor: "end")
        }
        for (index, row) in comparison.captured.rows.enumerated() {
            let x = left + 8 + Double(index) * 30
            body += text(x + 8, top + height + 16, AirReport.range(row), anchor: "middle", size: 10)
            guard let real = row.values[measure] else { continue }
            body += "<rect x=\"\(number(x))\" y=\"\(number(y(real.high)))\" width=\"16\" "
            body += "height=\"\(number(max(1, y(real.low) - y(real.high))))\" fill=\"#8db8dc\"/>\n"
            body += "<path d=\"M\(number(x)) \(number(y(real.value)))h16\" stroke=\"#08305c\" stroke-width=\"2\"/>\n"
            for means in comparison.simulated {
                guard let value = means.values[row.from]?[measure] else { continue }
                body +=
                    "<circle cx=\"\(number(x + 8))\" cy=\"\(number(y(value)))\" r=\"4\" fill=\"none\" stroke=\"#b3371b\" "
                body += "stroke-width=\"2\"/>\n"
            }
        }
        return body
    }

    private static func number(_ value: Double) -> String { Terminal.fixed(value, 1) }

    private static func text(_ x: Double, _ y: Double, _ text: String, anchor: String = "start", size: Int = 12) -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\" font-size=\"\(size)\">\(text)</text>\n"
    }
}
