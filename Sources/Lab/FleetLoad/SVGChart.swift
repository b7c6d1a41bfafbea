// SPDX-License-Identifier: Apache-2.0

/// A chart of a series of numbers as an SVG file of a few kilobytes: an area, two axes, and lines to compare with.
public struct SVGChart: Sendable {
    private let title: String
    private let values: [Double]
    private let secondsPerValue: Int
    private var lines: [(value: Double, label: String)] = []

    private let width = 960.0
    private let height = 320.0
    private let left = 80.0
    private let right = 20.0
    private let top = 48.0
    private let bottom = 40.0

    /// Creates a chart without lines. `values` are counts per `secondsPerValue` seconds (1 or more, not checked) from
    /// 00:00, each 0 or more; `title` is written above.
    public init(title: String, values: [Int], secondsPerValue: Int = 60) {
        self.title = title
        self.values = values.map(Double.init)
        self.secondsPerValue = secondsPerValue
    }

    /// Adds a dashed horizontal line at `value`, in the unit of the values, with a label.
    public mutating func addLine(at value: Double, _ label: String) { lines.append((value, label)) }

    private func x(_ index: Int) -> Double { left + (width - left - right) * Double(index) / Double(max(values.count, 1)) }
    private func y(_ value: Double, _ limit: Double) -> Double { height - bottom - (height - top - bottom) * value / limit }

    /// One digit after the point: a tenth of a picture element.
    private func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }

    private func text(_ x: Double, _ y: Double, _ text: String, anchor: String = "start", size: Int = 12) -> String {
        let safe = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return
            "<text x=\"\(number(x))\" y=\"\(number(y))\" font-size=\"\(size)\" text-anchor=\"\(anchor)\">\(safe)</text>\n"
    }

    /// The least 1, 2 or 5 times a power of ten that gives at most `count` steps up to `maximum`.
    static func step(for maximum: Double, count: Double) -> Double {
        var power = 1.0
        while power * 10 * count < maximum { power *= 10 }
        for factor in [1.0, 2, 5] where power * factor * count >= maximum { return power * factor }
        return power * 10
    }

    /// The text of the complete SVG file; `<` and `&` in title and labels are escaped. Cannot fail.
    public var svg: String {
        let maximum = max(values.max() ?? 0, lines.map(\.value).max() ?? 0, 1)
        let step = Self.step(for: maximum, count: 5)
        let limit = step * (maximum / step).rounded(.up)
        var body = text(left, 24, title, size: 15)
        for tick in 0...Int(limit / step) {
            let value = step * Double(tick)
            let height = number(y(value, limit))
            body += "<path d=\"M\(number(left)) \(height)H\(number(width - right))\" stroke=\"#ddd\"/>\n"
            body += text(left - 8, y(value, limit) + 4, Self.grouped(Int(value)), anchor: "end")
        }
        let seconds = values.count * secondsPerValue
        let hours = seconds > 12 * 3_600 ? 3 : 1
        for hour in stride(from: 0, through: seconds / 3_600, by: hours) {
            let place = x(hour * 3_600 / secondsPerValue)
            body += text(place, height - bottom + 18, hour < 10 ? "0\(hour):00" : "\(hour):00", anchor: "middle")
        }
        // Equal neighbours are one step of the outline.
        var outline = "M\(number(x(0))) \(number(y(0, limit)))"
        var last: Double?
        for (index, value) in values.enumerated() where value != last {
            outline += "H\(number(x(index)))V\(number(y(value, limit)))"
            last = value
        }
        outline += "H\(number(x(values.count)))V\(number(y(0, limit)))Z"
        body += "<path d=\"\(outline)\" fill=\"#4a7fb5\"/>\n"
        for (value, label) in lines {
            let height = y(value, limit)
            body += "<path d=\"M\(number(left)) \(number(height))H\(number(width - right))\" stroke=\"#b5442a\" "
            body += "stroke-dasharray=\"6 4\" fill=\"none\"/>\n"
            body += text(width - right, height - 6, label, anchor: "end")
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \(number(height))" font-family="sans-serif" \
            fill="#222">
            <rect width="100%" height="100%" fill="#fff"/>
            \(body)</svg>

            """
    }

    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in "\(number)".reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}
