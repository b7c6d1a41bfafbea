// SPDX-License-Identifier: Apache-2.0

/// How to make the newer of two byte strings from the older: pieces to copy, and pieces to insert. What is in both costs next to nothing, wherever it
/// stands and however many places have changed.
enum StorePatch {
    /// Shorter equal pieces are not worth an order to copy them.
    private static let piece = 16
    /// Bytes of an order's head: its kind, a place and a length.
    private static let head = 9
    private static let copies: UInt8 = 0
    private static let inserts: UInt8 = 1

    /// Both are at most 4 GiB.
    static func make(from old: [UInt8], to new: [UInt8]) -> [UInt8] {
        var places: [ArraySlice<UInt8>: Int] = [:]
        for place in stride(from: 0, through: old.count - piece, by: piece) { places[old[place..<(place + piece)]] = place }
        var patch = number(StoreFile.checksum(new))
        var fresh = 0
        func insert(until end: Int) {
            guard fresh < end else { return }
            patch += [inserts] + number(0) + number(UInt32(end - fresh)) + new[fresh..<end]
        }
        var place = 0
        while place + piece <= new.count {
            guard var from = places[new[place..<(place + piece)]] else {
                place += 1
                continue
            }
            // As far back and as far ahead as both agree.
            while place > fresh, from > 0, new[place - 1] == old[from - 1] { (place, from) = (place - 1, from - 1) }
            var count = piece
            while place + count < new.count, from + count < old.count, new[place + count] == old[from + count] {
                count += 1
            }
            insert(until: place)
            patch += [copies] + number(UInt32(from)) + number(UInt32(count))
            place += count
            fresh = place
        }
        insert(until: new.count)
        return patch
    }

    /// `nil` when the patch is none, or is for something else than `old`.
    static func apply(_ patch: [UInt8], to old: [UInt8], limit: Int) -> [UInt8]? {
        guard patch.count >= 4 else { return nil }
        var new: [UInt8] = []
        var place = 4
        while place < patch.count {
            guard place + head <= patch.count else { return nil }
            let from = Int(number(patch[(place + 1)..<(place + 5)]))
            let count = Int(number(patch[(place + 5)..<(place + 9)]))
            guard new.count + count <= limit else { return nil }
            let source = patch[place] == copies ? old : patch
            let start = patch[place] == copies ? from : place + head
            guard patch[place] <= inserts, start + count <= source.count else { return nil }
            new += source[start..<(start + count)]
            place += head + (patch[place] == inserts ? count : 0)
        }
        return StoreFile.checksum(new) == number(patch[..<4]) ? new : nil
    }

    private static func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
}
