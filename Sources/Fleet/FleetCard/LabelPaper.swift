// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Poster

/// The paper for the labels of many boards.
public enum LabelPaper: Sendable, Hashable {
    /// A roll: each label is a page of this size.
    case roll(LabelSize)
    /// Sheets of A4 with 3 x 9 labels of 63.5 x 29.6 mm, centred, 2.5 mm between columns: Avery Zweckform L6114 and its like.
    case sheet

    /// Reads its name in commands, which is that of a ``LabelSize``, or `a4`, in any case. Throws `noPaper` for any other text.
    public init(parsing text: String) throws(LabelFault) {
        if text.lowercased() == "a4" {
            self = .sheet
        } else if let size = try? LabelSize(parsing: text) {
            self = .roll(size)
        } else {
            throw .noPaper(ForeignText.line(text, limit: 40))
        }
    }

    /// The size in which a label is drawn.
    var size: LabelSize {
        switch self {
        case .roll(let size): size
        case .sheet: .brother
        }
    }

    /// How many labels a page has.
    public var labelsPerPage: Int { self == .sheet ? Self.columns * Self.rows : 1 }

    /// How many pages so many labels need; the first `skipped` places of the first sheet stay empty.
    public func pages(_ count: Int, skipped: Int = 0) -> Int {
        count == 0 ? 0 : (count + skipped + labelsPerPage - 1) / labelsPerPage
    }

    private static let columns = 3
    private static let rows = 9
    /// A4 and the labels on it, in mm.
    private static let (width, height, labelWidth, labelHeight, gap) = (210.0, 297.0, 63.5, 29.6, 2.5)

    /// The pages for these labels, which were drawn in ``size``.
    func arranged(_ labels: [Label], skipped: Int) -> [Sheet] {
        guard case .sheet = self else { return labels.map(\.sheet) }
        let left = (Self.width - Double(Self.columns) * Self.labelWidth - Double(Self.columns - 1) * Self.gap) / 2
        let top = (Self.height - Double(Self.rows) * Self.labelHeight) / 2
        var pages = (0..<pages(labels.count, skipped: skipped)).map { _ in Sheet(width: Self.width, height: Self.height) }
        for (index, label) in labels.enumerated() {
            let (page, place) = (skipped + index).quotientAndRemainder(dividingBy: labelsPerPage)
            // In the middle of its place: the label is a little smaller.
            pages[page].add(
                label.sheet,
                x: left + Double(place % Self.columns) * (Self.labelWidth + Self.gap)
                    + (Self.labelWidth - label.sheet.width) / 2,
                y: top + Double(place / Self.columns) * Self.labelHeight + (Self.labelHeight - label.sheet.height) / 2)
        }
        return pages
    }
}
