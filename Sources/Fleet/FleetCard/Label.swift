// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Poster

/// The sizes of labels that can be printed, which are those of common rolls; the raw value is width and height in
/// whole millimetres.
public enum LabelSize: String, Sendable, CaseIterable {
    /// 50 x 25 mm: small labels on rolls.
    case small = "50x25"
    /// 62 x 29 mm: address labels of Brother (DK-11209).
    case brother = "62x29"
    /// 89 x 36 mm: address labels of Dymo (99012).
    case dymo = "89x36"

    /// All of them, for sentences.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// Reads a size, one of the raw values such as `50x25`, in any case. Throws `noSize` for any other text.
    public init(parsing text: String) throws(LabelFault) {
        guard let size = Self(rawValue: text.lowercased()) else { throw .noSize(ForeignText.line(text, limit: 40)) }
        self = size
    }

    /// Millimetres.
    var width: Double { self == .small ? 50 : self == .brother ? 62 : 89 }
    /// Millimetres.
    var height: Double { self == .small ? 25 : self == .brother ? 29 : 36 }
}

/// A label: its code at the left, and lines of text beside it.
struct Label {
    private static let margin = 1.5
    private static let letterWidth = 0.6

    let size: LabelSize
    let code: QRCode
    /// The drawing; its texts are in a font whose letters are all 0.6 of its size wide.
    let sheet: Sheet

    init(_ size: LabelSize, code: QRCode, lines texts: [String]) {
        let module = size.height / Double(code.side + 2 * QRCode.quiet)
        let height = size.height
        let room = size.width - size.height - Self.margin
        let step = (size.height - 2 * Self.margin) / Double(max(texts.count, 1))
        self.size = size
        self.code = code
        var drawing = Sheet(
            width: size.width, height: height,
            lines: texts.enumerated().map { index, text in
                let fitting = room / (Double(max(text.unicodeScalars.count, 1)) * Self.letterWidth)
                let size = min(fitting, step * 0.8)
                return Sheet.Line(
                    x: height, y: Self.margin + Double(index) * step + step * 0.75, size: size, font: .mono, text: text)
            })
        drawing.draw(code, x: 0, y: 0, module: module)
        sheet = drawing
    }
}
