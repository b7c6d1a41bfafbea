// SPDX-License-Identifier: Apache-2.0

/// The colours of the pages, by what they are for. Text on its ground has a contrast of 7 : 1 or more (WCAG 2.2, 1.4.6), which a test works
/// out from these numbers; edges that mean something have 3 : 1 (1.4.11).
struct Palette: Sendable {
    /// Red, green, blue, each of 8 bits.
    struct Colour: Sendable, Equatable {
        let number: UInt32

        var css: String {
            let digits = String(number, radix: 16)
            return "#" + String(repeating: "0", count: 6 - digits.utf8.count) + digits
        }
    }

    /// By name, in the order of the style sheet.
    let colours: [(name: String, colour: Colour)]

    subscript(name: String) -> Colour? { colours.first { $0.name == name }?.colour }

    private init(_ colours: KeyValuePairs<String, UInt32>) {
        self.colours = colours.map { ($0.key, Colour(number: $0.value)) }
    }

    /// Warm paper, ink, and a green that grew outside.
    static let light = Palette([
        "ground": 0xFAF5EC, "card": 0xFFFDF8, "sunk": 0xF1E9DC, "ink": 0x26211B, "soft": 0x4F463B, "edge": 0xDDD1BF,
        "firm-edge": 0x85796A,
        "accent": 0x0E4F47, "on-accent": 0xFFFFFF, "link": 0x0B4A54, "focus": 0x7A3B00,
        "calm": 0xDDEEDF, "calm-ink": 0x12432A, "calm-edge": 0x2F7A50, "warm": 0xFBE1D6, "warm-ink": 0x701C0C,
        "warm-edge": 0xB4432B,
        "heed": 0xFBEBC4, "heed-ink": 0x553900, "heed-edge": 0x94690A, "still": 0xE7E5E6, "still-ink": 0x363A45,
        "still-edge": 0x6B7080,
    ])

    /// The same room in the evening.
    static let dark = Palette([
        "ground": 0x191613, "card": 0x231F1B, "sunk": 0x2D2823, "ink": 0xF5EDE2, "soft": 0xCFC4B5, "edge": 0x3F3831,
        "firm-edge": 0x95897A,
        "accent": 0x9FD8C4, "on-accent": 0x0B2A24, "link": 0x9DD6DB, "focus": 0xFFC66E,
        "calm": 0x17332A, "calm-ink": 0xBFE8CF, "calm-edge": 0x5FAE87, "warm": 0x43201A, "warm-ink": 0xFFD2C4,
        "warm-edge": 0xE08468,
        "heed": 0x3B2D0E, "heed-ink": 0xFBE0A0, "heed-edge": 0xC79A3A, "still": 0x2C2D33, "still-ink": 0xDADCE4,
        "still-edge": 0x8F94A3,
    ])

    /// What stands on what, as text.
    static let texts: [(text: String, ground: String)] =
        ["ink", "soft", "link", "accent"].flatMap { text in ["ground", "card", "sunk"].map { (text, $0) } }
        + ["calm", "warm", "heed", "still"].map { ($0 + "-ink", $0) } + [("on-accent", "accent")]
        + ["calm", "warm", "heed", "still"].map { ("ink", $0) }

    /// Edges and marks that mean something.
    static let marks: [(mark: String, ground: String)] =
        ["calm", "warm", "heed", "still"].flatMap {
            [($0 + "-edge", "card"), ($0 + "-edge", "ground"), ($0 + "-edge", $0)]
        }
        + [("firm-edge", "card"), ("focus", "ground"), ("focus", "card")]

    var css: String {
        var text = ""
        for (name, colour) in colours { text += "--\(name):\(colour.css);" }
        return text
    }
}
