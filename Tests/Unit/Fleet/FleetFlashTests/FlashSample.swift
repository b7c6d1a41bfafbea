// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import TestKit

@testable import FleetFlash

/// What tests of flashing share: maps of blocks, heads of disks, folders like sysfs.
enum FlashSample {
    static let one = String(repeating: "1", count: 64)

    /// A map in the form of bmaptool, with its own checksum right. `range` and `change` spoil it before that is made.
    static func map(
        imageSize: String = "12288", blockSize: String = "4096", blocks: String = "3", mapped: String = "2",
        ranges: [String] = ["0", "2"], version: String = "2.0", change: (String) -> String = { $0 }
    ) -> [UInt8] {
        let zeros = String(repeating: "0", count: 64)
        let lines = ranges.map { "        <Range chksum=\"\(one)\"> \($0) </Range>\n" }.joined()
        let text = change(
            """
            <?xml version="1.0" ?>
            <!-- a remark with <tags> in it -->

            <bmap version="\(version)">
                <ImageSize> \(imageSize) </ImageSize>
                <BlockSize> \(blockSize) </BlockSize>
                <BlocksCount> \(blocks) </BlocksCount>
                <!-- Count of mapped blocks -->
                <MappedBlocksCount> \(mapped)   </MappedBlocksCount>
                <ChecksumType> sha256 </ChecksumType>
                <BmapFileChecksum> \(zeros) </BmapFileChecksum>
                <BlockMap>
            \(lines)    </BlockMap>
            </bmap>

            """)
        let sum = Hex.string(SHA256.digest(of: Array(text.utf8)))
        return Array(text.replacing(zeros, with: sum, maxReplacements: 1).utf8)
    }

    /// The first MiB of a disk with partitions of these names, each a MiB long, one after the other.
    static func head(_ names: [String]) -> [UInt8] {
        var head = [UInt8](repeating: 0, count: 1 << 20)
        func put(_ number: UInt64, _ place: Int, _ count: Int) {
            for index in 0..<count { head[place + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))) }
        }
        head.replaceSubrange(512..<520, with: Array("EFI PART".utf8))
        put(2, 512 + 72, 8)
        put(128, 512 + 80, 4)
        put(128, 512 + 84, 4)
        for (index, name) in names.enumerated() {
            let entry = 1024 + index * 128
            head[entry] = 1
            put(UInt64(index + 1) * 2048, entry + 32, 8)
            put(UInt64(index + 2) * 2048 - 1, entry + 40, 8)
            for (place, letter) in name.utf16.enumerated() { put(UInt64(letter), entry + 56 + place * 2, 2) }
        }
        return head
    }

    /// A folder like sysfs with one disk, 8:16, and its partition 8:17.
    static func system(
        in folder: TemporaryFolder, size: UInt64 = 1 << 21, removable: String = "1", readOnly: String = "0",
        sector: String = "512",
        mounts: String = "", swaps: String = "", holder: String? = nil, type: String? = nil, isLoop: Bool = false
    ) throws -> BlockDevice.Places {
        let disk = "\(folder.path)/sys/devices/usb1/1-1/1-1.3/block/sdb"
        for path in [
            "\(disk)/queue", "\(disk)/holders", "\(disk)/device", "\(disk)/sdb1/holders", "\(folder.path)/sys/dev/block",
        ] {
            try make(path)
        }
        try folder.write("\(size)\n", to: "sys/devices/usb1/1-1/1-1.3/block/sdb/size")
        let below = "sys/devices/usb1/1-1/1-1.3/block/sdb"
        try folder.write("\(removable)\n", to: "\(below)/removable")
        try folder.write("\(readOnly)\n", to: "\(below)/ro")
        try folder.write("\(sector)\n", to: "\(below)/queue/logical_block_size")
        try folder.write("8:16\n", to: "\(below)/dev")
        try folder.write("7\n", to: "\(below)/diskseq")
        try folder.write("1\n", to: "\(below)/sdb1/partition")
        try folder.write("8:17\n", to: "\(below)/sdb1/dev")
        if let holder { try make("\(disk)/sdb1/holders/\(holder)") }
        if let type { try folder.write("\(type)\n", to: "\(below)/device/type") }
        if isLoop { try make("\(disk)/loop") }
        for (number, target) in [("8:16", disk), ("8:17", "\(disk)/sdb1")] {
            symlink(target, "\(folder.path)/sys/dev/block/\(number)")
        }
        try folder.write(mounts, to: "mounts")
        try folder.write("Filename Type Size Used Priority\n" + swaps, to: "swaps")
        var places = BlockDevice.Places()
        places.sysfs = "\(folder.path)/sys"
        places.mounts = "\(folder.path)/mounts"
        places.swaps = "\(folder.path)/swaps"
        return places
    }

    private static func make(_ path: String) throws {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/\(part)"
            if mkdir(made, 0o700) != 0, errno != EEXIST { throw CardFault.cannotOpen(number: errno) }
        }
    }
}
