// SPDX-License-Identifier: Apache-2.0

/// How wide text is, to break and to centre it.
extension Sheet.Font {
    /// The width of `text` at a size of 1. Helvetica's by Adobe's metrics for ASCII; the rest is taken to be rather too wide.
    func width(_ text: some StringProtocol) -> Double {
        text.unicodeScalars.reduce(0) { $0 + Double(width($1)) } / 1_000
    }

    private func width(_ scalar: Unicode.Scalar) -> Int {
        guard self != .mono else { return 600 }
        switch scalar.value {
        case 0x20...0x7E: return (self == .bold ? Self.boldWidths : Self.plainWidths)[Int(scalar.value) - 0x20]
        case 0xA0, 0x202F: return 278
        case 0xC0...0xDE: return 778
        case 0xDF...0xFF: return 611
        default: return 1_000
        }
    }

    private static let plainWidths = [
        278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
        556, 556,
        556, 278, 278, 584, 584, 584, 556, 1_015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
        667, 778,
        722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556,
        222, 222,
        500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
    ]

    private static let boldWidths = [
        278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
        556, 556,
        556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
        667, 778,
        722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611,
        278, 278,
        556, 278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
    ]

    /// `text` in lines that are at most `room` wide at a size of 1: broken at blanks, and within words that are wider than that.
    func lines(_ text: String, room: Double) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var word = String(word)
            if !line.isEmpty, width(line + " " + word) <= room {
                line += " " + word
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while width(word) > room, word.count > 1 {
                var head = ""
                for letter in word {
                    guard head.isEmpty || width(head) + width(String(letter)) <= room else { break }
                    head.append(letter)
                }
                lines.append(head)
                word = String(word.dropFirst(head.count))
            }
            line = word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
