// SPDX-License-Identifier: Apache-2.0

import CMatchKernel
import Cryptography
import GAEN

/// Keys of one UTC day that wait for the kernel.
///
/// Files are sorted by key bytes, so days come at random. Collecting the keys of a day and running them together keeps one
/// day's filter in the first-level cache, which decides the speed of the whole (shared facts: matching-bench).
///
/// A plain struct of pointers, without arrays or classes in it: one key costs some 300 ns in the kernel, and reference
/// counting and exclusivity checks around it would cost a third of that again (measured). ``Matcher`` owns the memory.
struct DayBucket {
    /// Keys per run. 256 keys are 40 KiB of work per filter load.
    static let capacity = 256

    /// First interval of the day.
    private let start: UInt32
    /// See ``SightingIndex/Day``; copied, 145 entries.
    private let rank: UnsafeMutablePointer<UInt8>
    private let keys: UnsafeMutablePointer<Block>
    private let low: UnsafeMutablePointer<UInt8>
    private let high: UnsafeMutablePointer<UInt8>
    private let records: UnsafeMutablePointer<PendingKey>
    private(set) var count = 0

    init(_ day: SightingIndex.Day) {
        start = day.number * ENIN.perDay
        rank = .allocate(capacity: day.rank.count)
        rank.initialize(from: day.rank, count: day.rank.count)
        keys = .allocate(capacity: Self.capacity)
        low = .allocate(capacity: Self.capacity)
        high = .allocate(capacity: Self.capacity)
        records = .allocate(capacity: Self.capacity)
    }

    func deallocate() {
        rank.deallocate()
        keys.deallocate()
        low.deallocate()
        high.deallocate()
        records.deallocate()
    }

    /// What adding a key came to.
    enum Addition {
        /// None of its intervals can have been heard: nothing was added, and nothing more will be spent on it.
        case impossible
        case added
        /// Added, and the bucket must be drained before the next.
        case full
    }

    /// Adds a key valid in `from..<to`, of which at least one interval is in the day.
    @inline(__always)
    mutating func add(_ key: Block, _ record: PendingKey, from: UInt32, to: UInt32) -> Addition {
        let (first, last) = (rank[from > start ? Int(from - start) : 0], rank[Int(min(to - start, ENIN.perDay))])
        guard first < last else { return .impossible }
        keys[count] = key
        low[count] = first
        high[count] = last
        records[count] = record
        count += 1
        return count == Self.capacity ? .full : .added
    }

    /// Runs the kernel over the keys that wait and empties the bucket; gives every candidate the filter lets through.
    mutating func drain(
        _ kernel: vmk_kernel, day: SightingIndex.Day, candidates: UnsafeMutableBufferPointer<vmk_candidate>,
        _ body: (PendingKey, Block, ENIN, Block) -> Void
    ) {
        day.filter.withUnsafeBufferPointer { filter in
            day.intervals.withUnsafeBufferPointer { intervals in
                var view = vmk_day(
                    filter: filter.baseAddress, filter_log2_words: day.filterLog2Words,
                    intervals: intervals.baseAddress, interval_count: UInt32(intervals.count))
                var position = 0
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
    /// A ``ReportType`` in the lower bits, and above it what was published: every number of the other two may have been.
    private var kind: UInt8
    private var variantOfConcern: UInt8
    private var daysSinceOnset: Int32

    private static let hasVariant: UInt8 = 0x80
    private static let hasOnset: UInt8 = 0x40

    @inline(__always)
    init(_ key: DiagnosisKey, ordinal: UInt32) {
        self.ordinal = ordinal
        rollingStart = key.rollingStart.number
        rollingPeriod = UInt8(truncatingIfNeeded: key.rollingPeriod)
        transmissionRiskLevel = key.transmissionRiskLevel
        kind =
            key.reportType.rawValue | (key.variantOfConcern == nil ? 0 : Self.hasVariant)
            | (key.daysSinceOnset == nil ? 0 : Self.hasOnset)
        variantOfConcern = key.variantOfConcern ?? 0
        daysSinceOnset = key.daysSinceOnset ?? 0
    }

    /// The key again; `nil` never happens for what came from one.
    func diagnosisKey(_ data: Block) -> DiagnosisKey? {
        guard let type = ReportType(rawValue: kind & ~(Self.hasVariant | Self.hasOnset)) else { return nil }
        return DiagnosisKey(
            data: data, rollingStart: ENIN(rollingStart), rollingPeriod: UInt32(rollingPeriod),
            transmissionRiskLevel: transmissionRiskLevel, reportType: type,
            daysSinceOnset: kind & Self.hasOnset == 0 ? nil : daysSinceOnset,
            variantOfConcern: kind & Self.hasVariant == 0 ? nil : variantOfConcern)
    }
}
