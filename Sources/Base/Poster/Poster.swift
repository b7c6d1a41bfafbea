// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// A poster for the door of a place or event: a QR code and the words around it. An immutable value, which may be
/// used on any thread.
public struct Poster: Sendable {
    /// The paper sizes for a poster, always upright.
    public enum Paper: String, Sendable, CaseIterable {
        /// `a4`, 210 × 297 mm, for a door; `a6`, 105 × 148 mm, for a table or to take along (ISO 216).
        case a4, a6

        /// Millimetres.
        var width: Double { self == .a4 ? 210 : 105 }
        /// Millimetres.
        var height: Double { self == .a4 ? 297 : 148 }
    }

    /// The words of a poster. Each text fills one line or more. Characters that are not safe to show become `?`
    /// (`ForeignText`), and a text is cut after 300 characters with `…`.
    public struct Words: Sendable, Equatable {
        /// The request to the visitor in a few words, in the largest letters.
        public var heading: String
        /// The name of the place or event; empty for no line.
        public var name: String
        /// The lines below the name, such as the address or the time; may be empty.
        public var details: [String]
        /// The instructions in order, which are numbered from 1; may be empty.
        public var steps: [String]
        /// Further remarks, in the smallest letters; may be empty.
        public var notes: [String]

        /// Creates words from these texts, unchecked.
        public init(heading: String, name: String, details: [String], steps: [String], notes: [String]) {
            self.heading = heading
            self.name = name
            self.details = details
            self.steps = steps
            self.notes = notes
        }
    }

    /// The QR code on the poster.
    public let code: QRCode
    /// The words around the code.
    public let words: Words

    /// Creates a poster from a code, which ``QRCode/init(_:level:)`` has read back, and from words. Cannot fail.
    public init(code: QRCode, words: Words) {
        self.code = code
        self.words = words
    }

    /// Returns the side of a module on this paper in mm. The code with its quiet zone takes at least half of the
    /// width of the paper; with very long texts, at least 30 percent.
    public func module(on paper: Paper) -> Double { arranged(on: paper).module }

    /// Returns the poster as a drawing. Long texts make all letters smaller, so that the code keeps its size.
    /// Cannot fail.
    public func sheet(on paper: Paper) -> Sheet { arranged(on: paper).sheet }

    /// Returns the poster as a PDF of one page. Throws `noFont` if the words contain a character that the fonts of
    /// a PDF do not have (``Sheet/hasFonts``).
    public func pdf(on paper: Paper) throws(PosterError) -> [UInt8] {
        let sheet = sheet(on: paper)
        guard sheet.hasFonts else { throw .noFont }
        return sheet.pdf
    }

    // MARK: Arranging

    /// A paragraph in a font and size; sizes are those on A4.
    private struct Block {
        let texts: [String]
        let font: Sheet.Font
        let size: Double
        var isCentred = true
        var isNumbered = false
        /// Scalars of each text, at most.
        var limit = 300
    }

    /// The code is a square of at least that part of the paper's width.
    private static let leastShare = 0.5

    /// The words first, as small as they must be for the code to have room; the code has what they leave.
    private func arranged(on paper: Paper) -> (sheet: Sheet, module: Double) {
        let top = [
            Block(texts: [words.heading], font: .bold, size: 15), Block(texts: [words.name], font: .bold, size: 9),
            Block(texts: words.details, font: .plain, size: 6),
        ]
        let bottom = [
            Block(texts: words.steps, font: .plain, size: 5.6, isCentred: false, isNumbered: true),
            Block(texts: words.notes, font: .plain, size: 4.2, isCentred: false),
        ]
        let margin = paper.width / 14
        let room = paper.width - 2 * margin
        var scale = paper.width / 210
        while true {
            var sheet = Sheet(width: paper.width, height: paper.height)
            let head = Self.write(top, scale, from: margin, left: margin, room: room, &sheet)
            var foot = Sheet(width: paper.width, height: paper.height)
            let below = Self.write(bottom, scale, from: 0, left: margin, room: room, &foot)
            let side = min(room, paper.height - margin - below - head)
            // Below a third of their size words of any length have room: each is cut at its limit.
            guard side >= Self.leastShare * paper.width || scale < paper.width / 210 / 3.5 else {
                scale *= 0.93
                continue
            }
            let module = max(side, 0.3 * paper.width) / Double(code.side + 2 * QRCode.quiet)
            let drawn = module * Double(code.side + 2 * QRCode.quiet)
            let start = paper.height - margin - below
            sheet.draw(code, x: (paper.width - drawn) / 2, y: head + (start - head - drawn) / 2, module: module)
            sheet.lines += foot.lines.map {
                .init(x: $0.x, y: $0.y + start, size: $0.size, font: $0.font, middle: $0.middle, text: $0.text)
            }
            return (sheet, module)
        }
    }

    /// Writes blocks below each other; gives where the next thing may stand.
    private static func write(
        _ blocks: [Block], _ scale: Double, from top: Double, left: Double, room: Double, _ sheet: inout Sheet
    ) -> Double {
        var y = top
        for block in blocks {
            let size = block.size * scale
            let indent = block.isNumbered ? 1.4 * size : 0
            for (index, text) in block.texts.enumerated() {
                let shown = ForeignText.line(text, limit: block.limit)
                for (line, part) in block.font.lines(shown, room: (room - indent) / size).enumerated() {
                    y += size * 1.22
                    let base = y - size * 0.22
                    if block.isNumbered, line == 0 {
                        sheet.lines.append(
                            .init(x: left, y: base, size: size, font: .bold, text: "\(index + 1)"))
                    }
                    let width = block.font.width(part) * size
                    sheet.lines.append(
                        .init(
                            x: block.isCentred ? left + (room - width) / 2 : left + indent, y: base, size: size,
                            font: block.font, middle: block.isCentred ? left + room / 2 : nil, text: part))
                }
                if block.isNumbered { y += size * 0.3 }
            }
            if !block.texts.isEmpty { y += size * 0.35 }
        }
        return y
    }
}
