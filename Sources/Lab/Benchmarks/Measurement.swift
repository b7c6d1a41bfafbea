// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One figure of a benchmark: a number with its name and unit.
public struct Figure: Codable, Sendable {
    /// The figure's name, by which a threshold finds it. Unique within a benchmark.
    public let name: String
    /// The number in ``unit``; not a number (`nan`) where there is no figure.
    public let value: Double
    /// The unit, such as `ns/key`, `ratio` or `MiB`.
    public let unit: String
    /// The reason why there is no figure; `nil` when there is one.
    public let note: String?

    /// Creates the value for the benchmarks. Nothing is checked. See the properties for units and `nil`.
    public init(_ name: String, _ value: Double, _ unit: String, note: String? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
        self.note = note
    }
}

/// The figures of one benchmark, in the order in which they are shown.
public struct BenchmarkResult: Codable, Sendable {
    /// The benchmark's name, by which thresholds find it, such as `matching`.
    public let benchmark: String
    /// The figures, whether or not they could be had.
    public var figures: [Figure]

    /// Creates the value for the benchmarks. Nothing is checked.
    public init(_ benchmark: String, _ figures: [Figure]) {
        self.benchmark = benchmark
        self.figures = figures
    }

    /// The value of the first figure of that name; `nil` if there is none. A figure that could not be had is no number.
    public func value(_ name: String) -> Double? { figures.first { $0.name == name }?.value }
}

enum Measurement {
    /// Nanoseconds of processor time this thread has used: other processes of a shared machine do not count.
    static func threadNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Measures several pieces of work in turn, again and again, and gives the least time of each in nanoseconds. Taking turns
    /// lets every piece see the same moods of the machine; the least is what the work costs when nobody interferes.
    static func least(rounds: Int, _ work: [() -> Void]) -> [Double] {
        var least = [Double](repeating: .infinity, count: work.count)
        for _ in 0..<rounds {
            for (index, piece) in work.enumerated() {
                let start = threadNanoseconds()
                piece()
                least[index] = min(least[index], Double(threadNanoseconds() - start))
            }
        }
        return least
    }
}
