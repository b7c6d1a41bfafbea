// SPDX-License-Identifier: Apache-2.0

import KeyExport
import SyncPlan
import SyncTrial
import Testing

/// A server that gives files which its authority really signed, and nobody asked for.
@Suite struct ReplayTests {
    private let trial = ReplayTrial()

    /// What is promised: two days.
    private static let promised: Int64 = 48

    @Test(arguments: [ReplayTrial.Replay.oneOldFile, .otherRegion, .hourForDay])
    func aBoardThatWasFreshIsOutdatedInTwoDays(how: ReplayTrial.Replay) throws {
        for seed in UInt64(1)...3 {
            let outcome = trial.run(how, seed: seed)
            #expect(!outcome.didBoast)
            guard how != .hourForDay else {
                // Hours are fetched one by one, so that nobody misses a day.
                #expect(outcome.hoursUntilOutdated == nil)
                continue
            }
            let hours = try #require(outcome.hoursUntilOutdated)
            #expect((Self.promised - 3...Self.promised).contains(hours), "\(how): \(hours) h")
            #expect(outcome.facts.missingCount > 0 && outcome.facts.problem != nil)
            let counted: Set<String> = how == .otherRegion ? ["wrongPeriod", "wrongRegion"] : ["wrongPeriod"]
            #expect(counted.isSubset(of: Set(outcome.facts.faults.keys)), "\(outcome.facts.faults)")
        }
    }

    /// It never had anything else.
    @Test(arguments: [ReplayTrial.Replay.oneOldFile, .otherRegion, .hourForDay])
    func aBoardThatNeverSawAnotherServerIsOutdatedInTwoDays(how: ReplayTrial.Replay) throws {
        let outcome = trial.run(how, honestDays: 0)
        #expect(!outcome.didBoast)
        let hours = try #require(outcome.hoursUntilOutdated)
        #expect(hours <= Self.promised, "\(how): \(hours) h")
        #expect(outcome.facts.faults["wrongPeriod", default: 0] > 0)
    }

    /// Every hour's keys come, under the path of another hour. That is told, and nobody's warning is lost: the signed times say that all are here.
    @Test func swappedHoursAreToldAndLoseNobody() {
        let outcome = trial.run(.swappedHours)
        #expect(outcome.facts.faults["wrongPeriod", default: 0] > 0 && outcome.facts.problem != nil)
        #expect(outcome.hoursUntilOutdated == nil && !outcome.didBoast)
    }

    /// The core has everything and the plugin knows of nothing: what is provided again counts by what is signed.
    @Test(arguments: [false, true]) func honestRepetitionsCount(isMirrored: Bool) {
        let outcome = trial.run(.nothing, losesState: true, isMirrored: isMirrored)
        #expect(outcome.repeatedCount >= 10)
        #expect(outcome.hoursUntilOutdated == nil && outcome.facts.faults.isEmpty && outcome.facts.problem == nil)
        #expect(outcome.facts.missingCount == 0 && outcome.facts.knownDays.count == 14)
        guard case .current = outcome.verdict else { return #expect(Bool(false), "\(outcome.verdict)") }
    }

    @Test func anHonestServerIsFreshAllTheTime() {
        let outcome = trial.run(.nothing)
        #expect(outcome.hoursUntilOutdated == nil && outcome.facts.faults.isEmpty && !outcome.didBoast)
        #expect(outcome.freshLooks > 8 * 48)
    }
}
