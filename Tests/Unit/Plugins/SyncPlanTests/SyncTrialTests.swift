// SPDX-License-Identifier: Apache-2.0

import SyncPlan
import SyncTrial
import Testing

/// Whole lives of a board in virtual time: whatever happens, in the end every key was provided, and nothing is left over. Thousands of them take
/// minutes and are run by the proofs; here are some of each kind.
@Suite struct SyncTrialTests {
    private func complaints(_ setting: SyncTrial.Setting, seeds: Range<UInt64>) -> [String] {
        seeds.flatMap { seed in SyncTrial(setting).run(seed: seed).complaints.map { "seed \(seed): \($0)" } }
    }

    @Test(arguments: [SourceSettings.Kind.cwa, .index, .nhs])
    func withoutFaultsNothingIsFetchedTwice(kind: SourceSettings.Kind) {
        for seed in UInt64(0)..<2 {
            let verdict = SyncTrial(.init(kind: kind, faults: 0, badShare: 0)).run(seed: seed)
            #expect(verdict.complaints == [])
            #expect(verdict.packageRequestCount - verdict.acceptedCount <= (kind == .nhs ? 40 : 0))
            #expect(verdict.repeatedCount == 0 && verdict.faultCount == 0 && verdict.keyCount > 400)
            // Once a day each is given to the core in any case.
            #expect(verdict.repeatedDocumentCount <= CarriedDocument.allCases.count * 6)
        }
    }

    @Test(arguments: [SourceSettings.Kind.cwa, .index, .nhs])
    func faultsOfEveryKind(kind: SourceSettings.Kind) {
        #expect(complaints(.init(kind: kind, faults: 0.1), seeds: 0..<4) == [])
        #expect(complaints(.init(kind: kind, faults: 0.4, badShare: 0.1), seeds: 100..<104) == [])
    }

    @Test(arguments: [SourceSettings.Kind.cwa, .index, .nhs])
    func stopsAtAnyEffect(kind: SourceSettings.Kind) {
        #expect(complaints(.init(kind: kind, faults: 0.05, stopEvery: 15), seeds: 0..<6) == [])
    }

    /// A judge that complains of nothing proves nothing. (A run has a dozen effects before its first package: with stops more often than that, none would be
    /// reached. Lists are caught up with from packages that are too old to be judged.)
    @Test(arguments: [SourceSettings.Kind.cwa, .nhs])
    func aWrongOrderIsNoticed(kind: SourceSettings.Kind) {
        let early = complaints(
            .init(kind: kind, faults: 0, badShare: 0, stopEvery: 12, sabotage: .notesBeforeTaking), seeds: 0..<2)
        #expect(early.contains { $0.contains("never provided") })
        let twice = complaints(
            .init(kind: kind, faults: 0, badShare: 0, stopEvery: 12, sabotage: .coreForgets), seeds: 0..<2)
        #expect(twice.contains { $0.contains("provided twice") })
        let deaf = complaints(.init(kind: kind, faults: 0, badShare: 0, sabotage: .coreIsDeaf), seeds: 0..<1)
        #expect(deaf.count { $0.contains("of version 0") } == CarriedDocument.allCases.count)
    }

    /// Old configurations come as often as any other fault (`stopsAtAnyEffect`, `jumpingClocks`); where their numbers are lost at each stop, one is believed.
    @Test func anOlderConfigurationIsNoticed() {
        let forgetful = complaints(
            .init(kind: .cwa, faults: 0.4, badShare: 0, stopEvery: 12, sabotage: .numbersAreForgotten), seeds: 0..<4)
        #expect(forgetful.contains { $0.contains("an older configuration took the place") })
    }

    @Test func aWishOutlivesTheProcess() {
        for seed in UInt64(0)..<20 { #expect(SyncTrial(.init(kind: .cwa)).wish(seed: seed) == []) }
    }

    /// A process that has nothing to do ends, and is started again when it said that it has.
    @Test func theFirstRunComesThoughNobodyWaitsForIt() {
        for seed in UInt64(1)...5 {
            let outcome = ReplayTrial().run(.nothing, honestDays: 0, days: 1, seed: seed)
            #expect(outcome.facts.lastSuccess != nil && outcome.freshLooks > 40)
        }
    }

    @Test(arguments: [SourceSettings.Kind.cwa, .index, .nhs])
    func jumpingClocks(kind: SourceSettings.Kind) {
        #expect(complaints(.init(kind: kind, faults: 0.05, stopEvery: 40, clockJumps: true), seeds: 0..<6) == [])
    }
}
