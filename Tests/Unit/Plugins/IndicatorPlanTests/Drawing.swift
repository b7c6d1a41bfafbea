// SPDX-License-Identifier: Apache-2.0

import IndicatorPlan

/// Rows of what is on over some seconds, as an SVG file for docs/indicator.md. Whole numbers throughout: equal everywhere.
struct Drawing {
    /// One row: when it is on, and how it looks.
    struct Row {
        let name: String
        let fill: String
        /// On from, to; milliseconds.
        let bars: [(from: Int, to: Int)]
    }

    /// Something that is written below the rows.
    struct Note {
        let moment: Int
        let text: String
    }

    let title: String
    let seconds: Int
    let rows: [Row]
    var notes: [Note] = []

    private let left = 190
    private let rowHeight = 44

    private func x(_ moment: Int, _ width: Int) -> Int { left + moment * (width - left - 20) / (seconds * 1_000) }

    var svg: String {
        let width = 960
        let bottom = 50 + rows.count * rowHeight
        let height = bottom + 34 + (notes.isEmpty ? 0 : 16 + 18 * notes.count)
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" role="img" \
            font-family="sans-serif" font-size="14" fill="#1a1a1a">
            <title>\(title)</title>
            <rect width="\(width)" height="\(height)" fill="#fff"/>
            <text x="20" y="28" font-size="16" font-weight="bold">\(title)</text>

            """
        for second in 0...seconds where seconds <= 14 || second.isMultiple(of: 2) {
            let place = x(second * 1_000, width)
            text += "<path d=\"M\(place) 44V\(bottom)\" stroke=\"#ddd\"/>\n"
            text +=
                "<text x=\"\(place)\" y=\"\(bottom + 18)\" font-size=\"12\" text-anchor=\"middle\">\(second) s</text>\n"
        }
        for (index, row) in rows.enumerated() {
            let top = 52 + index * rowHeight
            text += "<text x=\"20\" y=\"\(top + 22)\">\(row.name)</text>\n"
            text += "<path d=\"M\(left) \(top + 30)H\(width - 20)\" stroke=\"#999\"/>\n"
            for bar in row.bars {
                // A flash of 40 ms is a hair on this scale: at least two dots.
                let from = x(bar.from, width)
                let to = max(x(min(bar.to, seconds * 1_000), width), from + 2)
                text +=
                    "<path d=\"M\(from) \(top + 4)H\(to)V\(top + 30)H\(from)Z\" fill=\"\(row.fill)\" stroke=\"#1a1a1a\" stroke-width=\"1\"/>\n"
            }
        }
        for (index, note) in notes.enumerated() {
            let place = x(note.moment, width)
            text += "<path d=\"M\(place) 44V\(bottom)\" stroke=\"#06c\" stroke-dasharray=\"3 3\"/>\n"
            text += "<text x=\"\(place + 3)\" y=\"52\" font-size=\"12\" fill=\"#06c\">\(index + 1)</text>\n"
            text += "<text x=\"20\" y=\"\(bottom + 46 + 18 * index)\" font-size=\"13\">\(index + 1). \(note.text)</text>\n"
        }
        return text + "</svg>\n"
    }

    /// When `isOn` holds, up to `end`.
    static func bars(to end: Int, _ isOn: (Int) -> Bool) -> [(from: Int, to: Int)] {
        var result: [(Int, Int)] = []
        var begin: Int?
        for moment in 0...end {
            let on = moment < end && isOn(moment)
            if on, begin == nil { begin = moment }
            if !on, let first = begin {
                result.append((first, moment))
                begin = nil
            }
        }
        return result
    }

    static func fill(_ colour: Colour) -> String {
        switch colour {
        case .red: "#e0443e"
        case .green: "#2e9e5b"
        case .blue: "#3b78d8"
        case .yellow: "#f0c020"
        default: "#ffffff"
        }
    }
}
