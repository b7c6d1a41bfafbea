// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// Which visits went out with a warning, for whoever keeps them: it is known for longer than the test, which the wearer may
/// forget at once.
extension TestRegistry {
    /// The most batches of visits of which it is known that they went out: 16, our choice, twice as many as tests.
    public static let maximumPublished = 16

    /// Returns those of these batches that went out with a warning that was accepted in the last 15 days. Others are
    /// unknown, wait, or will never go out. Cannot fail.
    public func published(_ names: [Int64]) -> [Int64] {
        let known = Set((published ?? []).map(\.name))
        return names.prefix(Self.maximumPublished).filter(known.contains)
    }

    mutating func notePublished(_ visits: VisitsInWarning?, at now: Int64) {
        guard let batch = visits?.batch else { return }
        published = ((published ?? []) + [PublishedBatch(name: batch, sent: now)]).suffix(Self.maximumPublished)
    }

    /// Visits are kept for 14 days after their end, so nobody asks for longer.
    mutating func forgetPublished(before now: Int64) {
        let life = (Self.warningDays + 1) * UTCDay.seconds
        published?.removeAll { now.subtractingReportingOverflow($0.sent).partialValue >= life }
        if published?.isEmpty == true { published = nil }
    }
}
