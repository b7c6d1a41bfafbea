// SPDX-License-Identifier: Apache-2.0

/// The plan of one day of one device: no event, or a test and a warning at times that are independent of the device's
/// slots.
package struct DayPlan: Sendable, Hashable {
    /// A day on which the wearer enters a test and warns. Times are seconds of the day, or seconds after the step before.
    package struct Story: Sendable, Hashable {
        /// The time at which the test is entered, in seconds of the day; within the first four hours.
        package let entered: Int64
        /// Whether the code is a hotline's teleTAN instead of a laboratory's code; its result is known at once.
        package let isTeleTAN: Bool
        /// The seconds from entering the code to the laboratory's report, up to four hours.
        package let reported: Int64
        /// The seconds from the news to the wearer's consent, up to an hour.
        package let agreed: Int64
        /// The number of keys in the warning, 1 to 14.
        package let keys: Int
        /// The days since symptoms began, 0 to 10; `nil` if the wearer does not say.
        package let onset: Int?
    }

    /// The number of the day in the random order, from 0.
    package let number: Int
    /// The wearer's day with a test; `nil` for a day without one.
    package let story: Story?

    /// Returns `with` days with a test and `without` days without one, in a random order. No step begins late in the day,
    /// so that the warning is sent on the same day even if slots are four hours apart.
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
