// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc

/// One UTC day of scans: an append-only file of sealed records under a key of its own.
///
/// Record: magic (4), length of the sealed part (4), check over both and the record's place (4), sealed part. Day and place are
/// part of what is authenticated, so records cannot be moved. A torn tail is left out; a damaged record costs itself, because
/// reading goes on at the next header that checks.
struct SightingLog {
    private static let magic = Array("VSR1".utf8)
    /// The same, read as little-endian.
    private static let magicWord: UInt32 = 0x3152_5356
    private static let headerByteCount = 12
    private static let maximumSealedByteCount = ScanCoding.maximumByteCount + SealedBox.overhead
    /// Longer files are not read: no quota lets one come about.
    static let maximumByteCount = 64 << 20

    let day: UInt32
    let key: SecretBytes

    static func name(_ day: UInt32) -> String { "day-\(day).log" }

    /// Day of a log file's name, `nil` for other files.
    static func day(ofName name: String) -> UInt32? {
        guard name.hasPrefix("day-"), name.hasSuffix(".log") else { return nil }
        return UInt32(name.dropFirst(4).dropLast(4))
    }

    /// What reading a log gave.
    struct Reading {
        /// Where the next record goes: behind the last whole one.
        var end = 0
        /// Damaged places.
        var damagedPlaces = 0
        /// Bytes behind the end.
        var tornByteCount = 0
    }

    /// Reads the log and gives `body` every whole record. Takes time in proportion to the length, whatever the bytes are.
    func read(_ medium: any StorageMedium, _ body: (ScanRecord) -> Void) throws(StorageFailure) -> Reading {
        let bytes = try medium.read(Self.name(day), limit: Self.maximumByteCount) ?? []
        var reading = Reading()
        var offset = 0
        var isSkipping = false
        var damages = 0
        while let place = Self.magicPlace(bytes, from: offset) {
            if place > offset, !isSkipping {
                damages += 1
                isSkipping = true
            }
            guard let end = sealedPart(bytes, at: place)?.upperBound else {
                offset = place + 1
                continue
            }
            // A header that checks says where its record ends, whatever became of the rest of it. So no byte is opened twice.
            offset = end
            if let record = record(bytes, at: place) {
                body(record)
                reading.end = end
                // What was skipped lay before a whole record, so it was damage and no torn tail.
                reading.damagedPlaces += damages
                damages = 0
                isSkipping = false
            } else if !isSkipping {
                damages += 1
                isSkipping = true
            }
        }
        reading.tornByteCount = bytes.count - reading.end
        // One record is all that a cut can tear.
        if reading.tornByteCount > Self.headerByteCount + Self.maximumSealedByteCount { reading.damagedPlaces += 1 }
        return reading
    }

    private static func magicPlace(_ bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count - start >= headerByteCount else { return nil }
        return bytes.withUnsafeBytes { buffer -> Int? in
            guard let base = buffer.baseAddress else { return nil }
            var place = start
            while place <= buffer.count - headerByteCount {
                guard let found = memchr(base + place, Int32(magic[0]), buffer.count - place) else { return nil }
                place = UnsafeRawPointer(found) - base
                guard place <= buffer.count - headerByteCount else { return nil }
                if buffer.loadUnaligned(fromByteOffset: place, as: UInt32.self) == magicWord.littleEndian { return place }
                place += 1
            }
            return nil
        }
    }

    /// Where the sealed part lies of the record at `offset`, if its header checks.
    private func sealedPart(_ bytes: [UInt8], at offset: Int) -> Range<Int>? {
        let body = offset + Self.headerByteCount
        guard body <= bytes.count else { return nil }
        let (length, check) = bytes.withUnsafeBytes {
            (
                UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)),
                UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self))
            )
        }
        guard Int(length) <= min(Self.maximumSealedByteCount, bytes.count - body), check == Self.check(length, offset)
        else { return nil }
        return body..<(body + Int(length))
    }

    private func record(_ bytes: [UInt8], at offset: Int) -> ScanRecord? {
        guard let sealed = sealedPart(bytes, at: offset) else { return nil }
        return SealedBox.open(bytes[sealed], key: key, context: context(offset)).flatMap(ScanCoding.decode)
    }

    /// Bytes ``append(_:at:to:using:)`` will write.
    static func byteCount(_ record: ScanRecord) -> Int {
        headerByteCount + SealedBox.overhead + ScanCoding.byteCount(record)
    }

    /// Writes `record` at `offset` (``Reading/end``) and gives the next place. Durable when it returns.
    func append(
        _ record: ScanRecord, at offset: Int, to medium: any StorageMedium,
        using generator: inout some RandomNumberGenerator
    ) throws -> Int {
        let sealed = try SealedBox.seal(ScanCoding.encode(record), key: key, context: context(offset), using: &generator)
        let length = UInt32(sealed.count)
        let bytes = Self.magic + Little.bytes(length) + Little.bytes(Self.check(length, offset)) + sealed
        try medium.write(bytes, to: Self.name(day), at: offset)
        try medium.sync(Self.name(day))
        return offset + bytes.count
    }

    private func context(_ offset: Int) -> [UInt8] {
        Array("vigil day ".utf8) + Little.bytes(day) + Little.bytes(UInt64(offset))
    }

    // FNV-1a over magic, length and place, against chance only: what matters is authenticated.
    private static func check(_ length: UInt32, _ offset: Int) -> UInt32 {
        var value: UInt32 = 0x811C_9DC5
        func mix(_ word: UInt64, _ count: UInt64) {
            for index in 0..<count { value = (value ^ UInt32(word >> (8 * index) & 0xff)) &* 0x0100_0193 }
        }
        mix(UInt64(magicWord), 4)
        mix(UInt64(length), 4)
        mix(UInt64(offset), 8)
        return value
    }
}
