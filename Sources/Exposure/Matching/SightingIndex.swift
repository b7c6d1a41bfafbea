// SPDX-License-Identifier: Apache-2.0

import CMatchKernel
import Cryptography
import GAEN

/// An index of recorded sightings, arranged for matching. For each UTC day on which a received identifier can be
/// valid, the index holds the ten-minute intervals it may belong to (``MatchingRules/toleranceIntervals`` either
/// way) and a filter over the identifiers. All sightings are also sorted by identifier for the exact look-up.
///
/// Senders choose their identifiers, so the index uses no hash table with chains: a hostile sender can fill the filter,
/// but then each look-up costs only a binary search, and memory stays proportional to the number of sightings.
/// Immutable.
public final class SightingIndex: Sendable {
    /// What the kernel needs to know of one UTC day.
    struct Day {
        /// Days since 1970.
        let number: UInt32
        /// Intervals of the day for which a sighting exists within the tolerance, ascending.
        let intervals: [UInt32]
        /// For each interval of the day (and one behind): how many of `intervals` lie before it.
        let rank: [UInt8]
        let filter: [UInt64]
        let filterLog2Words: UInt32
    }

    /// All sightings by identifier, then time, then input order.
    let sightings: [Sighting]
    /// Position of each in the input.
    let inputPositions: [UInt32]
    let days: [Day]
    /// Where identifiers begin that start with these bits; one entry more at the end. Identifiers of honest senders are uniform, so
    /// the search starts next to its goal; those of others cost them nothing but the search below.
    private let prefixStarts: [UInt32]
    private let prefixShift: UInt64

    /// The number of sightings in the index, 0 or more.
    public var count: Int { sightings.count }
    /// The number of UTC days on which an identifier can match, 0 or more, for reports; a sighting near midnight
    /// counts for two days.
    public var dayCount: Int { days.count }

    /// Creates an index of sightings, which may be in any order. There must be fewer than 2^31 - 1 (precondition).
    /// Takes time O(n log n) for n sightings.
    public init(_ input: [Sighting]) {
        precondition(input.count < Int(Int32.max), "sightings are counted in 31 bits")
        // Sorting 32-byte values drags memory about; sorting their positions by a 64-bit prefix does not.
        var order = input.indices.map { (prefix: input[$0].identifier.block.low.bigEndian, position: UInt32($0)) }
        order.sort { left, right in
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            let (a, b) = (input[Int(left.position)], input[Int(right.position)])
            let (high, otherHigh) = (a.identifier.block.high.bigEndian, b.identifier.block.high.bigEndian)
            if high != otherHigh { return high < otherHigh }
            if a.time != b.time { return a.time < b.time }
            return left.position < right.position
        }
        sightings = order.map { input[Int($0.position)] }
        inputPositions = order.map(\.position)
        days = Self.days(sightings)
        (prefixStarts, prefixShift) = Self.prefixes(sightings)
    }

    private static func days(_ sightings: [Sighting]) -> [Day] {
        let perDay = ENIN.perDay
        let tolerance = MatchingRules.toleranceIntervals
        // Sightings by the days their identifier can be of: one, or two near midnight.
        var members: [UInt32: [Int32]] = [:]
        for (position, sighting) in sightings.enumerated() {
            let first = (sighting.interval - min(tolerance, sighting.interval)) / perDay
            let last = (sighting.interval + tolerance) / perDay
            for day in first...last { members[day, default: []].append(Int32(position)) }
        }
        return members.keys.sorted().map { day in
            let start = day * perDay
            var isPossible = [Bool](repeating: false, count: Int(perDay))
            let positions = members[day] ?? []
            let log2Words = filterLog2Words(positions.count)
            var filter = [UInt64](repeating: 0, count: 1 << log2Words)
            for position in positions {
                let sighting = sightings[Int(position)]
                let low = max(sighting.interval - min(tolerance, sighting.interval), start)
                let high = min(sighting.interval + tolerance, start + perDay - 1)
                for interval in low...high { isPossible[Int(interval - start)] = true }
                sighting.identifier.block.withUnsafeBytes {
                    vmk_filter_insert(&filter, log2Words, $0.bindMemory(to: UInt8.self).baseAddress!)
                }
            }
            var rank: [UInt8] = [0]
            for possible in isPossible { rank.append(rank.last! + (possible ? 1 : 0)) }
            return Day(
                number: day, intervals: isPossible.indices.filter { isPossible[$0] }.map { start + UInt32($0) },
                rank: rank, filter: filter, filterLog2Words: log2Words)
        }
    }

    /// One entry for about two sightings, 2^16 at most.
    private static func prefixes(_ sightings: [Sighting]) -> ([UInt32], UInt64) {
        let bits = UInt64(min(max(Int.bitWidth - sightings.count.leadingZeroBitCount - 1, 1), 16))
        let shift = 64 - bits
        var starts: [UInt32] = []
        starts.reserveCapacity(1 << bits + 1)
        var position = 0
        for prefix in 0...(UInt64(1) << bits) {
            while position < sightings.count, sightings[position].identifier.block.low.bigEndian >> shift < prefix {
                position += 1
            }
            starts.append(UInt32(position))
        }
        return (starts, shift)
    }

    /// About one sighting per 64-bit word gives 0.05 % false candidates; 16 words at least, and 16,384 (128 KiB) at most,
    /// beyond which more candidates cost less than more cache misses.
    private static func filterLog2Words(_ count: Int) -> UInt32 {
        min(max(UInt32(Int.bitWidth - max(count, 1).leadingZeroBitCount - 1), 4), 14)
    }

    /// Positions in ``sightings`` of one identifier, in time order; empty when it was not heard.
    func positions(of identifier: Block) -> Range<Int> {
        let start = partition(identifier)
        var end = start
        while end < sightings.count, sightings[end].identifier.block == identifier { end += 1 }
        return start..<end
    }

    private func partition(_ identifier: Block) -> Int {
        let (low, high) = (identifier.low.bigEndian, identifier.high.bigEndian)
        let prefix = Int(low >> prefixShift)
        var first = Int(prefixStarts[prefix])
        var count = Int(prefixStarts[prefix + 1]) - first
        while count > 0 {
            let half = count / 2
            let block = sightings[first + half].identifier.block
            let blockLow = block.low.bigEndian
            if blockLow < low || (blockLow == low && block.high.bigEndian < high) {
                first += half + 1
                count -= half + 1
            } else {
                count = half
            }
        }
        return first
    }
}
