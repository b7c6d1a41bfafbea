// SPDX-License-Identifier: Apache-2.0

/// How many people are played for how long, to see how much of them is left in rounded encounters.
package struct RoundingSettings: Sendable, Hashable {
    /// The boards, 4 to 10,000: each person has one.
    package let boards: Int
    /// The days, 2 to 60.
    package let days: Int
    /// Everything that is drawn follows from it.
    package let seed: UInt64
    /// The share of people who fall ill and publish their keys.
    let positiveShare = 0.125
    /// The share of days that a board leaves out, because it is off at its second.
    let missedShare = 0.05
    /// The first day, in days since 1970: a Monday.
    let firstDay = 20_780

    /// Creates settings; numbers out of their ranges are moved into them.
    package init(boards: Int, days: Int, seed: UInt64) {
        self.boards = min(max(boards, 4), 10_000)
        self.days = min(max(days, 2), 60)
        self.seed = seed
    }
}
