// SPDX-License-Identifier: Apache-2.0

public import AuthorityProfile
import ForeignText
import IPNetwork
import JSON

/// All that is said of one board: five answers, each checked. Nothing in it is secret.
public struct BoardAnswers: Hashable, Sendable {
    /// The kinds of use of a board.
    public enum Use: String, Sendable, CaseIterable {
        /// Somebody wears it. The label's code is the wearer's.
        case person
        /// It stands in a place. The label's code is the technician's.
        case place

        /// The board profile that the image comes with.
        var profile: String { self == .person ? "token" : "kiosk" }
        /// Whose secret the label's code is, as the core calls the role.
        var role: String { self == .person ? "wearer" : "technician" }
    }

    /// An authority's profile as it was read, and its bytes, which go to the board unchanged.
    public struct Authority: Hashable, Sendable {
        /// The number of bytes of the largest profile that is read, as ``AuthorityProfile`` has it for boards; ``init(parsing:isLocal:)`` refuses a
        /// larger one.
        public static let maximumByteCount = AuthorityProfile.maximumByteCount

        /// The profile that the file holds, read without problems.
        public let profile: AuthorityProfile
        /// The file.
        let bytes: [UInt8]
        /// Whether servers in private networks were allowed.
        let isLocal: Bool

        /// Reads a profile's JSON file from its bytes as a board does, and refuses one that would not work there. Throws `badProfile` with what is
        /// wrong, `endedAuthority` unless the authority is running, and `localAuthority` for a server in a private network unless `isLocal`.
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

    /// The languages that the pages speak (`Plugins/WebUI/texts`): English, German, French, and German in plain language.
    public static let languages = ["en", "de", "fr", "de-simple"]

    /// The use of the board: a person has it, or it stands in a place.
    public let use: Use
    /// The language of the board's page, one of ``languages``.
    public let language: String
    /// The way in which it gets its address.
    public let network: NetworkAnswer
    /// The health authority that it follows; `nil` if it follows none yet, and cannot say whether somebody was met.
    public let authority: Authority?
    /// The keys of those who may log in by SSH; `nil` if nobody can.
    public let technicians: TechnicianKeys?
    /// The name that stands at the head of each page, 1 to 60 characters that can be shown; `nil` for none.
    public let title: String?

    /// Takes answers that were read. Throws `noLanguage` unless `language` is one of ``languages``, and `badTitle` unless `title` has 1 to 60
    /// characters that can be shown; `nil` for no title.
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

    /// Throws `.badTitle` unless a title has 1 to 60 characters, none of which hides.
    public static func check(title: String) throws(AnswerFault) {
        let scalars = title.unicodeScalars
        guard (1...60).contains(scalars.count), scalars.allSatisfy(ForeignText.isHarmless) else { throw .badTitle }
    }

    /// Reads the answer to the first question: the raw value of a use, in letters of either case, without blanks. Throws
    /// `noUse` for anything else.
    public static func use(_ text: String) throws(AnswerFault) -> Use {
        guard let use = Use(rawValue: text.lowercased()) else { throw .noUse(text) }
        return use
    }

    /// Reads the answer to the second question, one of ``languages`` in letters of either case, without blanks; gives it in small letters. Throws
    /// `noLanguage` for anything else.
    public static func language(_ text: String) throws(AnswerFault) -> String {
        guard languages.contains(text.lowercased()) else { throw .noLanguage(text) }
        return text.lowercased()
    }

    /// An answer as it was typed, without blanks, tabs and carriage returns around it.
    /// - Throws: `unprintable` when it has more than 1,000 bytes as typed or a character that cannot be shown, such as a line end; `empty` when
    ///   nothing is left.
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
