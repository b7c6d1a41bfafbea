// SPDX-License-Identifier: Apache-2.0

/// What pictures are drawn with: the few shapes they need, as SVG.
struct Canvas {
    // Distinguishable with every kind of colour blindness, and in grey; every colour that means something has a shape or text beside it.
    static let ink = "#1d2733"
    static let faint = "#5b6775"
    static let line = "#d5dbe1"
    static let increased = "#b3371b"
    static let low = "#1f6398"
    static let unclear = "#6b6b6b"
    /// Near to far.
    static let bands = ["#08305c", "#3575b3", "#8db8dc", "#dbe6f0"]

    enum Anchor: String {
        case start, middle, end
    }

    let width: Double
    var body = ""

    static func number(_ value: Double) -> String {
        let text = StudyText.fixed(value, 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    static func safe(_ text: String) -> String {
        var safe = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": safe += "&amp;"
            case "<": safe += "&lt;"
            case ">": safe += "&gt;"
            case "\"": safe += "&quot;"
            // XML has no other control characters.
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: safe += " "
            default: safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    mutating func text(
        _ x: Double, _ y: Double, _ text: String, anchor: Anchor = .start, size: Double = 12, fill: String = ink,
        isBold: Bool = false, turned: Double? = nil
    ) {
        let place = "x=\"\(Self.number(x))\" y=\"\(Self.number(y))\""
        let turn = turned.map { " transform=\"rotate(\(Self.number($0)) \(Self.number(x)) \(Self.number(y)))\"" } ?? ""
        body += "<text \(place) font-size=\"\(Self.number(size))\" text-anchor=\"\(anchor)\" fill=\"\(fill)\""
        body += "\(isBold ? " font-weight=\"bold\"" : "")\(turn)>\(Self.safe(text))</text>\n"
    }

    /// `title` shows when the pointer rests on it, and is read aloud.
    mutating func rectangle(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String, stroke: String? = nil,
        title: String? = nil
    ) {
        body += "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))\" "
        body += "height=\"\(Self.number(height))\" fill=\"\(fill)\"\(stroke.map { " stroke=\"\($0)\"" } ?? "")"
        body += title.map { "><title>\(Self.safe($0))</title></rect>\n" } ?? "/>\n"
    }

    mutating func path(
        _ path: String, stroke: String, width: Double = 1, dashes: String? = nil, fill: String = "none"
    ) {
        body += "<path d=\"\(path)\" fill=\"\(fill)\" stroke=\"\(stroke)\" stroke-width=\"\(Self.number(width))\""
        body += "\(dashes.map { " stroke-dasharray=\"\($0)\"" } ?? "")/>\n"
    }

    mutating func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, stroke: String = line, width: Double = 1,
        dashes: String? = nil
    ) {
        path(
            "M\(Self.number(x1)) \(Self.number(y1))L\(Self.number(x2)) \(Self.number(y2))", stroke: stroke, width: width,
            dashes: dashes)
    }

    enum Shape {
        case circle, triangle, square, dash
    }

    mutating func mark(_ shape: Shape, _ x: Double, _ y: Double, _ radius: Double, fill: String, stroke: String) {
        let number = Self.number
        switch shape {
        case .circle:
            body += "<circle cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"\(number(radius))\" fill=\"\(fill)\" "
            body += "stroke=\"\(stroke)\" stroke-width=\"1.5\"/>\n"
        case .triangle:
            path(
                "M\(number(x)) \(number(y - radius * 1.15))L\(number(x + radius * 1.1)) \(number(y + radius * 0.85))H\(number(x - radius * 1.1))Z",
                stroke: stroke, width: 1.5, fill: fill)
        case .square:
            rectangle(x - radius, y - radius, 2 * radius, 2 * radius, fill: fill, stroke: stroke)
        case .dash: line(x - radius, y, x + radius, y, stroke: stroke, width: 2)
        }
    }

    /// The file, as high as is needed.
    func svg(height: Double, title: String, description: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.number(width)) \(Self.number(height))" role="img" \
        aria-labelledby="title description" font-family="'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif">
        <title id="title">\(Self.safe(title))</title>
        <desc id="description">\(Self.safe(description))</desc>
        <rect width="100%" height="100%" fill="#fff"/>
        \(body)</svg>

        """
    }

    /// The least 1, 2 or 5 times a power of ten that makes at most `count` steps of `length`.
    static func step(of length: Double, count: Double) -> Double {
        guard length.isFinite, length > 0 else { return 1 }
        var power = 1.0
        while power * count < length { power *= 10 }
        while power * count / 10 >= length, power > 1e-12 { power /= 10 }
        for factor in [0.1, 0.2, 0.5, 1.0] where power * factor * count >= length { return power * factor }
        return power
    }
}
