// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Testing

@testable import SyncPlan

/// An index that somebody sends again says nothing about what was published since: it must be told from the present one.
@Suite struct OlderIndexTests {
    private static let today: Int64 = 20_700
    private static let now = today * 86_400 + 10 * 3_600 + 120

    private static func accepted(_ end: Int64) -> PackageRecord { PackageRecord(state: .accepted, end: end) }

    // MARK: - Lists

    private static func name(_ hoursAgo: Int64) -> String {
        let end = today * 86_400 - hoursAgo * 3_600
        return "keys/\(end - 3_600)-\(end)-00001.zip"
    }

    private static func isOlder(list: [Int64], after accepted: [Int64]) throws -> Bool {
        var record = SourceRecord()
        for hours in accepted { record.packages[name(hours)] = Self.accepted(today * 86_400 - hours * 3_600) }
        var plan = IndexPlan(indexPath: "index.txt", now: now, record: record)
        #expect(plan.nextIndex() == "/index.txt")
        try plan.take(Array(list.map { name($0) + "\n" }.joined().utf8))
        return plan.isOlder
    }

    @Test(arguments: [
        (list: [30, 20, 10], after: [30, 20, 10], isOlder: false),
        (list: [30, 20, 10], after: [30, 20], isOlder: false),
        // The oldest go, as they do every day.
        (list: [20, 10], after: [30, 20, 10], isOlder: false),
        (list: [30, 20], after: [30, 20, 10], isOlder: true),
        (list: [30], after: [30, 20, 10], isOlder: true),
        (list: [], after: [30, 20, 10], isOlder: true),
        (list: [], after: [], isOlder: false),
        // Nothing was published for so long that everything has gone.
        (list: [], after: [200], isOlder: false),
    ])
    func lists(list: [Int64], after: [Int64], isOlder: Bool) throws {
        #expect(try Self.isOlder(list: list, after: after) == isOlder)
    }

    @Test func whatWasRefusedTellsNothing() throws {
        var record = SourceRecord()
        record.packages[Self.name(1)] = PackageRecord(state: .refused, end: Self.today * 86_400 - 3_600)
        var plan = IndexPlan(indexPath: "index.txt", now: Self.now, record: record)
        _ = plan.nextIndex()
        try plan.take(Array((Self.name(5) + "\n").utf8))
        #expect(!plan.isOlder)
    }

    // MARK: - Days and hours

    /// What comes for the days, and for the hours of today if they are asked for.
    private static func plan(days: [Int64]?, hours: [Int]?, acceptedDays: [Int64], acceptedHours: [Int]) throws -> CWAPlan {
        var record = SourceRecord()
        for back in acceptedDays { record.packages[CWAPlan.dayID(today - back)] = accepted((today - back + 1) * 86_400) }
        for hour in acceptedHours {
            record.packages[CWAPlan.hourID(today, hour)] = accepted(today * 86_400 + Int64(hour + 1) * 3_600)
        }
        var plan = CWAPlan(country: "EUR", now: now, record: record)
        while let path = plan.nextIndex() {
            if path == CWAPath.days("EUR") {
                let list = days.map { "[\($0.map { "\"\(CivilDate(day: today - $0).isoText)\"" }.joined(separator: ","))]" }
                try plan.take(list.map { Array($0.utf8) })
            } else if path == CWAPath.hours("EUR", CivilDate(day: today)) {
                try plan.take(hours.map { Array("[\($0.map(String.init).joined(separator: ","))]".utf8) })
            } else {
                try plan.take(nil)
            }
        }
        return plan
    }

    @Test(arguments: [
        (days: [3, 2, 1] as [Int64]?, after: [3, 2, 1] as [Int64], isOlder: false),
        (days: [2, 1], after: [3, 2, 1], isOlder: false),
        (days: [3, 2, 1], after: [3, 2], isOlder: false),
        (days: [3, 2], after: [3, 2, 1], isOlder: true),
        (days: [], after: [3, 2, 1], isOlder: true),
        (days: nil, after: [3, 2, 1], isOlder: true),
        (days: nil, after: [], isOlder: false),
    ])
    func days(days: [Int64]?, after: [Int64], isOlder: Bool) throws {
        #expect(try Self.plan(days: days, hours: [], acceptedDays: after, acceptedHours: []).isOlder == isOlder)
    }

    @Test(arguments: [
        (hours: [0, 1, 2] as [Int]?, after: [0, 1, 2] as [Int], isOlder: false),
        (hours: [0, 1, 2], after: [0, 1], isOlder: false),
        (hours: [0, 1], after: [0, 1, 2], isOlder: true),
        (hours: [], after: [0], isOlder: true),
        (hours: nil, after: [0], isOlder: true),
        (hours: nil, after: [], isOlder: false),
    ])
    func hours(hours: [Int]?, after: [Int], isOlder: Bool) throws {
        #expect(try Self.plan(days: [2, 1], hours: hours, acceptedDays: [2, 1], acceptedHours: after).isOlder == isOlder)
    }
}
