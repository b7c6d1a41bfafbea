// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A figure of a benchmark: a number with its name and unit.
public struct Figure: Codable, Sendable {
    /// The name of the figure, by which a threshold finds it; unique within a benchmark.
    public let name: String
    /// The number in ``unit``; not a number (`nan`) if it could not be measured.
    public let value: Double
    /// The unit, such as `ns/key`, `ratio` or `MiB`.
    public let unit: String
    /// The reason why the figure could not be measured; `nil` if it was.
    public let note: String?

    /// Creates a figure of these parts. Nothing is checked.
    public init(_ name: String, _ value: Double, _ unit: String, note: String? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
        self.note = note
    }
}

/// The figures of one benchmark, in the order in which they are shown.
public struct BenchmarkResult: Codable, Sendable {
    /// The name of the benchmark, by which thresholds find it, such as `matching`.
    public let benchmark: String
    /// The figures, including those that could not be measured.
    public var figures: [Figure]

    /// Creates a result of these parts. Nothing is checked.
    public init(_ benchmark: String, _ figures: [Figure]) {
        self.benchmark = benchmark
        self.figures = figures
    }

    /// Returns the value of the first figure of this name; `nil` if there is none. The value of a figure that could not be
    /// measured is not a number.
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
