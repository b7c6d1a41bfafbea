// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ExposureRisk
import JSON
import PresenceTracing
import RandomValues
import Testing
import VenueNotices
import VenuePlan

/// What warnings say about visits, and that it is said once.
@Suite struct NoticeTests {
    private let now: Int64 = 1_614_850_000
    private let day = UTCDay(containing: 1_614_850_000)

    private func diary(_ places: Int) throws -> VisitDiary {
        var diary = VisitDiary()
        for number in 1...places {
            _ = try diary.checkIn(
                .coronaWarnApp(
                    try TraceLocation(
                        name: "Canary \(number)", address: "Canary Street", kind: .permanentRetail, defaultMinutes: 60,
                        publicKey: [], seed: [UInt8](repeating: 2, count: 16))), at: now)
        }
        return diary
    }

    private func match(_ visit: Int, _ minutes: Int64, level: UInt8 = 8, day: UTCDay? = nil) -> PresenceMatch {
        PresenceMatch(visit: visit, day: day ?? self.day, minutes: minutes, level: level)
    }

    @Test func aWarningIsToldOnce() throws {
        var diary = try diary(2)
        #expect(!diary.hasNews)
        diary.tell(1, day: day, .message("Stay at home"))
        diary.tell(1, day: day, .message("Stay at home"))
        diary.tell(9, day: day, .message("Nobody"))
        #expect(diary.notices.map(\.number) == [1] && diary.visit(1)?.wasTold == true && diary.hasNews)
        diary.acknowledge(upTo: 1)
        #expect(!diary.hasNews && diary.notices.count == 1)
        diary.tell(2, day: day, .advice(.bookATest))
        #expect(diary.notices.map(\.number) == [1, 2] && diary.hasNews)
        #expect(try VisitDiary(JSON(parsing: diary.json.bytes)) == diary)
        // Of a visit that is gone nothing stays, and its number is not used again.
        try diary.delete(2)
        #expect(diary.notices.map(\.number) == [1] && !diary.hasNews)
        diary.forget(at: now + 100 * 86_400)
        _ = diary.checkOutDue(at: now + 100 * 86_400)
        diary.forget(at: now + 100 * 86_400)
        #expect(diary.visits.isEmpty && diary.notices.isEmpty && diary.matches.isEmpty)
    }

    @Test func minutesOfSeveralPackagesCountTogether() throws {
        var diary = try diary(2)
        let parameters = PresenceRiskParameters.published
        // 5 minutes of level 8 (times 1.6) are 8: low. The same again is 16: increased.
        diary.note([match(1, 5)])
        diary.judge(by: parameters, at: now)
        #expect(diary.notices.map(\.content) == [.level(.level(.low))] && diary.hasNews)
        diary.acknowledge(upTo: 1)
        // Judged again by the same rules it is no news.
        diary.judge(by: parameters, at: now)
        #expect(diary.notices.map(\.number) == [1] && !diary.hasNews)
        diary.note([match(1, 5)])
        diary.judge(by: parameters, at: now)
        // Whoever says that they have seen the low one, which their page shows, has not seen this one.
        #expect(diary.notices.map(\.content) == [.level(.level(.increased))] && diary.notices.map(\.number) == [2])
        diary.acknowledge(upTo: 1)
        #expect(diary.hasNews)
        #expect(diary.matches == [match(1, 10)])
        #expect(try VisitDiary(JSON(parsing: diary.json.bytes)) == diary)
    }

    /// Two visits of a day that are low each are told the day's level.
    @Test func aDayCountsAsAWhole() throws {
        var diary = try diary(2)
        diary.note([match(1, 5), match(2, 5)])
        diary.judge(by: .published, at: now)
        #expect(
            diary.notices.map(\.content) == [.level(.level(.increased)), .level(.level(.increased))]
                && diary.notices.map(\.visit) == [1, 2] && diary.notices.map(\.number) == [1, 2])
        // Without one of them the rest is low again, which is no news.
        diary.acknowledge(upTo: 2)
        try diary.delete(2)
        diary.judge(by: .published, at: now)
        #expect(diary.notices.map(\.content) == [.level(.level(.low))] && !diary.hasNews)
        // And one that was published is no contact of the wearer's.
        diary.noteSubmitted([1])
        diary.judge(by: .published, at: now)
        #expect(diary.notices.isEmpty)
    }

    @Test func whatTheRulesDoNotKnowIsNotLow() throws {
        var diary = try diary(1)
        var parameters = PresenceRiskParameters.published
        parameters.transmissionRiskValueMapping[8] = nil
        diary.note([match(1, 30)])
        diary.judge(by: parameters, at: now)
        #expect(diary.notices.map(\.content) == [.level(.unknown)] && diary.hasNews)
        // Other rules, another answer.
        diary.acknowledge(upTo: 1)
        diary.judge(by: .published, at: now)
        #expect(diary.notices.map(\.content) == [.level(.level(.increased))] && diary.hasNews)
    }

    @Test func oldVisitsAreNotJudged() throws {
        var diary = try diary(1)
        diary.note([match(1, 30)])
        diary.judge(by: .published, at: now + 12 * 86_400)
        #expect(diary.notices.isEmpty && diary.matches.count == 1)
    }

    /// The rules judge visits of the last ten days. What nobody has seen by then is not taken away.
    @Test func aNoticeThatNobodyHasSeenStays() throws {
        var diary = try diary(2)
        _ = diary.checkOutDue(at: now + 86_400)
        diary.note([match(1, 30), match(2, 30)])
        diary.judge(by: .published, at: now)
        diary.acknowledge(upTo: 1)
        let later = now + 12 * 86_400
        for _ in 0..<2 { diary.judge(by: .published, at: later) }
        #expect(diary.notices.map(\.visit) == [2] && diary.hasNews)
        #expect(diary.notices.map(\.content) == [.level(.level(.increased))])
        diary.acknowledge(upTo: 2)
        diary.judge(by: .published, at: later, isComplete: false)
        #expect(diary.notices.count == 1)
        diary.judge(by: .published, at: later)
        #expect(diary.notices.isEmpty)
        // One that was published meets itself, however old it is, and one that is gone has no notice.
        diary = try self.diary(2)
        diary.note([match(1, 30), match(2, 30)])
        diary.judge(by: .published, at: now)
        diary.noteSubmitted([1])
        diary.judge(by: .published, at: later)
        #expect(diary.notices.map(\.visit) == [2])
        _ = diary.checkOutDue(at: later)
        diary.forget(at: now + 16 * 86_400)
        #expect(diary.notices.isEmpty)
    }

    /// A notice about former times stays until all is compared with the new ones, and then says what holds of them.
    @Test func aChangedVisitIsToldAnew() throws {
        var diary = try diary(2)
        _ = diary.checkOutDue(at: now + 86_400)
        diary.tell(1, day: day, .message("Stay at home"))
        diary.tell(2, day: day, .message("Stay at home"))
        diary.acknowledge(upTo: 2)
        #expect(try !diary.edit(1, arrival: now, departure: now + 3_600, at: now + 86_400))
        #expect(diary.visit(1)?.wasTold == true)
        // A form has whole minutes.
        let (first, last) = (now - now % 60, now + 3_600 - (now + 3_600) % 60)
        #expect(try first != now && !diary.edit(1, arrival: first, departure: last, at: now + 86_400))
        #expect(diary.visit(1)?.arrival == now && diary.visit(1)?.departure == now + 3_600)
        #expect(try diary.edit(1, arrival: now - 7_200, departure: now - 3_600, at: now + 86_400))
        #expect(diary.visit(1)?.wasTold == false && diary.notices.map(\.visit) == [1, 2])
        // The same again is no news; something else is, in its place; nothing takes it away.
        var same = diary
        same.tell(1, day: day, .message("Stay at home"))
        same.forgetFormerNotices(.coronaWarnApp)
        #expect(same.notices.map(\.number) == [1, 2] && !same.hasNews)
        var other = diary
        other.tell(1, day: UTCDay(number: day.number - 1), .message("Have a test"))
        other.forgetFormerNotices(.coronaWarnApp)
        #expect(other.notices.map(\.number) == [2, 3] && other.notices.map(\.wasSeen) == [true, false])
        diary.forgetFormerNotices(.nhs)
        diary.forgetFormerNotices(.coronaWarnApp, except: [1])
        #expect(diary.notices.map(\.visit) == [1, 2])
        diary.forgetFormerNotices(.coronaWarnApp)
        #expect(diary.notices.map(\.visit) == [2] && !diary.hasNews)
    }

    /// What a package says is replaced as often as it is compared, and counts once when that is for good.
    @Test func whatIsComparedAgainCountsOnce() throws {
        var diary = try diary(2)
        diary.note([match(2, 4)], of: [7])
        for minutes: Int64 in [3, 5] {
            let full = diary.noteEarly([match(1, minutes)], of: 10)
            #expect(full == nil && diary.earlyHours == [10])
            #expect(diary.matches == [match(1, minutes), match(2, 4)])
            #expect(try VisitDiary(JSON(parsing: diary.json.bytes)) == diary)
        }
        var other = diary
        other.note([match(1, 9)], of: [10])
        #expect(other.matches == [match(1, 9), match(2, 4)] && other.earlyHours == [])
        other = diary
        other.forgetSettledMatches()
        #expect(other.matches == [match(1, 5)])
        try other.delete(1)
        #expect(other.matches.isEmpty && other.earlyHours == [])
        // Hours that a server never gives again are not kept for ever.
        for hour: Int64 in [11, 12, 13] {
            let full = diary.noteEarly([match(1, 1)], of: hour)
            #expect(full == nil)
        }
        let full = diary.noteEarly([match(1, 1)], of: 14)
        #expect(full == 10 && diary.earlyHours == [11, 12, 13, 14] && diary.matches.first == match(1, 9))
        let none = diary.noteEarly([], of: 12)
        #expect(none == nil && diary.earlyHours == [11, 13, 14])
        diary.forgetMatches()
        #expect(diary.matches.isEmpty && diary.earlyHours == [])
        for damaged: JSON in [[["hour": 1]], [["hour": 1, "matches": []]], [["hour": 1, "matches": [["visit": 9]]]]] {
            guard case .object(var object) = diary.json else { return }
            object["early"] = damaged
            #expect(throws: DiaryError.self) { try VisitDiary(.object(object)) }
        }
    }

    @Test func aServerThatWarnsOfEverythingFillsNothing() throws {
        var random = SeededGenerator(seed: 23)
        var diary = try diary(150)
        for _ in 0..<4 {
            diary.note(
                (0..<6_000).map { _ in
                    match(
                        Int.random(in: 1...150, using: &random), .max, level: UInt8.random(in: 1...8, using: &random),
                        day: UTCDay(number: day.number + Int64.random(in: 0..<31, using: &random)))
                })
        }
        for hour: Int64 in 1...9 { _ = diary.noteEarly(diary.matches, of: hour) }
        #expect(diary.matches.count <= 8_192 && diary.matches.count > 4_000)
        #expect(diary.matches.contains { $0.level == 8 } && diary.matches.allSatisfy { $0.minutes <= 1_000_000 })
        #expect(diary.json.bytes.count < VisitDiary.maximumBytes)
        #expect(try VisitDiary(diary.json) == diary)
    }
}
