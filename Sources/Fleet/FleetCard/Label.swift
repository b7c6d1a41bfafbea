// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText

/// The sizes of label that printers' rolls and sheets have, in whole millimetres, width first.
public enum LabelSize: String, Sendable, CaseIterable {
    /// Small labels on rolls.
    case small = "50x25"
    /// Address labels of Brother (DK-11209).
    case brother = "62x29"
    /// Address labels of Dymo (99012).
    case dymo = "89x36"

    /// All of them, for sentences.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// Reads one, such as `50x25`, in letters of either case. Throws `noSize` for any other text.
    public init(parsing text: String) throws(LabelFault) {
        guard let size = Self(rawValue: text.lowercased()) else { throw .noSize(ForeignText.line(text, limit: 40)) }
        self = size
    }

    /// Millimetres.
    var width: Double { self == .small ? 50 : self == .brother ? 62 : 89 }
    /// Millimetres.
    var height: Double { self == .small ? 25 : self == .brother ? 29 : 36 }
}

/// A label as rectangles and lines of text, in millimetres from its upper left corner: the same drawing as SVG and as PDF.
struct Label {
    /// A line of text: its left end on the base line, in a font whose letters are all 0.6 of its size wide.
    struct Line: Equatable {
        let x: Double
        let y: Double
        let size: Double
        let text: String
    }

    /// A dark bar of the code, one module high.
    struct Bar: Equatable {
        let x: Double
        let y: Double
        let width: Double
        let height: Double
    }

    private static let margin = 1.5
    private static let letterWidth = 0.6

    let size: LabelSize
    let bars: [Bar]
    let lines: [Line]

    init(_ size: LabelSize, code: QRCode, lines texts: [String]) {
        let module = size.height / Double(code.side + 2 * QRCode.quiet)
        var bars: [Bar] = []
        for row in 0..<code.side {
            var column = 0
            while column < code.side {
                guard code.isDark(column, row) else {
                    column += 1
                    continue
                }
                var end = column
                while code.isDark(end, row) { end += 1 }
                bars.append(
                    Bar(
                        x: Double(column + QRCode.quiet) * module, y: Double(row + QRCode.quiet) * module,
                        width: Double(end - column) * module, height: module))
                column = end
            }
        }
        let height = size.height
        let room = size.width - size.height - Self.margin
        let step = (size.height - 2 * Self.margin) / Double(max(texts.count, 1))
        self.size = size
        self.bars = bars
        lines = texts.enumerated().map { index, text in
            let fitting = room / (Double(max(text.unicodeScalars.count, 1)) * Self.letterWidth)
            let size = min(fitting, step * 0.8)
            return Line(x: height, y: Self.margin + Double(index) * step + step * 0.75, size: size, text: text)
        }
    }

    /// A picture for programs that print or place it; true to size.
    var svg: String {
        let path = bars.map {
            "M\(Self.number($0.x)) \(Self.number($0.y))h\(Self.number($0.width))v\(Self.number($0.height))h-\(Self.number($0.width))z"
        }
        let texts = lines.map {
            "<text x=\"\(Self.number($0.x))\" y=\"\(Self.number($0.y))\" font-size=\"\(Self.number($0.size))\">\(Self.escaped($0.text))</text>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(size.width))mm" height="\(Int(size.height))mm" viewBox="0 0 \(Int(size.width)) \(Int(size.height))" font-family="monospace">
            <rect width="\(Int(size.width))" height="\(Int(size.height))" fill="#fff"/>
            <path d="\(path.joined())"/>
            \(texts.joined(separator: "\n"))
            </svg>

            """
    }

    /// A page of that size (PDF 1.4), in Courier, which every reader has.
    var pdf: [UInt8] {
        // Points, from the lower left corner.
        func points(_ millimetres: Double) -> String { Self.number(millimetres * 72 / 25.4) }
        var drawing = bars.map {
            "\(points($0.x)) \(points(size.height - $0.y - $0.height)) \(points($0.width)) \(points($0.height)) re\n"
        }
        drawing.append("f\n")
        var content = Array(drawing.joined().utf8)
        for line in lines {
            content += Array("BT /F \(points(line.size)) Tf \(points(line.x)) \(points(size.height - line.y)) Td (".utf8)
            content += Self.latin(line.text) + Array(") Tj ET\n".utf8)
        }
        let objects: [[UInt8]] = [
            Array("<< /Type /Catalog /Pages 2 0 R >>".utf8), Array("<< /Type /Pages /Kids [3 0 R] /Count 1 >>".utf8),
            Array(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(points(size.width)) \(points(size.height))] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
                    .utf8),
            Array("<< /Length \(content.count) >>\nstream\n".utf8) + content + Array("endstream".utf8),
            Array("<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>".utf8),
        ]
        var file = Array("%PDF-1.4\n".utf8)
        var places: [Int] = []
        for (index, object) in objects.enumerated() {
            places.append(file.count)
            file += Array("\(index + 1) 0 obj\n".utf8) + object + Array("\nendobj\n".utf8)
        }
        let table = file.count
        let entries = places.map { place in
            String(repeating: "0", count: 10 - "\(place)".utf8.count) + "\(place) 00000 n \n"
        }
        file += Array("xref\n0 \(objects.count + 1)\n0000000000 65535 f \n\(entries.joined())".utf8)
        return file + Array("trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(table)\n%%EOF\n".utf8)
    }

    /// Three decimals at most.
    private static func number(_ value: Double) -> String {
        let thousandths = Int((value * 1_000).rounded())
        let rest = "\(1_000 + thousandths % 1_000)".dropFirst()
        return "\(thousandths / 1_000).\(rest)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// Windows-1252 is Latin-1 here; what is in neither becomes a question mark.
    private static func latin(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
            switch scalar {
            case "(", ")", "\\": [UInt8(ascii: "\\"), UInt8(scalar.value)]
            default:
                (0x20...0x7E).contains(scalar.value) || (0xA0...0xFF).contains(scalar.value)
                    ? [UInt8(scalar.value)] : [UInt8(ascii: "?")]
            }
        }
    }
}
