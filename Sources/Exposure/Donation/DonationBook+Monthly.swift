// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import PrivacyPass

/// What is sent once a month at most, each purpose by a consent of its own.
///
/// Nothing is sent for it that would not be sent anyway: its request takes the place of one in a week's batch, its content that of a day's donation or cover. So who
/// sees the network sees nothing of it.
extension DonationBook {
    /// The right to send something for a purpose once in a month.
    struct MonthTicket: Sendable, Hashable, Codable {
        /// The first day of the month, in days since 1970.
        let month: Int64
        /// The first day on which it may be used: the one whose request had its place, so that what is sent does not follow its token closely.
        var due: Int64
        /// The name of the key, and the digest of the challenge, in Base64.
        let key: String, challenge: String
        /// The token, in Base64; absent while it is asked for.
        var token: String?
    }

    /// A trouble that the device had.
    public struct Seen: Sendable, Hashable, Codable {
        /// What it was.
        public let trouble: DeviceTrouble
        /// The day (UTC) on which it was seen last, in days since 1970.
        public internal(set) var day: Int64
    }

    /// What the wearer has read line by line, and lets go.
    struct Released: Sendable, Hashable, Codable {
        let troubles: [DeviceTrouble]
        let day: Int64
    }

    /// What is kept of a monthly purpose while there is a consent.
    public struct Errand: Sendable, Hashable, Codable {
        /// The wearer's consent.
        public internal(set) var consent: Consent
        /// What was sent and is over, oldest first; at most ``DonationBook/maximumHistory``.
        public internal(set) var history: [Past] = []
        /// Why there is no token this month; `nil` if that is not so.
        public internal(set) var stopped: Stop?
        var ticket: MonthTicket?
        /// What the request is derived from.
        var seed: String?
        /// Answers of the issuer in a row that were not by the right key.
        var strikes: Int?
        /// The version of the terms by which the issuer gave this device no token; absent if that is not so, or it is asked again.
        var refusedBy: Int64?
        /// Of a log: the troubles, in the order of the catalogue.
        public internal(set) var seen: [Seen] = []
        var released: Released?
        /// Of a survey: the password, from the request for a token on.
        var password: Password?

        init(_ consent: Consent) { self.consent = consent }

        /// Whether there is a token for this month.
        public var hasToken: Bool { ticket?.token != nil }
        /// Whether the wearer has let a log go that is not sent yet.
        public var isReleased: Bool { released != nil }
        /// The troubles of the log that the wearer has let go; empty without one.
        public var releasedTroubles: [DeviceTrouble] { released?.troubles ?? [] }

        func hasBegun(at now: Int64) -> Bool { now >= consent.since + DonationBook.pause }

        /// Has no effect if no token is asked for. What was asked for once is asked for again later, the same.
        mutating func noteDeviceRefused(version: Int64) {
            guard let ticket, ticket.token == nil else { return }
            (stopped, refusedBy) = (.deviceRefused, version)
        }

        mutating func giveUp() { (ticket, seed, strikes) = (nil, nil, nil) }
    }

    /// What is kept of a purpose; `nil` without a consent to it.
    public internal(set) subscript(purpose: MonthlyPurpose) -> Errand? {
        get {
            switch purpose {
            case .log: log
            case .survey: survey
            }
        }
        set {
            switch purpose {
            case .log: log = newValue
            case .survey: survey = newValue
            }
        }
    }

    /// The first day of the month for which a token of this purpose was asked last; `nil` if none was. It outlives a withdrawal, as ``askedUntil`` does.
    public func askedMonth(_ purpose: MonthlyPurpose) -> Int64? { askedMonths?[purpose.rawValue] }

    /// Notes that a token of the month that begins with this day was asked for, as it was known elsewhere; an earlier one has no effect.
    public mutating func remember(askedMonth month: Int64, _ purpose: MonthlyPurpose) {
        askedMonths = (askedMonths ?? [:]).merging([purpose.rawValue: month]) { max($0, $1) }
    }

    // MARK: Consent

    /// Notes the consent of the wearer to this purpose at `now`, Unix seconds, by the servers of `terms`; has no effect if there is one for these. One for other servers is
    /// withdrawn by that. Other purposes stay as they are.
    public mutating func agree(_ purpose: MonthlyPurpose, text: Int64, _ terms: DonationTerms, at now: Int64) {
        if let errand = self[purpose] {
            guard errand.consent.isForOthers(than: terms, purpose) else { return }
            withdraw(purpose)
        }
        self[purpose] = Errand(Consent(since: now, text: text, terms.parties(for: purpose)))
    }

    /// Erases the consent to this purpose and all that came of it; cover takes the place of what is under way. Has no effect without one. Other purposes stay as they are.
    public mutating func withdraw(_ purpose: MonthlyPurpose) {
        guard self[purpose] != nil else { return }
        self[purpose] = nil
        for index in tickets.indices where tickets[index].errand == purpose { tickets[index].errand = nil }
        if let sending, sending.errand == purpose { self.sending = Sending(day: sending.day, notBefore: sending.notBefore) }
        // It would tell when it was sent today.
        clock = nil
    }

    /// Whether there is a consent to this purpose, and it is for other servers, operators, recipients or days than those of `terms`.
    public func isForOthers(_ purpose: MonthlyPurpose, than terms: DonationTerms) -> Bool {
        self[purpose]?.consent.isForOthers(than: terms, purpose) ?? false
    }

    // MARK: Error logs

    /// Notes the troubles that the device has at `now`, Unix seconds. Nothing is noted without a consent to logs, nor in its first 24 hours. Returns whether there is anything new.
    public mutating func note(_ troubles: Set<DeviceTrouble>, at now: Int64) -> Bool {
        guard var errand = log, errand.hasBegun(at: now) else { return false }
        let today = UTCDay(containing: now).number
        var seen = Dictionary(errand.seen.map { ($0.trouble, $0.day) }, uniquingKeysWith: { $1 })
        for trouble in troubles { seen[trouble] = max(seen[trouble] ?? today, today) }
        errand.seen = seen.map { Seen(trouble: $0, day: $1) }.sorted { $0.trouble < $1.trouble }
        defer { log = errand }
        return errand != log
    }

    /// Lets the log go that has exactly these troubles, which the wearer has read; it is sent in the place of a donation or cover of a day to come. Returns whether that is so: not if the
    /// device has others to tell of by now, none, or a log that is not sent yet. `now` is in Unix seconds.
    public mutating func release(_ troubles: Set<DeviceTrouble>, at now: Int64) -> Bool {
        guard let errand = log, errand.released == nil, !troubles.isEmpty, Set(errand.seen.map(\.trouble)) == troubles
        else {
            return false
        }
        log?.released = Released(troubles: troubles.sorted(), day: UTCDay(containing: now).number)
        return true
    }

    // MARK: Tokens

    /// Gives a request of this batch to each purpose that has no token yet.
    mutating func planErrands(
        _ terms: DonationTerms, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(PrivacyPassError) {
        let today = UTCDay(containing: now)
        for purpose in MonthlyPurpose.allCases {
            guard var errand = self[purpose], errand.hasBegun(at: now), !errand.consent.isForOthers(than: terms, purpose)
            else { continue }
            if let ticket = errand.ticket, ticket.month < DonationEpoch.firstDay(ofMonth: today).number { errand.giveUp() }
            guard errand.ticket?.token == nil, errand.refusedBy != terms.version, purpose != .survey || mayPlanSurvey else {
                continue
            }
            let first = today.number + Self.daysAhead.lowerBound
            // Its place may be gone: the issuer was not reached for days.
            if errand.ticket != nil, tickets.contains(where: { $0.errand == purpose && $0.isWanted && $0.day >= first }) {
                continue
            }
            for index in tickets.indices where tickets[index].errand == purpose { tickets[index].errand = nil }
            let asked = askedMonth(purpose) ?? .min
            let free = tickets.filter { ticket in
                guard ticket.isWanted, ticket.errand == nil, ticket.day >= first,
                    let key = terms.key(for: purpose, monthOf: UTCDay(number: ticket.day))
                else { return false }
                let month = DonationEpoch.firstDay(ofMonth: UTCDay(number: ticket.day)).number
                // What was asked for and not answered is asked for again, the same.
                if let open = errand.ticket { return open.month == month && open.key == Base64.string(key.id) }
                return month > asked
            }
            guard let chosen = free.randomElement(using: &random), let index = tickets.firstIndex(of: chosen),
                let key = terms.key(for: purpose, monthOf: UTCDay(number: chosen.day))
            else {
                self[purpose] = errand
                continue
            }
            tickets[index] = .cover(chosen.day, isWanted: true, for: purpose)
            if errand.ticket == nil {
                let month = DonationEpoch.firstDay(ofMonth: UTCDay(number: chosen.day))
                errand.ticket = MonthTicket(
                    month: month.number, due: chosen.day, key: Base64.string(key.id),
                    challenge: Base64.string(try terms.challenge(ofMonth: month).digest))
                errand.seed = Self.secret(&random)
                // Not that of an earlier month: if its digest had arrived, two tokens would have it, and be of one device.
                if purpose == .survey { errand.password = Password(using: &random) }
            } else {
                errand.ticket?.due = chosen.day
            }
            (errand.stopped, errand.refusedBy) = (nil, nil)
            self[purpose] = errand
        }
    }

    /// The request for a purpose's token, the same each time; `nil` if none is asked for, or `terms` have another key or other servers for it.
    func pending(_ purpose: MonthlyPurpose?, _ terms: DonationTerms) throws(PrivacyPassError) -> PendingToken? {
        guard let purpose, let errand = self[purpose], !errand.consent.isForOthers(than: terms, purpose),
            let ticket = errand.ticket,
            ticket.token == nil, let key = terms.key(for: purpose, monthOf: UTCDay(number: ticket.month)),
            Base64.string(key.id) == ticket.key, let bytes = errand.seed.flatMap({ Base64.bytes($0) })
        else { return nil }
        let challenge = try terms.challenge(ofMonth: UTCDay(number: ticket.month))
        guard Base64.string(challenge.digest) == ticket.challenge else { return nil }
        return try TokenSeed(SecretBytes(copying: bytes)).pendingToken(
            key: key, challengeDigest: challenge.digest, index: 0)
    }

    /// Keeps the token of a purpose; its seed is not needed any more.
    mutating func keep(_ token: Token, for purpose: MonthlyPurpose) {
        self[purpose]?.ticket?.token = Base64.string(token.bytes)
        self[purpose]?.seed = nil
        self[purpose]?.strikes = nil
    }

    /// Counts an answer by another key; the second one in a row ends the requests of this month.
    mutating func strike(_ purpose: MonthlyPurpose) {
        let strikes = (self[purpose]?.strikes ?? 0) + 1
        self[purpose]?.strikes = strikes
        if strikes >= 2 { giveUp(purpose, .otherKey) }
    }

    /// Asks for no more tokens of this month.
    mutating func giveUp(_ purpose: MonthlyPurpose, _ why: Stop?) {
        self[purpose]?.giveUp()
        self[purpose]?.stopped = why
    }

    // MARK: Sending

    /// The purpose that has something to send in the place of this ticket, the token for it, and the content; `nil` if none has.
    func errand(
        inPlaceOf ticket: Ticket, _ terms: DonationTerms
    ) throws(PrivacyPassError) -> (purpose: MonthlyPurpose, token: String, content: [UInt8])? {
        for purpose in MonthlyPurpose.allCases {
            // What is on its way goes on by itself.
            guard sending?.errand != purpose, let errand = self[purpose], let month = errand.ticket,
                let token = month.token, try usable(token, purpose, month.month, terms) != nil,
                DonationEpoch.firstDay(ofMonth: UTCDay(number: ticket.day)).number == month.month, ticket.day >= month.due,
                // A donation gives way only if the day that was kept free is over.
                ticket.isCover || ticket.day > month.due
            else { continue }
            switch purpose {
            case .log:
                guard let released = errand.released else { continue }
                return (purpose, token, TroubleReport.content(released.troubles))
            case .survey:
                guard let password = errand.password, password.outcome == nil, let digest = password.known?.digest else {
                    continue
                }
                return (purpose, token, SurveyReport.content(digest))
            }
        }
        return nil
    }

    /// The token of a purpose and its month, if there is a consent to use it and the servers are the ones that it is for.
    func usable(
        _ text: String, _ purpose: MonthlyPurpose, _ month: Int64, _ terms: DonationTerms
    ) throws(PrivacyPassError) -> Token? {
        guard let errand = self[purpose], !errand.consent.isForOthers(than: terms, purpose), let token = Self.token(text),
            try terms.challenge(ofMonth: UTCDay(number: month)).digest == token.challengeDigest
        else { return nil }
        return token
    }

    /// Freezes what a purpose sends in the place of a ticket: from now on it is the same bytes with the same token. The token stays with the purpose until it is known what became
    /// of it: what reached nobody that day takes the place of another one of the month, and is the same bytes.
    mutating func begin(
        _ errand: (purpose: MonthlyPurpose, token: String, content: [UInt8]), day: Int64, at now: Int64
    ) {
        if let sending { end(sending.day, .lapsed) }
        sending = Sending(
            day: day, token: errand.token, notBefore: now, errand: errand.purpose, content: Base64.string(errand.content))
        tickets.removeAll { $0.day == day }
        if errand.purpose == .survey { survey?.password?.begin(on: UTCDay(containing: now).number) }
    }

    /// Notes what became of what was sent for a purpose with this token. What was not answered in time stays let go, and is sent again; what the server refused is not sent again by
    /// itself, because the server has seen it, but its lines stay for the wearer to decide once more.
    mutating func finish(_ purpose: MonthlyPurpose, _ day: Int64, _ outcome: Outcome, token: String) {
        guard outcome != .lapsed, var errand = self[purpose] else { return }
        // By now there may be one of the next month.
        if errand.ticket?.token == token { errand.ticket = nil }
        errand.history = Array((errand.history + [Past(day: day, outcome: outcome)]).suffix(Self.maximumHistory))
        if let released = errand.released, outcome == .taken {
            // What was seen again since is for the next log.
            errand.seen.removeAll { released.troubles.contains($0.trouble) && $0.day <= released.day }
        }
        errand.released = nil
        if purpose == .survey { errand.password?.end(outcome) }
        self[purpose] = errand
    }

    // MARK: Forgetting

    /// Forgets what is of before `certain`, the day that has certainly come.
    mutating func forgetErrands(before certain: Int64) {
        for purpose in MonthlyPurpose.allCases {
            guard var errand = self[purpose] else { continue }
            let released = errand.releasedTroubles
            errand.seen.removeAll { $0.day < certain - Int64(Self.maximumHistory) && !released.contains($0.trouble) }
            if let ticket = errand.ticket,
                DonationEpoch.days(ofMonth: UTCDay(number: ticket.month)).upperBound < certain
            {
                errand.giveUp()
            }
            if let last = errand.lastSurveyDay, last < certain { errand.password?.erase() }
            self[purpose] = errand
        }
    }
}
