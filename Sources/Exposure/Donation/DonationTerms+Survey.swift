// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText
import JSON

extension DonationTerms {
    /// A survey of the health authority on the web, to which a device's wearer can be invited. Who gets the answers is the recipient in ``responsible(for:)``, and the days for which a
    /// password is good are the days there: as long as its digest is kept.
    public struct Survey: Sendable, Hashable, Codable {
        /// Whom a survey invites.
        public enum Invited: String, Sendable, Codable, CaseIterable {
            /// The wearer of each device that stands for a person.
            case everybody
            /// Only whoever is told of an increased risk.
            case increasedRisk
        }

        /// The longest link in bytes, our own bound: with the password it fits a code that a telephone reads from a screen.
        public static let maximumLinkBytes = 200
        /// The longest sentence about a survey in bytes of UTF-8, our own bound.
        public static let maximumAboutBytes = 200
        /// In how many languages a survey says what it is about, at most, our own bound.
        public static let maximumLanguages = 16
        /// The days for which a password is good, the day of its arrival among them: three, so that there is one whole day at least, to a month; our own bounds.
        public static let days: ClosedRange<Int64> = 3...31

        /// Where the survey is: `https://…` and a host of the Internet.
        public let link: String
        /// What it is about, as the authority writes it, one sentence for each language, such as `de`; at least one.
        public let about: [String: String]
        /// Whom it invites.
        public let invited: Invited

        /// Takes a survey. `nil` for a link that is not ``isLink(_:)``; for no sentence, or more than ``maximumLanguages``, or one whose language is no name of one
        /// (`ForeignText.isLanguage`); and for a sentence that is empty, has more than ``maximumAboutBytes``, or is no line that can be shown as it is (`ForeignText`).
        public init?(link: String, about: [String: String], invited: Invited) {
            guard Self.isLink(link), (1...Self.maximumLanguages).contains(about.count),
                about.allSatisfy({ ForeignText.isLanguage($0.key) && Self.isSentence($0.value) })
            else { return nil }
            self.link = link
            self.about = about
            self.invited = invited
        }

        /// The sentences as the document has them.
        static func json(_ about: [String: String]) -> JSON {
            var object: JSON.Object = [:]
            for (language, text) in about.sorted(by: { $0.key < $1.key }) { object[language] = .string(text) }
            return .object(object)
        }

        private static func isSentence(_ text: String) -> Bool {
            text.utf8.count <= maximumAboutBytes && text.utf8.contains { $0 != UInt8(ascii: " ") }
                && ForeignText.line(text, limit: maximumAboutBytes) == text
        }

        /// What makes a survey this one, for whoever agreed to it: SHA-256 of all of it, in Base64. Keeping the sentences would take a large part of a book.
        package var name: String { Base64.string(SHA256.digest(of: Self.joined(parts))) }

        /// All of it, in one order.
        fileprivate var parts: [String] {
            [link, invited.rawValue] + about.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        }

        fileprivate static func joined(_ parts: [String]) -> [UInt8] {
            Array(parts.map { "\($0.utf8.count):\($0)" }.joined(separator: ",").utf8)
        }

        /// Whether it invites the wearer of a device, who is told of an increased risk or not.
        public func invites(isIncreased: Bool) -> Bool {
            switch invited {
            case .everybody: true
            case .increasedRisk: isIncreased
            }
        }

        /// The link that has the password in it, which makes it secret.
        public func address(with password: SurveySecret) -> String {
            let mark = link.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            return "\(link)\(mark)otp=\(password.text)"
        }

        /// Whether a text is a link that a wearer may be sent to: `https`, a host with a name of the Internet (no address, no name of a local network), no port, no user, no fragment, and
        /// at most ``maximumLinkBytes`` of the characters that stand in links.
        public static func isLink(_ text: String) -> Bool {
            let start = "https://"
            guard text.hasPrefix(start), text.utf8.count <= maximumLinkBytes else { return false }
            let rest = text.utf8.dropFirst(start.utf8.count)
            let host = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            let marks = Set("-._~/?&=%+,;:!*()@$".utf8)
            return isHost(host) && rest.dropFirst(host.count).allSatisfy { isLetterOrDigit($0) || marks.contains($0) }
        }

        private static let localNames: Set<String> = [
            "local", "localhost", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "onion",
        ]

        private static func isHost(_ host: Substring.UTF8View) -> Bool {
            let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let areNames = labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                    && label.allSatisfy { isLetterOrDigit($0) && !(0x41...0x5A).contains($0) || $0 == UInt8(ascii: "-") }
            }
            guard areNames, labels.count >= 2, let last = labels.last else { return false }
            // An address in numbers, in any notation, ends with a number.
            return !(0x30...0x39).contains(last.first ?? 0) && !localNames.contains(String(decoding: last, as: UTF8.self))
        }

        private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        }
    }

    /// What makes a survey this one, for whoever keeps something of it: SHA-256 of all that a consent to it is given to (``parties(for:)``). `nil` without a survey.
    public var surveyIdentity: [UInt8]? {
        guard let survey, let people = responsible(for: .survey) else { return nil }
        let parts = [
            issuerName, origin, people.issuer, people.server, people.recipients, "\(people.keptDays)",
        ]
        return SHA256.digest(of: Survey.joined(parts + survey.parts))
    }

    /// Reads the members of a survey in a part of a document. `survey` is `nil` if it invites by a rule of a later version, which invites nobody here. Returns `nil` if a member is missing or has
    /// another form.
    static func survey(_ part: JSON) -> (survey: Survey?, isKnown: Bool)? {
        guard let link = part["link"]?.string, let list = part["about"]?.object, let rule = part["invites"]?.string else {
            return nil
        }
        var about: [String: String] = [:]
        for member in list.members {
            guard let text = member.value.string else { return nil }
            about[member.name] = text
        }
        guard let invited = Survey.Invited(rawValue: rule) else { return (nil, false) }
        return Survey(link: link, about: about, invited: invited).map { ($0, true) }
    }
}
