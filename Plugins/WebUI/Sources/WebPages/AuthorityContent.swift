// SPDX-License-Identifier: Apache-2.0

/// What the health authority wants people to read, in several languages. Where it says something, that stands in place of the pages' own
/// words; where it is silent, those hold.
///
/// Everything in it is plain text; links that are not `https:` are left out when the page is made.
public struct AuthorityContent: Sendable, Equatable {
    /// Somebody to call.
    public struct Hotline: Sendable, Equatable {
        /// `technical`, `privacy`, `health`, `psychological`, `verification`, or another word.
        public var topic: String
        /// What it is called; absent for the topic's own name.
        public var title: String?
        /// As people write it.
        public var number: String
        /// When somebody answers, in words.
        public var hours: String
        /// What it costs, or another remark.
        public var note: String?

        public init(topic: String, title: String? = nil, number: String, hours: String, note: String? = nil) {
            self.topic = topic
            self.title = title
            self.number = number
            self.hours = hours
            self.note = note
        }
    }

    /// A page elsewhere.
    public struct WebLink: Sendable, Equatable {
        public var title: String
        /// `https:` only.
        public var address: String

        public init(title: String, address: String) {
            self.title = title
            self.address = address
        }
    }

    /// What there is in one language.
    public struct Edition: Sendable, Equatable {
        /// Name of the authority.
        public var publisher: String?
        /// What to do, by the state it is for (`increased`, `low`, …, and `positive`, `negative`, `invalid` for results).
        public var recommendations: [String: [String]]
        public var hotlines: [Hotline]
        public var links: [WebLink]
        /// Who is responsible, address and so on: lines.
        public var publication: [String]
        /// Paragraphs; empty for the pages' own.
        public var terms: [String]
        /// Paragraphs; empty for the pages' own.
        public var privacy: [String]
        /// Other words by the catalogue's names.
        public var texts: [String: String]

        public init(
            publisher: String? = nil, recommendations: [String: [String]] = [:], hotlines: [Hotline] = [],
            links: [WebLink] = [],
            publication: [String] = [], terms: [String] = [], privacy: [String] = [], texts: [String: String] = [:]
        ) {
            self.publisher = publisher
            self.recommendations = recommendations
            self.hotlines = hotlines
            self.links = links
            self.publication = publication
            self.terms = terms
            self.privacy = privacy
            self.texts = texts
        }
    }

    /// Rising.
    public var version: Int64
    public var editions: [Language: Edition]

    public init(version: Int64, editions: [Language: Edition]) {
        self.version = version
        self.editions = editions
    }

    /// What was found for a reader, and in which language.
    struct Part<Value: Sendable>: Sendable {
        var language: Language
        var value: Value
    }

    /// The editions in the order in which a reader of `language` is served: the language itself, its nearest relation, English, the others.
    ///
    /// Every edition is in it: words of the authority in another language come before silence, and before other advice.
    func editions(for language: Language) -> [Part<Edition>] {
        let order: [Language] =
            switch language {
            case .plainGerman: [.plainGerman, .german, .english, .french]
            case .german: [.german, .plainGerman, .english, .french]
            case .english: [.english, .german, .french, .plainGerman]
            case .french: [.french, .english, .german, .plainGerman]
            }
        return order.compactMap { language in editions[language].map { Part(language: language, value: $0) } }
    }

    /// Only those of the language itself: words of another would be read with the wrong voice.
    func texts(in language: Language) -> [String: String] { editions[language]?.texts ?? [:] }

    /// The first edition's that has any.
    func list<Element: Sendable>(_ part: (Edition) -> [Element], for language: Language) -> Part<[Element]>? {
        for edition in editions(for: language) {
            let found = part(edition.value)
            if !found.isEmpty { return Part(language: edition.language, value: found) }
        }
        return nil
    }

    /// What the authority recommends in a state (`increased`, `positive`, …): a list of its own, or its words in place of the pages' text
    /// of that name. `nil` only where it says nothing about that state in any language, so that all languages of a device give the same advice.
    func recommendations(for state: String, inPlaceOf key: String, for language: Language) -> Part<[String]>? {
        list(
            { edition in
                if let lines = edition.recommendations[state], !lines.isEmpty { return lines }
                guard let text = edition.texts[key], TextCatalog.template(text)?.placeholders.isEmpty == true else {
                    return []
                }
                return [text]
            }, for: language)
    }
}
