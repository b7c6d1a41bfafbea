// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// Which visits went out with a warning, for whoever keeps them: it is known for longer than the test, which the wearer may
/// forget at once.
extension TestRegistry {
    /// The most batches of visits of which it is known that they went out, or may have: 16, our choice, twice as many as tests. While there are
    /// so many, no visits go along with a warning: nobody could tell the diary that they went out.
    public static let maximumPublished = 16

    /// Whether it could be noted that the visits of one more warning went out, beside those that wait to go out with warnings of
    /// other tests than the one with this number.
    public func canNotePublished(besides number: Int) -> Bool {
        (published ?? []).count + waiting(besides: number) < Self.maximumPublished
    }

    /// Whether visits wait to go out with the warning of another test than the one with this number.
    public func visitsWait(besides number: Int) -> Bool { waiting(besides: number) > 0 }

    private func waiting(besides number: Int) -> Int {
        tests.count { $0.number != number && $0.warning?.isOver == false && $0.visits?.batch != nil }
    }

    /// Returns those of these batches that went out with a warning that was accepted in the last 15 days. Cannot fail.
    public func published(_ names: [Int64]) -> [Int64] {
        noted(names, isUncertain: false)
    }

    /// Returns those of these batches whose warning ended in the last 15 days with nobody knowing whether the server has it. Nothing more will come of
    /// them. Cannot fail.
    public func uncertain(_ names: [Int64]) -> [Int64] { noted(names, isUncertain: true) }

    private func noted(_ names: [Int64], isUncertain: Bool) -> [Int64] {
        let known = Set((published ?? []).filter { ($0.isUncertain ?? false) == isUncertain }.map(\.name))
        return names.prefix(Self.maximumPublished).filter(known.contains)
    }

    /// Returns those of these batches that did not go out, as far as is known, and never will: no warning has them. Cannot fail.
    ///
    /// - Parameter expected: The batch that the diary was asked for, while its answer is not in the registry; `nil` if none was
    ///   asked for. It may still become a warning's.
    public func over(_ names: [Int64], expected: Int64?) -> [Int64] {
        let known = Set((published ?? []).map(\.name) + tests.compactMap(\.visits?.batch) + [expected].compactMap(\.self))
        return names.prefix(Self.maximumPublished).filter { !known.contains($0) }
    }

    mutating func notePublished(_ visits: VisitsInWarning?, isUncertain: Bool = false, at now: Int64) {
        guard let batch = visits?.batch else { return }
        // The bound of the file; ``canNotePublished(besides:)`` is asked before visits go along.
        published = ((published ?? []) + [PublishedBatch(name: batch, sent: now, isUncertain: isUncertain ? true : nil)])
            .suffix(Self.maximumPublished)
    }

    /// Visits are kept for 14 days after their end, so nobody asks for longer.
    mutating func forgetPublished(before now: Int64) {
        let life = (Self.warningDays + 1) * UTCDay.seconds
        published?.removeAll { now.subtractingReportingOverflow($0.sent).partialValue >= life }
        if published?.isEmpty == true { published = nil }
    }
}
