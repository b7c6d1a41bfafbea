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

    /// Thousandths; 0 for what is no weight.
    private static func weight(_ field: Substring.UTF8View.SubSequence) -> Int {
        let bytes = field.filter { $0 != 0x20 }
        guard bytes.count >= 3, bytes[0] == UInt8(ascii: "q"), bytes[1] == UInt8(ascii: "=") else { return 0 }
        if bytes[2] == UInt8(ascii: "1") { return 1_000 }
        var weight = 0
        var place = 100
        for byte in bytes.dropFirst(4).prefix(3) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return 0 }
            weight += Int(byte - UInt8(ascii: "0")) * place
            place /= 10
        }
        return weight
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
