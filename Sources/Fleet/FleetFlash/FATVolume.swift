// SPDX-License-Identifier: Apache-2.0

/// The boot partition of an image: FAT32 (Microsoft's specification 1.03) with sectors of 512 bytes and the label VIGIL. Says which
/// sectors change when a folder is added; writes nothing itself, and mounts nothing.
struct FATVolume {
    /// Reads bytes of the image: where, and how many.
    typealias Read = (UInt64, Int) throws(ImageFault) -> [UInt8]

    static let sectorSize: UInt64 = 512
    /// Where the file system begins in the image, in bytes.
    let start: UInt64
    let clusterSize: Int
    let tableSize: UInt64
    let tableCount: UInt64
    /// Where the tables and the clusters begin, in bytes after `start`.
    let tables: UInt64
    let clusters: UInt64
    let informationSector: UInt64
    /// The clusters of the root folder, in order.
    let root: [UInt32]
    /// Free clusters, ascending, as many as a card can need.
    let free: [UInt32]
    /// What the image has in the root folder's sectors, the entries up to the first that was never used.
    let rootEntries: [UInt8]

    /// The most clusters that are looked for: a card's folder has 4 MiB at most (docs/image.md), and clusters 512 bytes at least.
    private static let mostFree = 12_000

    /// The file system's own bytes, which must be on a card even where the image leaves them out as zeros.
    var metadata: Range<UInt64> { start..<start + clusters }

    /// Reads the file system in the partition `bytes` of an image. Throws `notVigil` when it is another one, is damaged, or has a folder
    /// `provision` already, which all cards would share.
    init(in bytes: Range<UInt64>, read: Read) throws(ImageFault) {
        let head = try read(bytes.lowerBound, 512)
        func number(_ place: Int, _ count: Int) -> UInt64 { PartitionTable.number(head, place, count) }
        guard head[82..<90].elementsEqual("FAT32   ".utf8), head[510] == 0x55, head[511] == 0xAA, number(11, 2) == 512
        else {
            throw .notVigil("its boot partition has no FAT32 file system")
        }
        guard head[71..<82].elementsEqual("VIGIL      ".utf8) else {
            throw .notVigil("its boot partition is not called VIGIL")
        }
        let (perCluster, reserved, copies) = (number(13, 1), number(14, 2), number(16, 1))
        let (total, size, first, information) = (number(32, 4), number(36, 4), number(44, 4), number(48, 2))
        let damaged = ImageFault.notVigil("the file system of its boot partition is damaged")
        guard perCluster.nonzeroBitCount == 1, perCluster <= 128, (1...2).contains(copies), number(17, 2) == 0,
            number(22, 2) == 0, number(40, 2) == 0, number(42, 2) == 0, reserved > information, information > 0,
            size > 0, size <= 1 << 16, total * 512 <= UInt64(bytes.count), reserved + copies * size < total
        else { throw damaged }
        let count = (total - reserved - copies * size) / perCluster
        guard count > 0, count + 2 <= size * 128, (2..<count + 2).contains(first) else { throw damaged }
        start = bytes.lowerBound
        clusterSize = Int(perCluster * 512)
        tableSize = size * 512
        tableCount = copies
        tables = reserved * 512
        clusters = (reserved + copies * size) * 512
        informationSector = information

        let table = try read(start + tables, Int(size * 512))
        func next(_ cluster: UInt64) -> UInt64 { PartitionTable.number(table, Int(cluster) * 4, 4) & 0x0FFF_FFFF }
        var chain: [UInt32] = []
        var cluster = first
        while cluster < 0x0FFF_FFF8 {
            guard (2..<count + 2).contains(cluster), chain.count < 256 else { throw damaged }
            chain.append(UInt32(cluster))
            cluster = next(cluster)
        }
        var free: [UInt32] = []
        for cluster in 2..<count + 2 where next(cluster) == 0 {
            free.append(UInt32(cluster))
            if free.count == Self.mostFree { break }
        }
        root = chain
        self.free = free
        var entries: [UInt8] = []
        for cluster in chain {
            entries += try read(start + clusters + UInt64(cluster - 2) * perCluster * 512, clusterSize)
        }
        let used = stride(from: 0, to: entries.count, by: 32).first { entries[$0] == 0 } ?? entries.count
        rootEntries = Array(entries[..<used])
        guard !FATFolder.names(in: rootEntries).contains("provision") else {
            throw .notVigil("it has a folder provision already, and all cards would share what is in it")
        }
    }

    /// Where a cluster begins in the image, in bytes.
    func place(of cluster: UInt32) -> UInt64 { start + clusters + UInt64(cluster - 2) * UInt64(clusterSize) }

    /// What changes in the image when these files are added to the root folder, as pieces of whole sectors, ascending. Paths have
    /// slashes between folders that are not there yet; `time` is the date and the time of day of all of them, as FAT writes
    /// them. Throws `bootFull` when there is no room, and what `read` throws.
    func adding(
        _ files: [(path: String, bytes: [UInt8])], time: (date: UInt16, clock: UInt16), read: Read
    ) throws(ImageFault) -> [Patch] {
        var addition = FATAddition(self, time: time)
        try addition.add(files, read: read)
        return addition.patches
    }
}

/// Bytes for a place in the image: whole sectors.
struct Patch: Equatable {
    /// The first byte's place in the image; a multiple of 512.
    let place: UInt64
    /// A multiple of 512 bytes; not empty.
    var bytes: [UInt8]
}
