// SPDX-License-Identifier: Apache-2.0

/// The language of a page of the portal; the raw value is its code.
public enum PortalLanguage: String, Sendable, CaseIterable {
    /// German, in all of the portal's pages.
    case german = "de"
    /// English, in all of the portal's pages; the language when nothing else is asked for.
    case english = "en"

    /// Returns the portal's language that a browser prefers by its `Accept-Language` header (RFC 9110, 12.5.4). Only the
    /// first 16 parts of the header count; of equal preferences the first wins; a part that cannot be read is ignored.
    /// Returns English when neither language is wanted, and for `nil` (no header).
    public static func preferred(_ header: String?) -> PortalLanguage {
        var best: (language: PortalLanguage, quality: Double) = (.english, 0)
        // A header may be hostile; nobody speaks more than this.
        for range in (header ?? "").split(separator: ",").prefix(16) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard let name = parts.first?.split(separator: "-").first, let language = Self(rawValue: String(name)) else {
                continue
            }
            var quality = 1.0
            for part in parts.dropFirst() where part.hasPrefix("q=") { quality = Double(part.dropFirst(2)) ?? 0 }
            if quality > best.quality, quality <= 1 { best = (language, quality) }
        }
        return best.language
    }

    /// The one of the two texts.
    func callAsFunction(_ german: String, _ english: String) -> String { self == .german ? german : english }
}
