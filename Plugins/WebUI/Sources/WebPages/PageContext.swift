// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// The data that every page needs besides its own content.
public struct PageContext: Sendable {
    /// The roles of readers; the same words as the core's `org.vigil.access1`.
    public enum Reader: String, Sendable, CaseIterable {
        /// A reader who has not signed in.
        case nobody
        /// The wearer of the device, signed in.
        case wearer
        /// A technician who may see everything, but change nothing.
        case technicianReadOnly
        /// A technician who may make changes.
        case technician
    }

    /// A notice at the top of the page about the reader's last action.
    public struct Notice: Sendable, Equatable {
        /// The kind of notice: success or a fault. It determines the colour, the shape, and how urgently screen readers
        /// announce it.
        public enum Kind: Sendable, Equatable { case good, fault }

        /// The kind of the notice: success or a fault.
        public var kind: Kind
        /// The text of the notice in the reader's language, or in English if it is the board's report of a fault; plain
        /// text.
        public var text: String
        /// Whether ``text`` is the board's own English, so that the page marks it as English.
        public var isEnglish: Bool

        /// Creates a notice with this text, which is escaped when the page is made.
        ///
        /// - Parameter isEnglish: Whether `text` is the board's own English.
        public init(_ kind: Kind, _ text: String, isEnglish: Bool = false) {
            self.kind = kind
            self.text = text
            self.isEnglish = isEnglish
        }
    }

    /// The pages' texts in the reader's language. They can only be set through ``init``, which replaces some of them by the
    /// authority's.
    public private(set) var texts: TextCatalog
    /// The role of the reader, which determines the forms and links on the page.
    public var reader: Reader
    /// The value of the hidden field `form` in every form: the session's token against forged requests. A secret of the
    /// session.
    public var formToken: String
    /// The path of this page, with a slash at its beginning and without a query, such as `/tests/3`. Forms post there.
    public var path: String
    /// The notice about the reader's last action; `nil` if there is none.
    public var notice: Notice?
    /// The role of the device: for a person or a place.
    public var device: Exposure1.Role
    /// The health authority's content for people; `nil` if there is none. To change it does not change ``texts``.
    public var content: AuthorityContent?
    /// The current time, in Unix seconds.
    public var now: Int64
    /// Whether ``now`` can be believed. If not, pages show times as they were recorded, and not how long ago they were.
    public var timeIsKnown: Bool
    /// The languages that can be chosen at the foot of the page, in this order; all by default.
    public var languages: [Language]
    /// The name of the region or the device for the head of the page; `nil` for the product's own name.
    public var siteName: String?

    /// Creates the context of one page from these values, unchecked. Cannot fail.
    ///
    /// - Parameters:
    ///   - texts: The pages' own texts, of which `content` replaces some.
    ///   - formToken: The session's token against forged requests, a secret.
    ///   - now: The time in Unix seconds.
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
