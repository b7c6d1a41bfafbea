// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// An archive of NHS COVID-19 with the keys of two hours or a day, named after the end of that period.
public struct NHSArchive: Sendable, Hashable {
    /// Whether the archive covers a whole UTC day; otherwise two hours.
    public let isDaily: Bool
    /// The end of the archive's period, in hours since 1970, exclusive.
    public let endHour: Int64

    /// Creates an archive that ends at any hour; servers have archives that end on even hours, and daily ones that end at
    /// midnight (UTC). Cannot fail.
    public init(isDaily: Bool, endHour: Int64) {
        self.isDaily = isDaily
        self.endHour = endHour
    }

    /// The archive's path without its suffix: `daily/2014120800` or `two-hourly/2014122102`, after its end in UTC.
    public var name: String {
        let date = CivilDate(day: endHour / 24).compactText
        let hour = endHour % 24
        return "\(isDaily ? "daily" : "two-hourly")/\(date)\(hour < 10 ? "0" : "")\(hour)"
    }

    /// The beginning of the archive's period, in hours since 1970.
    public var startHour: Int64 { endHour - (isDaily ? 24 : 2) }

    /// Returns the archives between two times (in Unix seconds), oldest first: two-hourly ones up to midnight, daily ones
    /// for whole past days, and two-hourly ones today. None begins before the midnight (UTC) 14 days before today (spec
    /// checkin-and-nhs B.4). Empty if there are less than two hours between the times.
    public static func between(lastDownloaded: Int64, now: Int64) -> [NHSArchive] {
        // Whole steps count from where the last one ended, also when that was not on the hour.
        let minutes = ((lastDownloaded % 3_600) + 3_600) % 3_600
        let end = (max(now, 0) - minutes) / 3_600
        let today = end / 24 * 24
        var hour = max((lastDownloaded - minutes) / 3_600, today - 24 * SourceSettings.historyDays)
        var archives: [NHSArchive] = []
        func step(_ length: Int64, daily: Bool) {
            hour += length
            archives.append(NHSArchive(isDaily: daily, endHour: hour))
        }
        while hour + 2 <= end {
            if hour % 24 == 0, hour + 24 <= today {
                step(24, daily: true)
            } else {
                step(2, daily: false)
            }
        }
        return archives
    }
}

/// The plan for the archives of NHS COVID-19. There is no index: the names follow from the time.
public struct NHSPlan: SourcePlan {
    private let now: Int64
    /// The record of the source's packages, from which the offers follow.
    public var record: SourceRecord
    /// The number of refused lines, always 0, because there is no index.
    public let refusedLineCount = 0

    /// Creates a plan of the archives that exist at `now`. Cannot fail.
    ///
    /// - Parameters:
    ///   - now: The time in Unix seconds by the best clock at hand.
    ///   - record: The record of the source's packages from earlier runs.
    public init(now: Int64, record: SourceRecord) {
        self.now = now
        self.record = record
    }

    /// Returns `nil`, because there is no index: the names of archives follow from the time. Cannot fail.
    public mutating func nextIndex() -> String? { nil }
    /// Does nothing, and never throws: there is no index.
    public mutating func take(_ body: [UInt8]?) throws(IndexFault) {}

    /// Returns the archives since the midnight (UTC) 14 days before today that are to be fetched, oldest first: for
    /// each past day the daily archive, or the two-hourly ones if some of them are here already or the daily one
    /// was refused and is not due yet. Archives that are here, and refused ones that are not due, are left out.
    /// Those that ended less than three hours ago may be absent. Empty if there is nothing to fetch. Cannot fail.
    public func offers() -> [PackageOffer] {
        let all = NHSArchive.between(lastDownloaded: now - (SourceSettings.historyDays + 1) * UTCDay.seconds, now: now)
        return all.flatMap { archive -> [NHSArchive] in
            guard archive.isDaily else { return [archive] }
            // A day of which some hours are here is completed by the others; one that is whole is done.
            let parts = stride(from: archive.startHour + 2, through: archive.endHour, by: 2).map {
                NHSArchive(isDaily: false, endHour: $0)
            }
            if record.isAccepted(archive.name) || parts.allSatisfy({ record.isAccepted($0.name) }) { return [] }
            let hasSome = parts.contains { record.isAccepted($0.name) }
            let isBad = record.packages[archive.name]?.state == .refused && !record.wants(archive.name, at: now)
            return hasSome || isBad ? parts : [archive]
        }
        .filter { record.wants($0.name, at: now) }
        .map { archive in
            let end = archive.endHour * 3_600
            return PackageOffer(
                id: archive.name, path: "/distribution/\(archive.name).zip", start: archive.startHour * 3_600, end: end,
                // It takes a while after the end of the interval.
                mayBeAbsent: now - end < 3 * 3_600)
        }
    }
}
