// SPDX-License-Identifier: Apache-2.0

import Testing
import TimeTrust

@Suite struct UnixTimeTests {
    @Test func secondsAndDaysRoundTowardsThePast() {
        #expect(UnixTime(milliseconds: 1_999).seconds == 1)
        #expect(UnixTime(milliseconds: -1).seconds == -1)
        #expect(UnixTime(milliseconds: -1_000).seconds == -1)
        #expect(UnixTime(milliseconds: -1).day == -1)
        #expect(UnixTime(milliseconds: 86_399_999).day == 0)
        #expect(midnight.day == 20_778)
        #expect((midnight - .milliseconds(1)).day == 20_777)
    }

    @Test func arithmeticStopsAtTheEnds() {
        let first = UnixTime(milliseconds: .min)
        let last = UnixTime(milliseconds: .max)
        #expect(UnixTime(seconds: .max) == last)
        #expect(UnixTime(seconds: .min) == first)
        #expect(last.advanced(by: .seconds(1)) == last)
        #expect(first.advanced(by: .seconds(-1)) == first)
        #expect(last.since(first) == .milliseconds(Int64.max))
        #expect(first.since(last) == .milliseconds(Int64.min))
        #expect(first.seconds == -9_223_372_036_854_776)
        #expect(UnixTime(milliseconds: 0).advanced(by: .seconds(Int64.max)).seconds == 1 << 40)
        #expect(BootInstant(sinceBoot: .seconds(Int64.max)).nanoseconds == .max)
    }

    @Test(arguments: [(0, "0.000"), (1_005, "1.005"), (-1, "-1.999"), (1_795_219_200_120, "1795219200.120")])
    func descriptionHasThreeDecimals(_ milliseconds: Int, _ text: String) {
        #expect(UnixTime(milliseconds: Int64(milliseconds)).description == text)
    }
}

@Suite struct LimitsTests {
    typealias Limits = TrustedTime.Limits

    @Test func theStandardPassesItsOwnChecks() throws {
        #expect(try Limits() == .standard)
        #expect(try Limits(holdOver: nil).holdOver == nil)
    }

    @Test(arguments: [Int64.min, 0, 1_001, .max])
    func impossibleDriftIsRefused(_ drift: Int64) {
        #expect(throws: Limits.Problem.driftOutOfRange) { try Limits(driftPartsPerMillion: drift) }
    }

    @Test(arguments: [Duration.zero, .seconds(59), .seconds(3_601)])
    func impossibleSaveIntervalIsRefused(_ interval: Duration) {
        #expect(throws: Limits.Problem.saveIntervalOutOfRange) { try Limits(saveInterval: interval) }
    }

    @Test func impossibleHoldOverIsRefused() {
        func refuse(_ off: Duration, _ age: Duration, _ longest: Duration, _ problem: Limits.Problem) {
            #expect(throws: problem) {
                try Limits(holdOver: .init(offAllowance: off, snapshotAge: age, longest: longest))
            }
        }
        refuse(.zero, .minutes(15), .hours(1), .holdOverOutOfRange)
        refuse(.minutes(15), .minutes(9), .hours(1), .holdOverOutOfRange)
        refuse(.minutes(15), .minutes(15), .zero, .holdOverOutOfRange)
        refuse(.minutes(15), .minutes(15), .days(15), .holdOverOutOfRange)
        refuse(.minutes(36), .minutes(15), .hours(1), .holdOverNeverPossible)
        refuse(.minutes(15), .seconds(Int64.max), .hours(1), .holdOverNeverPossible)
        refuse(.seconds(Int64.max), .minutes(15), .hours(1), .holdOverNeverPossible)
        #expect(throws: Never.self) {
            try Limits(holdOver: .init(offAllowance: .minutes(35), snapshotAge: .minutes(15), longest: .days(14)))
        }
    }

    /// The reason for the tolerance: two boards at the edge of it, one early and one late, still meet for as long as an
    /// identifier can be on air; a second more on either side, and they do not.
    @Test func twoBoardsAtTheToleranceStillMeet() {
        let tolerance = Limits.tolerance.components.seconds
        let interval: Int64 = 600 * 2_991_600
        func counts(_ sender: Int64, _ receiver: Int64) -> Bool {
            // Taken in the first or the last second of its interval, on air until 20 minutes later.
            [0, 599, 599 + 1_200].allSatisfy { sinceStart in
                let truth = interval + sinceStart - sender
                return (-12...12).contains((truth + receiver) / 600 - interval / 600)
            }
        }
        #expect(counts(tolerance, -tolerance))
        #expect(counts(-tolerance, tolerance))
        #expect(counts(0, 0))
        #expect(!counts(-tolerance - 1, tolerance + 1))
        #expect(counts(tolerance + 600, -tolerance - 600))
    }
}
