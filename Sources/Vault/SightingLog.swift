// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// One UTC day of scans: an append-only file of sealed records under a key of its own.
///
/// Record: magic (4), length of the sealed part (4), check over both and the record's place (4), sealed part. Day and place are
/// part of what is authenticated, so records cannot be moved. A torn tail is left out; a damaged record costs itself, because
/// reading goes on at the next header that checks.
struct SightingLog {
    private static let magic = Array("VSR1".utf8)
    private static let headerByteCount = 12
    /// 50,000 advertisements a day are 1.1 MB; this is a very busy kiosk with everything written twice.
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
        var records: [ScanRecord] = []
        /// Where the next record goes: behind the last whole one.
        var end = 0
        /// Damaged places before the end; a torn tail is none.
        var damagedPlaces = 0
        /// Bytes behind the end.
        var tornByteCount = 0
    }

    func read(_ medium: any StorageMedium) throws(StorageFailure) -> Reading {
        let bytes = try medium.read(Self.name(day), limit: Self.maximumByteCount) ?? []
        var reading = Reading()
        var offset = 0
        var isSkipping = false
        var damages = 0
        while offset + Self.headerByteCount <= bytes.count {
            if let next = record(bytes, at: offset, into: &reading) {
                offset = next
                reading.end = next
                // What was skipped lay before a whole record, so it was damage and no torn tail.
                reading.damagedPlaces += damages
                damages = 0
                isSkipping = false
            } else {
                if !isSkipping { damages += 1 }
                isSkipping = true
                offset += 1
            }
        }
        reading.tornByteCount = bytes.count - reading.end
        return reading
    }

    /// Reads one record; gives the place behind it, or `nil` when there is no whole record here.
    private func record(_ bytes: [UInt8], at offset: Int, into reading: inout Reading) -> Int? {
        guard bytes[offset] == Self.magic[0], bytes[offset..<(offset + 4)].elementsEqual(Self.magic) else { return nil }
        let length = Little.read(UInt32.self, bytes[(offset + 4)..<(offset + 8)])
        let check = Little.read(UInt32.self, bytes[(offset + 8)..<(offset + 12)])
        let body = offset + Self.headerByteCount
        guard check == Self.check(length, offset), Int(length) <= bytes.count - body else { return nil }
        guard
            let message = SealedBox.open(bytes[body..<(body + Int(length))], key: key, context: context(offset)),
            let record = ScanRecord(message)
        else { return nil }
        reading.records.append(record)
        return body + Int(length)
    }

    /// Writes `record` at `offset` (``Reading/end``) and gives the next place. Durable when it returns.
    func append(
        _ record: ScanRecord, at offset: Int, to medium: any StorageMedium,
        using generator: inout some RandomNumberGenerator
    ) throws -> Int {
        let sealed = try SealedBox.seal(record.encode(), key: key, context: context(offset), using: &generator)
        let length = UInt32(sealed.count)
        let bytes = Self.magic + Little.bytes(length) + Little.bytes(Self.check(length, offset)) + sealed
        try medium.write(bytes, to: Self.name(day), at: offset)
        try medium.sync(Self.name(day))
        return offset + bytes.count
    }

    private func context(_ offset: Int) -> [UInt8] {
        Array("vigil day ".utf8) + Little.bytes(day) + Little.bytes(UInt64(offset))
    }

    // FNV-1a, against chance only: what matters is authenticated.
    private static func check(_ length: UInt32, _ offset: Int) -> UInt32 {
        (magic + Little.bytes(length) + Little.bytes(UInt64(offset))).reduce(0x811C_9DC5) {
            ($0 ^ UInt32($1)) &* 0x0100_0193
        }
    }
}
