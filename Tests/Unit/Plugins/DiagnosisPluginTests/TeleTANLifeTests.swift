// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import RandomValues
import Testing
import Verification

/// How many teleTANs are dead before a board has them looked at: by the plugin's own law of slots and the server's own numbers, over thousands of
/// boards and moments (docs/decisions/0031).
@Suite struct TeleTANLifeTests {
    /// Seconds from a slot to the moment at which the server judges: the plugin prepares for five, and waits fifteen for an answer.
    private static let exchange: Int64 = 20
    /// How long somebody takes at most from hearing the number to having entered it.
    private static let entering: Int64 = 45 * 60

    /// The share of teleTANs that are over when their board asks, of 2,000 boards with five moments each. `missed` slots in a row pass while the board
    /// is off; `delay` is the time from issue to entry.
    private func dead(
        _ density: SlotSchedule.Density, life: Int64, missed: Int, delay: ClosedRange<Int64>
    ) throws -> Double {
        var random = SeededGenerator(seed: UInt64(density.rawValue) << 8 | UInt64(missed))
        var count = 0
        let (boards, moments) = (2_000, 5)
        for _ in 0..<boards {
            let schedule = SlotSchedule(seed: SecretBytes(count: 32, from: &random), density: density)
            for _ in 0..<moments {
                let issued = Int64.random(in: 20_770 * 86_400..<20_800 * 86_400, using: &random)
                var slot = issued + Int64.random(in: delay, using: &random)
                for _ in 0...missed { slot = try schedule.next(after: slot) }
                // As the server judges: good while its end is still to come.
                if issued + life <= slot + Self.exchange { count += 1 }
            }
        }
        return Double(count) / Double(boards * moments)
    }

    /// Ours: with every number of slots, and with one that was missed, none in ten thousand is dead (0.1 % are permitted).
    @Test(arguments: SlotSchedule.Density.allCases, 0...1)
    func oursLiveUntilTheyAreLookedAt(density: SlotSchedule.Density, missed: Int) throws {
        let share = try dead(density, life: VerificationRules().teleTANSeconds, missed: missed, delay: 0...Self.entering)
        #expect(share <= 0.001, "\(density.rawValue) slots, \(missed) missed: \(share * 100) %")
        // It is no luck: the longest way there is fits.
        let schedule = SlotSchedule(seed: SecretBytes(copying: [1]), density: density)
        let longest = Self.entering + schedule.longestWait + Int64(missed) * schedule.windowSeconds + Self.exchange
        #expect(longest < VerificationRules().teleTANSeconds)
    }

    /// With the hour of the Corona-Warn-App the same simulation finds what the review computed: 0, 0.4, 4 and 16 % at 48 slots and 18, 26, 38 and 52 % at
    /// 24, for 2, 10, 20 and 30 minutes. A test that could not fail would find nothing.
    @Test(
        arguments: [
            (SlotSchedule.Density.fortyEight, [0, 0.4, 4, 16.0]), (.twentyFour, [18, 26, 38, 52]),
            (.twelve, [53, 59, 67, 75]),
        ])
    func anHourIsTooShort(density: SlotSchedule.Density, percent: [Double]) throws {
        for (minutes, expected) in zip([2, 10, 20, 30] as [Int64], percent) {
            let share = try dead(density, life: 3_600, missed: 0, delay: minutes * 60...minutes * 60)
            #expect(abs(share * 100 - expected) < 3, "\(density.rawValue) slots, \(minutes) min: \(share * 100) %")
        }
    }

    /// Servers with that hour need 192 slots, and no missed one: then 45 minutes are in time.
    @Test func anHourIsEnoughWith192Slots() throws {
        #expect(try dead(.oneHundredNinetyTwo, life: 3_600, missed: 0, delay: 0...Self.entering) == 0)
        #expect(try dead(.ninetySix, life: 3_600, missed: 0, delay: 0...Self.entering) > 0.001)
    }
}
