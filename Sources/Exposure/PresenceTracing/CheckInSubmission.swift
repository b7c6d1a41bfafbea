// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ExposureRisk
import KeyExport

extension CheckInDerivation {
    /// Returns the time to publish for a visit, in whole intervals of ten minutes: Unix seconds, multiples of 600,
    /// without the end. Returns `nil` when the visit's whole minutes are in one of ``durationFilters``. The result
    /// can be empty if no filter removes very short visits. `start` and `end` are in Unix seconds of the years 1970
    /// to 9999, which is not checked; an `end` before `start` counts as `start`.
    ///
    /// The length, including what is added for the air, is rounded to whole intervals. At most a day is added,
    /// whatever ``decays`` state, and a negative addition takes off at most the whole length. If the first or the
    /// last interval that the visit touches must go, the one of which the visit covers more stays (spec
    /// cwa-protocols 8.2; cwa-app-android `TimeIntervalDeriver`).
    public func interval(from start: Int64, to end: Int64) -> Range<Int64>? {
        let unit = CheckInInterval.seconds
        let duration = max(0, end - start)
        let minutes = Double(duration / 60)
        guard !durationFilters.contains(where: { $0.contains(minutes) }) else { return nil }
        let decay = decays.first { $0.minutesRange.contains(minutes) }
        let wanted = decay.map { $0.slope * Double(duration) + $0.intercept * 60 } ?? 0
        // Nonsense of a configuration must not overflow: nobody's breath stays longer than a day.
        let added = wanted.isFinite ? min(max(wanted, -Double(duration)), Double(UTCDay.seconds)) : 0
        let relevantEnd = start + duration + Int64(added)
        let first = start - UTCDay.remainder(start, unit)
        let last = relevantEnd - UTCDay.remainder(relevantEnd, unit)
        let length = Int64(((Double(duration) + added) / Double(unit)).rounded(.toNearestOrAwayFromZero)) * unit
        let coveredOfFirst = first + unit - start
        let coveredOfLast = relevantEnd - last
        if coveredOfLast > coveredOfFirst { return last + unit - length..<last + unit }
        return first..<first + length
    }
}

extension UTCDay {
    /// Of a division that rounds down, before 1970 too.
    fileprivate static func remainder(_ value: Int64, _ divisor: Int64) -> Int64 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }
}

/// A part of an own visit as it is published: whole intervals within one UTC day.
public struct PublishedCheckIn: Sendable, Hashable {
    /// The number of the visit in the wearer's diary (``Visit/number``).
    public let visit: Int
    /// The venue that was visited.
    public let location: LocationID
    /// The time of the wearer's stay, and the wearer's level of transmission risk.
    public let record: CheckInRecord

    /// The protobuf message of the first version of check-ins, which everybody can read. Servers ignore it unless they were
    /// told otherwise. Cannot fail.
    public var encodedPlain: [UInt8] { PlainCheckIn(location: location, record: record).encoded }
}

/// Derives from the wearer's visits the check-ins that are sent with the keys (spec cwa-protocols 8.2).
public enum CheckInSubmission {
    /// The level of transmission risk, 1 to 8, that is used when a host warns the visitors of a place
    /// (cwa-app-android `OrganizerCheckInsTransformer`).
    public static let hostLevel: UInt8 = 5
    /// The number of days after which the server no longer accepts a visit (cwa-server, validation of submissions).
    public static let maximumAgeInDays = 10
    /// The level where the statement says nothing: of days before its ages, or still to come.
    private static let defaultLevel: UInt8 = 1

    /// Returns the parts of visits to publish, in the order of the visits and then of time. `levels` has the
    /// wearer's levels, one for each day of age, beginning with today; days without an element have level 1;
    /// `values` has the weight of each level, without unit; `now` is in Unix seconds. Left out are parts whose
    /// level has the weight 0 or no weight, visits that ended before the UTC day ten days ago, and visits that
    /// `derivation` does not publish. Visits that were published before (``Visit/isSubmitted``) are not left out.
    public static func parts(
        of visits: [Visit], levels: [UInt8], values: [Int: Double], derivation: CheckInDerivation, now: Int64
    ) -> [PublishedCheckIn] {
        parts(of: visits, values: values, derivation: derivation, now: now) { start in
            level(start: start, now: now, levels: levels)
        }
    }

    /// Returns the parts of visits to publish when the host of a place warns its visitors on the health authority's
    /// behalf. All have ``hostLevel``; otherwise the same as ``parts(of:levels:values:derivation:now:)``.
    public static func hostParts(
        of visits: [Visit], values: [Int: Double], derivation: CheckInDerivation, now: Int64
    ) -> [PublishedCheckIn] {
        parts(of: visits, values: values, derivation: derivation, now: now) { _ in hostLevel }
    }

    /// Returns the level of a visit that began at `start`: the element of `levels` whose index is the number of UTC
    /// days from `start` to `now`, both in Unix seconds. Returns 1 when there is no such element, and for a start
    /// after today. Cannot fail.
    public static func level(start: Int64, now: Int64, levels: [UInt8]) -> UInt8 {
        let age = UTCDay(containing: now).number - UTCDay(containing: start).number
        return levels.indices.contains(Int(clamping: age)) ? levels[Int(age)] : defaultLevel
    }

    /// Returns a report of the second version for each part, in random order, so that it does not show which parts
    /// belong to one visit. `random` must be cryptographically secure. Throws `malformedReport` when the
    /// cryptographic library fails.
    public static func reports(
        _ parts: [PublishedCheckIn], using random: inout some RandomNumberGenerator
    ) throws(PresenceTracingError) -> [ProtectedReport] {
        var reports: [ProtectedReport] = []
        for part in parts {
            let vector = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
            reports.append(try ProtectedReport(part.record, location: part.location, initializationVector: vector))
        }
        return reports.shuffled(using: &random)
    }

    private static func parts(
        of visits: [Visit], values: [Int: Double], derivation: CheckInDerivation, now: Int64, level: (Int64) -> UInt8
    ) -> [PublishedCheckIn] {
        var result: [PublishedCheckIn] = []
        for visit in visits where Visit.isRecent(end: visit.end, now: now, days: maximumAgeInDays) {
            guard let interval = derivation.interval(from: visit.start, to: visit.end) else { continue }
            for part in DayParts(from: interval.lowerBound, to: interval.upperBound) {
                let level = level(part.start)
                let value = values[Int(level)] ?? 0
                let start = part.start / CheckInInterval.seconds
                guard value != 0,
                    let record = CheckInRecord(
                        start: start, period: part.end / CheckInInterval.seconds - start, level: Int64(level))
                else { continue }
                result.append(PublishedCheckIn(visit: visit.number, location: visit.location, record: record))
            }
        }
        return result
    }
}
