// SPDX-License-Identifier: Apache-2.0

/// What happens on one day of one device: nothing, or a test and a warning at moments that have nothing to do with its slots.
package struct DayPlan: Sendable, Hashable {
    /// A wearer's day with a test. Seconds of the day, or after what came before.
    package struct Story: Sendable, Hashable {
        /// When the test is entered.
        package let entered: Int64
        /// Whether it is a hotline's number instead of a laboratory's code; then the result is there at once.
        package let isTeleTAN: Bool
        /// After entering: when the laboratory reports.
        package let reported: Int64
        /// After the news: when the wearer has looked and agreed.
        package let agreed: Int64
        /// Keys of the warning, 1 to 14.
        package let keys: Int
        /// Days since symptoms began; `nil` for no statement.
        package let onset: Int?
    }

    package let number: Int
    /// `nil` on a day without anything.
    package let story: Story?

    /// Days with and without, in a random order. Late in the day nothing begins, so that even with a slot in four hours the warning is sent on the
    /// same day.
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
