// SPDX-License-Identifier: Apache-2.0

/// The partitions of a GUID partition table (UEFI 2.10, chapter 5.3) with sectors of 512 bytes, as far as this program asks.
struct PartitionTable: Equatable {
    struct Partition: Equatable {
        let name: String
        /// The partition's bytes on the disk.
        let bytes: Range<UInt64>
    }

    let partitions: [Partition]

    /// Reads the table at the beginning of a disk; `nil` when there is none, or when it is not the usual 128 entries of
    /// 128 bytes from sector 2 on. Checksums are not looked at: this says what a table is for, not whether it is whole.
    init?(_ head: [UInt8]) {
        guard head.count >= 34 * 512, head[512..<520].elementsEqual("EFI PART".utf8) else { return nil }
        guard Self.number(head, 512 + 72, 8) == 2, Self.number(head, 512 + 80, 4) == 128,
            Self.number(head, 512 + 84, 4) == 128
        else { return nil }
        var found: [Partition] = []
        for entry in stride(from: 1024, to: 1024 + 128 * 128, by: 128)
        where head[entry..<entry + 16].contains(where: { $0 != 0 }) {
            let (first, last) = (Self.number(head, entry + 32, 8), Self.number(head, entry + 40, 8))
            guard first > 0, last >= first, last < 1 << 53 else { return nil }
            let letters = stride(from: entry + 56, to: entry + 128, by: 2).map { UInt16(Self.number(head, $0, 2)) }
            found.append(
                Partition(
                    name: String(decoding: letters.prefix { $0 != 0 }, as: UTF16.self),
                    bytes: first * 512..<(last + 1) * 512))
        }
        partitions = found
    }

    /// Whether all partitions have names of Vigil's, and there is one.
    var isVigils: Bool { !partitions.isEmpty && partitions.allSatisfy { $0.name.hasPrefix("vigil-") } }

    /// A number of `count` bytes, the least first. The bytes must be there.
    static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
    }
}
