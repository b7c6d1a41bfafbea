// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The blocks of an image that have content, each range with its SHA-256: the format bmap 2 of bmap-tools, as
/// `bmaptool create` writes it.
///
/// Strict: only the elements of that format, in its order, without entities, declarations of types or sections.
public struct BlockMap: Sendable, Equatable {
    /// Blocks that follow each other, with the SHA-256 of all of them.
    public struct Extent: Sendable, Equatable {
        /// The numbers of the blocks; not empty.
        public let blocks: Range<UInt64>
        /// SHA-256 of these blocks, 32 bytes. The last block of an image counts as far as the image goes.
        public let checksum: [UInt8]
    }

    /// The most bytes that a map may have; our own choice. A map of an image of ours has a few thousand.
    public static let maximumByteCount = 4 << 20
    /// The most bytes that an image may have: 4 TiB, our own choice. Keeps all sums far from overflow.
    static let maximumImageSize: UInt64 = 4 << 40

    /// The length of the image in bytes, from 1 on.
    public let imageSize: UInt64
    /// The length of a block in bytes: a power of two from 512 to 1 MiB.
    public let blockSize: UInt64
    /// The ranges, ascending; they do not overlap.
    public let extents: [Extent]
    /// SHA-256 of the map's text, which names the image in the journal: 64 hexadecimal digits.
    public let name: String

    /// The bytes of the image that a range covers.
    func bytes(of extent: Extent) -> Range<UInt64> {
        extent.blocks.lowerBound * blockSize..<min(extent.blocks.upperBound * blockSize, imageSize)
    }

    /// The number of bytes that the ranges cover.
    public var mappedByteCount: UInt64 { extents.reduce(0) { $0 + UInt64(bytes(of: $1).count) } }

    /// Reads a map. Throws `badMap` when it has another form or contradicts itself, `oldMap` for a version before 2, and
    /// `mapDamaged` when its own checksum does not fit. Uses memory in proportion to the text.
    public init(parsing text: [UInt8]) throws(ImageFault) {
        guard text.count <= Self.maximumByteCount else { throw .badMap("it has more than 4 MiB") }
        var reader = BlockMapReader(text)
        let version = try reader.open("bmap", attribute: "version")
        guard version.text.hasPrefix("2.") else {
            guard version.text.count < 8, version.text.hasPrefix("1.") else { throw .badMap("its version is unknown") }
            throw .oldMap(version: version.text)
        }
        imageSize = try reader.number("ImageSize")
        blockSize = try reader.number("BlockSize")
        let blockCount = try reader.number("BlocksCount")
        let mappedCount = try reader.number("MappedBlocksCount")
        guard try reader.element("ChecksumType").text == "sha256" else { throw .badMap("its checksums are not SHA-256") }
        let own = try reader.element("BmapFileChecksum")
        guard Self.checksum(own.text) != nil else { throw .badMap("its own checksum is none") }
        guard (1...Self.maximumImageSize).contains(imageSize) else { throw .badMap("the size of the image is impossible") }
        guard blockSize.nonzeroBitCount == 1, (512...1 << 20).contains(blockSize) else {
            throw .badMap("the size of a block is no power of two from 512 to 1048576")
        }
        guard blockCount == (imageSize + blockSize - 1) / blockSize else {
            throw .badMap("the number of blocks does not fit the size of the image")
        }
        _ = try reader.open("BlockMap")
        var extents: [Extent] = []
        var end: UInt64 = 0
        var count: UInt64 = 0
        while let range = try reader.nextRange() {
            guard let checksum = Self.checksum(range.checksum) else { throw .badMap("a range has no checksum") }
            guard range.first >= end, range.first <= range.last, range.last < blockCount else {
                throw .badMap("a range of blocks overlaps another, is out of order or lies behind the image")
            }
            extents.append(Extent(blocks: range.first..<range.last + 1, checksum: checksum))
            end = range.last + 1
            count += range.last - range.first + 1
        }
        try reader.close("bmap")
        guard count == mappedCount, count > 0 else { throw .badMap("the number of mapped blocks does not fit the ranges") }
        var zeroed = text
        for index in own.place { zeroed[index] = UInt8(ascii: "0") }
        guard Hex.string(SHA256.digest(of: zeroed)) == own.text else { throw .mapDamaged }
        self.extents = extents
        name = Hex.string(SHA256.digest(of: text))
    }

    private static func checksum(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 64, text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
            return nil
        }
        return Hex.bytes(text)
    }
}
