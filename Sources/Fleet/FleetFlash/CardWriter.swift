// SPDX-License-Identifier: Apache-2.0

/// Writes one card, in an order in which it can be cut anywhere:
///
/// 1. the mark, and zeros where the partition table was: no board starts from it, and whoever finds it knows whose it is;
/// 2. the image without its first MiB, and a pattern at the very end of the medium;
/// 3. all of that is read back; the pattern is erased;
/// 4. a board is bound to the medium in the inventory; only now anything of a board's is written;
/// 5. the board's folder, read back;
/// 6. the first MiB with the partition table, read back.
struct CardWriter {
    /// What is done at present.
    enum Phase: Int, Sendable { case waiting, writing, checking, binding, finishing }

    let medium: Medium
    let image: FlashImage
    let mark: MediumMark
    /// The mark stands on the card already, from a run that was cut.
    let isMarked: Bool
    /// The card was not blank.
    let isUsed: Bool
    /// Told after each piece: the phase, the bytes of it done, and all bytes of it.
    let progress: @Sendable (Phase, UInt64, UInt64) -> Void
    /// Binds a board to the medium, durably, and returns what its folder changes in the image. Waits for as long as that takes.
    let bind: @Sendable () throws(CardFault) -> [Patch]

    private static let piece = 1 << 20
    /// What is written at once; a slow card takes a second for it.
    private static let longPiece = 4 << 20

    /// Does it all. Throws ``CardFault``; the card does not count then.
    func run() throws(CardFault) {
        let memory = Memory(Self.piece)
        let other = Memory(Self.piece)
        let ranges = image.writtenRanges(isUsed: isUsed)
        let total = ranges.reduce(0) { $0 + UInt64($1.count) }
        var tail: Range<UInt64>?
        // Only where the image does not reach.
        let end = medium.device.size / 4096 * 4096
        if end >= image.map.imageSize + UInt64(Self.piece) { tail = end - UInt64(Self.piece)..<end }

        progress(.writing, 0, total)
        // A cut before the mark leaves what was there; after it the card is known as Vigil's.
        if !isMarked { try put(mark.sector, at: MediumMark.place, memory) }
        memory.bytes.initializeMemory(as: UInt8.self, repeating: 0)
        try medium.write(0, UnsafeRawBufferPointer(rebasing: memory.bytes[..<Int(MediumMark.place)]))
        var done: UInt64 = 0
        for range in ranges {
            var place = range.lowerBound
            while place < range.upperBound {
                let count = min(UInt64(Self.longPiece), range.upperBound - place)
                try medium.write(place, image.memory(place, Int(count)))
                place += count
                done += count
                progress(.writing, done, total)
            }
        }
        if let tail {
            pattern(memory)
            try medium.write(tail.lowerBound, UnsafeRawBufferPointer(memory.bytes))
        }
        try medium.sync()
        progress(.checking, 0, total)
        done = 0
        try each(ranges, memory) { place, bytes throws(CardFault) in
            let back = UnsafeMutableRawBufferPointer(rebasing: other.bytes[..<bytes.count])
            try medium.read(place, into: back)
            guard Memory.areEqual(bytes.baseAddress, back.baseAddress, bytes.count) else { throw .lies(place: place) }
            done += UInt64(bytes.count)
            progress(.checking, done, total)
        }
        if let tail {
            pattern(memory)
            try medium.read(tail.lowerBound, into: other.bytes)
            guard Memory.areEqual(memory.bytes.baseAddress, other.bytes.baseAddress, Self.piece) else {
                throw .smallerThanItSays(size: medium.device.size)
            }
            memory.bytes.initializeMemory(as: UInt8.self, repeating: 0)
            try medium.write(tail.lowerBound, UnsafeRawBufferPointer(memory.bytes))
            try medium.sync()
        }
        // The mark is what the inventory knows the card by.
        guard try medium.bytes(MediumMark.place, 512) == mark.sector else { throw .lies(place: MediumMark.place) }
        try medium.checkPresence()

        progress(.binding, 0, 1)
        let patches = try bind()
        progress(.finishing, 0, 1)
        for patch in patches { try put(patch.bytes, at: patch.place, memory) }
        try medium.sync()
        for patch in patches { try compare(patch.bytes, at: patch.place, other) }
        let head = try bytes(0, Int(MediumMark.place))
        try put(head, at: 0, memory)
        try medium.sync()
        try compare(head, at: 0, other)
        try medium.checkPresence()
        progress(.finishing, 1, 1)
    }

    /// The ranges in pieces, with what the image has there.
    private func each(
        _ ranges: [Range<UInt64>], _ memory: borrowing Memory,
        _ body: (UInt64, UnsafeMutableRawBufferPointer) throws(CardFault) -> Void
    ) throws(CardFault) {
        for range in ranges {
            var place = range.lowerBound
            while place < range.upperBound {
                let count = Int(min(UInt64(Self.piece), range.upperBound - place))
                let bytes = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<count])
                do throws(ImageFault) { try image.read(place, into: bytes) } catch { throw .other(error.description) }
                try body(place, bytes)
                place += UInt64(count)
            }
        }
    }

    private func bytes(_ place: UInt64, _ count: Int) throws(CardFault) -> [UInt8] {
        do throws(ImageFault) { return try image.bytes(place, count) } catch { throw .other(error.description) }
    }

    /// The mark, again and again.
    private func pattern(_ memory: borrowing Memory) {
        let sector = mark.sector
        for place in stride(from: 0, to: Self.piece, by: 512) {
            UnsafeMutableRawBufferPointer(rebasing: memory.bytes[place..<place + 512]).copyBytes(from: sector)
        }
    }

    private func put(_ bytes: [UInt8], at place: UInt64, _ memory: borrowing Memory) throws(CardFault) {
        for start in stride(from: 0, to: bytes.count, by: Self.piece) {
            let count = min(Self.piece, bytes.count - start)
            let piece = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<count])
            piece.copyBytes(from: bytes[start..<start + count])
            try medium.write(place + UInt64(start), UnsafeRawBufferPointer(piece))
        }
    }

    private func compare(_ bytes: [UInt8], at place: UInt64, _ memory: borrowing Memory) throws(CardFault) {
        for start in stride(from: 0, to: bytes.count, by: Self.piece) {
            let count = min(Self.piece, bytes.count - start)
            let piece = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<count])
            try medium.read(place + UInt64(start), into: piece)
            let isEqual = bytes.withUnsafeBytes {
                Memory.areEqual($0.baseAddress.map { $0 + start }, piece.baseAddress, count)
            }
            guard isEqual else { throw .lies(place: place + UInt64(start)) }
        }
    }
}
