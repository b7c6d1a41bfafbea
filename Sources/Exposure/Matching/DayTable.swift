// SPDX-License-Identifier: Apache-2.0

/// Finds the position of a UTC day among those an index has. Days are few but may lie far apart (a clock that once stood in
/// 2040), hence a small open table and not an array from first to last. Immutable; the owner frees it.
struct DayTable {
    private struct Entry {
        var day: UInt32
        var position: Int32
    }
    private let entries: UnsafeMutablePointer<Entry>
    private let mask: Int
    private let shift: UInt32

    /// `days` must be distinct.
    init(_ days: [UInt32]) {
        // At most a quarter full, so that the search for a day that is not there ends at once.
        let bits = max(4, UInt32(Int.bitWidth - (days.count * 4).leadingZeroBitCount))
        shift = 32 - bits
        mask = 1 << bits - 1
        entries = .allocate(capacity: mask + 1)
        entries.initialize(repeating: Entry(day: 0, position: -1), count: mask + 1)
        for (position, day) in days.enumerated() {
            var slot = slot(day)
            while entries[slot].position >= 0 { slot = (slot + 1) & mask }
            entries[slot] = Entry(day: day, position: Int32(position))
        }
    }

    func deallocate() { entries.deallocate() }

    // Fibonacci hashing: neighbouring days land far apart.
    @inline(__always)
    private func slot(_ day: UInt32) -> Int { Int((day &* 0x9E37_79B1) >> shift) }

    /// Position of `day`, or -1.
    @inline(__always)
    func position(of day: UInt32) -> Int {
        var slot = slot(day)
        while entries[slot].position >= 0, entries[slot].day != day { slot = (slot + 1) & mask }
        return Int(entries[slot].position)
    }
}
