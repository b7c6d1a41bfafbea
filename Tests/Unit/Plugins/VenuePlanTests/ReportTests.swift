// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CrowdNotifier
import ExposureRisk
import JSON
import PresenceTracing
import RandomValues
import Testing

@testable import VenuePlan

/// What a warning says of the visits, and what becomes of them.
@Suite struct ReportTests {
    /// Noon, UTC.
    private let now: Int64 = 18_690 * 86_400 + 43_200
    private let hour: Int64 = 3_600
    private let levels: [UInt8] = [5, 6, 7, 7, 7, 6, 4, 3, 2, 1, 1, 1, 1, 1, 1]

    private static func cafe(_ name: String = "Canary") throws -> VenueTicket {
        .coronaWarnApp(
            try TraceLocation(
                name: name, address: "Canary Street", kind: .permanentFoodService, defaultMinutes: 90, publicKey: [],
                seed: [UInt8](repeating: 2, count: 16)))
    }

    /// A visit that began so many seconds ago.
    private func visit(_ diary: inout VisitDiary, ago: Int64, lasting: Int64, _ name: String = "Canary") throws {
        let number = try diary.checkIn(Self.cafe(name), at: now - ago)
        try diary.checkOut(number, at: now - ago + lasting)
    }

    private func numbers(_ diary: VisitDiary, most: Int = 32, levels: [UInt8]? = nil) -> [Int] {
        diary.parts(levels: levels ?? self.levels, rules: .published, most: most, at: now).map(\.visit)
    }

    @Test func whatGoesIntoAWarning() throws {
        var diary = VisitDiary()
        try visit(&diary, ago: 5 * hour, lasting: hour)
        try visit(&diary, ago: 4 * hour, lasting: 540)
        try visit(&diary, ago: 3 * hour, lasting: hour, "Other")
        // Of a day whose level weighs nothing, and too long ago.
        try visit(&diary, ago: 9 * 24 * hour, lasting: hour)
        try visit(&diary, ago: 12 * 24 * hour, lasting: hour)
        // Another system's.
        let bar = try CrowdNotifierVenue(
            name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
            seed: [UInt8](repeating: 2, count: 32), countryData: [])
        _ = try diary.checkIn(.swissCovid(bar), at: now - hour)
        #expect(numbers(diary) == [3, 1])
        #expect(numbers(diary, most: 1) == [3] && numbers(diary, most: 0).isEmpty && numbers(diary, most: -1).isEmpty)
        try diary.setWarning(3, to: false)
        #expect(numbers(diary) == [1])
        try diary.setWarning(3, to: true)
        // One that goes on lasts until now.
        let open = try diary.checkIn(Self.cafe("Open"), at: now - 1_200)
        let part = try #require(diary.parts(levels: levels, rules: .published, most: 1, at: now).first)
        #expect(part.visit == open && part.record.level == 5)
        #expect(part.record.seconds.lowerBound <= now - 1_200 && part.record.seconds.upperBound >= now)
        // Without any level with weight there is nothing.
        #expect(numbers(diary, levels: []).isEmpty)
    }

    @Test func atMost32AndTheLatest() throws {
        var diary = VisitDiary()
        for ago in (1...40).reversed() { try visit(&diary, ago: Int64(ago) * hour, lasting: 1_800, "Place \(ago)") }
        let found = numbers(diary, most: 100)
        #expect(found.count == 32 && found == Array((9...40).reversed()))
        // One over midnight takes two places.
        var night = VisitDiary()
        try visit(&night, ago: 13 * hour, lasting: 2 * hour)
        #expect(numbers(night) == [1, 1] && numbers(night, most: 1) == [1])
    }

    @Test func aBatchIsPublishedOnceItsWarningIsOut() throws {
        var diary = VisitDiary()
        for ago in 1...3 { try visit(&diary, ago: Int64(ago) * 5 * hour, lasting: hour, "Place \(ago)") }
        diary.handOut([1, 2], as: 77)
        diary.handOut([2, 3], as: 78)
        // Of no visit, and of no name.
        diary.handOut([9], as: 79)
        diary.handOut([1], as: 0)
        #expect(diary.batches.map(\.name) == [77, 78])
        #expect(try VisitDiary(diary.json) == diary)
        // A name that is in use.
        diary.handOut([3], as: 77)
        #expect(diary.batches.map(\.visits) == [[1, 2], [2, 3]])
        #expect(!diary.allowsName(77) && !diary.allowsName(0) && diary.allowsName(79))
        // They are not published yet, and go into no other warning.
        #expect(diary.visits.allSatisfy { !$0.isSubmitted } && numbers(diary).isEmpty)
        // If no warning has them, they do.
        var freed = diary
        freed.noteOver([5, 77])
        #expect(numbers(freed) == [1] && freed.batches.map(\.name) == [78])
        freed.noteOver([78])
        #expect(Set(numbers(freed)) == [1, 2, 3] && freed.visits.allSatisfy { !$0.isSubmitted })
        #expect(try VisitDiary(freed.json) == freed)
        diary.notePublished([5])
        #expect(diary.visits.allSatisfy { !$0.isSubmitted })
        diary.notePublished([77])
        #expect(diary.visits.map(\.isSubmitted) == [true, true, false] && diary.batches.map(\.name) == [78])
        #expect(numbers(diary).isEmpty)
        #expect(try VisitDiary(diary.json) == diary)
        // What is gone is in none.
        try diary.delete(2)
        #expect(diary.batches.map(\.visits) == [[3]])
        try diary.delete(3)
        #expect(diary.batches.isEmpty)
        // None is forgotten for another.
        for name in 1...40 as ClosedRange<Int64> {
            #expect(diary.takesBatch == (name <= 16))
            diary.handOut([1], as: name)
        }
        #expect(diary.batches.map(\.name) == Array(1...16))
        diary.notePublished([3])
        #expect(diary.takesBatch)
        diary.forget(at: now + 15 * 24 * hour)
        #expect(diary.batches.isEmpty && diary.visits.isEmpty)
    }

    /// Reports last longer than visits. A visit to the same place in that time would meet the wearer's own report; at other times, and at other places, it
    /// meets others as ever.
    @Test(arguments: [true, false]) func aVisitBesideAReportDoesNotMeetIt(isCertain: Bool) throws {
        var diary = VisitDiary()
        try visit(&diary, ago: 10 * hour, lasting: 3_000)
        // Too short to be published, and one that begins in the report and outlasts it; then one around it all, by another token perhaps.
        try visit(&diary, ago: 10 * hour - 3_060, lasting: 480)
        try visit(&diary, ago: 10 * hour - 3_600, lasting: 2 * hour)
        try visit(&diary, ago: 12 * hour, lasting: 3_600)
        try diary.edit(4, arrival: now - 12 * hour, departure: now - 6 * hour, at: now)
        try visit(&diary, ago: 10 * hour, lasting: hour, "Other")
        let parts = diary.parts(levels: levels, rules: .published, most: 32, at: now).filter { $0.visit == 1 }
        let out = try #require(parts.first?.record.seconds)
        #expect(parts.count == 1 && out.upperBound > now - 10 * hour + 3_600)
        let before = diary.presenceVisits(at: now)
        diary.handOut(parts, as: 77)
        // What is not out meets nobody.
        #expect(diary.presenceVisits(at: now) == before)
        isCertain ? diary.notePublished([77]) : diary.noteUncertain([77])
        #expect(try VisitDiary(diary.json) == diary)
        let after = diary.presenceVisits(at: now)
        #expect(
            after.first
                == before.first.flatMap {
                    Visit(number: 1, location: $0.location, start: $0.start, end: $0.end, isSubmitted: true)
                })
        #expect(after.map(\.number) == [1, 3, 4, 4, 5])
        #expect(after[1].start == out.upperBound && after[1].end == before[2].end)
        #expect(after[2].start == before[3].start && after[2].end == out.lowerBound)
        #expect(after[3].start == out.upperBound && after[3].end == before[3].end && after[4] == before[4])
        for visit in after where !visit.isSubmitted && visit.location == before[0].location {
            #expect(WarningMatcher.matches(visit, parts[0].record).isEmpty)
        }
        // What is published of others is the whole visit.
        let more = diary.parts(levels: levels, rules: .published, most: 32, at: now).filter { $0.visit == 3 }
        #expect(more.first?.record.seconds.lowerBound ?? .max <= before[2].start)
        // A warning that nothing came of hides nothing, nor do the days between two times of one visit.
        var moved = VisitDiary()
        try visit(&moved, ago: 6 * 24 * hour, lasting: hour)
        try visit(&moved, ago: 3 * 24 * hour, lasting: hour)
        try moved.setWarning(2, to: false)
        for (name, ago) in [(77, 6 * 24 * hour), (78, 24 * hour)] as [(Int64, Int64)] {
            try moved.edit(1, arrival: now - ago, departure: now - ago + hour, at: now)
            let parts = moved.parts(levels: [UInt8](repeating: 5, count: 12), rules: .published, most: 32, at: now)
            moved.handOut(parts, as: name)
            name == 77 ? moved.noteOver([77]) : moved.notePublished([78])
        }
        #expect(
            moved.visits[0].reported.count == 1
                && moved.presenceVisits(at: now)[1].end - moved.presenceVisits(at: now)[1].start == hour)
        #expect(try VisitDiary(moved.json) == moved)
        var over = VisitDiary()
        try visit(&over, ago: 10 * hour, lasting: 3_000)
        try visit(&over, ago: 10 * hour - 3_060, lasting: 480)
        over.handOut(parts, as: 77)
        over.noteOver([77])
        #expect(over.presenceVisits(at: now).map(\.number) == [1, 2])
    }

    /// Whoever deletes a visit whose report is out, or may be, meets it no more than before, at that place and time alone.
    @Test func aDeletedVisitStillDoesNotMeetItsReport() throws {
        var diary = VisitDiary()
        try visit(&diary, ago: 10 * hour, lasting: 3_000)
        try visit(&diary, ago: 12 * hour, lasting: hour)
        try diary.edit(2, arrival: now - 12 * hour, departure: now - 6 * hour, at: now)
        try visit(&diary, ago: 10 * hour, lasting: hour, "Other")
        let parts = diary.parts(levels: levels, rules: .published, most: 32, at: now).filter { $0.visit == 1 }
        let whole = diary.presenceVisits(at: now).filter { $0.number != 1 }
        func pieces(_ diary: VisitDiary) throws -> [Int] {
            #expect(try VisitDiary(JSON(parsing: diary.json.bytes)) == diary)
            let found = diary.presenceVisits(at: now).filter { $0.number != 1 }
            for visit in found where found.count > whole.count {
                #expect(WarningMatcher.matches(visit, parts[0].record).isEmpty || visit.number == 3)
            }
            return found.map(\.number)
        }
        diary.handOut(parts, as: 77)
        let text = "\(diary.json)"
        for isCertain in [true, false] {
            // Out, and then deleted; or deleted while nobody knows.
            var first = diary
            isCertain ? first.notePublished([77]) : first.noteUncertain([77])
            try first.delete(1)
            var second = diary
            try second.delete(1)
            #expect(try pieces(second) == [2, 3] && second.batches.map(\.name) == [77])
            isCertain ? second.notePublished([77]) : second.noteUncertain([77])
            #expect(first == second && second.batches.isEmpty)
            #expect(try pieces(first) == [2, 2, 3])
            // No word of the place, and not for ever.
            #expect(text.contains("coronaWarnApp") && !"\(first.formerReports.map(\.json))".contains("coronaWarnApp"))
            first.forget(at: now + 14 * 24 * hour)
            #expect(first.formerReports.count == 1)
            first.forget(at: now + 16 * 24 * hour)
            #expect(first.formerReports.isEmpty)
        }
        // Of a report that never went out nothing stays, nor of a visit without one.
        try diary.delete(1)
        diary.noteOver([77])
        try diary.delete(3)
        #expect(try pieces(diary) == [2] && diary.formerReports.isEmpty)
        guard var object = diary.json.object else { return }
        for wrong: JSON in [[7], [["visit": 1, "place": "AAAA", "out": true, "times": [1, 2]]]] {
            object["former"] = wrong
            #expect(throws: DiaryError(.damagedDiary)) { try VisitDiary(.object(object)) }
        }
    }

    /// Nobody knows whether their warning went out: they meet no warning, which may be their own, and go along with the next one.
    @Test func visitsThatMayBeOutMeetNoWarningAndAreFree() throws {
        var diary = VisitDiary()
        for ago in 1...3 { try visit(&diary, ago: Int64(ago) * 5 * hour, lasting: hour, "Place \(ago)") }
        let former = diary.json
        diary.handOut([1, 2], as: 77)
        diary.noteUncertain([77, 5])
        #expect(diary.batches.isEmpty && Set(numbers(diary)) == [1, 2, 3])
        #expect(diary.presenceVisits(at: now).map(\.isSubmitted) == [true, true, false])
        #expect(diary.visits.allSatisfy { !$0.isSubmitted })
        #expect(try VisitDiary(diary.json) == diary && VisitDiary(former).visits.allSatisfy { !$0.mayMeetItself })
        // With another warning that goes out they are published.
        diary.handOut([1], as: 78)
        diary.notePublished([78])
        #expect(diary.visits.map(\.isSubmitted) == [true, false, false] && Set(numbers(diary)) == [2, 3])
    }

    @Test func damagedBatchesAreADamagedDiary() throws {
        var diary = VisitDiary()
        try visit(&diary, ago: hour, lasting: 1_800)
        diary.handOut([1], as: 77)
        guard var object = diary.json.object else { return }
        // A diary of before this was kept.
        object["batches"] = nil
        #expect(try VisitDiary(.object(object)).batches.isEmpty)
        for wrong: JSON in [
            [["name": 0, "visits": [1]]], [["name": 7, "visits": []]], [["name": 7, "visits": [2]]], [["name": 7]], [7],
            [["name": 9_007_199_254_740_992, "visits": [1]]], .array((1...17).map { ["name": .int($0), "visits": [1]] }),
        ] {
            object["batches"] = wrong
            #expect(throws: DiaryError(.damagedDiary), "\(wrong)") { try VisitDiary(.object(object)) }
        }
    }

    @Test func rulesOutlastTheDiskToTheBit() throws {
        #expect(ReportRules(ReportRules.published.json) == .published)
        var random = SeededGenerator(seed: 45)
        for _ in 0..<200 {
            func number() -> Double { Double.random(in: -1e6...1e6, using: &random) }
            func range() -> CWASecondParameters.Range {
                .init(
                    min: number(), minExclusive: .random(using: &random), max: number(),
                    maxExclusive: .random(using: &random))
            }
            var parameters = try #require(Self.parameters())
            parameters.derivation = CheckInDerivation(
                durationFilters: (0..<Int.random(in: 0...4, using: &random)).map { _ in range() },
                decays: (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    .init(minutesRange: range(), slope: number(), intercept: number())
                })
            parameters.risk.transmissionRiskValueMapping = [0: 9, 1: number(), 8: number(), 99: 1]
            let rules = try #require(ReportRules(parameters))
            #expect(Set(rules.values.keys) == [1, 8])
            // Through the bytes that are on the disk.
            #expect(ReportRules(try JSON(parsing: rules.json.bytes)) == rules)
        }
        for wrong: JSON in [.empty, 7, ["filters": []], ["filters": [], "decays": [], "levels": [9], "values": [1]]] {
            #expect(ReportRules(wrong) == nil)
        }
    }

    @Test func rulesThatAreNoneAreNotKept() throws {
        var parameters = try #require(Self.parameters())
        parameters.derivation.decays = [.init(minutesRange: .init(), slope: .infinity, intercept: 0)]
        #expect(ReportRules(parameters) == nil)
        parameters.derivation.decays = []
        parameters.derivation.durationFilters = Array(repeating: .init(), count: ReportRules.maximumParts + 1)
        #expect(ReportRules(parameters) == nil)
        parameters.derivation.durationFilters.removeLast()
        #expect(ReportRules(parameters) != nil)
    }

    /// A configuration as authorities publish it.
    private static func parameters() -> PresenceTracingParameters? {
        let level: ConfigValue = .message([
            "normalizedTimeRange": .message(["max": .number(9)]), "riskLevel": .string("LOW"),
        ])
        let risk: ConfigValue = .message([
            "normalizedTimePerDayToRiskLevelMapping": .list([level]),
            "normalizedTimePerCheckInToRiskLevelMapping": .list([level]),
        ])
        return PresenceTracingParameters(
            .message(["presenceTracingParameters": .message(["riskCalculationParameters": risk])]))
    }
}
