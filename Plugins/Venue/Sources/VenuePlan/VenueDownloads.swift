// SPDX-License-Identifier: Apache-2.0

public import JSON
public import VenueNotices

/// The progress of comparing warnings with the visits of the diary. It is written together with the matches in one write,
/// so that a power cut makes nothing be compared twice or passed over.
public struct VenueDownloads: Sendable, Hashable {
    /// The hours, as numbers since 1970, whose packages of the Corona-Warn-App were compared; at most ``maximumHours``.
    public internal(set) var hours: Set<Int64> = []
    /// The hours among the last ``maximumHours`` of which the server said on ``unprovenDay`` that there is nothing to compare, without anybody's
    /// signature: they are asked for again on another day, or whoever holds a warning back for once would have held it back for ever.
    public internal(set) var unproven: Set<Int64> = []
    /// The day of ``unproven``, since 1970.
    public internal(set) var unprovenDay: Int64 = 0
    /// SwissCovid's `x-key-bundle-tag` of the last list that was compared, milliseconds since 1970; `nil` to ask for all.
    public internal(set) var tag: Int64?
    /// The notices of the NHS that wait for the operators' word, one for each visit; at most ``VisitDiary/maximumVisits``.
    public internal(set) var held: [HeldNotice] = []
    /// The moment when a system's warnings were last complete, Unix seconds; absent if they never were, or there was no visit of it since.
    public internal(set) var checked: [VenueSystem: Int64] = [:]
    /// The last trouble with a system, an English sentence of at most 250 characters; absent if there was none since its warnings were complete.
    public internal(set) var problems: [VenueSystem: String] = [:]
    /// The moment when a run began last, Unix seconds; `nil` if none did.
    public var attempted: Int64?
    /// A count from 0 that rises when visits change in a way that makes what was compared void: a run that began before must not add to it.
    public internal(set) var generation = 0

    /// The most hours that are kept, the latest; a choice of ours: 20 days, more than the time for which servers keep packages.
    public static let maximumHours = 480
    static let problemBytes = 1_000

    /// The progress before the first comparison: nothing was compared yet.
    public init() {}

    /// Notes that what was compared by the former times of a visit to this system is void: it is compared again. Notices that are held stay.
    public mutating func startOver(_ system: VenueSystem) {
        generation += 1
        switch system {
        case .coronaWarnApp: (hours, unproven) = ([], [])
        case .swissCovid: tag = nil
        case .nhs: break
        }
    }

    /// Notes that all of a system's warnings are known at `now`, Unix seconds; its trouble is over. Cannot fail.
    public mutating func noteComplete(_ system: VenueSystem, at now: Int64) {
        checked[system] = now
        problems[system] = nil
    }

    /// Notes that a system's warnings are not all known, and why: an English sentence, of which 250 characters are kept in
    /// place of the one before. Cannot fail.
    public mutating func noteProblem(_ system: VenueSystem, _ sentence: String) {
        problems[system] = String(sentence.prefix(Self.problemBytes / 4))
    }

    /// Notes that there is no visit of a system: nothing is asked, and nothing of it stays.
    public mutating func noteNothingToAsk(_ system: VenueSystem) {
        checked[system] = nil
        problems[system] = nil
        switch system {
        case .coronaWarnApp: (hours, unproven) = ([], [])
        case .swissCovid: tag = nil
        case .nhs: held = []
        }
    }

    /// The hours that need not be asked for on `day` (since 1970).
    public func known(on day: Int64) -> Set<Int64> { unprovenDay == day ? hours.union(unproven) : hours }

    /// Notes that these hours (numbers since 1970) were compared, and that the server said of others (`unproven`) on `day` that there is nothing to
    /// compare; those outside of `listed` are forgotten, and the earliest of more than ``maximumHours``.
    public mutating func noteHours(
        _ compared: Set<Int64>, unproven said: Set<Int64> = [], on day: Int64, listed: ClosedRange<Int64>
    ) {
        hours = Set(hours.union(compared).filter(listed.contains).sorted().suffix(Self.maximumHours))
        if unprovenDay != day { unproven = [] }
        unprovenDay = day
        unproven = Set(unproven.union(said).subtracting(hours).filter(listed.contains).sorted().suffix(Self.maximumHours))
    }

    /// Notes that a list of SwissCovid was compared, with its tag; the tag is not checked.
    public mutating func noteTag(_ new: Int64) { tag = new }

    /// Notes that a notice waits for the operators' word, in place of one for the same visit. Beyond
    /// ``VisitDiary/maximumVisits`` it is dropped. Cannot fail.
    public mutating func hold(_ notice: HeldNotice) {
        if let index = held.firstIndex(where: { $0.visit == notice.visit }) {
            held[index] = notice
        } else if held.count < VisitDiary.maximumVisits {
            held.append(notice)
        }
    }

    /// Notes that the operators have spoken about the notice for this visit: it waits no more. Ignored if there is none.
    public mutating func release(_ visit: Int) { held.removeAll { $0.visit == visit } }

    // MARK: On disk

    /// The state as JSON, to be written: ``init(_:)`` reads it.
    public var json: JSON {
        var object: JSON.Object = [
            "hours": .array(hours.sorted().map(JSON.int)), "generation": .int(Int64(generation)),
            "held": .array(
                held.map { notice in
                    var entry: JSON.Object = [
                        "visit": .int(Int64(notice.visit)), "advice": .string(notice.advice.rawValue),
                    ]
                    entry["question"] = notice.token.map(JSON.string)
                    return .object(entry)
                }),
        ]
        if !unproven.isEmpty {
            object["unproven"] = .array(unproven.sorted().map(JSON.int))
            object["unprovenDay"] = .int(unprovenDay)
        }
        object["tag"] = tag.map(JSON.int)
        object["attempted"] = attempted.map(JSON.int)
        var systems = JSON.Object()
        for system in VenueSystem.allCases {
            var entry = JSON.Object()
            entry["checked"] = checked[system].map(JSON.int)
            entry["problem"] = problems[system].map(JSON.string)
            systems[system.rawValue] = .object(entry)
        }
        object["systems"] = .object(systems)
        return .object(object)
    }

    /// The state that ``json`` has given. Cannot fail: what cannot be read is as if nothing was compared yet: then it is done again, and notices
    /// that were told are not told again.
    public init(_ json: JSON) {
        hours = Set((json["hours"]?.array ?? []).prefix(Self.maximumHours).compactMap(\.int))
        unproven = Set((json["unproven"]?.array ?? []).prefix(Self.maximumHours).compactMap(\.int))
        unprovenDay = json["unprovenDay"]?.int ?? 0
        tag = json["tag"]?.int
        attempted = json["attempted"]?.int
        generation = Int(clamping: min(max(json["generation"]?.int ?? 0, 0), Int64(Int32.max)))
        for entry in (json["held"]?.array ?? []).prefix(VisitDiary.maximumVisits) {
            guard let visit = entry["visit"]?.int,
                let advice = entry["advice"]?.string.flatMap(RiskyVenue.Advice.init(rawValue:))
            else { continue }
            hold(HeldNotice(visit: Int(clamping: visit), advice: advice, token: entry["question"]?.string))
        }
        for system in VenueSystem.allCases {
            checked[system] = json["systems"]?[system.rawValue]?["checked"]?.int
            problems[system] = json["systems"]?[system.rawValue]?["problem"]?.string
        }
    }
}
