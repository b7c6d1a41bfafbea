// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One figure of a benchmark.
public struct Figure: Codable, Sendable {
    public let name: String
    public let value: Double
    /// "ns/key", "ratio", "MiB", …
    public let unit: String
    /// Why there is no figure, when there is none.
    public let note: String?

    public init(_ name: String, _ value: Double, _ unit: String, note: String? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
        self.note = note
    }
}

/// Figures of one benchmark and how they stand against the thresholds.
public struct BenchmarkResult: Codable, Sendable {
    public let benchmark: String
    public var figures: [Figure]

    public init(_ benchmark: String, _ figures: [Figure]) {
        self.benchmark = benchmark
        self.figures = figures
    }

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
