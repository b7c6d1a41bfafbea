// SPDX-License-Identifier: Apache-2.0

import CivilTime
import JSON
public import PrivacyPass

/// What a device keeps of its donations: the wearer's consent, tokens, what is under way, what was sent. A value: write it to disk after each change,
/// before acting on it.
///
/// A device without a consent asks and sends as often, and as much, as one with a consent (``DonationCover``), by the same schedule: who sees its network learns
/// neither that its wearer agrees, nor when, nor that they take it back.
///
/// Its bytes are secret: they hold tokens and seeds. It has no text form.
public struct DonationBook: Sendable, Hashable, Codable, CustomStringConvertible {
    /// How long nothing is collected, and nothing asked for with evidence, after a consent: a day, so that a consent and what follows are not seen together.
    public static let pause: Int64 = 86_400
    /// The days for which tokens are asked, counted from the present one: none for tomorrow, so that a donation does not follow its token closely.
    public static let daysAhead: ClosedRange<Int64> = 2...9
    /// The shortest and the longest time between two batches of requests, in seconds: six and seven days. A batch reaches further than that.
    public static let batchSeconds: ClosedRange<Int64> = 6 * 86_400...7 * 86_400
    /// How long after a failure the next try is, in seconds, at random.
    public static let retrySeconds: ClosedRange<Int64> = 3_600...3 * 3_600
    /// How long until the next try where today there is nothing to be had, in seconds, at random.
    static let dayAndMore: ClosedRange<Int64> = 86_400...27 * 3_600
    /// The least time between a request to the issuer and a donation, in seconds: who sees both would join them.
    public static let apart: Int64 = 3_600
    /// How late a donation may begin: a device that was off or asleep at its second leaves the day out.
    public static let lateness: Int64 = 600
    /// The days before the present one whose encounters the first donation of a consent tells of, our own choice.
    static let firstDays: Int64 = 2
    /// The longest time between a start of the device and what was due before it, in seconds, at random: the issuer would learn when it is switched on.
    static let wakeSeconds: Int64 = 3_600
    /// The days for which it is remembered which encounters were donated: one more than encounters are kept for.
    public static let memoryDays: Int64 = 15
    /// The most donations that are listed.
    public static let maximumHistory = 14
    /// The most encounters that are remembered as donated, and so are in donations of 15 days; our own bound on the disk.
    public static let maximumMarks = 400
    /// The most tokens that are kept, asked for or there: more than two batches.
    static let maximumTickets = 20
    /// The most bytes of a book that is read: 32 KiB, as a setting of the ledger may have. A full book has fewer.
    public static let maximumByteCount = 32_768

    /// The wearer's consent.
    public struct Consent: Sendable, Hashable, Codable {
        /// When it was given, Unix seconds.
        public internal(set) var since: Int64
        /// The version of the text that the wearer had before them.
        public let text: Int64
        /// The names of the servers in it.
        public let issuer: String, server: String
        /// Who was responsible for it; `nil` if the document did not say.
        public let responsible: DonationTerms.Responsible?
        /// Of a survey: which one it is (``DonationTerms/Survey/name``); `nil` otherwise.
        package let surveyName: String?

        init(
            since: Int64, text: Int64, issuer: String, server: String, responsible: DonationTerms.Responsible? = nil,
            surveyName: String? = nil
        ) {
            self.since = since
            self.text = text
            self.issuer = issuer
            self.server = server
            self.responsible = responsible
            self.surveyName = surveyName
        }

        init(since: Int64, text: Int64, _ parties: DonationTerms.Parties) {
            self.init(
                since: since, text: text, issuer: parties.issuer, server: parties.server,
                responsible: parties.responsible, surveyName: parties.survey)
        }

        /// Whether the servers of `terms`, who is responsible for the purpose, or its survey, are others than those that were agreed to.
        func isForOthers(than terms: DonationTerms, _ purpose: MonthlyPurpose? = nil) -> Bool {
            DonationTerms.Parties(issuer: issuer, server: server, responsible: responsible, survey: surveyName)
                != terms.parties(for: purpose)
        }
    }

    /// The right to donate once, on one day; or cover, which has the place of one.
    struct Ticket: Sendable, Hashable, Codable {
        /// Days since 1970.
        let day: Int64
        /// The name of the key, and the digest of the challenge, in Base64; absent for cover. Of a token, which has both in it, the name is empty.
        var key: String?, challenge: String?
        /// The token, in Base64, and for cover nothing in its place; absent while it is asked for.
        var token: String?
        /// Of cover: the purpose whose token is asked for in its place.
        var errand: MonthlyPurpose?

        static func cover(_ day: Int64, isWanted: Bool, for errand: MonthlyPurpose? = nil) -> Ticket {
            Ticket(day: day, token: isWanted ? nil : "", errand: errand)
        }

        var isWanted: Bool { token == nil }
        var isCover: Bool { key == nil }
    }

    /// What is to be sent: a donation that is frozen (whatever happens, the same bytes are sent with the same token), or cover.
    struct Sending: Sendable, Hashable, Codable {
        let day: Int64
        /// In Base64; absent for cover.
        var token: String?
        var notBefore: Int64
        /// What is sent in the place of a donation, and its content in Base64, without padding.
        var errand: MonthlyPurpose?
        var content: String?
    }

    /// What became of a donation.
    public enum Outcome: String, Sendable, Codable, CaseIterable {
        /// The server has it.
        case taken
        /// The server did not want it.
        case refused
        /// It was not sent in time, or could not be sent to the server that it was for.
        case lapsed
    }

    /// A donation that is over.
    public struct Past: Sendable, Hashable, Codable {
        /// The day, in days since 1970.
        public let day: Int64
        /// What became of it.
        public let outcome: Outcome
    }

    /// Why no tokens are asked for any more. Tokens that are there are used all the same: whose donations end at once would be known by that.
    public enum Stop: String, Sendable, Codable, CaseIterable {
        /// The issuer has signed twice with a key that is not the one of the signed document.
        case otherKey
        /// The issuer gives this device no tokens.
        case deviceRefused
    }

    struct Stopped: Sendable, Hashable, Codable {
        let why: Stop
        /// Of the terms.
        let version: Int64
        /// The name of the key that the issuer does not use, in Base64.
        let key: String?
    }

    /// An encounter that was donated; day and mark in one text, because there are many.
    struct Mark: Sendable, Hashable {
        let day: Int64
        let mark: String
    }

    /// The wearer's consent; `nil` without one.
    public internal(set) var consent: Consent?
    /// Donations that are over, oldest first.
    public internal(set) var history: [Past] = []
    /// The last day that a token, or cover in its place, was ever asked for. It outlives a withdrawal: a second request for one key would be another device's to
    /// the issuer.
    public internal(set) var askedUntil: Int64?
    var stoppedBy: Stopped?
    var tickets: [Ticket] = []
    var sending: Sending?
    /// What requests are derived from.
    var seed: String?
    /// What the second of the donation of ``clockDay`` is drawn from, and that of each later day.
    var clock: String?
    var clockDay: Int64?
    var nextBatch: Int64?
    /// The day whose request was handed out, until its answer is there.
    var asked: Int64?
    /// When the issuer was last asked, and the donation server last sent to, Unix seconds.
    var lastRequest: Int64?
    var lastDonation: Int64?
    /// Answers of the issuer in a row that were not by the right key.
    var strikes: Int?
    /// Whether an increased risk is called that, and whether a low one is: one answer for each truth, because many draws would tell it.
    var increasedAnswer: Bool?
    var lowAnswer: Bool?
    /// The ε of these answers; absent with an answer of an earlier release, which may have had the largest.
    var increasedEpsilon: Double?
    var lowEpsilon: Double?
    var marks: [Mark] = []
    /// What is kept of error logs; `nil` without a consent to them.
    var log: Errand?
    /// What is kept of a survey; `nil` without a consent to it.
    var survey: Errand?
    /// By purpose, the first day of the month that a token was asked for last.
    var askedMonths: [String: Int64]?

    /// Creates a book without a consent.
    public init() {}

    /// Whether there is a consent, and nothing else.
    public var description: String { consent == nil ? "no consent" : "consent" }

    /// Whether there is nothing in it but the last day and the last months that were asked for.
    public var isEmpty: Bool {
        var empty = DonationBook()
        (empty.askedUntil, empty.askedMonths) = (askedUntil, askedMonths)
        return self == empty
    }

    /// Whether it is one that a device without a consent may have: the schedule and cover, and nothing of the wearer.
    public var isCoverOnly: Bool {
        let hasNothing = consent == nil && history.isEmpty && marks.isEmpty && seed == nil && stoppedBy == nil
        return hasNothing && increasedAnswer == nil && lowAnswer == nil && sending?.token == nil
            && tickets.allSatisfy { $0.isCover && $0.errand == nil }
            && MonthlyPurpose.allCases.allSatisfy { self[$0] == nil }
    }

    /// Notes that tokens were asked for until this day, as it was known elsewhere; an earlier day has no effect.
    public mutating func remember(askedUntil day: Int64) { askedUntil = max(askedUntil ?? day, day) }

    /// Why no tokens are asked for; `nil` if that is not so.
    public var stopped: Stop? { stoppedBy?.why }

    // MARK: Consent

    /// Notes the consent of the wearer at `now`, Unix seconds, to donate by the servers of `terms`; has no effect if there is one for these. One for others
    /// (``isForOthers(than:)``) is withdrawn by that.
    public mutating func agree(text: Int64, _ terms: DonationTerms, at now: Int64) {
        if consent != nil {
            guard isForOthers(than: terms) else { return }
            withdraw()
        }
        // Requests go on by their schedule: neither the issuer nor an observer learns when it was given.
        consent = Consent(since: now, text: text, terms.parties())
    }

    /// Whether there is a consent, and it is for other servers, operators, recipients or days than those of `terms`: then nothing is asked for or sent.
    public func isForOthers(than terms: DonationTerms) -> Bool { consent?.isForOthers(than: terms) ?? false }

    /// Erases the consent and all that came of it; cover takes the place of tokens and of what is under way. What was donated cannot be found again. Has no
    /// effect without a consent. Other purposes stay as they are.
    public mutating func withdraw() {
        guard consent != nil else { return }
        var cover = DonationBook()
        cover.tickets = tickets.map { .cover($0.day, isWanted: $0.isWanted, for: $0.errand) }
        cover.sending = sending.map { $0.errand == nil ? Sending(day: $0.day, notBefore: $0.notBefore) : $0 }
        (cover.log, cover.survey, cover.askedMonths) = (log, survey, askedMonths)
        (cover.askedUntil, cover.nextBatch) = (askedUntil, nextBatch)
        (cover.lastRequest, cover.lastDonation) = (lastRequest, lastDonation)
        // Not the clock: it would tell when the donation of today was sent.
        self = cover
    }

    // MARK: Steps

    /// What is to be done next.
    public enum Step: Sendable, Hashable {
        /// Nothing before this time, Unix seconds; `nil`: nothing until there are terms.
        case wait(until: Int64?)
        /// Ask for the token of this day, with this request.
        case request(day: Int64, TokenRequest)
        /// Ask for nothing in the place of a token of this day (``DonationCover``), with this request, which is as long.
        case coverRequest(day: Int64, [UInt8])
        /// Compose a donation for this day, and freeze it (``freeze(_:_:_:at:using:)``).
        case compose(day: Int64)
        /// Send what is frozen, with this token.
        case send(day: Int64, Token)
        /// Send this for a monthly purpose in the place of the donation of this day, with this token. The content has no padding yet.
        case sendErrand(MonthlyPurpose, day: Int64, Token, content: [UInt8])
        /// Send cover in the place of the donation of this day (``DonationCover``).
        case sendCover(day: Int64)
    }

    /// What is to be done at `now`, Unix seconds; `terms` is `nil` if there are none. Notes what must be on the disk before it is done, such as the seed of
    /// requests and that one was handed out: write the book first, then act. Whoever asks again without having said what came of it waits for an hour or
    /// more.
    ///
    /// Throws `operationFailed` if Mbed TLS fails.
    public mutating func step(
        _ terms: DonationTerms?, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(PrivacyPassError) -> Step {
        guard let terms else { return .wait(until: nil) }
        correct(at: now, using: &random)
        asked = nil
        // The first requests of devices that are set up together are not.
        if nextBatch == nil { nextBatch = now + .random(in: 0..<Self.batchSeconds.upperBound, using: &random) }
        try turnClock(to: UTCDay(containing: now).number, using: &random)
        if let step = try request(terms, at: now, using: &random) { return step }
        return try donation(terms, at: now, using: &random)
    }

    /// Puts off what was due while the device was off; for the first step after a start, at `now`, Unix seconds.
    public mutating func wake(at now: Int64, using random: inout some RandomNumberGenerator) {
        func later(_ due: Int64) -> Int64 { due > now ? due : now + .random(in: 0..<Self.wakeSeconds, using: &random) }
        if let due = nextBatch { nextBatch = later(due) }
        if let due = sending?.notBefore { sending?.notBefore = later(due) }
    }

    /// What a clock that was ahead has left behind does not hold.
    private mutating func correct(at now: Int64, using random: inout some RandomNumberGenerator) {
        if let since = consent?.since, since > now { consent?.since = now }
        for purpose in MonthlyPurpose.allCases {
            if let since = self[purpose]?.consent.since, since > now { self[purpose]?.consent.since = now }
        }
        survey?.password?.correct(today: UTCDay(containing: now).number)
        if let next = nextBatch, next > now + Self.pause + Self.batchSeconds.upperBound {
            nextBatch = now + .random(in: 0..<UTCDay.seconds, using: &random)
        }
        if let sending, sending.notBefore > now + Self.retrySeconds.upperBound { self.sending?.notBefore = now }
        if let last = lastRequest, last > now { lastRequest = now }
        if let last = lastDonation, last > now { lastDonation = now }
        let today = UTCDay(containing: now).number
        // A token is good on its day and the one after.
        if let sending, sending.day + 1 < today { end(sending.day, .lapsed) }
        if !tickets.contains(where: \.isWanted) { seed = nil }
    }

    /// Forgets what is of days before `certain`, the day that has certainly come (days since 1970): a clock that is ahead erases nothing. Returns whether there was any.
    public mutating func forget(before certain: Int64) -> Bool {
        let before = self
        tickets.removeAll { $0.day < certain }
        marks.removeAll { $0.day <= certain - Self.memoryDays }
        history.removeAll { $0.day < certain - Int64(Self.maximumHistory) }
        if let sending, sending.day + 1 < certain { end(sending.day, .lapsed) }
        if !tickets.contains(where: \.isWanted) { seed = nil }
        forgetErrands(before: certain)
        return self != before
    }

    /// The number of tokens for days to come; `now` is in Unix seconds.
    public func tokenCount(at now: Int64) -> Int {
        tickets.count { !$0.isCover && $0.token != nil && $0.day >= UTCDay(containing: now).number }
    }

    // MARK: On disk

    /// The book as bytes, to be written to disk: they are secret. Throws `JSONError` if it cannot be encoded.
    public func bytes() throws -> [UInt8] { try JSON(encoding: self).bytes }

    /// Reads a book, also one of an earlier release; `nil` if it is damaged.
    public init?(bytes: [UInt8]) {
        guard bytes.count <= Self.maximumByteCount, let json = try? JSON(parsing: bytes),
            let book = try? json.decode(DonationBook.self)
        else { return nil }
        self = book
    }
}

extension DonationBook.Consent {
    /// What earlier releases kept.
    private enum FormerKeys: CodingKey { case survey }

    /// Reads a consent; earlier releases kept the survey itself.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let former = try decoder.container(keyedBy: FormerKeys.self)
        self.init(
            since: try fields.decode(Int64.self, forKey: .since), text: try fields.decode(Int64.self, forKey: .text),
            issuer: try fields.decode(String.self, forKey: .issuer),
            server: try fields.decode(String.self, forKey: .server),
            responsible: try fields.decodeIfPresent(DonationTerms.Responsible.self, forKey: .responsible),
            surveyName: try fields.decodeIfPresent(String.self, forKey: .surveyName)
                ?? former.decodeIfPresent(DonationTerms.Survey.self, forKey: .survey)?.name)
    }
}

extension DonationBook.Mark: Codable {
    private enum FormerKeys: CodingKey { case day, mark }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            let parts = text.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 2, let day = Int64(parts[0]) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "no day and mark"))
            }
            (self.day, mark) = (day, String(parts[1]))
            return
        }
        let former = try decoder.container(keyedBy: FormerKeys.self)
        (day, mark) = (try former.decode(Int64.self, forKey: .day), try former.decode(String.self, forKey: .mark))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(day) \(mark)")
    }
}
