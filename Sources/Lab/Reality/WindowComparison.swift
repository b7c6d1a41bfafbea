// SPDX-License-Identifier: Apache-2.0

public import Matching

/// Rebuilt windows held against reported ones, which have neither time nor sender: the best assignment of one to the
/// other by what they contain (spec reality, section 3).
public struct WindowComparison: Sendable {
    /// Two windows that were assigned to each other.
    public struct Pair: Sendable {
        /// Where the reported one is in its list.
        public let reported: Int
        /// Where the rebuilt one is in its list.
        public let rebuilt: Int
        /// The cost of the best alignment for each scan of the longer window.
        public let cost: Double
        /// The positions of the scans that the alignment puts beside each other: reported, rebuilt.
        public let scans: [(Int, Int)]
    }

    /// Costs up to this, excluded, count as matched.
    public static let limit = 3.2
    /// Windows whose numbers of scans differ by more never match.
    static let lengthTolerance = 3
    private static let gap = 4.0
    private static let impossible = 1_000.0

    /// The windows that match: each at most once, cost below ``limit``.
    public let matched: [Pair]
    /// The number of reported windows.
    public let reportedCount: Int
    /// The number of rebuilt windows.
    public let rebuiltCount: Int

    /// Compares all windows of one receiver.
    public init(reported: [ReportedWindow], rebuilt: [ExposureWindow]) {
        reportedCount = reported.count
        rebuiltCount = rebuilt.count
        let own = Self.scans(of: rebuilt)
        let costs = reported.map { window in own.map { Self.alignment(window.scans, $0).cost } }
        matched = Assignment.best(costs).compactMap { row, column in
            guard costs[row][column] < Self.limit else { return nil }
            return Pair(
                reported: row, rebuilt: column, cost: costs[row][column],
                scans: Self.alignment(reported[row].scans, own[column]).scans)
        }
    }

    /// The share of reported windows that were matched, 0 to 1.
    public var share: Double { reportedCount == 0 ? 0 : Double(matched.count) / Double(reportedCount) }

    /// The scans of windows in the form of reported ones.
    static func scans(of windows: [ExposureWindow]) -> [[ReportedWindow.Scan]] {
        windows.map { window in
            window.scanInstances.map {
                ReportedWindow.Scan(
                    minimum: $0.minimumAttenuation, typical: $0.typicalAttenuation, seconds: $0.secondsSinceLastScan)
            }
        }
    }

    /// The cheapest alignment of two lists of scans: the cost for each scan of the longer one, and what it puts side by side.
    /// Without `withSeconds` only attenuations cost.
    static func alignment(
        _ left: [ReportedWindow.Scan], _ right: [ReportedWindow.Scan], withSeconds: Bool = true
    ) -> (cost: Double, scans: [(Int, Int)]) {
        func cost(_ left: ReportedWindow.Scan, _ right: ReportedWindow.Scan) -> Double {
            0.5 * Double(min(abs(left.minimum - right.minimum), 10)) + Double(min(abs(left.typical - right.typical), 10))
                + (withSeconds ? 0.7 * min(Double(abs(left.seconds - right.seconds)) / 60, 3) : 0)
        }
        guard abs(left.count - right.count) <= lengthTolerance, !left.isEmpty, !right.isEmpty else {
            return (impossible, [])
        }
        let width = right.count + 1
        var table = [Double](repeating: 0, count: (left.count + 1) * width)
        for row in 0...left.count {
            for column in 0...right.count where row + column > 0 {
                var best = Double.infinity
                if row > 0 { best = table[(row - 1) * width + column] + gap }
                if column > 0 { best = min(best, table[row * width + column - 1] + gap) }
                if row > 0, column > 0 {
                    best = min(best, table[(row - 1) * width + column - 1] + cost(left[row - 1], right[column - 1]))
                }
                table[row * width + column] = best
            }
        }
        var pairs: [(Int, Int)] = []
        var (row, column) = (left.count, right.count)
        while row > 0, column > 0 {
            let here = table[row * width + column]
            if here == table[(row - 1) * width + column - 1] + cost(left[row - 1], right[column - 1]) {
                (row, column) = (row - 1, column - 1)
                pairs.append((row, column))
            } else if here == table[(row - 1) * width + column] + gap {
                row -= 1
            } else {
                column -= 1
            }
        }
        return (table[table.count - 1] / Double(max(left.count, right.count)), pairs.reversed())
    }
}
