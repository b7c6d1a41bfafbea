// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import CrowdNotifier
public import JSON
public import PresenceTracing
public import VenueNotices

/// All visits of a wearer and what warnings say about them: what the plugin keeps. A value; whoever changes it writes it to disk before telling
/// anybody. Sealed there, for it says where somebody has been.
///
/// It has no clock: every time is given, in Unix seconds. What may forget is for the caller to judge (docs/time.md).
public struct VisitDiary: Sendable, Hashable, CustomStringConvertible {
    /// The most visits at once; a choice of ours, fourteen days with fourteen visits each.
    public static let maximumVisits = 200
    /// The number of days of UTC that a visit is kept after it ended: 14, as long as keys and warnings count.
    public static let retentionDays = 14
    /// The room that a store needs for a diary, in bytes, a choice of ours: ``maximumVisits`` visits with codes of the greatest length have less.
    public static let maximumBytes = 1 << 20
    /// 31 days; nobody stays longer.
    static let longestSeconds = Visit.longestSeconds

    /// The visits in the order in which they were entered, at most ``maximumVisits``.
    public private(set) var visits: [DiaryVisit] = []
    private var last = 0
    /// The notices that the wearer is told of visits, in the order in which they came first; empty for none.
    public internal(set) var notices: [VisitNotice] = []
    var lastNotice = 0
    /// The matches of the Corona-Warn-App, of which notices follow; those of the highest levels first, and at most 8,192, a choice of ours.
    public internal(set) var matches: [PresenceMatch] = []

    /// A diary without visits.
    public init() {}

    /// The number of visits, and nothing of the places.
    public var description: String { "\(visits.count) visits" }

    /// The visit of this number; `nil` if there is none, or not any more.
    public func visit(_ number: Int) -> DiaryVisit? { visits.first { $0.number == number } }

    // MARK: What the wearer does

    /// Checks in at `now`, Unix seconds; the visit will end by itself. A wearer may be at several places at once. Where the same code is open
    /// already, that visit goes on: who presses twice is there once. Gives the visit's number.
    /// - Throws: `tooManyVisits`; `invalidTimes` if the visit would not be in the years 1970 to 9999.
    public mutating func checkIn(_ ticket: VenueTicket, at now: Int64) throws(DiaryError) -> Int {
        if let open = visits.first(where: { $0.isOpen && $0.place == ticket.place }) { return open.number }
        guard visits.count < Self.maximumVisits else {
            throw DiaryError(.tooManyVisits, "there are \(visits.count)")
        }
        guard Self.areTimes(now, now) else { throw DiaryError(.invalidTimes) }
        let departure = now + Int64(ticket.minutes(at: now)) * 60
        guard Self.areTimes(now, departure), last < Int(Int32.max) else { throw DiaryError(.invalidTimes) }
        last += 1
        visits.append(DiaryVisit(number: last, place: ticket.place, arrival: now, departure: departure))
        return last
    }

    /// Checks out by hand at `now`, Unix seconds, brought between arrival and the moment at which the visit would end by itself. Throws
    /// `unknownVisit` or `alreadyOver`.
    public mutating func checkOut(_ number: Int, at now: Int64) throws(DiaryError) {
        let index = try self.index(number)
        guard visits[index].isOpen else { throw DiaryError(.alreadyOver) }
        visits[index].departure = min(max(now, visits[index].arrival), visits[index].departure)
        visits[index].isOpen = false
    }

    /// Changes the times of a visit that is over, all in Unix seconds. What was compared by the former times is the caller's to void.
    /// - Throws: `unknownVisit`; `invalidTimes` for a visit that is open, ends before it begins, has not ended by `now`, is longer than 31 days, or
    ///   is not in the years 1970 to 9999.
    public mutating func edit(_ number: Int, arrival: Int64, departure: Int64, at now: Int64) throws(DiaryError) {
        let index = try self.index(number)
        guard !visits[index].isOpen, Self.areTimes(arrival, departure), departure <= now else {
            throw DiaryError(.invalidTimes)
        }
        visits[index].arrival = arrival
        visits[index].departure = departure
    }

    /// Sets whether the visit is published when the wearer warns others. Throws `unknownVisit`.
    public mutating func setWarning(_ number: Int, to warns: Bool) throws(DiaryError) {
        visits[try index(number)].warns = warns
    }

    /// Deletes a visit at once, and what warnings said about it. Throws `unknownVisit`.
    public mutating func delete(_ number: Int) throws(DiaryError) {
        visits.remove(at: try index(number))
        forgetWarnings()
    }

    // MARK: What happens by itself

    /// Ends open visits whose time has come by `now` (Unix seconds); returns their numbers, none if nothing was due.
    public mutating func checkOutDue(at now: Int64) -> [Int] {
        var ended: [Int] = []
        for index in visits.indices where visits[index].isOpen && visits[index].departure <= now {
            visits[index].isOpen = false
            ended.append(visits[index].number)
        }
        return ended
    }

    /// The moment when the next visit ends by itself, Unix seconds; `nil` without an open one.
    public var nextCheckOut: Int64? { visits.filter(\.isOpen).map(\.departure).min() }

    /// Forgets visits that ended before the UTC day that lies ``retentionDays`` before `now` (Unix seconds), which must be
    /// certainly past: a wrong clock must not erase. Open visits stay. Cannot fail.
    public mutating func forget(at now: Int64) {
        visits.removeAll { !$0.isOpen && !Visit.isRecent(end: $0.departure, now: now, days: Self.retentionDays) }
        forgetWarnings()
    }

    /// Of visits that are gone nothing stays.
    private mutating func forgetWarnings() {
        let known = Set(visits.map(\.number))
        notices.removeAll { !known.contains($0.visit) }
        matches.removeAll { !known.contains($0.visit) }
    }

    /// Notes that the visits of these numbers were published; numbers that are gone are passed over.
    public mutating func noteSubmitted(_ numbers: Set<Int>) {
        for index in visits.indices where numbers.contains(visits[index].number) { visits[index].isSubmitted = true }
    }

    /// Notes that the wearer was told about visits; numbers that are gone are passed over.
    public mutating func noteTold(_ numbers: Set<Int>) {
        for index in visits.indices where numbers.contains(visits[index].number) { visits[index].wasTold = true }
    }

    // MARK: For comparison with warnings

    /// The visits to places with codes of the Corona-Warn-App, those that were published too; empty without any. An open visit lasts until `now`
    /// (Unix seconds), brought between its arrival and its end.
    public func presenceVisits(at now: Int64) -> [Visit] {
        visits.compactMap { visit in
            guard case .coronaWarnApp(let payload) = visit.place else { return nil }
            return Visit(
                number: visit.number, location: LocationID(payload: payload), start: visit.arrival,
                end: end(of: visit, now),
                isSubmitted: visit.isSubmitted)
        }
    }

    /// The visits to places with codes of SwissCovid that were neither published nor told about; empty without any. An open visit lasts until `now`
    /// (Unix seconds), brought between its arrival and its end.
    public func crowdNotifierVisits(at now: Int64) -> [CrowdNotifierVisit] {
        visits.compactMap { visit in
            guard case .swissCovid(let payload) = visit.place, !visit.isSubmitted, !visit.wasTold else { return nil }
            return CrowdNotifierVisit(
                number: visit.number, keys: VenueKeys(payload: payload), arrival: visit.arrival,
                departure: end(of: visit, now))
        }
    }

    /// The visits to places with posters of the NHS, those that were told about or published too; empty without any. An open visit lasts until
    /// `now` (Unix seconds), brought between its arrival and its end.
    public func posterVisits(at now: Int64) -> [PosterVisit] {
        visits.compactMap { visit in
            guard case .nhs(let id, _, _) = visit.place else { return nil }
            return PosterVisit(
                number: visit.number, venueID: id, from: visit.arrival, to: end(of: visit, now), wasTold: visit.wasTold)
        }
    }

    private func end(of visit: DiaryVisit, _ now: Int64) -> Int64 {
        visit.isOpen ? min(max(now, visit.arrival), visit.departure) : visit.departure
    }

    private func index(_ number: Int) throws(DiaryError) -> Int {
        guard let index = visits.firstIndex(where: { $0.number == number }) else { throw DiaryError(.unknownVisit) }
        return index
    }

    /// Of the years 1970 to 9999, in the right order and not too far apart.
    static func areTimes(_ arrival: Int64, _ departure: Int64) -> Bool {
        arrival >= 0 && arrival <= departure && departure <= 253_402_300_799 && departure - arrival <= longestSeconds
    }

    // MARK: On disk

    /// The diary as JSON, to be written: ``init(_:)`` reads it. It says where somebody has been.
    public var json: JSON {
        [
            "last": .int(Int64(last)), "visits": .array(visits.map(\.json)), "lastNotice": .int(Int64(lastNotice)),
            "notices": .array(notices.map(\.json)), "matches": .array(matches.map(\.json)),
        ]
    }

    /// The diary that ``json`` has given.
    ///
    /// - Throws: `damagedDiary` for anything else.
    public init(_ json: JSON) throws(DiaryError) {
        let numbers = 0...Int64(Int32.max)
        guard let last = json["last"]?.int, numbers.contains(last), let entries = json["visits"]?.array,
            entries.count <= Self.maximumVisits, let lastNotice = json["lastNotice"]?.int, numbers.contains(lastNotice),
            let told = json["notices"]?.array, let met = json["matches"]?.array, met.count <= Self.maximumMatches
        else { throw DiaryError(.damagedDiary) }
        let visits = entries.compactMap(DiaryVisit.init)
        let notices = told.compactMap(VisitNotice.init)
        let matches = met.compactMap(PresenceMatch.init)
        let known = Set(visits.map(\.number))
        guard visits.count == entries.count, known.count == visits.count, visits.allSatisfy({ $0.number <= last }),
            notices.count == told.count, Set(notices.map(\.number)).count == notices.count,
            notices.allSatisfy({ $0.number <= lastNotice && known.contains($0.visit) }), matches.count == met.count,
            matches.allSatisfy({ known.contains($0.visit) })
        else { throw DiaryError(.damagedDiary) }
        self.visits = visits
        self.last = Int(last)
        self.notices = notices
        self.lastNotice = Int(lastNotice)
        self.matches = matches
    }
}

extension PresenceMatch {
    fileprivate var json: JSON {
        [
            "visit": .int(Int64(visit)), "day": .int(day.number), "minutes": .int(minutes), "level": .int(Int64(level)),
        ]
    }

    fileprivate init?(_ json: JSON) {
        guard let visit = json["visit"]?.int, (1...Int64(Int32.max)).contains(visit), let day = json["day"]?.int,
            (0...4_000_000).contains(day), let minutes = json["minutes"]?.int, (0...1_000_000).contains(minutes),
            let level = json["level"]?.int, CheckInRecord.levels.contains(level)
        else { return nil }
        self.init(visit: Int(visit), day: UTCDay(number: day), minutes: minutes, level: UInt8(level))
    }
}
