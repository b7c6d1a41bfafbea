// SPDX-License-Identifier: Apache-2.0

/// A page of dark bars and lines of text, in mm from its upper left corner, which can be written as SVG and as PDF.
public struct Sheet: Sendable, Equatable {
    /// The fonts, which every PDF reader has; in an SVG, browsers take similar ones.
    public enum Font: String, Sendable, CaseIterable {
        /// `plain` and `bold`: Helvetica. `mono`: Courier, in which every letter is 0.6 of its size wide.
        case plain, bold, mono
    }

    /// A line of text on the page.
    public struct Line: Sendable, Equatable {
        /// The left end of the line, in mm. The right end depends on the font that a program really uses.
        public let x: Double
        /// The base line of the text, in mm from the upper edge.
        public let y: Double
        /// The size of the font, in mm.
        public let size: Double
        /// The font of the line.
        public let font: Font
        /// The middle of a centred line in mm, around which an SVG centres it in any font; a PDF begins it at
        /// ``x``. `nil` for a line that is not centred.
        public let middle: Double?
        /// The text, which must be safe to show; not checked. The SVG escapes `&`, `<` and `>`.
        public let text: String

        /// Creates a line from these values, unchecked. Lengths are in mm.
        public init(x: Double, y: Double, size: Double, font: Font, middle: Double? = nil, text: String) {
            self.x = x
            self.y = y
            self.size = size
            self.font = font
            self.middle = middle
            self.text = text
        }
    }

    /// A dark rectangle on the page.
    public struct Bar: Sendable, Equatable {
        /// The left edge, the upper edge, the width and the height, in mm.
        public let x, y, width, height: Double

        /// Creates a bar from these values in mm, unchecked.
        public init(x: Double, y: Double, width: Double, height: Double) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    /// The width and the height of the page in mm.
    public let width, height: Double
    /// The dark rectangles, in the order in which they are drawn.
    public var bars: [Bar]
    /// The lines of text, drawn after the bars.
    public var lines: [Line]

    /// Creates a page from these parts, with lengths in mm. Parts beyond its edges are not visible. Nothing is
    /// checked: a length that is not finite stops the program when the page is written.
    public init(width: Double, height: Double, bars: [Bar] = [], lines: [Line] = []) {
        self.width = width
        self.height = height
        self.bars = bars
        self.lines = lines
    }

    /// Adds a code as bars. Its quiet zone begins at `x`, `y`, in mm; `module` is the side of a module in mm.
    public mutating func draw(_ code: QRCode, x: Double, y: Double, module: Double) {
        for run in code.runs {
            bars.append(
                Bar(
                    x: x + Double(run.column + QRCode.quiet) * module, y: y + Double(run.row + QRCode.quiet) * module,
                    width: Double(run.length) * module, height: module))
        }
    }

    /// Adds what is on another page, moved by `x` to the right and by `y` down, in mm.
    public mutating func add(_ other: Sheet, x: Double, y: Double) {
        bars += other.bars.map { Bar(x: $0.x + x, y: $0.y + y, width: $0.width, height: $0.height) }
        lines += other.lines.map {
            Line(
                x: $0.x + x, y: $0.y + y, size: $0.size, font: $0.font, middle: $0.middle.map { $0 + x }, text: $0.text)
        }
    }

    /// The page as an SVG in its real size, on white.
    public var svg: String {
        let path = bars.map {
            "M\(Self.number($0.x)) \(Self.number($0.y))h\(Self.number($0.width))v\(Self.number($0.height))h-\(Self.number($0.width))z"
        }
        let texts = lines.map { line in
            let anchor = line.middle == nil ? "" : " text-anchor=\"middle\""
            return
                "<text x=\"\(Self.number(line.middle ?? line.x))\" y=\"\(Self.number(line.y))\" font-size=\"\(Self.number(line.size))\"\(line.font.svg)\(anchor)>\(Self.escaped(line.text))</text>"
        }
        let (width, height) = (Self.number(width), Self.number(height))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)mm" height="\(height)mm" viewBox="0 0 \(width) \(height)">
            <rect width="\(width)" height="\(height)" fill="#fff"/>
            <path shape-rendering="crispEdges" d="\(path.joined())"/>
            \(texts.joined(separator: "\n"))
            </svg>

            """
    }

    /// Whether the fonts of a PDF have every character of the lines (Windows-1252). Other characters become `?` in
    /// ``pdf``.
    public var hasFonts: Bool { lines.allSatisfy { $0.text.unicodeScalars.allSatisfy { Latin.byte($0) != nil } } }

    /// The page as a PDF 1.4 of this size, in fonts that every reader has. Characters that they lack become `?`;
    /// see ``hasFonts``.
    public var pdf: [UInt8] { Self.pdf([self]) }

    /// Pages as one PDF 1.4, each of its own size, in fonts that every reader has. Without a page it is a file without pages, which readers refuse.
    public static func pdf(_ pages: [Sheet]) -> [UInt8] {
        let fonts = Font.allCases
        // 1 is the catalogue, 2 the list of pages, then the fonts; a page and its content are two objects.
        let first = 3 + fonts.count
        let kids = pages.indices.map { "\(first + 2 * $0) 0 R" }.joined(separator: " ")
        var file = Array("%PDF-1.4\n".utf8)
        var places: [Int] = []
        func add(_ object: [UInt8]) {
            places.append(file.count)
            file += Array("\(places.count) 0 obj\n".utf8) + object + Array("\nendobj\n".utf8)
        }
        add(Array("<< /Type /Catalog /Pages 2 0 R >>".utf8))
        add(Array("<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>".utf8))
        for font in fonts {
            add(Array("<< /Type /Font /Subtype /Type1 /BaseFont /\(font.pdfName) /Encoding /WinAnsiEncoding >>".utf8))
        }
        let names = fonts.enumerated().map { "/\($1.rawValue) \($0 + 3) 0 R" }.joined(separator: " ")
        for (index, page) in pages.enumerated() {
            add(
                Array(
                    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(points(page.width)) \(points(page.height))] /Contents \(first + 2 * index + 1) 0 R /Resources << /Font << \(names) >> >> >>"
                        .utf8))
            let content = page.content
            add(Array("<< /Length \(content.count) >>\nstream\n".utf8) + content + Array("endstream".utf8))
        }
        let table = file.count
        let entries = places.map { place in
            String(repeating: "0", count: 10 - "\(place)".utf8.count) + "\(place) 00000 n \n"
        }
        file += Array("xref\n0 \(places.count + 1)\n0000000000 65535 f \n\(entries.joined())".utf8)
        return file + Array("trailer\n<< /Size \(places.count + 1) /Root 1 0 R >>\nstartxref\n\(table)\n%%EOF\n".utf8)
    }

    private static func points(_ millimetres: Double) -> String { number(millimetres * 72 / 25.4) }

    /// The drawing of a page in a PDF.
    private var content: [UInt8] {
        // Points, from the lower left corner.
        let points = Self.points
        var drawing = bars.map {
            "\(points($0.x)) \(points(height - $0.y - $0.height)) \(points($0.width)) \(points($0.height)) re\n"
        }
        drawing.append("f\n")
        var content = Array(drawing.joined().utf8)
        for line in lines {
            content += Array(
                "BT /\(line.font.rawValue) \(points(line.size)) Tf \(points(line.x)) \(points(height - line.y)) Td (".utf8)
            content += Latin.string(line.text) + Array(") Tj ET\n".utf8)
        }
        return content
    }

    /// Three decimals at most.
    private static func number(_ value: Double) -> String {
        let thousandths = Int((value * 1_000).rounded())
        guard thousandths % 1_000 != 0 else { return "\(thousandths / 1_000)" }
        let rest = "\(1_000 + thousandths.magnitude % 1_000)".dropFirst()
        return "\(thousandths < 0 ? "-" : "")\(thousandths.magnitude / 1_000).\(rest)"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Sheet.Font {
    fileprivate var pdfName: String {
        switch self {
        case .plain: "Helvetica"
        case .bold: "Helvetica-Bold"
        case .mono: "Courier"
        }
    }

    fileprivate var svg: String {
        switch self {
        case .plain: " font-family=\"Helvetica,Arial,sans-serif\""
        case .bold: " font-family=\"Helvetica,Arial,sans-serif\" font-weight=\"bold\""
        case .mono: " font-family=\"monospace\""
        }
    }
}

/// Windows-1252, the characters of a PDF's `WinAnsiEncoding`.
enum Latin {
    /// `nil` for a character that is not in it.
    static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar.value {
        case 0x20...0x7E, 0xA0...0xFF: UInt8(scalar.value)
        case 0x202F: 0xA0
        default: marks[scalar]
        }
    }

    /// The content of a string between brackets.
    static func string(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
            let byte = byte(scalar) ?? UInt8(ascii: "?")
            return "()\\".utf8.contains(byte) ? [UInt8(ascii: "\\"), byte] : [byte]
        }
    }

    private static let marks: [Unicode.Scalar: UInt8] = [
        "€": 0x80, "‚": 0x82, "ƒ": 0x83, "„": 0x84, "…": 0x85, "†": 0x86, "‡": 0x87, "ˆ": 0x88, "‰": 0x89, "Š": 0x8A,
        "‹": 0x8B,
        "Œ": 0x8C, "Ž": 0x8E, "‘": 0x91, "’": 0x92, "“": 0x93, "”": 0x94, "•": 0x95, "–": 0x96, "—": 0x97, "˜": 0x98,
        "™": 0x99,
        "š": 0x9A, "›": 0x9B, "œ": 0x9C, "ž": 0x9E, "Ÿ": 0x9F,
    ]
}
