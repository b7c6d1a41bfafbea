// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The name that a card gets when it is first written by `vigil-fleet flash`: 128 random bits in a sector between the
/// partition table and the first partition. It tells cards apart that have no number of their own, and nothing else.
public struct MediumMark: Sendable, Hashable, CustomStringConvertible {
    /// Where the mark stands: in the last 4 KiB of the first MiB, which partition tables leave free.
    static let place: UInt64 = (1 << 20) - 4096
    private static let head = "VIGIL-FLASH-1 "

    /// The mark as 32 hexadecimal digits.
    public let description: String

    /// Draws a new mark.
    public init(using generator: inout some RandomNumberGenerator) {
        description = Hex.string((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// The mark of this text; `nil` when it is none.
    public init?(_ text: String) {
        guard text.utf8.count == 32, Hex.bytes(text) != nil, text == text.lowercased() else { return nil }
        description = text
    }

    /// The mark in a sector of 512 bytes; `nil` when there is none.
    init?(sector: ArraySlice<UInt8>) {
        let head = Array(Self.head.utf8)
        guard sector.count == 512, sector.starts(with: head) else { return nil }
        let rest = sector.dropFirst(head.count)
        guard rest.dropFirst(32).first == UInt8(ascii: "\n"), rest.dropFirst(33).allSatisfy({ $0 == 0 }) else { return nil }
        self.init(String(decoding: rest.prefix(32), as: UTF8.self))
    }

    /// The sector that says it, 512 bytes.
    var sector: [UInt8] {
        let text = Array("\(Self.head)\(description)\n".utf8)
        return text + [UInt8](repeating: 0, count: 512 - text.count)
    }
}

/// What was on a card before, by its first and its last MiB.
struct MediumContent: Equatable {
    enum Kind: Equatable {
        /// Nothing but zeros, or nothing but ones, in both.
        case blank
        /// A mark of this program, and no partition table before it: it was begun and not finished, so there is nobody's data on it that a board would read.
        case begun
        /// The empty file system that new cards are sold with (``UnusedFormat``).
        case unused
        /// Vigil's partitions: a board's card, perhaps with a person's data.
        case vigil
        /// Somebody else's; what it looks like.
        case foreign(String)
    }

    let kind: Kind
    /// The mark of this program. It outlasts most programs that format a card, so by itself it says little.
    let mark: MediumMark?

    /// Judges a card of `size` bytes by its first MiB and its last (which may overlap), and by what `read` gives of its file system. Throws
    /// what `read` throws.
    init(head: [UInt8], tail: [UInt8], size: UInt64, read: UnusedFormat.Read) throws(CardFault) {
        let place = Int(MediumMark.place)
        mark = head.count >= place + 512 ? MediumMark(sector: head[place..<place + 512]) : nil
        if PartitionTable(head)?.isVigils == true {
            kind = .vigil
        } else if mark != nil, Self.isZero(head[..<place]) {
            kind = .begun
        } else if Self.isUniform(head), Self.isUniform(tail) {
            kind = .blank
        } else if try UnusedFormat.isOn(head: head, size: size, read: read) {
            kind = .unused
        } else {
            kind = .foreign(Self.looks(head))
        }
    }

    private static func isZero(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.withUnsafeBytes { Memory.isZero($0) } }

    private static func isUniform(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first == 0 || first == 0xFF else { return false }
        // Each byte is as the one before it: one comparison of memory instead of a million steps.
        return bytes.withUnsafeBytes { memory in
            memory.count < 2 || Memory.areEqual(memory.baseAddress, memory.baseAddress.map { $0 + 1 }, memory.count - 1)
        }
    }

    /// A word for the person; not complete.
    private static func looks(_ head: [UInt8]) -> String {
        func has(_ text: String, _ place: Int) -> Bool {
            head.count >= place + text.utf8.count && head[place..<place + text.utf8.count].elementsEqual(text.utf8)
        }
        if has("EFI PART", 512) { return "a partition table (GPT) that is not Vigil's" }
        if has("LUKS", 0) { return "an encrypted volume (LUKS)" }
        if has("LABELONE", 512) { return "a volume of LVM" }
        if has("XFSB", 0) { return "a file system (XFS)" }
        if has("EXFAT   ", 3) { return "a file system (exFAT)" }
        if has("NTFS    ", 3) { return "a file system (NTFS)" }
        if has("FAT", 54) || has("FAT32", 82) { return "a file system (FAT)" }
        if has("SWAPSPACE2", 4086) { return "swap space" }
        if has("_BHRfS_M", 65_600) { return "a file system (btrfs)" }
        if head.count > 1081, head[1080] == 0x53, head[1081] == 0xEF { return "a file system (ext4 or a relative)" }
        if head.count > 511, head[510] == 0x55, head[511] == 0xAA { return "a partition table (MBR) that is not Vigil's" }
        return "something that is not Vigil's"
    }
}
