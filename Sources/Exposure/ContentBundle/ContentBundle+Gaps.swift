// SPDX-License-Identifier: Apache-2.0

extension ContentBundle {
    /// The languages of the boards' pages, by their names in bundles (a test compares them with the pages).
    public static let spokenLanguages = ["en", "de", "fr", "de-simple"]

    /// What the pages say of health without an authority, by the keys that ``Language/texts`` can replace.
    private static let adviceKeys = ["today.advice.", "result.next."]

    /// The differences between the languages of boards, where one lacks a text that another has, or has another
    /// number of entries. One English sentence each; empty if there are none.
    ///
    /// They are not errors: a board then shows the text in another language, marked as such. But a publisher should
    /// know of them.
    public var gaps: [String] {
        var gaps: [String] = []
        let missing = Self.spokenLanguages.filter { languages[$0] == nil }
        if !missing.isEmpty {
            gaps.append(
                "boards also speak \(Self.list(missing)): without texts of their own, they show those readers another language's, marked as such"
            )
        }
        // A language that is missing as a whole was named.
        let spoken = Self.spokenLanguages.filter { languages[$0] != nil }
        func compare(_ what: String, counts: Bool = true, _ count: (Language) -> Int) {
            let numbers = spoken.map { (name: $0, count: languages[$0].map(count) ?? 0) }
            let most = numbers.map(\.count).max() ?? 0
            let lacking = numbers.filter { $0.count == 0 }.map(\.name)
            let any = languages.values.contains { count($0) > 0 }
            if any, !lacking.isEmpty { gaps.append("\(what): there is nothing in \(Self.list(lacking))") }
            let differing = numbers.filter { $0.count > 0 && $0.count != most }
            if counts, !differing.isEmpty {
                let text = numbers.filter { $0.count > 0 }.map { "\($0.name) has \($0.count)" }.joined(separator: ", ")
                gaps.append("\(what): \(text); say the same things in every language")
            }
        }
        for occasion in Occasion.allCases {
            compare("recommendations.\(occasion.rawValue)") { $0.recommendations[occasion]?.count ?? 0 }
        }
        compare("hotlines") { $0.hotlines.count }
        compare("links", counts: false) { $0.links.count }
        compare("publication", counts: false) { $0.publication.count }
        let keys = Set(languages.values.flatMap(\.texts.keys)).filter { key in
            Self.adviceKeys.contains { key.hasPrefix($0) }
        }
        for key in keys.sorted() { compare("texts.\(key)") { $0.texts[key] == nil ? 0 : 1 } }
        return gaps
    }

    private static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }
}
