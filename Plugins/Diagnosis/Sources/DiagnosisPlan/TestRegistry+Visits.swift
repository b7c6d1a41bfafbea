// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// Which visits went out with a warning, for whoever keeps them: it is known for longer than the test, which the wearer may
/// forget at once.
extension TestRegistry {
    /// The most batches of visits of which it is known that they went out: 16, our choice, twice as many as tests. While there are
    /// so many, no visits go along with a warning: nobody could tell the diary that they went out.
    public static let maximumPublished = 16

    /// Whether it could be noted that the visits of one more warning went out.
    public var canNotePublished: Bool { (published ?? []).count < Self.maximumPublished }

    /// Returns those of these batches that went out with a warning that was accepted in the last 15 days. Others are
    /// unknown, wait, or will never go out. Cannot fail.
    public func published(_ names: [Int64]) -> [Int64] {
        let known = Set((published ?? []).map(\.name))
        return names.prefix(Self.maximumPublished).filter(known.contains)
    }

    /// Seconds after a warning in which its visits may not be known to be published on the other side, which asks at each start
    /// and every two hours; with an hour to spare, our choice.
    static let untilNoted: Int64 = 3 * 3_600

    /// Whether visits are on their way with the warning of another test, or went out a short while ago. Then none may go along with
    /// this one: the diary cannot know yet which they are, and whoever was there would count the same minutes twice.
    public func visitsAreUnderWay(besides number: Int, at now: Int64) -> Bool {
        let isRecent = (published ?? []).contains {
            (0..<Self.untilNoted).contains(now.subtractingReportingOverflow($0.sent).partialValue)
        }
        return isRecent
            || tests.contains { test in
                guard test.number != number, test.visits?.batch != nil else { return false }
                switch test.warning {
                case .prepared, .askingTAN, .ready, .sending: return true
                default: return false
                }
            }
    }

    mutating func notePublished(_ visits: VisitsInWarning?, at now: Int64) {
        guard let batch = visits?.batch else { return }
        // The bound of the file; ``canNotePublished`` is asked before visits go along, and only one warning has any at a time.
        published = ((published ?? []) + [PublishedBatch(name: batch, sent: now)]).suffix(Self.maximumPublished)
    }

    /// Visits are kept for 14 days after their end, so nobody asks for longer.
    mutating func forgetPublished(before now: Int64) {
        let life = (Self.warningDays + 1) * UTCDay.seconds
        published?.removeAll { now.subtractingReportingOverflow($0.sent).partialValue >= life }
        if published?.isEmpty == true { published = nil }
    }
}
