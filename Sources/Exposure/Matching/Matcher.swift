// SPDX-License-Identifier: Apache-2.0

import CMatchKernel
public import Cryptography
public import GAEN

/// The counts of one or more runs, for people and for benchmarks. The numbers count keys unless stated otherwise.
public struct MatchStatistics: Hashable, Sendable {
    /// The number of keys given, 0 or more; flawed keys are left out before and not counted.
    public internal(set) var keys: UInt64 = 0
    /// The number of keys that were left out because they ended when the UTC day 14 days before today began, or earlier; 0
    /// or more.
    public internal(set) var expired: UInt64 = 0
    /// The number of keys that were left out because their report type is recursive, 0 or more.
    public internal(set) var recursive: UInt64 = 0
    /// The number of keys that were left out without deriving an identifier, because no sighting lies in their
    /// intervals; 0 or more.
    public internal(set) var impossible: UInt64 = 0
    /// The number of identifiers that were heard but left out because they are of an own key or a key of a paired
    /// device, 0 or more.
    public internal(set) var excluded: UInt64 = 0
    /// The number of identifiers that passed the filter, 0 or more.
    public internal(set) var candidates: UInt64 = 0
    /// The number of ``candidates`` that were really heard, including the ``excluded`` ones; 0 or more.
    public internal(set) var heard: UInt64 = 0

    /// Creates counts that are all 0.
    public init() {}
}

/// Compares a stream of diagnosis keys with an index of sightings.
///
/// One run takes the keys of one file, in file order. The result may be used only after the file's signature was
/// verified. The result is deterministic: the same index, keys and `now` give the same matches, whichever kernel
/// runs. The use of memory does not depend on the number of keys. Not thread-safe; it has one owner.
public final class Matcher {
    private let index: SightingIndex
    private let oldestEnd: UInt32
    private let isExcluded: (Block) -> Bool
    private let kernel: vmk_kernel
    private let days: DayTable
    // Memory of their own, because every access to a class's variables is checked for exclusivity, and these are touched for
    // every key.
    private let buckets: UnsafeMutableBufferPointer<DayBucket>
    private let counters: UnsafeMutablePointer<MatchStatistics>
    private let candidates: UnsafeMutableBufferPointer<vmk_candidate>
    private var hits: [UInt32: Hit] = [:]
    private var keptSightings = 0
    private let maximumKeptSightings: Int

    private struct Hit {
        let key: DiagnosisKey
        var sightings: [MatchedSighting]
    }

    /// The counts so far, over all runs of this matcher.
    public var statistics: MatchStatistics { counters.pointee }

    /// Whether the run has matched more sightings than honest keys can: more than 4 per sighting of the index, plus
    /// 1,024. This happens when somebody who was heard publishes the same few keys many times; honest keys differ, so
    /// a sighting belongs to one key, and counts twice only when the key is also revised.
    ///
    /// Further matches of the run are dropped, so that memory stays bounded, and the result of the run must not be
    /// used. Keys that wait for the kernel are not counted yet, and ``finish()`` resets the value to `false`.
    public private(set) var isOverfull = false
    /// Whether the last run that ``finish()`` ended was overfull, with all its keys; `false` before the first. If
    /// so, the result of that run must not be used.
    public private(set) var wasOverfull = false

    /// Creates a matcher that compares keys with the sightings of `index`. Cannot fail.
    ///
    /// - Parameters:
    ///   - now: The present interval. Keys that ended at the beginning of the UTC day 14 days before, or earlier, are
    ///     too old.
    ///   - excluded: The own keys and those of paired devices, 16 bytes each; they never match.
    ///   - kernel: The kernel, for tests and benchmarks; the result does not depend on it. If it is not available,
    ///     plain C takes its place.
    public convenience init(
        index: SightingIndex, now: ENIN, excluded: Set<Block> = [], kernel: MatchKernel = .best
    ) {
        self.init(index: index, now: now, kernel: kernel) { excluded.contains($0) }
    }

    /// Creates a matcher that calls `isExcluded` instead of holding a set of excluded keys; otherwise the same as
    /// ``init(index:now:excluded:kernel:)``. `isExcluded` gets the 16 bytes of a key, and is called during
    /// ``add(_:areRevised:)`` and ``finish()`` on the same thread, only for keys that were really heard, a few
    /// times per file. Cannot fail.
    public init(
        index: SightingIndex, now: ENIN, kernel: MatchKernel = .best, isExcluded: @escaping (Block) -> Bool
    ) {
        self.index = index
        let span = MatchingRules.keyRetentionDays * ENIN.perDay
        oldestEnd = now.startOfDay.number > span ? now.startOfDay.number - span : 0
        self.isExcluded = isExcluded
        maximumKeptSightings = 4 * index.count + 1_024
        self.kernel = kernel.c
        days = DayTable(index.days.map(\.number))
        buckets = .allocate(capacity: index.days.count)
        for (position, day) in index.days.enumerated() { buckets.initializeElement(at: position, to: DayBucket(day)) }
        counters = .allocate(capacity: 1)
        counters.initialize(to: MatchStatistics())
        // Room for one key's worst case beyond a comfortable run.
        candidates = .allocate(capacity: 8 * Int(VMK_MAX_INTERVALS))
    }

    deinit {
        for bucket in buckets { bucket.deallocate() }
        buckets.deallocate()
        days.deallocate()
        counters.deallocate()
        candidates.deallocate()
    }

    /// Takes the next key of the file, not a revised one; otherwise the same as ``add(_:areRevised:)``. Cannot fail.
    @inline(__always)
    public func add(_ key: DiagnosisKey) {
        withUnsafePointer(to: key) { add(UnsafeBufferPointer(start: $0, count: 1)) }
    }

    /// Takes the next keys, in file order, up to 2^31 in a run. Each must be within the limits that the initialiser
    /// of ``DiagnosisKey`` checks: an end that does not fit into 32 bits stops the program. With `areRevised` they
    /// are the file's revised keys, which may come at any time; their matches come after all others. Cannot fail.
    public func add(_ keys: UnsafeBufferPointer<DiagnosisKey>, areRevised: Bool = false) {
        // The upper half of the numbers sorts behind the lower; a run has at most 2^31 keys.
        let revision: UInt32 = areRevised ? 1 << 31 : 0
        for key in keys {
            let ordinal = UInt32(truncatingIfNeeded: counters.pointee.keys) & ~(1 << 31) | revision
            counters.pointee.keys += 1
            let start = key.rollingStart.number
            let end = start + key.rollingPeriod
            if end <= oldestEnd {
                counters.pointee.expired += 1
                continue
            }
            if key.reportType == .recursive {
                counters.pointee.recursive += 1
                continue
            }
            let pending = PendingKey(key, ordinal: ordinal)
            let firstDay = start / ENIN.perDay
            let lastDay = (end - 1) / ENIN.perDay
            var isPossible = add(key.data, pending, start, end, day: firstDay)
            // Keys that begin within a day may reach into the next; phones' keys never do.
            if lastDay != firstDay { isPossible = add(key.data, pending, start, end, day: lastDay) || isPossible }
            if !isPossible { counters.pointee.impossible += 1 }
        }
    }

    @inline(__always)
    private func add(_ data: Block, _ key: PendingKey, _ start: UInt32, _ end: UInt32, day: UInt32) -> Bool {
        let position = days.position(of: day)
        guard position >= 0 else { return false }
        switch buckets[position].add(data, key, from: start, to: end) {
        case .impossible: return false
        case .added: return true
        case .full:
            drain(position)
            return true
        }
    }

    /// Ends the run and returns a match for each given key that was heard with at least one believable sighting, in
    /// the order in which the keys were given, revised keys last. A key that was given twice has two matches, which
    /// ``MatchSet`` joins. The matcher is then ready for the next run. Look at ``wasOverfull`` afterwards: if it is
    /// `true`, the result must not be used. A key for which the cryptographic library fails, for want of memory, is
    /// not matched.
    public func finish() -> [Match] {
        for position in buckets.indices where buckets[position].count > 0 { drain(position) }
        defer {
            hits = [:]
            keptSightings = 0
            (wasOverfull, isOverfull) = (isOverfull, false)
        }
        return hits.sorted { $0.key < $1.key }.compactMap { _, hit in
            guard hit.sightings.contains(where: \.isBelievable) else { return nil }
            return Match(
                key: hit.key,
                sightings: hit.sightings.sorted {
                    ($0.time, $0.interval.number, $0.position) < ($1.time, $1.interval.number, $1.position)
                })
        }
    }

    @inline(never)
    private func drain(_ position: Int) {
        buckets[position].drain(kernel, day: index.days[position], candidates: candidates) {
            key, data, interval, identifier in
            counters.pointee.candidates += 1
            let positions = index.positions(of: identifier)
            guard !positions.isEmpty else { return }
            counters.pointee.heard += 1
            guard !isExcluded(data) else {
                counters.pointee.excluded += 1
                return
            }
            keep(key, data, interval, RollingProximityIdentifier(identifier), positions)
        }
    }

    /// The exact rules, for the few identifiers that were really heard.
    private func keep(
        _ pending: PendingKey, _ data: Block, _ interval: ENIN, _ identifier: RollingProximityIdentifier,
        _ positions: Range<Int>
    ) {
        guard !isOverfull else { return }
        let tolerance = Int64(MatchingRules.toleranceIntervals)
        let valid = positions.filter {
            abs(Int64(index.sightings[$0].interval) - Int64(interval.number)) <= tolerance
        }
        guard let first = valid.first else { return }
        let cut = UInt64(index.sightings[first].time) + UInt64(MatchingRules.replayCutSeconds)
        // The library refuses only for want of memory; a key that cannot be read then is not matched, and the next run of
        // the same file will.
        guard let cipher = try? PublishedMetadataCipher(publishedKey: SecretBytes(copying: data.bytes)) else { return }
        var matched: [MatchedSighting] = []
        for position in valid {
            let sighting = index.sightings[position]
            guard UInt64(sighting.time) <= cut else { break }
            let metadata = cipher.decrypt(sighting.metadata, with: identifier)
            matched.append(
                MatchedSighting(
                    position: index.inputPositions[position], interval: interval, time: sighting.time,
                    previousScan: sighting.previousScan, rssi: sighting.rssi, transmitPower: metadata.transmitPower,
                    confidence: metadata.calibrationConfidence))
        }
        keptSightings += matched.count
        isOverfull = keptSightings > maximumKeptSightings
        if hits[pending.ordinal] == nil {
            guard let key = pending.diagnosisKey(data) else { return }
            hits[pending.ordinal] = Hit(key: key, sightings: matched)
        } else {
            hits[pending.ordinal]?.sightings += matched
        }
    }
}

extension MatchStatistics {
    /// Adds each count of another run to the same count of this one. Cannot fail.
    public mutating func add(_ other: MatchStatistics) {
        keys += other.keys
        expired += other.expired
        recursive += other.recursive
        impossible += other.impossible
        excluded += other.excluded
        candidates += other.candidates
        heard += other.heard
    }
}
