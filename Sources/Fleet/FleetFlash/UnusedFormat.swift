// SPDX-License-Identifier: Apache-2.0

/// The file system that new cards are sold with: FAT or exFAT, in the only partition of an MBR or without a table, in whose root
/// folder no file has ever been. A file that was deleted leaves its entry, so a card that somebody has used is not taken for new
/// unless it was formatted since.
///
/// FAT by Microsoft's specification 1.03, exFAT by Microsoft's specification of 2019.
enum UnusedFormat {
    /// Reads bytes of the card: where, and how many, both multiples of 512.
    typealias Read = (UInt64, Int) throws(CardFault) -> [UInt8]

    /// The MBR's types of partitions with FAT or exFAT.
    private static let types: Set<UInt8> = [0x01, 0x04, 0x06, 0x07, 0x0B, 0x0C, 0x0E]
    /// How much of a root folder is looked at. A new folder ends long before.
    private static let most = 4096

    /// Whether a card of `size` bytes has such a file system and nothing else that a person would miss. `head` is its first MiB. What is
    /// damaged or not understood is not. Throws what `read` throws.
    static func isOn(head: [UInt8], size: UInt64, read: Read) throws(CardFault) -> Bool {
        guard head.count >= 512, head[510] == 0x55, head[511] == 0xAA else { return false }
        if isVolume(head[..<512]) { return try isUnused(0..<size, read) }
        var found: [Range<UInt64>] = []
        for entry in stride(from: 446, to: 510, by: 16) where head[entry..<entry + 16].contains(where: { $0 != 0 }) {
            let start = PartitionTable.number(head, entry + 8, 4) * 512
            let end = start + PartitionTable.number(head, entry + 12, 4) * 512
            guard types.contains(head[entry + 4]), start > 0, end <= size, start < end else { return false }
            found.append(start..<end)
        }
        guard found.count == 1, let bytes = found.first else { return false }
        // Between the table and the partition is nothing but perhaps a mark of this program: no bootloader.
        let end = Int(min(UInt64(head.count), bytes.lowerBound))
        let mark = Int(MediumMark.place)
        let isMarked = end >= mark + 512 && MediumMark(sector: head[mark..<mark + 512]) != nil
        for gap in isMarked ? [512..<mark, mark + 512..<end] : [512..<end] {
            guard head[gap].withUnsafeBytes({ Memory.isZero($0) }) else { return false }
        }
        return try isUnused(bytes, read)
    }

    /// Whether a first sector is one of FAT or exFAT and not a partition table.
    private static func isVolume(_ sector: ArraySlice<UInt8>) -> Bool {
        func has(_ text: String, _ place: Int) -> Bool { sector[place..<place + text.utf8.count].elementsEqual(text.utf8) }
        return has("EXFAT   ", 3) || has("FAT", 54) || has("FAT32   ", 82)
    }

    private static func isUnused(_ bytes: Range<UInt64>, _ read: Read) throws(CardFault) -> Bool {
        let sector = try read(bytes.lowerBound, 512)
        guard sector[510] == 0x55, sector[511] == 0xAA, isVolume(sector[...]) else { return false }
        return sector[3..<11].elementsEqual("EXFAT   ".utf8)
            ? try isUnusedExFAT(sector, bytes, read) : try isUnusedFAT(sector, bytes, read)
    }

    private static func isUnusedFAT(_ sector: [UInt8], _ bytes: Range<UInt64>, _ read: Read) throws(CardFault) -> Bool {
        func number(_ place: Int, _ count: Int) -> UInt64 { PartitionTable.number(sector, place, count) }
        let (reserved, copies, entries, small) = (number(14, 2), number(16, 1), number(17, 2), number(22, 2))
        let length = small == 0 ? number(36, 4) : small
        let perCluster = number(13, 1)
        guard number(11, 2) == 512, reserved > 0, (1...2).contains(copies), length > 0, perCluster.nonzeroBitCount == 1
        else {
            return false
        }
        let clusters = bytes.lowerBound + (reserved + copies * length) * 512
        var (place, count) = (clusters, Int(entries) * 32)
        if entries == 0 {
            let first = number(44, 4)
            guard small == 0, first >= 2 else { return false }
            place += (first - 2) * perCluster * 512
            count = Int(perCluster) * 512
        }
        count = min(count, most) / 512 * 512
        guard count > 0, place + UInt64(count) <= bytes.upperBound else { return false }
        // The name of the card is an entry, too.
        return isUnused(try read(place, count)) { entry in entry[11] & 0x08 != 0 && entry[11] != 0x0F && entry[0] != 0xE5 }
    }

    private static func isUnusedExFAT(_ sector: [UInt8], _ bytes: Range<UInt64>, _ read: Read) throws(CardFault) -> Bool {
        func number(_ place: Int, _ count: Int) -> UInt64 { PartitionTable.number(sector, place, count) }
        let (heap, clusterCount, first) = (number(88, 4), number(92, 4), number(96, 4))
        let (sectorShift, clusterShift) = (number(108, 1), number(109, 1))
        guard sectorShift == 9, clusterShift <= 16, heap > 0, first >= 2, first < clusterCount + 2 else { return false }
        let place = bytes.lowerBound + (heap + (first - 2) << clusterShift) * 512
        let count = min(512 << Int(clusterShift), most)
        guard place + UInt64(count) <= bytes.upperBound else { return false }
        // Bitmap, table of upper-case letters, and the card's name, which may be left out.
        return isUnused(try read(place, count)) { entry in [0x81, 0x82, 0x83, 0x03, 0xA0].contains(entry[0]) }
    }

    /// Whether a folder's first entries are all `harmless`, up to one that was never used, and nothing follows.
    private static func isUnused(_ folder: [UInt8], _ isHarmless: ([UInt8]) -> Bool) -> Bool {
        var place = 0
        while place < folder.count, folder[place] != 0 {
            guard isHarmless(Array(folder[place..<place + 32])) else { return false }
            place += 32
        }
        return place < folder.count && folder[place...].allSatisfy { $0 == 0 }
    }
}
