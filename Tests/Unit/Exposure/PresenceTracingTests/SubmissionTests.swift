// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ExposureRisk
import PresenceTracing
import RandomValues
import Testing

@Suite struct SubmissionTests {
    private let location = LocationID(payload: [1])

    private func visit(_ start: Int64, _ end: Int64) throws -> Visit {
        try #require(Visit(number: 1, location: location, start: start, end: end))
    }

    /// Times in seconds of the day; `nil` for what is not published.
    @Test func intervalsInPlaceOfTimes() {
        let hour: Int64 = 36_000
        func derived(_ start: Int64, _ end: Int64) -> [Int64]? {
            CheckInDerivation.published.interval(from: hour + start, to: hour + end).map {
                [$0.lowerBound - hour, $0.upperBound - hour]
            }
        }
        // Nine minutes and 59 seconds are nine whole minutes, and too short.
        #expect(derived(0, 599) == nil)
        #expect(derived(0, 600) == [0, 1_200])
        #expect(derived(30, 30) == nil)
        #expect(derived(60, 0) == nil)
        // Twelve minutes and a half, twice: 25 minutes make 2.5 intervals, and a half counts.
        #expect(derived(0, 750) == [0, 1_800])
        // One second less does not.
        #expect(derived(0, 749) == [0, 1_200])
        // Both ends cover the same of their intervals: the start stays.
        #expect(derived(300, 1_200) == [0, 1_800])
        // The end covers more by two seconds: the start moves.
        #expect(derived(302, 1_202) == [600, 2_400])
        // 30 minutes are doubled, 31 get 30 more.
        #expect(derived(0, 1_800) == [0, 3_600])
        #expect(derived(0, 1_859) == [0, 3_600])
        #expect(derived(0, 1_860) == [0, 3_600])
        #expect(derived(0, 2_100) == [0, 4_200])
    }

    @Test func nonsenseOfAConfigurationStaysBounded() {
        for (slope, intercept): (Double, Double) in [
            (1e300, 0), (-1e300, 0), (.infinity, 0), (.nan, .nan), (0, 1e300), (0, -1e300),
        ] {
            let derivation = CheckInDerivation(
                durationFilters: [],
                decays: [.init(minutesRange: .init(min: 0, max: 1e9), slope: slope, intercept: intercept)])
            guard let interval = derivation.interval(from: 36_000, to: 39_600) else {
                Issue.record("dropped")
                continue
            }
            #expect(interval.lowerBound >= 36_000 - 600 && interval.upperBound <= 39_600 + UTCDay.seconds + 600)
        }
    }

    @Test func cutsAtMidnight() {
        func parts(_ start: Int64, _ end: Int64) -> [[Int64]] { DayParts(from: start, to: end).map { [$0.start, $0.end] } }
        let day = UTCDay.seconds
        #expect(parts(10, 10) == [[10, 10]])
        #expect(parts(11, 10) == [])
        #expect(parts(0, day) == [[0, day]])
        #expect(parts(day - 1, day + 1) == [[day - 1, day], [day, day + 1]])
        #expect(parts(day, day) == [[day, day]])
        #expect(parts(5, 3 * day) == [[5, day], [day, 2 * day], [2 * day, 3 * day]])
        #expect(parts(-5, 5) == [[-5, 0], [0, 5]])
        // Centuries cost nothing until they are walked.
        #expect(Array(DayParts(from: 0, to: .max).prefix(2)).map(\.day.number) == [0, 1])
    }

    @Test func partsMakeUpTheWhole() {
        var random = SeededGenerator(seed: 23)
        for _ in 0..<2_000 {
            let start = Int64.random(in: -400_000...4_000_000_000, using: &random)
            let end = start + Int64.random(in: 0...400_000, using: &random)
            let parts = Array(DayParts(from: start, to: end))
            #expect(parts.first?.start == start && parts.last?.end == end)
            #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.end == $1.start && $0.day.number + 1 == $1.day.number })
            #expect(parts.allSatisfy { $0.day == UTCDay(containing: $0.start) && ($0.start < $0.end || parts.count == 1) })
        }
    }

    @Test func levelsByAge() {
        let levels: [UInt8] = [8, 7, 6]
        let now = Samples.time(10)
        let table: [(Int64, UInt8)] = [
            (Samples.time(0), 8), (Samples.time(9), 8), (Samples.time(-1), 7), (Samples.time(-24), 7),
            (Samples.time(-25), 6),
            (Samples.time(-49), 1), (Samples.time(24), 1), (Samples.time(-24 * 400), 1),
        ]
        for (start, level) in table {
            #expect(CheckInSubmission.level(start: start, now: now, levels: levels) == level, "\(start)")
        }
    }

    @Test func partsWithoutWeightAreLeftOut() throws {
        let levels: [UInt8] = [8, 1, 5]
        // From the day before yesterday at 20:00 to today at 8:00.
        let stay = try visit(Samples.time(-28), Samples.time(8))
        let parts = CheckInSubmission.parts(
            of: [stay], levels: levels, values: PresenceRiskParameters.published.transmissionRiskValueMapping,
            derivation: .published, now: Samples.time(9))
        #expect(parts.map(\.record.level) == [5, 8])
        #expect(
            parts.map { $0.record.seconds } == [
                Samples.time(-28)..<Samples.time(-24), Samples.time(0)..<Samples.time(8, 30),
            ])
        // A level without a value is no weight either.
        #expect(
            CheckInSubmission.parts(
                of: [stay], levels: levels, values: [5: 0.1], derivation: .published, now: Samples.time(9)
            ).map(\.record.level) == [5])
        let host = CheckInSubmission.hostParts(of: [stay], values: [5: 1], derivation: .published, now: Samples.time(9))
        #expect(host.map(\.record.level) == [5, 5, 5])
    }

    @Test func oldVisitsAreLeftOut() throws {
        let old = try visit(Samples.time(-241), Samples.time(-240, 0, -1))
        let recent = try visit(Samples.time(-241), Samples.time(-240))
        func count(_ visit: Visit) -> Int {
            CheckInSubmission.hostParts(of: [visit], values: [5: 1], derivation: .published, now: Samples.time(23)).count
        }
        #expect(count(old) == 0)
        #expect(count(recent) == 2)
    }

    @Test func reportsAreShuffledAndEachHasItsVector() throws {
        var random = SeededGenerator(seed: 7)
        let parts = try (0..<23).map { hour -> PublishedCheckIn in
            let hour = Int64(hour)
            let stay = try #require(
                Visit(number: 1, location: location, start: Samples.time(hour), end: Samples.time(hour, 20)))
            return try #require(
                CheckInSubmission.hostParts(of: [stay], values: [5: 1], derivation: .published, now: Samples.time(24)).first
            )
        }
        let reports = try CheckInSubmission.reports(parts, using: &random)
        #expect(Set(reports.map(\.initializationVector)).count == 23)
        let opened = try reports.map { try $0.open(location) }
        #expect(opened != parts.map(\.record))
        #expect(Set(opened) == Set(parts.map(\.record)))
        #expect(parts[0].encodedPlain.count == 34 + 5 + 5 + 2)
    }

    @Test func automaticCheckOut() {
        let table: [(UInt32, Int64?, Int64, Int)] = [
            (0, nil, 0, 15), (1, nil, 0, 15), (22, nil, 0, 15), (23, nil, 0, 30), (37, nil, 0, 30), (38, nil, 0, 45),
            (1_417, nil, 0, 1_410), (1_418, nil, 0, 1_425), (1_425, nil, 0, 1_425), (1_426, nil, 0, 1_425),
            (.max, nil, 0, 1_425),
            (0, 7_200, 0, 120), (0, 7_200, 3_600, 60), (0, 7_200, 7_200, 15), (0, 7_200, 9_000, 15), (0, 7_200, 6_901, 15),
            (60, 7_200, 9_000, 60), (0, .max, .min, 15), (0, .max, 0, 1_425), (0, .min, .max, 15),
        ]
        for (own, end, checkIn, minutes) in table {
            #expect(
                AutoCheckOut.minutes(default: own, start: nil, end: end, checkIn: checkIn) == minutes,
                "\(own) \(String(describing: end)) \(checkIn)")
            // Where the event has a beginning, that counts, and not when the guest comes.
            for late in [checkIn, 0, .max, .min] {
                #expect(AutoCheckOut.minutes(default: own, start: checkIn, end: end, checkIn: late) == minutes)
            }
        }
        #expect([0, 7, 8, 22, 23].map(AutoCheckOut.rounded) == [0, 0, 15, 15, 30])
    }

    /// A board takes codes of an event two hours before it begins; whoever enters one then stays to the end.
    @Test func whoComesEarlyStaysToTheEnd() throws {
        let (start, end) = (Samples.time(20), Samples.time(23))
        let concert = try Samples.location(
            start: UInt64(start), end: UInt64(end), kind: .temporaryCulturalEvent, minutes: 0)
        #expect(concert.autoCheckOutMinutes(checkIn: start - 5_400) == 270)
        #expect(
            concert.autoCheckOutMinutes(checkIn: start) == 180 && concert.autoCheckOutMinutes(checkIn: start + 3_600) == 180
        )
        let own = try Samples.location(start: UInt64(start), end: UInt64(end), kind: .temporaryCulturalEvent, minutes: 60)
        #expect(own.autoCheckOutMinutes(checkIn: start - 5_400) == 60)
    }

    @Test func visitsThatAreNone() {
        func isVisit(_ start: Int64, _ end: Int64) -> Bool {
            Visit(number: 0, location: location, start: start, end: end) != nil
        }
        #expect(isVisit(0, 0) && isVisit(5, 5 + Visit.longestSeconds))
        for (start, end): (Int64, Int64) in [
            (-1, 0), (2, 1), (5, 6 + Visit.longestSeconds), (0, .max), (.min, .max), (.max, .max), (.min, .min),
        ] {
            #expect(!isVisit(start, end), "\(start) \(end)")
        }
    }

    @Test func agesOfVisits() {
        let now = Samples.time(12)
        let table: [(Int64, Int, Visit.AgeRule, Bool)] = [
            (Samples.time(-240), 10, .wholeDays, true), (Samples.time(-240) - 1, 10, .wholeDays, false),
            (Samples.time(-228), 10, .exact, true), (Samples.time(-228) - 1, 10, .exact, false), (now, 0, .wholeDays, true),
            (now, 0, .exact, true), (Samples.time(0) - 1, 0, .wholeDays, false),
            (Samples.time(0) - 1, -5, .wholeDays, false),
            (.min, 10, .exact, false), (0, .max, .wholeDays, true), (0, .max, .exact, true),
        ]
        for (end, days, rule, expected) in table {
            #expect(Visit.isRecent(end: end, now: now, days: days, rule: rule) == expected, "\(end) \(days) \(rule)")
        }
    }
}
