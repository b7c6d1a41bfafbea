// SPDX-License-Identifier: Apache-2.0

import ForeignText
import JSON

extension DonationTerms {
    /// Who is responsible for what a device sends for a purpose, and for how long it is kept: what a person is told before they agree. Each name is as the authority
    /// writes it, in one language for all readers.
    public struct Responsible: Sendable, Hashable, Codable {
        /// The most bytes of a name: 200 of UTF-8, our own bound.
        public static let maximumNameBytes = 200
        /// The days that something can be kept for: two, because a day is the least that a server knows, to ten years; our own bounds.
        public static let days: ClosedRange<Int64> = 2...3_650

        /// Who runs the issuer of tokens.
        public let issuer: String
        /// Who runs the server that takes what is sent.
        public let server: String
        /// Who gets what was sent.
        public let recipients: String
        /// For how many days it is kept at most, in ``days``.
        public let keptDays: Int64

        /// Takes names and days. `nil` if a name is empty, has more than ``maximumNameBytes``, or is no line that can be shown as it is
        /// (`ForeignText`), and for days that are not in ``days``.
        public init?(issuer: String, server: String, recipients: String, keptDays: Int64) {
            guard [issuer, server, recipients].allSatisfy(Self.isName), Self.days.contains(keptDays) else { return nil }
            self.issuer = issuer
            self.server = server
            self.recipients = recipients
            self.keptDays = keptDays
        }

        /// Reads a part of a document. `nil` if it has another form, or ``init(issuer:server:recipients:keptDays:)`` refuses it.
        init?(_ json: JSON) {
            guard let issuer = json["issuer"]?.string, let server = json["server"]?.string,
                let recipients = json["recipients"]?.string, let days = json["keptDays"]?.int
            else { return nil }
            self.init(issuer: issuer, server: server, recipients: recipients, keptDays: days)
        }

        var json: JSON {
            [
                "issuer": .string(issuer), "server": .string(server), "recipients": .string(recipients),
                "keptDays": .int(keptDays),
            ]
        }

        private static func isName(_ text: String) -> Bool {
            text.utf8.count <= maximumNameBytes && text.utf8.contains { $0 != UInt8(ascii: " ") }
                && ForeignText.line(text, limit: maximumNameBytes) == text
        }
    }

    /// Who is responsible for donations, or with what is sent for another purpose; `nil` if the document does not say.
    public func responsible(for purpose: MonthlyPurpose? = nil) -> Responsible? { responsible[purpose] }

    /// Whom a consent is given to: whoever changes any of it has to ask again.
    public struct Parties: Sendable, Hashable {
        let issuer: String, server: String
        let responsible: Responsible?
        /// What is to be answered, of a survey (``Survey/name``).
        let survey: String?
    }

    /// Whom a consent to donations, or to another purpose, is given to by this document.
    public func parties(for purpose: MonthlyPurpose? = nil) -> Parties {
        Parties(
            issuer: issuerName, server: origin, responsible: responsible(for: purpose),
            survey: purpose == .survey ? survey?.name : nil)
    }
}
