// SPDX-License-Identifier: Apache-2.0

/// Files that are added to a file system: the sectors as they will be.
struct FATAddition {
    private typealias Read = FATVolume.Read

    /// A name in a new folder.
    private enum Node {
        case file([UInt8])
        case folder([(name: String, node: Node)])
    }

    private let volume: FATVolume
    private let time: (date: UInt16, clock: UInt16)
    /// The changed sectors, by their place in the image.
    private var sectors: [UInt64: [UInt8]] = [:]
    private var taken = 0
    /// Links of the file allocation table that are new.
    private var links: [UInt32: UInt32] = [:]

    init(_ volume: FATVolume, time: (date: UInt16, clock: UInt16)) {
        self.volume = volume
        self.time = time
    }

    /// The changed sectors; those that follow each other are one piece.
    var patches: [Patch] {
        var result: [Patch] = []
        for place in sectors.keys.sorted() {
            guard let sector = sectors[place] else { continue }
            if let last = result.last, last.place + UInt64(last.bytes.count) == place {
                result[result.count - 1].bytes += sector
            } else {
                result.append(Patch(place: place, bytes: sector))
            }
        }
        return result
    }

    mutating func add(_ files: [(path: String, bytes: [UInt8])], read: FATVolume.Read) throws(ImageFault) {
        let top = Self.tree(files.map { ($0.path.split(separator: "/").map(String.init), $0.bytes) })
        var entries: [UInt8] = []
        for (index, child) in top.enumerated() { entries += try place(child, index: index + 1, parent: 0) }
        // Behind what is there; one more cluster where the last is full.
        var chain = volume.root
        let used = volume.rootEntries.count
        let needed = (used + entries.count + volume.clusterSize - 1) / volume.clusterSize
        if needed > chain.count, let last = chain.last {
            let more = try take(needed - chain.count)
            if let first = more.first { links[last] = first }
            chain += more
        }
        var content = volume.rootEntries + entries
        content += [UInt8](repeating: 0, count: chain.count * volume.clusterSize - content.count)
        // Clusters before the first new entry stay as they are.
        for index in used / volume.clusterSize..<chain.count {
            put(slice(content, index), at: volume.place(of: chain[index]))
        }
        try link(read)
    }

    private static func tree(_ files: [(path: [String], bytes: [UInt8])]) -> [(name: String, node: Node)] {
        var result: [(name: String, node: Node)] = []
        var done: Set<String> = []
        for file in files {
            guard let name = file.path.first, done.insert(name).inserted else { continue }
            if file.path.count == 1 {
                result.append((name, .file(file.bytes)))
            } else {
                let below = files.filter { $0.path.first == name }.map { (Array($0.path.dropFirst()), $0.bytes) }
                result.append((name, .folder(tree(below))))
            }
        }
        return result
    }

    /// Writes a file, or a folder with what is in it; returns its entries in the folder `parent` (0 for the root).
    private mutating func place(
        _ child: (name: String, node: Node), index: Int, parent: UInt32
    ) throws(ImageFault) -> [UInt8] {
        switch child.node {
        case .file(let bytes):
            let clusters = try take((bytes.count + volume.clusterSize - 1) / volume.clusterSize)
            write(bytes, to: clusters)
            return FATFolder.entries(
                child.name, index: index, attributes: FATFolder.isFile, cluster: clusters.first ?? 0,
                byteCount: UInt32(bytes.count), time: time)
        case .folder(let children):
            let count = (2 + children.reduce(0) { $0 + FATFolder.count($1.name) }) * 32
            let clusters = try take((count + volume.clusterSize - 1) / volume.clusterSize)
            guard let own = clusters.first else { throw .bootFull }
            func dots(_ name: String, _ cluster: UInt32) -> [UInt8] {
                let padded = Array(name.utf8) + [UInt8](repeating: 0x20, count: 11 - name.utf8.count)
                return FATFolder.entry(padded, attributes: FATFolder.isFolder, cluster: cluster, byteCount: 0, time: time)
            }
            var content = dots(".", own) + dots("..", parent)
            for (index, child) in children.enumerated() { content += try place(child, index: index + 1, parent: own) }
            write(content, to: clusters)
            return FATFolder.entries(
                child.name, index: index, attributes: FATFolder.isFolder, cluster: own, byteCount: 0, time: time)
        }
    }

    /// Free clusters, linked to each other.
    private mutating func take(_ count: Int) throws(ImageFault) -> [UInt32] {
        guard taken + count <= volume.free.count else { throw .bootFull }
        let clusters = Array(volume.free[taken..<taken + count])
        taken += count
        for (index, cluster) in clusters.enumerated() {
            links[cluster] = index + 1 < count ? clusters[index + 1] : 0x0FFF_FFFF
        }
        return clusters
    }

    private mutating func write(_ bytes: [UInt8], to clusters: [UInt32]) {
        let padded = bytes + [UInt8](repeating: 0, count: clusters.count * volume.clusterSize - bytes.count)
        for (index, cluster) in clusters.enumerated() { put(slice(padded, index), at: volume.place(of: cluster)) }
    }

    private func slice(_ bytes: [UInt8], _ index: Int) -> ArraySlice<UInt8> {
        bytes[index * volume.clusterSize..<(index + 1) * volume.clusterSize]
    }

    private mutating func put(_ bytes: ArraySlice<UInt8>, at place: UInt64) {
        for offset in stride(from: 0, to: bytes.count, by: 512) {
            let start = bytes.startIndex + offset
            sectors[place + UInt64(offset)] = Array(bytes[start..<start + 512])
        }
    }

    /// Writes the links into each copy of the table, and the number of free clusters.
    private mutating func link(_ read: FATVolume.Read) throws(ImageFault) {
        for (cluster, next) in links {
            for copy in 0..<volume.tableCount {
                let byte = volume.start + volume.tables + copy * volume.tableSize + UInt64(cluster) * 4
                // The upper four bits are not ours (Microsoft's specification, section 4).
                try change(byte, read) { old in old & 0xF000_0000 | UInt64(next) }
            }
        }
        let information = volume.start + volume.informationSector * 512
        let head = try read(information, 512)
        guard PartitionTable.number(head, 0, 4) == 0x4161_5252, PartitionTable.number(head, 484, 4) == 0x6141_7272 else {
            return
        }
        let count = UInt64(taken)
        try change(information + 488, read) { $0 != 0xFFFF_FFFF && $0 >= count ? $0 - count : 0xFFFF_FFFF }
        if let last = volume.free[..<taken].last { try change(information + 492, read) { _ in UInt64(last) } }
    }

    /// Changes a number of four bytes.
    private mutating func change(_ byte: UInt64, _ read: FATVolume.Read, to new: (UInt64) -> UInt64) throws(ImageFault) {
        let (place, offset) = (byte / 512 * 512, Int(byte % 512))
        var sector: [UInt8]
        if let changed = sectors[place] { sector = changed } else { sector = try read(place, 512) }
        let value = new(PartitionTable.number(sector, offset, 4))
        for index in 0..<4 { sector[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
        sectors[place] = sector
    }
}
