// SPDX-License-Identifier: Apache-2.0

import CMatchKernel
import Cryptography
package import GAEN

/// The kernel and nothing else, as the yardstick for ``Matcher``: keys lie sorted by day beforehand, every one is derived and
/// probed, and what the filter lets through is only counted. For benchmarks.
package struct BareScan {
    private let index: SightingIndex
    private let kernel: vmk_kernel
    private let keysByDay: [(day: Int, keys: [Block])]
    private let low = [UInt8](repeating: 0, count: DayBucket.capacity)
    private let high: [UInt8]

    /// A scan of these keys; those of days without sightings are left out, and so is what a key has beyond its first day.
    package init(index: SightingIndex, keys: [DiagnosisKey], kernel: MatchKernel = .best) {
        self.index = index
        self.kernel = kernel.c
        let grouped = Dictionary(grouping: keys, by: \.rollingStart.day)
        keysByDay = index.days.enumerated().compactMap { position, day in
            grouped[day.number].map { (position, $0.map(\.data)) }
        }
        high = [UInt8](repeating: UInt8(VMK_MAX_INTERVALS), count: DayBucket.capacity)
    }

    /// One pass over all keys; gives the number of candidates.
    package func run() -> Int {
        var candidates = 0
        withUnsafeTemporaryAllocation(of: vmk_candidate.self, capacity: 8 * Int(VMK_MAX_INTERVALS)) { buffer in
            for (dayIndex, keys) in keysByDay {
                let day = index.days[dayIndex]
                day.filter.withUnsafeBufferPointer { filter in
                    day.intervals.withUnsafeBufferPointer { intervals in
                        var view = vmk_day(
                            filter: filter.baseAddress, filter_log2_words: day.filterLog2Words,
                            intervals: intervals.baseAddress, interval_count: UInt32(intervals.count))
                        keys.withUnsafeBytes { bytes in
                            let teks = bytes.bindMemory(to: UInt8.self)
                            var position = 0
                            while position < keys.count {
                                var done = 0
                                candidates += vmk_scan(
                                    kernel, &view, teks.baseAddress! + 16 * position, low, high,
                                    min(DayBucket.capacity, keys.count - position), &done, buffer.baseAddress, buffer.count)
                                position += done
                            }
                        }
                    }
                }
            }
        }
        return candidates
    }
}
