// SPDX-License-Identifier: Apache-2.0

import CMatchKernel
import Cryptography
import GAEN

/// Keys of one UTC day that wait for the kernel.
///
/// Files are sorted by key bytes, so days come at random. Collecting the keys of a day and running them together keeps one
/// day's filter in the first-level cache, which decides the speed of the whole (shared facts: matching-bench).
final class DayBucket {
    /// Keys per run. 256 keys are 40 KiB of work per filter load.
    static let capacity = 256

    let day: SightingIndex.Day
    private let keys: UnsafeMutablePointer<Block>
    private let low: UnsafeMutablePointer<UInt8>
    private let high: UnsafeMutablePointer<UInt8>
    private let records: UnsafeMutablePointer<PendingKey>
    private(set) var count = 0
    private let dayStart: UInt32

    init(_ day: SightingIndex.Day) {
        self.day = day
        dayStart = day.number * ENIN.perDay
        keys = .allocate(capacity: Self.capacity)
        low = .allocate(capacity: Self.capacity)
        high = .allocate(capacity: Self.capacity)
        records = .allocate(capacity: Self.capacity)
    }

    deinit {
        keys.deallocate()
        low.deallocate()
        high.deallocate()
        records.deallocate()
    }

    var isFull: Bool { count == Self.capacity }

    /// Adds a key valid in `start..<end`, of which at least one interval is in the day; says whether any of its intervals
    /// can have been heard. A key without such an interval is not added and costs nothing more.
    @inline(__always)
    func add(_ key: Block, _ record: PendingKey, start: UInt32, end: UInt32) -> Bool {
        let from = start > dayStart ? start - dayStart : 0
        let to = min(end - dayStart, ENIN.perDay)
        let (first, last) = (day.rank[Int(from)], day.rank[Int(to)])
        guard first < last else { return false }
        keys[count] = key
        low[count] = first
        high[count] = last
        records[count] = record
        count += 1
        return true
    }

    /// Runs the kernel over the keys that wait and empties the bucket; gives every candidate the filter lets through.
    func drain(
        _ kernel: vmk_kernel, candidates: UnsafeMutableBufferPointer<vmk_candidate>,
        _ body: (PendingKey, Block, ENIN, Block) -> Void
    ) {
        var position = 0
        day.filter.withUnsafeBufferPointer { filter in
            day.intervals.withUnsafeBufferPointer { intervals in
                var view = vmk_day(
                    filter: filter.baseAddress, filter_log2_words: day.filterLog2Words,
                    intervals: intervals.baseAddress, interval_count: UInt32(intervals.count))
                while position < count {
                    var done = 0
                    let found = UnsafeRawPointer(keys + position).withMemoryRebound(
                        to: UInt8.self, capacity: 16 * (count - position)
                    ) { teks in
                        vmk_scan(
                            kernel, &view, teks, low + position, high + position, count - position, &done,
                            candidates.baseAddress, candidates.count)
                    }
                    for index in 0..<found {
                        let candidate = candidates[index]
                        let key = position + Int(candidate.key)
                        let identifier = withUnsafeBytes(of: candidate.rpi) { $0.loadUnaligned(as: Block.self) }
                        body(records[key], keys[key], ENIN(intervals[Int(candidate.slot)]), identifier)
                    }
                    position += done
                }
            }
        }
        count = 0
    }
}

/// What is remembered of a key while it waits; enough to build a ``DiagnosisKey`` when it hits.
struct PendingKey {
    /// Number of the key within the run, which decides who came first.
    var ordinal: UInt32
    var rollingStart: UInt32
    var rollingPeriod: UInt8
    var transmissionRiskLevel: UInt8
    var reportType: UInt8
    var variantOfConcern: UInt8
    var daysSinceOnset: Int32

    /// Stand for "not published".
    static let noVariant: UInt8 = .max
    static let noOnset: Int32 = .min
}
