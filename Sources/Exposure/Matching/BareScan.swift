// SPDX-License-Identifier: Apache-2.0

import CMatchKernel
import Cryptography
package import GAEN

/// The kernel alone, as a yardstick for ``Matcher`` in benchmarks: the keys are sorted by day beforehand, the
/// identifiers of all keys are derived and looked up in the filter, and those that pass are only counted.
package struct BareScan {
    private let index: SightingIndex
    private let kernel: vmk_kernel
    private let keysByDay: [(day: Int, keys: [Block])]
    private let low = [UInt8](repeating: 0, count: DayBucket.capacity)
    private let high: [UInt8]

    /// Creates a scan of `keys`. Keys whose first day has no sightings are left out, and so are the intervals of a
    /// key after its first day. `kernel` must be available on this processor; plain C takes its place otherwise.
    package init(index: SightingIndex, keys: [DiagnosisKey], kernel: MatchKernel = .best) {
        self.index = index
        self.kernel = kernel.c
        let grouped = Dictionary(grouping: keys, by: \.rollingStart.day)
        keysByDay = index.days.enumerated().compactMap { position, day in
            grouped[day.number].map { (position, $0.map(\.data)) }
        }
        high = [UInt8](repeating: UInt8(VMK_MAX_INTERVALS), count: DayBucket.capacity)
    }

    /// Scans all keys and returns the number of identifiers that passed the filter.
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
