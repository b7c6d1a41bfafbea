// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.donation1`. The interface's text explains each of them.
public enum Donation1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.donation1"

    /// What the wearer agreed to.
    public struct Consent: Codable, Sendable, Equatable {
        /// When, in Unix seconds.
        public var since: Int64
        /// The version of the text that the wearer read, 1 or more.
        public var text: Int64

        /// Creates a part of a reply. No value is checked.
        public init(since: Int64, text: Int64) {
            self.since = since
            self.text = text
        }
    }

    /// Who is responsible for what is sent for a purpose, in the words of the signed document.
    public struct Responsible: Codable, Sendable, Equatable {
        /// Who runs the server that gives tokens.
        public var issuer: String
        /// Who runs the server that takes what is sent.
        public var server: String
        /// Who gets what was sent.
        public var recipients: String
        /// For how many days it is kept at most, 2 to 3,650.
        public var keptDays: Int64

        /// Creates a part of a reply. No value is checked.
        public init(issuer: String, server: String, recipients: String, keptDays: Int64) {
            self.issuer = issuer
            self.server = server
            self.recipients = recipients
            self.keptDays = keptDays
        }

        /// All of it as one text, which is another one for any other content: what a form carries to say what its reader had before them.
        public var fingerprint: String {
            [issuer, server, recipients, "\(keptDays)"].map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        }
    }

    /// What became of a donation.
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        /// `taken`: the server has it; `refused`: it did not want it; `lapsed`: it was not sent in time, or the server that it was
        /// for is not in the document any more.
        case taken, refused, lapsed
    }

    /// A donation that is over.
    public struct Past: Codable, Sendable, Equatable {
        /// The UTC day, in days since 1970.
        public var day: Int64
        /// What became of it.
        public var outcome: Outcome

        /// Creates a part of a reply. No value is checked.
        public init(day: Int64, outcome: Outcome) {
            self.day = day
            self.outcome = outcome
        }
    }

    /// Why no permissions are asked for any more.
    public enum Stop: String, Codable, Sendable, CaseIterable {
        /// `otherKey`: the issuer has twice used a key that is not in the signed document; `deviceRefused`: it gives this device no
        /// tokens; `otherServers`: the document names other servers than the wearer has agreed to, or says otherwise who is responsible for it or for how
        /// long it is kept, and nothing is sent either.
        case otherKey, deviceRefused, otherServers
    }

    /// Reply of `GetDonation`.
    public struct DonationReply: Codable, Sendable, Equatable {
        /// Whether there is a signed document about donations.
        public var isOffered: Bool
        /// The issuer's name in that document; `nil` without one.
        public var issuer: String?
        /// The donation server's name in that document; `nil` without one.
        public var server: String?
        /// The last UTC day of which that document has a key, in days since 1970; `nil` without any.
        public var lastKeyDay: Int64?
        /// The wearer's consent; `nil` without one.
        public var consent: Consent?
        /// From when on something is collected and sent, in Unix seconds; `nil` without a consent.
        public var begins: Int64?
        /// When the next donation is sent, in Unix seconds; `nil` if that is not known.
        public var next: Int64?
        /// The number of days to come for which there is a token, 0 to 9.
        public var preparedDays: Int
        /// Why no permissions are asked for any more; `nil` if that is not so.
        public var stopped: Stop?
        /// The last donations, oldest first, at most 14.
        public var history: [Past]
        /// The error logs; `nil` if the health authority does not ask for them and there is no consent.
        public var log: Monthly?
        /// Who is responsible for donations; `nil` if the document does not say.
        public var responsible: Responsible?
        /// The version of the document; `nil` without one.
        public var documentVersion: Int64?
        /// What people compare to see that they have the same document: eight groups of four hexadecimal digits; `nil` without one.
        public var documentMark: String?

        /// Creates a reply. No value is checked.
        public init(
            isOffered: Bool, issuer: String? = nil, server: String? = nil, lastKeyDay: Int64? = nil,
            consent: Consent? = nil, begins: Int64? = nil, next: Int64? = nil, preparedDays: Int = 0, stopped: Stop? = nil,
            history: [Past] = [], log: Monthly? = nil, responsible: Responsible? = nil, documentVersion: Int64? = nil,
            documentMark: String? = nil
        ) {
            self.isOffered = isOffered
            self.issuer = issuer
            self.server = server
            self.lastKeyDay = lastKeyDay
            self.consent = consent
            self.begins = begins
            self.next = next
            self.preparedDays = preparedDays
            self.stopped = stopped
            self.history = history
            self.log = log
            self.responsible = responsible
            self.documentVersion = documentVersion
            self.documentMark = documentMark
        }

        /// Whether at `now`, in Unix seconds, the document has no key for which a permission could still be asked: those are asked for from the
        /// day after tomorrow on. `false` without a document.
        public func isOutOfKeys(at now: Int64) -> Bool {
            let day = now >= 0 ? now / 86_400 : 0
            return isOffered && (lastKeyDay.map { $0 < day + 2 } ?? true)
        }
    }

    /// Parameters of `SetConsent`.
    public struct SetConsentCall: Codable, Sendable, Equatable {
        /// Whether the wearer agrees; `false` takes it back.
        public var isAgreed: Bool
        /// The version of the text that the wearer has read, 1 or more; needed to agree.
        public var text: Int64?
        /// What it is about; `nil` for donations.
        public var purpose: Purpose?

        /// Creates the parameters of a call. The core checks them.
        public init(isAgreed: Bool, text: Int64? = nil, purpose: Purpose? = nil) {
            self.isAgreed = isAgreed
            self.text = text
            self.purpose = purpose
        }
    }

    /// Reply of `GetDonor`.
    public struct DonorReply: Codable, Sendable, Equatable {
        /// The device's name for the issuer: 17 bytes in Base64, the first of them 1.
        public var name: String
        /// The public half of its P-256 key: a SubjectPublicKeyInfo in Base64.
        public var publicHalf: String

        /// Creates a reply. No value is checked.
        public init(name: String, publicHalf: String) {
            self.name = name
            self.publicHalf = publicHalf
        }
    }

    /// Parameters of `TakeTerms`.
    public struct TakeTermsCall: Codable, Sendable, Equatable {
        /// The document, in Base64.
        public var document: String
        /// Its list of signatures (`export.sig`), in Base64.
        public var approvals: String

        /// Creates the parameters of a call. The core checks them.
        public init(document: String, approvals: String) {
            self.document = document
            self.approvals = approvals
        }
    }

    /// Reply of `TakeTerms`.
    public struct TakeTermsReply: Codable, Sendable, Equatable {
        /// The version of the newest document taken, 1 or more.
        public var version: Int64
        /// Whether this one was new.
        public var changed: Bool

        /// Creates a reply. No value is checked.
        public init(version: Int64, changed: Bool) {
            self.version = version
            self.changed = changed
        }
    }
}
