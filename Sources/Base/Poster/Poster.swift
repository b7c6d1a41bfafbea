// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// What hangs at a door: one code, and plain words. A value, for any thread.
public struct Poster: Sendable {
    /// The paper that it is printed on, upright.
    public enum Paper: String, Sendable, CaseIterable {
        /// A4 for a door; A6, a quarter of it, for a table or to take along (ISO 216).
        case a4, a6

        /// Millimetres.
        var width: Double { self == .a4 ? 210 : 105 }
        /// Millimetres.
        var height: Double { self == .a4 ? 297 : 148 }
    }

    /// What is said. Each text becomes one line or more; what must not be shown becomes `?`, and long texts are cut.
    public struct Words: Sendable, Equatable {
        /// What to do, in few words: the largest.
        public var heading: String
        /// The place or event, and where it is or when; `nil` where that is not known.
        public var name: String
        /// Lines below the name.
        public var details: [String]
        /// What to do, one after the other; they are numbered.
        public var steps: [String]
        /// What else is to be known, small.
        public var notes: [String]

        /// Words with these values, as they are.
        public init(heading: String, name: String, details: [String], steps: [String], notes: [String]) {
            self.heading = heading
            self.name = name
            self.details = details
            self.steps = steps
            self.notes = notes
        }
    }

    /// The code.
    public let code: QRCode
    /// The words around it.
    public let words: Words

    /// A poster of `code`, which was read back when it was made.
    public init(code: QRCode, words: Words) {
        self.code = code
        self.words = words
    }

    /// Millimetres of a module on that paper.
    public func module(on paper: Paper) -> Double { arranged(on: paper).module }

    /// The poster as a drawing; cannot fail.
    public func sheet(on paper: Paper) -> Sheet { arranged(on: paper).sheet }

    /// The poster as a PDF.
    /// - Throws: `noFont` if a PDF has no letters for the words.
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
