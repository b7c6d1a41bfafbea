// SPDX-License-Identifier: Apache-2.0

public import BLS12381
import CivilTime
public import CrowdNotifier
import Cryptography
import JSON

/// Visits whose places are hidden (docs/decisions/0064): what is stored of them tells nobody which places they are, until the health authority warns of one, or the wearer's secret opens
/// them.
extension VisitDiary {
    /// The keys that hide a visit.
    public struct HidingKeys: Sendable {
        /// The health authority's key, whose counterparts it publishes with warnings.
        public let authority: MasterPublicKey
        /// The wearer's own, whose counterpart their secret opens.
        public let wearer: MasterPublicKey

        /// Creates a pair of keys.
        public init(authority: MasterPublicKey, wearer: MasterPublicKey) {
            self.authority = authority
            self.wearer = wearer
        }
    }

    /// Checks in at `now`, in Unix seconds, at a place that is hidden at once, and returns the visit's number. It ends automatically after twelve hours,
    /// whatever the code says: that would tell places apart. An open hidden visit ends first, for it cannot be told whether it is at the same place; only one with the same `mark`
    /// is the same check-in once more, goes on, and its number is returned. `random` must be cryptographically secure.
    /// - Throws: `DiaryError` as ``checkIn(_:at:)`` does; `cannotHide` if the cryptographic library fails.
    public mutating func checkInHidden(
        _ venue: CrowdNotifierVenue, at now: Int64, mark: CheckInMark? = nil, keys: HidingKeys,
        using random: inout some RandomNumberGenerator
    ) throws(DiaryError) -> Int {
        if let mark, let open = visits.first(where: { $0.isOpen && $0.mark == mark }) { return open.number }
        let departure = now + HiddenVisit.longestSeconds
        guard visits.count < Self.maximumVisits else { throw DiaryError(.tooManyVisits, "there are \(visits.count)") }
        guard Self.areTimes(now, departure), last < Int(Int32.max) else { throw DiaryError(.invalidTimes) }
        let hidden = try Self.hidden(HiddenPlace(venue), now, departure, keys, using: &random)
        for visit in visits where visit.isOpen && visit.place.isHidden {
            try checkOut(visit.number, at: now, using: &random)
        }
        last += 1
        var visit = DiaryVisit(number: last, place: .hidden(hidden), arrival: now, departure: departure)
        // One without says as much as one with it.
        visit.mark = mark ?? CheckInMark(using: &random)
        visits.append(visit)
        return last
    }

    /// Ends any visit as ``checkOut(_:at:)`` does; a hidden one keeps the days of its hours in the clear, and no time. `random` must be
    /// cryptographically secure.
    /// - Throws: The same, and `cannotHide` if the cryptographic library fails.
    public mutating func checkOut(
        _ number: Int, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(DiaryError) {
        let index = try self.index(number)
        guard visits[index].isOpen else { throw DiaryError(.alreadyOver) }
        guard case .hidden(var hidden) = visits[index].place else { return try checkOut(number, at: now) }
        let departure = min(max(now, visits[index].arrival), visits[index].departure)
        do throws(CryptographyError) {
            try hidden.finish(at: departure, arrival: visits[index].arrival, using: &random)
        } catch { throw DiaryError(.cannotHide) }
        visits[index].place = .hidden(hidden)
        visits[index].departure = departure
        visits[index].isOpen = false
        visits[index].blur()
    }

    /// Changes the times, in Unix seconds, of a hidden visit that is over, whose `content` the wearer's secret has opened; like ``edit(_:arrival:departure:at:)``, except that it
    /// lasts a week at most. Everything of it is encrypted anew. `random` must be cryptographically secure.
    /// - Throws: The same, and `cannotHide` if the cryptographic library fails.
    public mutating func editHidden(
        _ number: Int, _ content: HiddenContent, arrival: Int64, departure: Int64, at now: Int64, keys: HidingKeys,
        using random: inout some RandomNumberGenerator
    ) throws(DiaryError) {
        let index = try self.index(number)
        guard !visits[index].isOpen, visits[index].place.isHidden, Self.areTimes(arrival, departure), departure <= now,
            departure - arrival < Int64(HiddenVisit.maximumHours - 1) * Int64(VisitHours.seconds)
        else { throw DiaryError(.invalidTimes) }
        visits[index].place = .hidden(try Self.hidden(content.place, arrival, departure, keys, using: &random))
        visits[index].arrival = arrival
        visits[index].departure = departure
        visits[index].wasTold = false
        visits[index].blur()
    }

    /// Hides all visits to places of SwissCovid that are not hidden yet, as ``hideNext(at:hours:keys:using:)`` does, and returns how many there were.
    /// - Throws: `DiaryError.cannotHide` if the cryptographic library fails; then some may be hidden: use a copy.
    public mutating func hideAll(
        at now: Int64, keys: HidingKeys, using random: inout some RandomNumberGenerator
    ) throws(DiaryError) -> Int {
        try hideNext(at: now, hours: .max, keys: keys, using: &random)
    }

    /// Hides visits to places of SwissCovid that are not hidden yet, the first ones first, until these had `hours` hours together, at least one visit, and returns how many visits that were; 0 if none was
    /// left. An open one ends automatically twelve hours after it began, or at `now` (in Unix
    /// seconds) if that was before; one of more than a week keeps its last week. Takes the time of two pairings for each hour. `random` must be cryptographically secure.
    /// - Throws: `DiaryError.cannotHide` if the cryptographic library fails; then some may be hidden: use a copy.
    public mutating func hideNext(
        at now: Int64, hours: Int, keys: HidingKeys, using random: inout some RandomNumberGenerator
    ) throws(DiaryError) -> Int {
        var (count, done) = (0, 0)
        for index in visits.indices where done < hours {
            guard case .swissCovid(let payload) = visits[index].place else { continue }
            var visit = visits[index]
            if visit.isOpen {
                visit.departure = max(visit.arrival, visit.arrival + HiddenVisit.longestSeconds)
                if visit.departure <= now {
                    (visit.departure, visit.isOpen) = (max(visit.arrival, min(now, visit.departure)), false)
                }
            }
            let longest = Int64(HiddenVisit.maximumHours - 2) * Int64(VisitHours.seconds)
            let arrival = max(visit.arrival, visit.departure - longest)
            // A code that cannot be read any more has no name and keys all the same.
            let place = (try? CrowdNotifierVenue(payload: payload)).map(HiddenPlace.init) ?? HiddenPlace(payload: payload)
            let hidden = try Self.hidden(place, arrival, visit.departure, keys, using: &random)
            (count, done) = (count + 1, done + hidden.hours.count)
            visit.place = .hidden(hidden)
            visit.arrival = arrival
            if visit.isOpen { visit.mark = CheckInMark(using: &random) } else { visit.blur() }
            visits[index] = visit
        }
        return count
    }

    /// Returns the hidden visits about which the wearer was not told; empty if there are none. An open visit lasts until `now` (in Unix seconds), limited to
    /// the time between its arrival and its automatic end.
    public func hiddenStays(at now: Int64) -> [HiddenMatcher.Stay] {
        visits.compactMap { visit in
            guard case .hidden(let hidden) = visit.place, !visit.wasTold else { return nil }
            return HiddenMatcher.Stay(
                number: visit.number, visit: hidden, openUntil: visit.isOpen ? end(of: visit, now) : nil)
        }
    }

    /// How many visits are hidden.
    public var hiddenCount: Int { visits.count { $0.place.isHidden } }

    private static func hidden(
        _ place: HiddenPlace, _ arrival: Int64, _ departure: Int64, _ keys: HidingKeys,
        using random: inout some RandomNumberGenerator
    ) throws(DiaryError) -> HiddenVisit {
        let visit: HiddenVisit?
        do throws(CryptographyError) {
            visit = try HiddenVisit(
                place, arrival: arrival, departure: departure, authority: keys.authority, visitor: keys.wearer,
                using: &random)
        } catch { throw DiaryError(.cannotHide) }
        guard let visit else { throw DiaryError(.invalidTimes) }
        return visit
    }
}

extension DiaryVisit {
    /// Takes the times of a hidden visit that is over away, except the UTC days: they are in what is encrypted.
    mutating func blur() {
        guard case .hidden(var hidden) = place else { return }
        hidden.shuffle()
        place = .hidden(hidden)
        mark = nil
        arrival = UTCDay(containing: arrival).start
        departure = UTCDay(containing: departure).start + UTCDay.seconds - 1
    }
}

extension HiddenVisit {
    var json: JSON {
        [
            "key": .string(Base64.string(key)), "entry": .string(Base64.string(entry)), "end": .string(Base64.string(end)),
            "hours": .array(hours.flatMap { [.int($0.day), .string(Base64.string($0.sealed))] }),
        ]
    }

    init?(_ json: JSON) {
        func bytes(_ json: JSON?) -> [UInt8]? { json?.string.flatMap(Base64.bytes) }
        guard let key = bytes(json["key"]), let entry = bytes(json["entry"]), let end = bytes(json["end"]),
            let fields = json["hours"]?.array, fields.count.isMultiple(of: 2), fields.count <= 2 * Self.maximumHours
        else { return nil }
        var hours: [Hour] = []
        for first in stride(from: 0, to: fields.count, by: 2) {
            guard let day = fields[first].int, let sealed = bytes(fields[first + 1]),
                let hour = Hour(day: day, sealed: sealed)
            else { return nil }
            hours.append(hour)
        }
        self.init(key: key, entry: entry, hours: hours, end: end)
    }
}
