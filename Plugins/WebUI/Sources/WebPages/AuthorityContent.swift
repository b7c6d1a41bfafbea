// SPDX-License-Identifier: Apache-2.0

/// The health authority's texts for people, in several languages. Each replaces one of the pages' own texts.
///
/// Everything in it is plain text; links that are not `https:` are left out when the page is made.
public struct AuthorityContent: Sendable, Equatable {
    /// A telephone number that the authority wants people to call.
    public struct Hotline: Sendable, Equatable {
        /// The subject that people call about: `technical`, `privacy`, `health`, `psychological`, `verification`, or
        /// another word; empty if there is none.
        public var topic: String
        /// The hotline's name; `nil` if the topic's own name is shown.
        public var title: String?
        /// The number as people write it; one that cannot be dialled is shown without a link.
        public var number: String
        /// The hours in which it is answered, in words; empty if they are not known.
        public var hours: String
        /// The price of a call, or another remark; `nil` for none. The core provides none.
        public var note: String?

        /// Creates a hotline of these texts, which are escaped when the page is made. `title` and `note` are `nil` if there
        /// is none.
        public init(topic: String, title: String? = nil, number: String, hours: String, note: String? = nil) {
            self.topic = topic
            self.title = title
            self.number = number
            self.hours = hours
            self.note = note
        }
    }

    /// A page on another server that the authority wants people to read.
    public struct WebLink: Sendable, Equatable {
        /// The text of the link, in the edition's language.
        public var title: String
        /// The address; if it is not `https:`, the link is left out when the page is made.
        public var address: String

        /// Creates a link with this text and this address, which is checked when the page is made.
        public init(title: String, address: String) {
            self.title = title
            self.address = address
        }
    }

    /// The authority's content in one language.
    public struct Edition: Sendable, Equatable {
        /// The name of the authority, the first line of ``publication`` in the core's answer; `nil` if there is none.
        public var publisher: String?
        /// The advice, a list of sentences for each state (raw values of ``TodayState``, and `positive`, `negative`,
        /// `invalid` and so on for results); other names are ignored. If a state is absent or its list is empty, ``texts``
        /// are used, then other languages, then the pages' own texts.
        public var recommendations: [String: [String]]
        /// The numbers to call, in the authority's order; if empty, those of another language are shown.
        public var hotlines: [Hotline]
        /// The links to other pages, in the authority's order; if empty, those of another language are shown.
        public var links: [WebLink]
        /// The people or office responsible, with address and so on, one line each; if empty, the lines of another language
        /// are shown.
        public var publication: [String]
        /// The paragraphs of the terms; if empty, those of another language or the pages' own are shown. The core provides
        /// none.
        public var terms: [String]
        /// The paragraphs about privacy; if empty, those of another language or the pages' own are shown. The core provides
        /// none.
        public var privacy: [String]
        /// The texts that replace the pages' own, by the catalogue's names; those that do not fit are left out by
        /// ``TextCatalog/replacing(_:)``. They are used in this language only.
        public var texts: [String: String]

        /// Creates an edition of these texts; by default it is empty.
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

    /// The document's version, which rises with each change; 0 if there is none. Not checked here.
    public var version: Int64
    /// The editions, by language; a language may be missing.
    public var editions: [Language: Edition]

    /// Creates the content of one version in these languages; nothing is checked here.
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
