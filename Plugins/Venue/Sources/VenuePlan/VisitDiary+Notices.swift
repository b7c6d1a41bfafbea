// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import ExposureRisk
public import PresenceTracing

/// The matches of warnings with visits, and the notices that follow. They are in the diary, so that a notice and the note
/// that it was given are written to disk together: each notice is given once.
extension VisitDiary {
    /// Matches of the Corona-Warn-App that are kept. More than that can only come of a server that warns of every place at every time; those of the
    /// highest levels stay.
    static let maximumMatches = 8_192
    /// Hours with matches that have to be compared again, our choice: there are two at most unless servers forget some.
    static let maximumEarlyHours = 4
    /// Matches of such an hour that are kept, our choice.
    static let maximumEarlyMatches = 512

    /// Whether there is a notice that the wearer has not acknowledged.
    public var hasNews: Bool { notices.contains { !$0.wasSeen } }

    /// Adds a notice of SwissCovid or the NHS about the visit with this number on a UTC day, and notes that the wearer was
    /// told. It takes the place of one about former times of the visit; where that says the same, it stays as it is. Has no
    /// effect for a visit that does not exist any more, or about which the wearer was told before.
    public mutating func tell(_ visit: Int, day: UTCDay, _ content: VisitNotice.Content) {
        guard visits.contains(where: { $0.number == visit && !$0.wasTold }) else { return }
        noteTold([visit])
        let day = Int(day.number)
        let isSame = notices.contains { $0.visit == visit && $0.day == day && $0.content == content }
        guard !isSame else { return }
        notices.removeAll { $0.visit == visit && $0.content.verdict == nil }
        append(visit, day: day, content)
    }

    /// Removes notices of SwissCovid or the NHS about former times of visits of this system (``edit(_:arrival:departure:at:)``),
    /// because all its warnings were compared with the new times; those of the visits in `waiting` stay.
    public mutating func forgetFormerNotices(_ system: VenueSystem, except waiting: Set<Int> = []) {
        let open = Set(visits.filter { $0.place.system == system && !$0.wasTold }.map(\.number)).subtracting(waiting)
        notices.removeAll { $0.content.verdict == nil && open.contains($0.visit) }
    }

    /// Notes that the wearer has seen all notices up to this number, whether or not there is one with it. Cannot fail.
    public mutating func acknowledge(upTo number: Int) {
        for index in notices.indices where notices[index].number <= number { notices[index].wasSeen = true }
    }

    /// The matches of the Corona-Warn-App, from which notices follow, those of the highest levels first; at most 8,192, our
    /// choice.
    public var matches: [PresenceMatch] { Self.merged(settled + early.values.joined(), most: Self.maximumMatches) }

    /// The hours, as numbers since 1970, whose packages had matches and have to be compared again (``noteEarly(_:of:)``).
    public var earlyHours: Set<Int64> { Set(early.keys) }

    /// Adds matches of packages of the Corona-Warn-App that need not be compared again, of these hours (numbers since 1970); they take the place of what
    /// ``noteEarly(_:of:)`` has said of the same hours. Matches of the same visit, day and level become one, whose minutes are the sum, at most
    /// 1,000,000; negative minutes count as 0. Matches of visits that do not exist any more are dropped; of more than 8,192, those of the lowest levels.
    public mutating func note(_ found: [PresenceMatch], of hours: Set<Int64> = []) {
        for hour in hours { early[hour] = nil }
        settle(found)
    }

    /// Sets the matches of the package of this hour (a number since 1970), which has to be compared again; others of that hour are forgotten. At
    /// most 512 are kept for an hour, those of the highest levels. Of more than four hours the earliest counts as ``note(_:of:)`` says from then on,
    /// and is returned: its package must not be compared again. `nil` if there is none.
    public mutating func noteEarly(_ found: [PresenceMatch], of hour: Int64) -> Int64? {
        let known = Set(visits.map(\.number))
        let kept = Self.merged(found.filter { known.contains($0.visit) }, most: Self.maximumEarlyMatches)
        early[hour] = kept.isEmpty ? nil : kept
        guard early.count > Self.maximumEarlyHours, let first = early.keys.min() else {
            settle([])
            return nil
        }
        settle(early.removeValue(forKey: first) ?? [])
        return first
    }

    /// Those that are kept leave room for the others.
    private mutating func settle(_ found: [PresenceMatch]) {
        let known = Set(visits.map(\.number))
        let most = Self.maximumMatches - early.values.reduce(0) { $0 + $1.count }
        settled = Self.merged((settled + found).filter { known.contains($0.visit) }, most: most)
    }

    /// Those of one visit, day and level count by their sum.
    private static func merged(_ matches: [PresenceMatch], most: Int) -> [PresenceMatch] {
        struct Kind: Hashable {
            let visit: Int
            let day: UTCDay
            let level: UInt8
        }
        var minutes: [Kind: Int64] = [:]
        for match in matches {
            let kind = Kind(visit: match.visit, day: match.day, level: match.level)
            minutes[kind] = min((minutes[kind] ?? 0) + min(max(match.minutes, 0), 1_000_000), 1_000_000)
        }
        let sorted = minutes.map { PresenceMatch(visit: $0.visit, day: $0.day, minutes: $1, level: $0.level) }
            .sorted { ($1.level, $0.visit, $0.day.number) < ($0.level, $1.visit, $1.day.number) }
        return Array(sorted.prefix(most))
    }

    /// Removes all matches of the Corona-Warn-App, because a visit has new times and they have to be found again. Notices
    /// stay until ``judge(by:at:isComplete:)``. Cannot fail.
    public mutating func forgetMatches() { (settled, early) = ([], [:]) }

    /// Removes the matches of packages that count as compared, because it is not known any more which these were. Those that are compared again
    /// in any case stay. Cannot fail.
    public mutating func forgetSettledMatches() { settled = [] }

    /// Judges all matches of the Corona-Warn-App again, except those of visits that were published, or may have been, or are older at `now`
    /// (in Unix seconds) than the parameters permit. The notice about a visit on a day has the higher of the day's level
    /// and the visit's. One whose level has risen is a new notice in its place, with a number of its own and not seen; one without a level is removed. One about a visit
    /// that has become too old is removed once the wearer has seen it, and not before.
    ///
    /// - Parameter isComplete: Whether all packages were compared; if `false`, no notice falls or is removed.
    public mutating func judge(by parameters: PresenceRiskParameters, at now: Int64, isComplete: Bool = true) {
        let own = visits.filter { !$0.mayMeetItself }
        let recent = Set(
            own.filter { Visit.isRecent(end: $0.departure, now: now, days: parameters.maximumAgeInDays) }.map(\.number))
        let aged = Set(own.map(\.number)).subtracting(recent)
        let risk = PresenceRisk(matches.filter { recent.contains($0.visit) }, parameters)
        let ofDay = Dictionary(risk.days.map { ($0.day, $0.verdict) }, uniquingKeysWith: { first, _ in first })
        var judged: Set<[Int]> = []
        for entry in risk.checkIns {
            let verdict = [entry.verdict, ofDay[entry.day] ?? .nothing].max { $0.rank < $1.rank } ?? .unknown
            guard verdict != .nothing else { continue }
            let day = Int(entry.day.number)
            judged.insert([entry.visit, day])
            if let index = notices.firstIndex(where: {
                $0.visit == entry.visit && $0.day == day && $0.content.verdict != nil
            }) {
                if verdict.rank > (notices[index].content.verdict?.rank ?? 0) {
                    // What the wearer saw was less: who says now that they have seen it means that one.
                    notices.remove(at: index)
                    append(entry.visit, day: day, .level(verdict))
                } else if isComplete {
                    notices[index].content = .level(verdict)
                }
            } else {
                append(entry.visit, day: day, .level(verdict))
            }
        }
        guard isComplete else { return }
        notices.removeAll {
            $0.content.verdict != nil && !judged.contains([$0.visit, $0.day]) && ($0.wasSeen || !aged.contains($0.visit))
        }
    }

    private mutating func append(_ visit: Int, day: Int, _ content: VisitNotice.Content) {
        guard lastNotice < Int(Int32.max) else { return }
        lastNotice += 1
        notices.append(VisitNotice(number: lastNotice, visit: visit, day: day, content: content, wasSeen: false))
    }
}

extension VisitNotice.Content {
    fileprivate var verdict: PresenceRisk.Verdict? { if case .level(let verdict) = self { verdict } else { nil } }
}

extension PresenceRisk.Verdict {
    /// What is not known goes before what is known to be low.
    fileprivate var rank: Int {
        switch self {
        case .nothing: 0
        case .level(.low): 1
        case .unknown: 2
        case .level(.increased): 3
        }
    }
}
