// SPDX-License-Identifier: Apache-2.0

/// A language in which the pages exist. Raw values are stable: they name settings and texts.
public enum Language: String, Sendable, CaseIterable, Codable {
    /// English, the language of the product.
    case english = "en"
    /// German, in ordinary style.
    case german = "de"
    /// French, in ordinary style.
    case french = "fr"
    /// German in plain language, for people who read with difficulty; it is used only if chosen by name.
    case plainGerman = "de-simple"

    /// The language tag of the page (BCP 47), for speech output and hyphenation.
    public var tag: String {
        switch self {
        case .english: "en"
        case .german, .plainGerman: "de"
        case .french: "fr"
        }
    }

    /// The name of the language in the language itself.
    public var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .french: "Français"
        case .plainGerman: "Deutsch in Leichter Sprache"
        }
    }

    /// Chooses the language that a browser prefers (`Accept-Language`) among those of the pages; English if none fits.
    /// Cannot fail.
    ///
    /// Weights count first, then the order; a language with the weight 0, or with one that cannot be read, is not chosen.
    /// Plain language is chosen only by its name `de-simple`. Only the first 1,000 bytes and the first 32 languages are
    /// read.
    public init(accepting header: String) {
        var best = Language.english
        var bestWeight = 0
        for part in header.utf8.prefix(1_000).split(separator: UInt8(ascii: ",")).prefix(32) {
            let fields = part.split(separator: UInt8(ascii: ";"))
            guard let first = fields.first else { continue }
            let name = String(decoding: first.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
            let weight = fields.count > 1 ? Self.weight(fields[1]) : 1_000
            guard weight > bestWeight, let language = Self(browserName: name) else { continue }
            best = language
            bestWeight = weight
        }
        self = best
    }

    private init?(browserName: String) {
        if browserName == "de-simple" {
            self = .plainGerman
            return
        }
        switch browserName.utf8.prefix(while: { $0 != UInt8(ascii: "-") }).map({ $0 }) {
        case Array("en".utf8): self = .english
        case Array("de".utf8): self = .german
        case Array("fr".utf8): self = .french
        default: return nil
        }
    }

    /// Thousandths, from 0, 1 or such a number with up to three digits after a point (RFC 9110 12.4.2); 0 for what is no weight.
    private static func weight(_ field: Substring.UTF8View.SubSequence) -> Int {
        let text = String(decoding: field.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
        guard text.hasPrefix("q=") else { return 0 }
        let parts = text.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" || whole == "1", parts.count <= 2 else { return 0 }
        let digits = parts.count == 2 ? parts[1] : ""
        guard digits.utf8.count <= 3, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return 0 }
        let broken = Int(digits + String(repeating: "0", count: 3 - digits.utf8.count)) ?? 0
        guard whole == "1" else { return broken }
        return broken == 0 ? 1_000 : 0
    }

    /// Which form of a text goes with a number.
    func isOne(_ number: Int64) -> Bool {
        switch self {
        case .french: number == 0 || number == 1
        default: number == 1
        }
    }

    /// Between whole and broken part.
    var decimalMark: String { self == .english ? "." : "," }

    /// Between thousands.
    var groupMark: String {
        switch self {
        case .english: ","
        case .german, .plainGerman: "."
        case .french: "\u{202F}"
        }
    }
}
