// SPDX-License-Identifier: Apache-2.0

public import CommandFiles
import Glibc

/// Minutes at each attenuation that real phones reported of pairs on a bus (doug-leith/dublinbus_gaen_dataset): a line for
/// a pair, a column for a range of attenuations.
public struct BusTable: Sendable {
    /// The lower and upper end of each column in dB: steps of 2 from 48 to 80, then 80-85, 85-90 and 90-100.
    public static let ranges: [(low: Int, high: Int)] =
        stride(from: 48, to: 80, by: 2).map { ($0, $0 + 2) } + [(80, 85), (85, 90), (90, 100)]

    /// The minutes of each pair, by column.
    public let pairs: [[Double]]

    /// Reads the published text: lines of 19 numbers; lines that begin with # are left out. Throws `InputError` with path
    /// and line for anything else.
    public init(path: String) throws(InputError) {
        let text = String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self)
        var pairs: [[Double]] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard !line.hasPrefix("#"), !line.allSatisfy(\.isWhitespace) else { continue }
            let numbers = line.split(whereSeparator: \.isWhitespace).map { Double($0) }
            guard numbers.count == Self.ranges.count, numbers.allSatisfy({ ($0 ?? -1) >= 0 && ($0 ?? 1e9) < 1e6 }) else {
                throw InputError(file: path, line: index + 1, "needs \(Self.ranges.count) numbers of minutes")
            }
            pairs.append(numbers.compactMap(\.self))
        }
        guard !pairs.isEmpty else { throw InputError(file: path, "has no line of numbers") }
        self.pairs = pairs
    }

    /// The number of pairs whose weighted minutes are more than `minutes`, or with `orEqual` at least so many. A column
    /// counts as full where its upper end is at most `full` dB, as half where it is at most `half` dB.
    public func count(full: Int, half: Int = 0, minutes: Double, orEqual: Bool = false) -> Int {
        pairs.count { pair in
            let sum = zip(Self.ranges, pair).reduce(0.0) { sum, next in
                sum + next.1 * (next.0.high <= full ? 1 : next.0.high <= half ? 0.5 : 0)
            }
            return orEqual ? sum >= minutes : sum > minutes
        }
    }
}
