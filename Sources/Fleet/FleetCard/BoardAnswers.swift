// SPDX-License-Identifier: Apache-2.0

public import AuthorityProfile
import ForeignText
import IPNetwork
import JSON

/// The checked answers to all questions about one board. Nothing in it is secret.
public struct BoardAnswers: Hashable, Sendable {
    /// The use of a board, with the raw value as the answer.
    public enum Use: String, Sendable, CaseIterable {
        /// A person wears the board. The code on the label is the wearer's.
        case person
        /// The board stands in a place. The code on the label is the technician's.
        case place

        /// The board profile that the image comes with.
        var profile: String { self == .person ? "token" : "kiosk" }
        /// Whose secret the label's code is, as the core calls the role.
        var role: String { self == .person ? "wearer" : "technician" }
    }

    /// The profile of a health authority, with the bytes of its file, which go to the board unchanged.
    public struct Authority: Hashable, Sendable {
        /// The most bytes that a profile may have: 131,072, the boards' limit
        /// (``AuthorityProfile/maximumByteCount``). ``init(parsing:isLocal:)`` refuses a larger one with
        /// `badProfile`.
        public static let maximumByteCount = AuthorityProfile.maximumByteCount

        /// The profile that the file holds.
        public let profile: AuthorityProfile
        /// The authority's name, by which boards tell it from others: 1 to 32 small letters, digits and dashes.
        public var name: String { profile.name }
        /// The file.
        let bytes: [UInt8]
        /// Whether servers in private networks were allowed.
        let isLocal: Bool

        /// Reads a profile from the bytes of its JSON file as a board does, and refuses one that would not work on
        /// a board. Throws `profileNoJSON` when the bytes are not JSON; `badProfile` when the profile has faults or
        /// more than ``maximumByteCount`` bytes, or the plugins' settings cannot be made from it; `endedAuthority`
        /// when the authority is not running; and `localAuthority` when a server is not on the internet and
        /// `isLocal` is `false`. Names are not looked up.
        public init(parsing bytes: [UInt8], isLocal: Bool = false) throws(AnswerFault) {
            guard (try? JSON(parsing: bytes)) != nil else { throw .profileNoJSON }
            let profile: AuthorityProfile
            do throws(AuthorityProfileError) { profile = try AuthorityProfile(parsing: bytes) } catch {
                throw .badProfile(ForeignText.line("\(error)", limit: 800))
            }
            guard profile.status == .running else { throw .endedAuthority(profile.name) }
            let settings: ProfileSettings
            do throws(ProfileSettings.Fault) { settings = try ProfileSettings([profile]) } catch {
                throw .badProfile(error.description)
            }
            let hosts = settings.entries.flatMap(\.endpoints).flatMap(\.places).map(\.host)
            if !isLocal, let host = hosts.first(where: Self.isPrivate) { throw .localAuthority(host) }
            (self.profile, self.bytes, self.isLocal) = (profile, bytes, isLocal)
        }

        /// Whether a host names no ordinary server of the internet. What a name leads to, only the board sees: egress judges that.
        static func isPrivate(_ host: String) -> Bool {
            if let address = IPAddress(host: host) { return address.specialRange != nil }
            return host == "localhost" || host.hasSuffix(".localhost") || host.hasSuffix(".local") || !host.contains(".")
        }
    }

    /// The languages of the pages (`Plugins/WebUI/texts`): English, German, French, and German in plain language.
    public static let languages = ["en", "de", "fr", "de-simple"]

    /// The use of the board: a person wears it, or it stands in a place.
    public let use: Use
    /// The language of the board's page, one of ``languages``.
    public let language: String
    /// The way in which the board gets its network address.
    public let network: NetworkAnswer
    /// The health authority that the board follows; `nil` for none, and then the board cannot say whether its wearer met an
    /// infected person.
    public let authority: Authority?
    /// The SSH keys of the people who may log in; `nil` if nobody may.
    public let technicians: TechnicianKeys?
    /// The title at the head of each page, 1 to 60 Unicode scalars that can be shown; `nil` for none.
    public let title: String?

    /// Creates the set of answers from the checked single ones. Throws `noLanguage` when `language` is not one of
    /// ``languages``, and `badTitle` when `title` is not `nil` and breaks the rules of ``check(title:)``.
    public init(
        use: Use, language: String, network: NetworkAnswer, authority: Authority?, technicians: TechnicianKeys?,
        title: String? = nil
    ) throws(AnswerFault) {
        guard Self.languages.contains(language) else { throw .noLanguage(language) }
        if let title { try Self.check(title: title) }
        self.use = use
        self.language = language
        self.network = network
        self.authority = authority
        self.technicians = technicians
        self.title = title
    }

    /// Throws `badTitle` unless `title` has 1 to 60 Unicode scalars, all of which can be shown: no control or
    /// format characters and no ends of lines.
    public static func check(title: String) throws(AnswerFault) {
        let scalars = title.unicodeScalars
        guard (1...60).contains(scalars.count), scalars.allSatisfy(ForeignText.isHarmless) else { throw .badTitle }
    }

    /// Reads the answer to the question for the use: `person` or `place` in any case, without blanks. Throws `noUse` for
    /// any other text.
    public static func use(_ text: String) throws(AnswerFault) -> Use {
        guard let use = Use(rawValue: text.lowercased()) else { throw .noUse(text) }
        return use
    }

    /// Reads the answer to the question for the language: one of ``languages`` in any case, without blanks. Returns it in
    /// lower case. Throws `noLanguage` for any other text.
    public static func language(_ text: String) throws(AnswerFault) -> String {
        guard languages.contains(text.lowercased()) else { throw .noLanguage(text) }
        return text.lowercased()
    }

    /// Returns an answer as it was typed, without the blanks, tabs and carriage returns around it.
    /// - Throws: `unprintable` when it has more than 1,000 bytes as typed, or a character that cannot be shown, such as a
    ///   line feed; `empty` when nothing is left.
    public static func trimmed(_ text: String, to question: Question) throws(AnswerFault) -> String {
        guard text.utf8.count <= 1_000 else { throw .unprintable(question) }
        let scalars = text.unicodeScalars.drop { $0 == " " || $0 == "\t" || $0 == "\r" }
        let end = scalars.lastIndex { $0 != " " && $0 != "\t" && $0 != "\r" }
        let result = end.map { String(scalars[...$0]) } ?? ""
        guard !result.isEmpty else { throw .empty(question) }
        guard result.unicodeScalars.allSatisfy(ForeignText.isHarmless) else { throw .unprintable(question) }
        return result
    }
}
