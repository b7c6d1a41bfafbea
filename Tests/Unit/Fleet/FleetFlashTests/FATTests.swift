// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing

@testable import FleetFlash

/// Files that are put into a file system by its sectors. `Tools/test-flash.py` reads the same with mtools and fsck.vfat.
@Suite struct FATTests {
    /// A disk that is one small FAT32 file system, in memory.
    private struct Disk {
        static let clusterCount = 2000
        static let tableSectors = 16
        var bytes: [UInt8]

        init(rootName: [UInt8] = Array("A          ".utf8)) {
            bytes = [UInt8](repeating: 0, count: (32 + 2 * Self.tableSectors + Self.clusterCount) * 512)
            put(512, 11, 2)
            put(1, 13, 1)
            put(32, 14, 2)
            put(2, 16, 1)
            put(UInt64(bytes.count / 512), 32, 4)
            put(UInt64(Self.tableSectors), 36, 4)
            put(2, 44, 4)
            put(1, 48, 2)
            bytes.replaceSubrange(71..<90, with: Array("VIGIL      FAT32   ".utf8))
            put(0xAA55, 510, 2)
            put(0x4161_5252, 512, 4)
            put(0x6141_7272, 512 + 484, 4)
            put(UInt64(Self.clusterCount - 2), 512 + 488, 4)
            for copy in 0..<2 {
                let table = (32 + copy * Self.tableSectors) * 512
                for (cluster, next) in [(0, 0x0FFF_FFF8), (1, 0x0FFF_FFFF), (2, 0x0FFF_FFFF), (3, 0x0FFF_FFFF)] {
                    put(UInt64(next), table + cluster * 4, 4)
                }
            }
            let root = FATFolder.entry(rootName, attributes: 0x10, cluster: 3, byteCount: 0, time: (0x21, 0))
            bytes.replaceSubrange(place(2)..<place(2) + 32, with: root)
        }

        func place(_ cluster: Int) -> Int { (32 + 2 * Self.tableSectors + cluster - 2) * 512 }

        mutating func put(_ number: UInt64, _ place: Int, _ count: Int) {
            for index in 0..<count { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))) }
        }

        func read(_ place: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { Int(place) + $0 < bytes.count ? bytes[Int(place) + $0] : 0 }
        }

        mutating func apply(_ patches: [Patch]) {
            for patch in patches {
                bytes.replaceSubrange(Int(patch.place)..<Int(patch.place) + patch.bytes.count, with: patch.bytes)
            }
        }

        /// What a chain of clusters has.
        func chain(_ first: Int) -> [UInt8] {
            var (result, cluster): ([UInt8], Int) = ([], first)
            while (2..<Self.clusterCount + 2).contains(cluster), result.count < 1 << 20 {
                result += bytes[place(cluster)..<place(cluster) + 512]
                cluster = Int(PartitionTable.number(bytes, 32 * 512 + cluster * 4, 4))
            }
            return result
        }

        /// All files below a folder, by their long names.
        func files(_ folder: Int, _ below: String = "") -> [String: [UInt8]] {
            var (result, long): ([String: [UInt8]], [UInt16]) = ([:], [])
            let entries = chain(folder)
            for start in stride(from: 0, to: entries.count, by: 32) where entries[start] != 0 {
                let entry = Array(entries[start..<start + 32])
                if entry[11] == 0x0F {
                    let places = Array(1..<11) + Array(14..<26) + Array(28..<32)
                    let units = stride(from: 0, to: 26, by: 2).map {
                        UInt16(entry[places[$0]]) | UInt16(entry[places[$0 + 1]]) << 8
                    }
                    long = units.prefix { $0 != 0 } + long
                    continue
                }
                let name = String(decoding: long, as: UTF16.self)
                long = []
                let cluster = Int(PartitionTable.number(entry, 26, 2))
                if name.isEmpty { continue }
                if entry[11] == 0x10 {
                    result.merge(files(cluster, "\(below)\(name)/")) { $1 }
                } else {
                    result[below + name] = Array(chain(cluster).prefix(Int(PartitionTable.number(entry, 28, 4))))
                }
            }
            return result
        }
    }

    private static let files: [(path: String, bytes: [UInt8])] = [
        ("provision/vigil.json", Array("{}".utf8)),
        ("provision/network/20-wired.network", [UInt8](repeating: 7, count: 1500)),
        ("provision/authorized_keys", []), ("provision/first-secrets", [UInt8](repeating: 9, count: 512)),
    ]

    @Test func filesThatAreAddedAreRead() throws {
        var disk = Disk()
        let volume = try FATVolume(in: 0..<UInt64(disk.bytes.count), read: disk.read)
        let time = FATFolder.time(year: 2026, month: 11, day: 28, second: 3661)
        let patches = try volume.adding(Self.files, time: time, read: disk.read)
        #expect(patches.allSatisfy { $0.place.isMultiple(of: 512) && $0.bytes.count.isMultiple(of: 512) })
        disk.apply(patches)
        let expected = Dictionary(uniqueKeysWithValues: Self.files.map { ($0.path, $0.bytes) })
        #expect(disk.files(2) == expected)
        // Two folders of one cluster each; files of 1, 3, 0 and 1.
        #expect(PartitionTable.number(disk.bytes, 512 + 488, 4) == UInt64(Disk.clusterCount - 2 - 7))
        let tables = (0..<2).map {
            Array(disk.bytes[(32 + $0 * Disk.tableSectors) * 512..<(32 + ($0 + 1) * Disk.tableSectors) * 512])
        }
        #expect(tables[0] == tables[1], "both copies of the table")
        #expect(throws: ImageFault.self) { try FATVolume(in: 0..<UInt64(disk.bytes.count), read: disk.read) }
    }

    @Test func aRootFolderThatIsFullGetsACluster() throws {
        var disk = Disk()
        for index in 1..<16 {
            disk.bytes.replaceSubrange(
                disk.place(2) + index * 32..<disk.place(2) + index * 32 + 32,
                with: FATFolder.entry(
                    Array("B\(index)         ".utf8.prefix(11)), attributes: 0x20, cluster: 0, byteCount: 0, time: (0x21, 0)
                ))
        }
        let volume = try FATVolume(in: 0..<UInt64(disk.bytes.count), read: disk.read)
        disk.apply(try volume.adding(Self.files, time: (0x21, 0), read: disk.read))
        #expect(disk.files(2).count == Self.files.count)
    }

    @Test func whatDoesNotFitIsRefused() throws {
        let disk = Disk()
        let volume = try FATVolume(in: 0..<UInt64(disk.bytes.count), read: disk.read)
        let large = [("provision/large", [UInt8](repeating: 1, count: 512 * Disk.clusterCount))]
        #expect(throws: ImageFault.bootFull) { try volume.adding(large, time: (0x21, 0), read: disk.read) }
        let there = Disk(rootName: Array("PROVIS~1   ".utf8))
        #expect(throws: Never.self) { try FATVolume(in: 0..<UInt64(there.bytes.count), read: there.read) }
        #expect(throws: ImageFault.self) { try FATVolume(in: 0..<512, read: disk.read) }
    }

    /// A file system with any byte changed is refused, or what is written lies within it.
    @Test func noDamagedFileSystemLeadsOutside() {
        var generator = SeededGenerator(seed: 7)
        var taken = 0
        for _ in 0..<300 {
            var disk = Disk()
            for _ in 0..<2 {
                let place = [
                    Int.random(in: 0..<90, using: &generator), 32 * 512 + Int.random(in: 0..<64, using: &generator),
                ]
                disk.bytes[place.randomElement(using: &generator) ?? 0] = UInt8.random(in: 0...255, using: &generator)
            }
            do throws(ImageFault) {
                let volume = try FATVolume(in: 0..<UInt64(disk.bytes.count), read: disk.read)
                let patches = try volume.adding(Self.files, time: (0x21, 0), read: disk.read)
                taken += 1
                for patch in patches { #expect(Int(patch.place) + patch.bytes.count <= disk.bytes.count) }
            } catch { #expect(!error.description.isEmpty) }
        }
        #expect(taken > 10, "some changes do no harm")
    }
}
