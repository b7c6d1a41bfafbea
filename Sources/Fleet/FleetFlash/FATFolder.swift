// SPDX-License-Identifier: Apache-2.0

/// The entries of a folder of FAT, with long names.
enum FATFolder {
    static let isFolder: UInt8 = 0x10
    static let isFile: UInt8 = 0x20

    /// How many entries of 32 bytes a name takes.
    static func count(_ name: String) -> Int { (name.utf16.count + 12) / 13 + 1 }

    /// The entries for a name that is the `index`th of its folder, from 1 to 99.
    static func entries(
        _ name: String, index: Int, attributes: UInt8, cluster: UInt32, byteCount: UInt32,
        time: (date: UInt16, clock: UInt16)
    ) -> [UInt8] {
        let short = shortName(name, index)
        let sum = short.reduce(UInt8(0)) { ($0 >> 1 | $0 << 7) &+ $1 }
        let letters = Array(name.utf16)
        var result: [UInt8] = []
        let pieces = (letters.count + 12) / 13
        for piece in (0..<pieces).reversed() {
            // The end is one zero, and then ones.
            let units = (0..<13).map { place -> UInt16 in
                let place = piece * 13 + place
                return place < letters.count ? letters[place] : place == letters.count ? 0 : 0xFFFF
            }
            let bytes = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            result.append(UInt8(piece + 1) | (piece == pieces - 1 ? 0x40 : 0))
            result += bytes[..<10] + [0x0F, 0, sum] + bytes[10..<22] + [0, 0] + bytes[22...]
        }
        return result + entry(short, attributes: attributes, cluster: cluster, byteCount: byteCount, time: time)
    }

    /// One entry with a short name of eleven bytes.
    static func entry(
        _ name: [UInt8], attributes: UInt8, cluster: UInt32, byteCount: UInt32, time: (date: UInt16, clock: UInt16)
    ) -> [UInt8] {
        func two(_ number: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] }
        func two(_ number: UInt32) -> [UInt8] { two(UInt16(truncatingIfNeeded: number)) }
        var entry = name + [attributes, 0, 0]
        entry += two(time.clock) + two(time.date) + two(time.date) + two(cluster >> 16)
        entry += two(time.clock) + two(time.date) + two(cluster) + two(byteCount) + two(byteCount >> 16)
        return entry
    }

    /// A short name that no other of the folder has, because of its number; long names are what people see.
    private static func shortName(_ name: String, _ index: Int) -> [UInt8] {
        let isLetter: (UInt8) -> Bool = { (48...57).contains($0) || (65...90).contains($0) }
        let parts = name.uppercased().split(separator: ".", omittingEmptySubsequences: false)
        let tail = Array("~\(index)".utf8)
        let stem = (parts.first ?? "").utf8.filter(isLetter).prefix(8 - tail.count) + tail
        let end = parts.count > 1 ? (parts.last ?? "").utf8.filter(isLetter).prefix(3) : []
        return padded(Array(stem), 8) + padded(Array(end), 3)
    }

    private static func padded(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        bytes + [UInt8](repeating: 0x20, count: count - bytes.count)
    }

    /// The names in a folder's entries, in lower case, long ones and short ones.
    static func names(in entries: [UInt8]) -> Set<String> {
        var names: Set<String> = []
        var long: [UInt16] = []
        for place in stride(from: 0, to: entries.count - 31, by: 32) {
            let entry = Array(entries[place..<place + 32])
            if entry[0] == 0xE5 || entry[0] == 0 {
                long = []
            } else if entry[11] == 0x0F {
                let units = (Array(1..<11) + Array(14..<26) + Array(28..<32)).map { entry[$0] }
                let letters = stride(from: 0, to: 26, by: 2).map { UInt16(units[$0]) | UInt16(units[$0 + 1]) << 8 }
                long = letters.prefix { $0 != 0 && $0 != 0xFFFF } + long
            } else {
                if !long.isEmpty { names.insert(String(decoding: long, as: UTF16.self).lowercased()) }
                long = []
                let stem = String(decoding: entry[0..<8], as: UTF8.self).split(separator: " ").first ?? ""
                let end = String(decoding: entry[8..<11], as: UTF8.self).split(separator: " ").first ?? ""
                names.insert((end.isEmpty ? String(stem) : "\(stem).\(end)").lowercased())
            }
        }
        return names
    }

    /// A moment as FAT writes it, in UTC; before 1980 it is the beginning of 1980.
    static func time(year: Int, month: Int, day: Int, second: Int) -> (date: UInt16, clock: UInt16) {
        guard (1980...2107).contains(year) else { return (0x21, 0) }
        return (
            UInt16((year - 1980) << 9 | month << 5 | day),
            UInt16(second / 3600 << 11 | second / 60 % 60 << 5 | second % 60 / 2)
        )
    }
}
