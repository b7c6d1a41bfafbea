// SPDX-License-Identifier: Apache-2.0

extension Donation1 {
    /// A survey of the health authority on the web.
    public struct Survey: Codable, Sendable, Equatable {
        /// Whom a survey invites.
        public enum Invited: String, Codable, Sendable, CaseIterable {
            /// `everybody`: the wearer of each device; `increasedRisk`: who is told of an increased risk.
            case everybody, increasedRisk
        }

        /// Where it is, without a password.
        public var link: String
        /// What it is about, in the words of the signed document, by language (such as `en` or `de-simple`); at least one.
        public var about: [String: String]
        /// Whom it invites.
        public var invited: Invited

        /// Creates a part of a reply. No value is checked.
        public init(link: String, about: [String: String], invited: Invited) {
            self.link = link
            self.about = about
            self.invited = invited
        }

        /// All of it as one text, which is another one for any other content: what a form carries to say what its reader had before them.
        public var fingerprint: String {
            ([link, invited.rawValue] + about.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] })
                .map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        }
    }

    /// How far a survey is.
    public enum SurveyState: String, Codable, Sendable, CaseIterable {
        /// `waits`: nothing was sent yet; `sent`: the digest was sent, and nobody has answered; `accepted`: the password opens the survey; `refused`: the server did not take it;
        /// `expired`: its days are over.
        case waits, sent, accepted, refused, expired
    }

    /// Reply of `GetSurvey`. Has a secret: never log it.
    public struct SurveyReply: Codable, Sendable, Equatable, CustomStringConvertible {
        /// What holds of surveys; `nil` if the wearer is not invited and has agreed to none.
        public var held: Monthly?
        /// The survey; `nil` if the document has none, or without ``held``.
        public var survey: Survey?
        /// How far it is; `nil` without a consent.
        public var state: SurveyState?
        /// The last UTC day on which the password is good, in days since 1970; `nil` in other states than `accepted`.
        public var lastDay: Int64?
        /// The password, which is secret; `nil` in other states than `accepted`, and while the consent is for another survey.
        public var password: String?
        /// The link with the password in it, which is secret.
        public var passwordLink: String?

        /// Creates a reply. No value is checked.
        public init(
            held: Monthly? = nil, survey: Survey? = nil, state: SurveyState? = nil, lastDay: Int64? = nil,
            password: String? = nil, passwordLink: String? = nil
        ) {
            self.held = held
            self.survey = survey
            self.state = state
            self.lastDay = lastDay
            self.password = password
            self.passwordLink = passwordLink
        }

        /// The state alone.
        public var description: String { state?.rawValue ?? "no survey" }
    }
}
