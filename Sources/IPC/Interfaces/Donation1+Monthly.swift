// SPDX-License-Identifier: Apache-2.0

extension Donation1 {
    /// What a wearer agrees to, each by itself.
    public enum Purpose: String, Codable, Sendable, CaseIterable {
        /// `donation`: exposure data, once a day; `log`: the board's troubles, once a month at most; `survey`: the digest of a password, once.
        case donation, log, survey
    }

    /// What holds of a purpose for which something is sent once a month at most.
    public struct Monthly: Codable, Sendable, Equatable {
        /// Whether the health authority asks for it.
        public var isOffered: Bool
        /// The wearer's consent; `nil` without one.
        public var consent: Consent?
        /// From when on something is collected and sent, in Unix seconds; `nil` without a consent.
        public var begins: Int64?
        /// Whether there is a permission for this month that is not used yet.
        public var isPrepared: Bool
        /// Why there is no permission this month; `nil` if that is not so.
        public var stopped: Stop?
        /// What was sent last, oldest first, at most 14.
        public var history: [Past]
        /// Who is responsible for it; `nil` if the document does not say.
        public var responsible: Responsible?

        /// Creates a part of a reply. No value is checked.
        public init(
            isOffered: Bool = false, consent: Consent? = nil, begins: Int64? = nil, isPrepared: Bool = false,
            stopped: Stop? = nil, history: [Past] = [], responsible: Responsible? = nil
        ) {
            self.isOffered = isOffered
            self.consent = consent
            self.begins = begins
            self.isPrepared = isPrepared
            self.stopped = stopped
            self.history = history
            self.responsible = responsible
        }
    }

    // MARK: Error logs

    /// A trouble of the board, by the self-check's words.
    public enum Trouble: String, Codable, Sendable, CaseIterable {
        /// Each is the finding of the self-check with the same word.
        case noController, transportProblem, radioSilent, radioDeaf, lateRotation, lostScans, ladderClimbed, storageProblem,
            storageFindings, auditBroken, diskNearlyFull
    }

    /// A line of an error log.
    public struct LogLine: Codable, Sendable, Equatable {
        /// What it was; of a line this alone is sent.
        public var trouble: Trouble
        /// The UTC day on which it was seen last, in days since 1970; never sent.
        public var day: Int64

        /// Creates a part of a reply. No value is checked.
        public init(trouble: Trouble, day: Int64) {
            self.trouble = trouble
            self.day = day
        }
    }

    /// Reply of `GetErrorLog`.
    public struct ErrorLogReply: Codable, Sendable, Equatable {
        /// The lines, one for each trouble, at most 11.
        public var lines: [LogLine]
        /// What the wearer has let go and is not sent yet; empty for nothing.
        public var released: [Trouble]

        /// Creates a reply. No value is checked.
        public init(lines: [LogLine] = [], released: [Trouble] = []) {
            self.lines = lines
            self.released = released
        }
    }

    /// Parameters of `ReleaseErrorLog`.
    public struct ReleaseErrorLogCall: Codable, Sendable, Equatable {
        /// The troubles that the wearer has read, at most 11.
        public var troubles: [Trouble]

        /// Creates the parameters of a call. The core checks them.
        public init(troubles: [Trouble]) { self.troubles = troubles }
    }
}
