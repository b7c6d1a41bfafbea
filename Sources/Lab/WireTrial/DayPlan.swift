// SPDX-License-Identifier: Apache-2.0

/// What happens on one day of one device: nothing, or a test and a warning at moments that have nothing to do with its slots.
package struct DayPlan: Sendable, Hashable {
    /// A wearer's day with a test. Seconds of the day, or after what came before.
    package struct Story: Sendable, Hashable {
        /// The time when the test is entered, in seconds of the day; within its first four hours.
        package let entered: Int64
        /// Whether it is a hotline's number instead of a laboratory's code; then the result is there at once.
        package let isTeleTAN: Bool
        /// How many seconds after entering the laboratory reports, up to four hours.
        package let reported: Int64
        /// How many seconds after the news the wearer has looked and agreed, up to an hour.
        package let agreed: Int64
        /// How many keys the warning has, 1 to 14.
        package let keys: Int
        /// Days since symptoms began, 0 to 10; `nil` for no statement.
        package let onset: Int?
    }

    /// The day's number, from 0: its place in the random order.
    package let number: Int
    /// The wearer's day; `nil` on a day without a test.
    package let story: Story?

    /// So many days with a test and without, in a random order. Late in the day nothing begins, so that even with a slot in four hours
    /// the warning is sent on the same day.
    package static func days(
        with: Int, without: Int, using random: inout some RandomNumberGenerator
    ) -> [DayPlan] {
        var isWith = Array(repeating: true, count: with) + Array(repeating: false, count: without)
        isWith.shuffle(using: &random)
        return isWith.enumerated().map { number, isWith in
            DayPlan(number: number, story: isWith ? Story(using: &random) : nil)
        }
    }
}

extension DayPlan.Story {
    init(using random: inout some RandomNumberGenerator) {
        self.init(
            entered: .random(in: 0..<Self.hours(4), using: &random),
            isTeleTAN: .random(in: 0..<4, using: &random) == 0, reported: .random(in: 0..<Self.hours(4), using: &random),
            agreed: .random(in: 0..<Self.hours(1), using: &random), keys: .random(in: 1...14, using: &random),
            onset: Bool.random(using: &random) ? .random(in: 0...10, using: &random) : nil)
    }

    private static func hours(_ count: Int64) -> Int64 { count * 3_600 }
}
