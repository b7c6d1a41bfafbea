// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// The data that every page needs beside its own model.
public struct PageContext: Sendable {
    /// The roles of readers; the same words as the core's `org.vigil.access1`.
    public enum Reader: String, Sendable, CaseIterable {
        /// Somebody who has not signed in.
        case nobody
        /// The wearer of the device, signed in.
        case wearer
        /// A technician who may look at things, and change none.
        case technicianReadOnly
        /// A technician who may change things.
        case technician
    }

    /// A notice about what was done just now, at the top of the page.
    public struct Notice: Sendable, Equatable {
        /// The kind of notice: an act went well, or there is a fault. It decides colour, shape, and the urgency with which
        /// screen readers tell it.
        public enum Kind: Sendable, Equatable { case good, fault }

        /// The kind of notice: whether it went well.
        public var kind: Kind
        /// Plain text in the reader's language, or, for faults that the board tells, in English.
        public var text: String
        /// Whether ``text`` is the board's own English, so that it is marked as such.
        public var isEnglish: Bool

        /// A notice of this kind with this text, which is escaped when the page is made.
        ///
        /// - Parameter isEnglish: Whether `text` is the board's own English.
        public init(_ kind: Kind, _ text: String, isEnglish: Bool = false) {
            self.kind = kind
            self.text = text
            self.isEnglish = isEnglish
        }
    }

    /// The pages' words in the reader's language. Given through ``init`` only: the authority's words are laid over them there.
    public private(set) var texts: TextCatalog
    /// The role of the reader; it decides which forms and links there are.
    public var reader: Reader
    /// For the hidden field `form` of every form that posts: the session's token against forged requests. A secret of the session.
    public var formToken: String
    /// The path of this page, with a slash at its beginning and without a query: `/tests/3`. Forms post there.
    public var path: String
    /// Something to say about what was done just now; `nil` for nothing.
    public var notice: Notice?
    /// The role that the device stands for: a person or a place.
    public var device: Exposure1.Role
    /// The health authority's content for people; `nil` if it has brought nothing. A change of it does not change ``texts``.
    public var content: AuthorityContent?
    /// The present moment, in Unix seconds.
    public var now: Int64
    /// Whether ``now`` can be believed. Where it cannot, pages tell moments as they were noted, and not how long ago they were.
    public var timeIsKnown: Bool
    /// The languages that can be chosen at the foot of the page, in this order; all of them if not set.
    public var languages: [Language]
    /// The name of the region, or of the device, for the head of the page; `nil` for the product's own.
    public var siteName: String?

    /// The context of one page. Every value is taken as it is. Cannot fail.
    ///
    /// - Parameters:
    ///   - texts: The pages' own; the words of `content` are laid over them.
    ///   - formToken: A secret of the session.
    ///   - now: Unix seconds.
    public init(
        texts: TextCatalog, reader: Reader, formToken: String, path: String, notice: Notice? = nil,
        device: Exposure1.Role = .person, content: AuthorityContent? = nil, now: Int64, timeIsKnown: Bool,
        languages: [Language] = Language.allCases, siteName: String? = nil
    ) {
        self.texts = content.map { texts.replacing($0.texts(in: texts.language)) } ?? texts
        self.reader = reader
        self.formToken = formToken
        self.path = path
        self.notice = notice
        self.device = device
        self.content = content
        self.now = now
        self.timeIsKnown = timeIsKnown
        self.languages = languages
        self.siteName = siteName
    }

    /// The language that the reader's page is in.
    public var language: Language { texts.language }

    var isTechnician: Bool { reader == .technicianReadOnly || reader == .technician }

    /// A text by its name.
    func t(_ key: StaticString, _ values: [String: String] = [:]) -> String { texts.text("\(key)", values) }

    /// A text in the form for a number, which is there as `n`.
    func t(_ key: StaticString, counting number: Int64, _ values: [String: String] = [:]) -> String {
        texts.text("\(key)", counting: number, values.merging(["n": self.number(number)]) { given, _ in given })
    }

    /// A text of a family.
    func t(_ family: TextFamily, _ member: String, _ values: [String: String] = [:]) -> String {
        texts.text(family.prefix + "." + member, values)
    }

    /// A text of a family whose members come from outside; `nil` for what is no member.
    func known(_ family: TextFamily, _ member: String, _ values: [String: String] = [:]) -> String? {
        family.members.contains(member) ? t(family, member, values) : nil
    }
}
