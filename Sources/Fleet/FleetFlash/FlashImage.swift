// SPDX-License-Identifier: Apache-2.0

import CLinux
import Cryptography
import Glibc
import SystemCalls

/// An image that was unpacked once and verified against its map: what all cards of a run are written from, and compared with.
///
/// It is a file without a name on the operator's computer, so nothing that happens to the image meanwhile reaches a card. Safe on any
/// thread: it is only read.
public final class FlashImage: @unchecked Sendable {
    // Unchecked: the memory below is mapped for reading, and goes with this object.

    /// The fewest bytes that an image of Vigil can have: 2 MiB, a partition table with what follows it.
    static let leastByteCount: UInt64 = 2 << 20

    /// The map of its blocks.
    public let map: BlockMap
    /// Its partitions.
    let table: PartitionTable
    /// Its boot partition.
    let boot: FATVolume
    private let descriptor: Int32
    /// The whole image in memory, as the system's page cache has it: cards are written from there without a copy.
    private let mapping: UnsafeRawBufferPointer

    /// Unpacks the image at `path`, by the program `zstd` when its name ends in `.zst`, and compares each range of blocks with the map.
    /// `scratch` is a folder with room for the blocks that have content. Blocks. Throws ``ImageFault``; then nothing is left behind.
    public init(path: String, map: BlockMap, scratch: String) throws(ImageFault) {
        self.map = map
        descriptor = vigil_open_nameless(scratch)
        guard descriptor >= 0 else { throw .noRoom(folder: scratch, number: -descriptor) }
        do throws(ImageFault) {
            guard ftruncate(descriptor, off_t(map.imageSize)) == 0 else { throw .noRoom(folder: scratch, number: errno) }
            try Self.copy(path, map, to: descriptor, scratch)
            (table, boot) = try Self.layout(map, descriptor)
            let count = Int(map.imageSize)
            guard let start = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
                throw .noRoom(folder: scratch, number: errno)
            }
            mapping = UnsafeRawBufferPointer(start: start, count: count)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        munmap(UnsafeMutableRawPointer(mutating: mapping.baseAddress), mapping.count)
        close(descriptor)
    }

    // MARK: Reading

    /// Fills `memory` with what the image has from `place` on. Throws `unreadable` when the system cannot read the copy.
    func read(_ place: UInt64, into memory: UnsafeMutableRawBufferPointer) throws(ImageFault) {
        try Self.read(descriptor, place, into: memory)
    }

    /// Bytes of the image for the system to write; whole pages, within the image. Only the system may look at them: where the computer's disk
    /// fails, it says so, and a program would be ended.
    func memory(_ place: UInt64, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: mapping[Int(place)..<Int(place) + count])
    }

    /// Bytes of the image; what lies behind its end counts as zeros.
    func bytes(_ place: UInt64, _ count: Int) throws(ImageFault) -> [UInt8] { try Self.bytes(descriptor, place, count) }

    private static func bytes(_ descriptor: Int32, _ place: UInt64, _ count: Int) throws(ImageFault) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        let fault: ImageFault? = result.withUnsafeMutableBytes { memory in
            do throws(ImageFault) { try read(descriptor, place, into: memory) } catch { return error }
            return nil
        }
        if let fault { throw fault }
        return result
    }

    private static func read(
        _ descriptor: Int32, _ place: UInt64, into memory: UnsafeMutableRawBufferPointer
    ) throws(ImageFault) {
        let (count, number) = PlacedBytes.read(descriptor, place, into: memory)
        guard number == 0 else { throw .unreadable(path: "the copy of the image", number: number) }
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).initializeMemory(as: UInt8.self, repeating: 0)
    }

    // MARK: The copy

    private static func copy(_ path: String, _ map: BlockMap, to descriptor: Int32, _ scratch: String) throws(ImageFault) {
        let source = try ImageSource(path)
        let memory = Memory(1 << 20)
        var position: UInt64 = 0
        /// Takes the next bytes up to `end`; writes and hashes them, or makes sure that they are zeros.
        func take(to end: UInt64, _ each: (UnsafeRawBufferPointer) throws(ImageFault) -> Void) throws(ImageFault) {
            while position < end {
                let count = Int(min(end - position, 1 << 20))
                let piece = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<count])
                let found = try source.fill(piece)
                guard found == count else {
                    throw .cut(found: position + UInt64(found), expected: map.imageSize)
                }
                try each(UnsafeRawBufferPointer(piece))
                position += UInt64(count)
            }
        }
        for extent in map.extents {
            let bytes = map.bytes(of: extent)
            try take(to: bytes.lowerBound) { piece throws(ImageFault) in
                guard Memory.isZero(piece) else { throw .unmapped(block: position / map.blockSize) }
            }
            var hash = SHA256()
            try take(to: bytes.upperBound) { piece throws(ImageFault) in
                hash.update(piece)
                let number = PlacedBytes.write(descriptor, position, piece)
                guard number == 0 else { throw .noRoom(folder: scratch, number: number) }
            }
            guard hash.finish() == extent.checksum else { throw .otherBlocks(block: extent.blocks.lowerBound) }
        }
        try take(to: map.imageSize) { piece throws(ImageFault) in
            guard Memory.isZero(piece) else { throw .unmapped(block: position / map.blockSize) }
        }
        guard try source.fill(UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<1])) == 0 else {
            throw .tooLong(expected: map.imageSize)
        }
        try source.finish()
    }

    // MARK: The layout

    private static func layout(_ map: BlockMap, _ descriptor: Int32) throws(ImageFault) -> (PartitionTable, FATVolume) {
        guard map.imageSize >= leastByteCount, map.imageSize.isMultiple(of: 4096) else {
            throw .notVigil("it is too small, or no multiple of 4096 bytes")
        }
        guard let table = PartitionTable(try bytes(descriptor, 0, 1 << 20)), table.isVigils,
            let boot = table.partitions.first(where: { $0.name == "vigil-boot" })
        else { throw .notVigil("it has no partition table with a partition vigil-boot") }
        for partition in table.partitions {
            guard partition.bytes.lowerBound >= 1 << 20, partition.bytes.upperBound <= map.imageSize,
                partition.bytes.lowerBound.isMultiple(of: 4096)
            else { throw .notVigil("a partition begins in the first MiB, or ends behind the image") }
        }
        guard try bytes(descriptor, MediumMark.place, 4096).allSatisfy({ $0 == 0 }) else {
            throw .notVigil("the end of its first MiB is not free")
        }
        let volume = try FATVolume(in: boot.bytes) { place, count throws(ImageFault) in try bytes(descriptor, place, count)
        }
        return (table, volume)
    }

    /// What is written to a card and read back: everything with content behind the first MiB, the whole tables of the boot partition, and
    /// the beginning of every other partition: where the image leaves blocks out, a card that was used before would keep what was there,
    /// keys and people's data among it (docs/image.md). With `isUsed`, all of the partition vigil-keys.
    func writtenRanges(isUsed: Bool) -> [Range<UInt64>] {
        var ranges = map.extents.map { map.bytes(of: $0) }
        ranges.append(boot.metadata.lowerBound / 4096 * 4096..<(boot.metadata.upperBound + 4095) / 4096 * 4096)
        for partition in table.partitions where partition.name != "vigil-boot" {
            let most: UInt64 = isUsed && partition.name == "vigil-keys" ? 64 << 20 : 1 << 20
            ranges.append(
                partition.bytes
                    .lowerBound..<min(partition.bytes.upperBound / 4096 * 4096, partition.bytes.lowerBound + most))
        }
        return Self.union(ranges).compactMap { range in
            let lower = max(range.lowerBound, 1 << 20)
            return lower < range.upperBound ? lower..<range.upperBound : nil
        }
    }

    /// The same bytes in ascending ranges that do not touch.
    static func union(_ ranges: [Range<UInt64>]) -> [Range<UInt64>] {
        var result: [Range<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
