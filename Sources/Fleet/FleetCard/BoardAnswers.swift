// SPDX-License-Identifier: Apache-2.0

public import AuthorityProfile
import ForeignText
import IPNetwork

/// All that is said of one board: five answers, each checked. Nothing in it is secret.
public struct BoardAnswers: Hashable, Sendable {
    /// Who has the board.
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
        /// Bytes of the largest profile that is read.
        public static let maximumByteCount = AuthorityProfile.maximumByteCount

        /// What the file says.
        public let profile: AuthorityProfile
        /// The file.
        let bytes: [UInt8]
        /// Whether servers in private networks were allowed.
        let isLocal: Bool

        /// Reads a profile as a board does, and refuses one that would not work there: an authority that has ended, or a server in a private
        /// network unless `isLocal`.
        public init(parsing bytes: [UInt8], isLocal: Bool = false) throws(AnswerFault) {
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

    /// The languages that the pages speak (`Plugins/WebUI/texts`).
    public static let languages = ["en", "de", "fr", "de-simple"]

    /// Person or place.
    public let use: Use
    /// One of ``languages``.
    public let language: String
    /// How it gets its address.
    public let network: NetworkAnswer
    /// `nil`: it follows nobody yet, and cannot say whether somebody was met.
    public let authority: Authority?
    /// `nil`: nobody can log in by SSH.
    public let technicians: TechnicianKeys?
    /// What the head of each page calls the board; `nil` for nothing.
    public let title: String?

    /// Takes answers that were read; the title is checked here: 1 to 60 characters, none of which hides.
    public init(
        use: Use, language: String, network: NetworkAnswer, authority: Authority?, technicians: TechnicianKeys?,
        title: String? = nil
    ) throws(AnswerFault) {
        guard Self.languages.contains(language) else { throw .noLanguage(language) }
        if let title {
            let scalars = title.unicodeScalars
            guard (1...60).contains(scalars.count), scalars.allSatisfy(ForeignText.isHarmless) else { throw .badTitle }
        }
        self.use = use
        self.language = language
        self.network = network
        self.authority = authority
        self.technicians = technicians
        self.title = title
    }

    /// Reads the answer to the first question.
    public static func use(_ text: String) throws(AnswerFault) -> Use {
        guard let use = Use(rawValue: text.lowercased()) else { throw .noUse(text) }
        return use
    }

    /// Reads the answer to the second question.
    public static func language(_ text: String) throws(AnswerFault) -> String {
        guard languages.contains(text.lowercased()) else { throw .noLanguage(text) }
        return text.lowercased()
    }

    /// An answer as it was typed, without blanks around it.
    /// - Throws: when it is empty, too long, or has characters that cannot be shown.
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
