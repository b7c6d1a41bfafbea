// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import CrowdNotifier
public import JSON
public import PresenceTracing
public import VenueNotices

/// All visits of a wearer, and the matches and notices that follow from warnings, as the plugin stores them. It is
/// a value: write it to disk after each change, before you report the change. It is sealed there, because it tells
/// where the wearer has been.
///
/// It has no clock: times are passed in, in Unix seconds. The caller decides which time is certain enough to forget
/// by (docs/time.md).
public struct VisitDiary: Sendable, Hashable, CustomStringConvertible {
    /// The most visits at once: 200, our choice; fourteen visits a day for fourteen days.
    public static let maximumVisits = 200
    /// The number of UTC days for which a visit is stored after its end: 14, as long as keys and warnings count.
    public static let retentionDays = 14
    /// The most bytes of a diary in a store: 1.5 MiB, our choice; ``maximumVisits`` visits with the longest codes, or hidden ones of twelve hours, need less.
    public static let maximumBytes = 3 << 19
    /// 31 days; nobody stays longer.
    static let longestSeconds = Visit.longestSeconds

    /// The visits in the order in which they were entered, at most ``maximumVisits``.
    public internal(set) var visits: [DiaryVisit] = []
    var last = 0
    /// The notices about visits, in the order in which they first came; empty if there are none.
    public internal(set) var notices: [VisitNotice] = []
    var lastNotice = 0
    /// The matches of the Corona-Warn-App whose packages need not be compared again, those of the highest levels first.
    var settled: [PresenceMatch] = []
    /// The matches of packages that have to be compared again, because a visit may go on into a warning of theirs, by the
    /// package's hour; at most ``maximumEarlyHours``, none of them empty.
    var early: [Int64: [PresenceMatch]] = [:]
    /// The batches of reports that were handed out for warnings of which it is not known whether they are out, oldest
    /// first; at most ``maximumBatches``, and none is forgotten for a later one.
    public internal(set) var batches: [ReportBatch] = []

    /// What stays of deleted visits whose reports were handed out, oldest first; at most ``maximumVisits``.
    private(set) var formerReports: [FormerReport] = []

    /// Creates a diary without visits.
    public init() {}

    /// The number of visits, without anything about the places.
    public var description: String { "\(visits.count) visits" }

    /// Returns the visit with this number; `nil` if there is none.
    public func visit(_ number: Int) -> DiaryVisit? { visits.first { $0.number == number } }

    // MARK: What the wearer does

    /// Checks in at `now`, in Unix seconds, and returns the visit's number. The visit will end automatically: after
    /// the time that the code names for the Corona-Warn-App and SwissCovid, after twelve hours for the NHS. A
    /// wearer may be at several places at once. If a visit with the same code is open, no new one begins, and its
    /// number is returned.
    /// - Throws: `DiaryError.tooManyVisits` if there are ``maximumVisits``; `DiaryError.invalidTimes` if the visit
    ///   would not be in the years 1970 to 9999, or the numbers of visits are used up.
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

    /// Ends the visit with this number at `now`, in Unix seconds, which is limited to the time between arrival and the
    /// automatic end. Not for a hidden visit: that stops the program.
    /// - Throws: `DiaryError.unknownVisit` if there is no such visit; `DiaryError.alreadyOver` if it has ended.
    public mutating func checkOut(_ number: Int, at now: Int64) throws(DiaryError) {
        let index = try self.index(number)
        guard visits[index].isOpen else { throw DiaryError(.alreadyOver) }
        precondition(!visits[index].place.isHidden, "a hidden visit ends by checkOut(_:at:using:)")
        visits[index].departure = min(max(now, visits[index].arrival), visits[index].departure)
        visits[index].isOpen = false
    }

    /// Changes the times, in Unix seconds, of the visit with this number, which has to be over, and returns whether they
    /// were others. Then the caller has to void comparisons with its former times (``VenueDownloads/startOver(_:)``); what
    /// the wearer was told about them does not count any more, and stays until all is compared anew.
    /// - Throws: `DiaryError.unknownVisit` if there is no such visit; `DiaryError.hiddenVisit` if it is hidden; `DiaryError.invalidTimes` if it is open, ends before
    ///   it begins, has not ended by `now`, is longer than 31 days, or is not in the years 1970 to 9999.
    @discardableResult
    public mutating func edit(_ number: Int, arrival: Int64, departure: Int64, at now: Int64) throws(DiaryError) -> Bool {
        let index = try self.index(number)
        guard !visits[index].place.isHidden else { throw DiaryError(.hiddenVisit) }
        guard !visits[index].isOpen, Self.areTimes(arrival, departure), departure <= now else {
            throw DiaryError(.invalidTimes)
        }
        let (arrival, departure) = Self.kept(visits[index], arrival, departure)
        guard (arrival, departure) != (visits[index].arrival, visits[index].departure) else { return false }
        visits[index].arrival = arrival
        visits[index].departure = departure
        visits[index].wasTold = false
        return true
    }

    /// Forms have whole minutes: a time that comes back as it was shown is the one that is stored.
    private static func kept(_ visit: DiaryVisit, _ arrival: Int64, _ departure: Int64) -> (Int64, Int64) {
        let first = arrival == visit.arrival - visit.arrival % 60 ? visit.arrival : arrival
        let last = departure == visit.departure - visit.departure % 60 ? visit.departure : departure
        return areTimes(first, last) ? (first, last) : (arrival, departure)
    }

    /// Sets whether the visit with this number is published when the wearer warns others.
    /// - Throws: `DiaryError.unknownVisit` if there is no such visit.
    public mutating func setWarning(_ number: Int, to warns: Bool) throws(DiaryError) {
        visits[try index(number)].warns = warns
    }

    /// Deletes the visit with this number at once, with its notices and matches. If a report of it was handed out, the report's time and a hash of the place stay
    /// until ``retentionDays`` and a day after that time, or until nothing came of the report: another visit there would meet it.
    /// - Throws: `DiaryError.unknownVisit` if there is no such visit.
    public mutating func delete(_ number: Int) throws(DiaryError) {
        let visit = visits.remove(at: try index(number))
        if let report = FormerReport(visit), report.isOut || batches.contains(where: { $0.visits.contains(number) }) {
            formerReports = Array((formerReports + [report]).suffix(Self.maximumVisits))
        }
        forgetWarnings()
    }

    // MARK: What happens by itself

    /// Ends open visits whose end has come by `now` (in Unix seconds), and returns their numbers; empty if none was due.
    public mutating func checkOutDue(at now: Int64) -> [Int] {
        var ended: [Int] = []
        for index in visits.indices where visits[index].isOpen && visits[index].departure <= now {
            visits[index].isOpen = false
            visits[index].blur()
            ended.append(visits[index].number)
        }
        return ended
    }

    /// The time at which the next visit ends automatically, in Unix seconds; `nil` if none is open.
    public var nextCheckOut: Int64? { visits.filter(\.isOpen).map(\.departure).min() }

    /// The times in which the wearer is reminded of open visits (``DiaryVisit/reminder``), the first to end first; at most
    /// ``maximumReminders``.
    public var reminders: [Range<Int64>] {
        Array(visits.compactMap(\.reminder).sorted { $0.upperBound < $1.upperBound }.prefix(Self.maximumReminders))
    }

    /// The most reminders at once: eight, as the core takes; nobody is at more places.
    public static let maximumReminders = 8

    /// Forgets visits that ended before the UTC day that is ``retentionDays`` before `now` (in Unix seconds), with their
    /// notices and matches; open visits stay. `now` must certainly be past, so that a wrong clock does not erase anything.
    /// Cannot fail.
    public mutating func forget(at now: Int64) {
        visits.removeAll { !$0.isOpen && !Visit.isRecent(end: $0.departure, now: now, days: Self.retentionDays) }
        formerReports.removeAll { !Visit.isRecent(end: $0.end, now: now, days: Self.retentionDays + 1) }
        forgetWarnings()
    }

    /// Of visits that are gone nothing stays but ``formerReports``.
    private mutating func forgetWarnings() {
        let known = Set(visits.map(\.number))
        notices.removeAll { !known.contains($0.visit) }
        settled.removeAll { !known.contains($0.visit) }
        for hour in early.keys { early[hour]?.removeAll { !known.contains($0.visit) } }
        early = early.filter { !$0.value.isEmpty }
        let named = known.union(formerReports.map(\.visit))
        for index in batches.indices { batches[index].visits.formIntersection(named) }
        batches.removeAll(where: \.visits.isEmpty)
    }

    /// Notes that the visits with these numbers were published; unknown numbers are ignored.
    public mutating func noteSubmitted(_ numbers: Set<Int>) {
        for index in visits.indices where numbers.contains(visits[index].number) { visits[index].isSubmitted = true }
        noteFormerOut(numbers)
    }

    /// Notes that the visits with these numbers may have been published; unknown numbers are ignored.
    mutating func noteMaybeSubmitted(_ numbers: Set<Int>) {
        for index in visits.indices where numbers.contains(visits[index].number) { visits[index].mayBeSubmitted = true }
        noteFormerOut(numbers)
    }

    private mutating func noteFormerOut(_ numbers: Set<Int>) {
        for index in formerReports.indices where numbers.contains(formerReports[index].visit) {
            formerReports[index].isOut = true
        }
    }

    /// Notes that a report of the visit with this number was handed out, which has this time; an unknown number is ignored. Of more than
    /// ``DiaryVisit/maximumReported`` times the last two become one.
    mutating func noteReported(_ number: Int, _ time: Range<Int64>) {
        guard let index = visits.firstIndex(where: { $0.number == number }) else { return }
        guard !visits[index].reported.contains(time) else { return }
        visits[index].reported.append(time)
        guard visits[index].reported.count > DiaryVisit.maximumReported else { return }
        let two = visits[index].reported.suffix(2)
        visits[index].reported.removeLast(2)
        let (first, last) = (two.map(\.lowerBound).min() ?? 0, two.map(\.upperBound).max() ?? 0)
        visits[index].reported.append(first..<max(first, last))
    }

    /// Notes that nothing came of the reports of the visits with these numbers; what was out before stays out.
    mutating func noteUnreported(_ numbers: Set<Int>) {
        for index in visits.indices where numbers.contains(visits[index].number) && !visits[index].mayMeetItself {
            visits[index].reported = []
        }
        formerReports.removeAll { numbers.contains($0.visit) && !$0.isOut }
    }

    /// Notes that the wearer was told about the visits with these numbers; unknown numbers are ignored.
    public mutating func noteTold(_ numbers: Set<Int>) {
        for index in visits.indices where numbers.contains(visits[index].number) { visits[index].wasTold = true }
    }

    // MARK: For comparison with warnings

    /// Returns the visits to places of the Corona-Warn-App, including published ones and those that may have been, both of which are marked; empty if there are none. An open
    /// visit lasts until `now` (in Unix seconds), limited to the time between its arrival and its automatic end. A visit beside one whose report is public, or may be, is
    /// given without the time of that report, and perhaps in two pieces: there the wearer would meet themselves. So it is if the other one was deleted.
    public func presenceVisits(at now: Int64) -> [Visit] { presenceVisits(at: now, isTrimmed: true) }

    /// The same, and whole visits unless `isTrimmed`.
    func presenceVisits(at now: Int64, isTrimmed: Bool) -> [Visit] {
        visits.flatMap { visit -> [Visit] in
            guard case .coronaWarnApp(let payload) = visit.place else { return [] }
            let location = LocationID(payload: payload)
            var pieces = [(start: visit.arrival, end: end(of: visit, now))]
            let others = visits.filter { $0.mayMeetItself && $0.place == visit.place }.flatMap(\.reported)
            let former = formerReports.filter { $0.isOut && $0.placeHash == location.hash }.flatMap(\.times)
            for out in isTrimmed && !visit.mayMeetItself ? others + former : [] {
                pieces = pieces.flatMap { piece in
                    guard piece.start < out.upperBound, out.lowerBound < piece.end else { return [piece] }
                    return [(piece.start, out.lowerBound), (out.upperBound, piece.end)].filter { $0.0 < $0.1 }
                }
            }
            return pieces.compactMap { piece in
                Visit(
                    number: visit.number, location: location, start: piece.start, end: piece.end,
                    isSubmitted: visit.mayMeetItself)
            }
        }
    }

    /// Returns the visits to places of SwissCovid that were not published and about which the wearer was not told; empty if
    /// there are none. An open visit lasts until `now` (in Unix seconds), limited to the time between its arrival and its
    /// automatic end.
    public func crowdNotifierVisits(at now: Int64) -> [CrowdNotifierVisit] {
        visits.compactMap { visit in
            guard case .swissCovid(let payload) = visit.place, !visit.isSubmitted, !visit.wasTold else { return nil }
            return CrowdNotifierVisit(
                number: visit.number, keys: VenueKeys(payload: payload), arrival: visit.arrival,
                departure: end(of: visit, now))
        }
    }

    /// Returns the visits to places of the NHS, including published ones and those about which the wearer was told,
    /// which `wasTold` marks; empty if there are none. An open visit lasts until `now` (in Unix seconds), limited
    /// to the time between its arrival and its automatic end.
    public func posterVisits(at now: Int64) -> [PosterVisit] {
        visits.compactMap { visit in
            guard case .nhs(let id, _, _) = visit.place else { return nil }
            return PosterVisit(
                number: visit.number, venueID: id, from: visit.arrival, to: end(of: visit, now), wasTold: visit.wasTold)
        }
    }

    func end(of visit: DiaryVisit, _ now: Int64) -> Int64 {
        visit.isOpen ? min(max(now, visit.arrival), visit.departure) : visit.departure
    }

    func index(_ number: Int) throws(DiaryError) -> Int {
        guard let index = visits.firstIndex(where: { $0.number == number }) else { throw DiaryError(.unknownVisit) }
        return index
    }

    /// Of the years 1970 to 9999, in the right order and not too far apart.
    static func areTimes(_ arrival: Int64, _ departure: Int64) -> Bool {
        arrival >= 0 && arrival <= departure && departure <= 253_402_300_799 && departure - arrival <= longestSeconds
    }

    // MARK: On disk

    /// The diary as JSON, to be written to disk; ``init(_:)`` reads it. It tells where the wearer has been.
    public var json: JSON {
        [
            "former": .array(formerReports.map(\.json)),
            "last": .int(Int64(last)), "visits": .array(visits.map(\.json)), "lastNotice": .int(Int64(lastNotice)),
            "notices": .array(notices.map(\.json)), "matches": .array(settled.map(\.json)),
            "early": .array(
                early.sorted { $0.key < $1.key }.map { ["hour": .int($0), "matches": .array($1.map(\.json))] }),
            "batches": .array(batches.map(\.json)),
        ]
    }

    /// Reads a diary that ``json`` has produced.
    ///
    /// - Throws: `DiaryError.damagedDiary` if the JSON is not such a diary.
    public init(_ json: JSON) throws(DiaryError) {
        let numbers = 0...Int64(Int32.max)
        guard let last = json["last"]?.int, numbers.contains(last), let entries = json["visits"]?.array,
            entries.count <= Self.maximumVisits, let lastNotice = json["lastNotice"]?.int, numbers.contains(lastNotice),
            let told = json["notices"]?.array, let met = json["matches"]?.array, met.count <= Self.maximumMatches,
            let early = Self.early(json["early"]), let former = Self.former(json["former"])
        else { throw DiaryError(.damagedDiary) }
        let visits = entries.compactMap(DiaryVisit.init)
        let notices = told.compactMap(VisitNotice.init)
        let matches = met.compactMap(PresenceMatch.init)
        // Diaries of before have none.
        let given = json["batches"]?.array ?? []
        let batches = given.compactMap(ReportBatch.init)
        let known = Set(visits.map(\.number))
        guard visits.count == entries.count, known.count == visits.count, visits.allSatisfy({ $0.number <= last }),
            notices.count == told.count, Set(notices.map(\.number)).count == notices.count,
            notices.allSatisfy({ $0.number <= lastNotice && known.contains($0.visit) }), matches.count == met.count,
            (matches + early.values.joined()).allSatisfy({ known.contains($0.visit) }), given.count <= Self.maximumBatches,
            batches.count == given.count, batches.allSatisfy({ $0.visits.isSubset(of: known.union(former.map(\.visit))) })
        else { throw DiaryError(.damagedDiary) }
        self.visits = visits
        self.last = Int(last)
        self.notices = notices
        self.lastNotice = Int(lastNotice)
        settled = matches
        self.early = early
        formerReports = former
        self.batches = batches
    }

    /// Diaries of before have none. `nil` if it is damaged.
    private static func former(_ json: JSON?) -> [FormerReport]? {
        let entries = json?.array ?? []
        let former = entries.compactMap(FormerReport.init)
        return former.count == entries.count && entries.count <= maximumVisits ? former : nil
    }

    /// Likewise.
    private static func early(_ json: JSON?) -> [Int64: [PresenceMatch]]? {
        var early: [Int64: [PresenceMatch]] = [:]
        for entry in json?.array ?? [] {
            guard let hour = entry["hour"]?.int, early[hour] == nil, let met = entry["matches"]?.array, !met.isEmpty,
                met.count <= maximumEarlyMatches, early.count < maximumEarlyHours
            else { return nil }
            early[hour] = met.compactMap(PresenceMatch.init)
            guard early[hour]?.count == met.count else { return nil }
        }
        return early
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
