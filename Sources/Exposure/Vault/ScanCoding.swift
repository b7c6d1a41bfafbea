// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN

/// One scan as bytes, inside a sealed record only.
///
/// Version (1), start (4), previous scan (4), profile (2), left out (2), senders (2); then per sender RPI (16), AEM (4), offset (1),
/// number of readings (1), readings. 100 senders of 14 packets each are 3.6 kB; one entry per packet, as version 1 had it, was 31.
enum ScanCoding {
    private static let version: UInt8 = 2
    private static let headerByteCount = 15
    private static let heardByteCount = 22
    /// The longest message there is.
    static let maximumByteCount =
        headerByteCount + ScanRecord.maximumHeard * (heardByteCount + ScanRecord.Readings.maximumCount)

    static func byteCount(_ scan: ScanRecord) -> Int {
        scan.heard.reduce(headerByteCount) { $0 + heardByteCount + $1.readings.count }
    }

    static func encode(_ scan: ScanRecord) -> SecretBytes {
        var bytes = [version] + Little.bytes(scan.start) + Little.bytes(scan.previousScan)
        bytes += Little.bytes(scan.profileRevision) + Little.bytes(scan.leftOut) + Little.bytes(UInt16(scan.heard.count))
        bytes.reserveCapacity(byteCount(scan))
        for sender in scan.heard {
            bytes += sender.payload.identifier.bytes
            bytes += sender.payload.metadata.bytes
            bytes += [sender.offset, UInt8(sender.readings.count)]
            for reading in sender.readings { bytes.append(UInt8(bitPattern: reading)) }
        }
        return SecretBytes(copying: bytes)
    }

    /// `nil` for anything ``encode(_:)`` cannot have made.
    static func decode(_ message: SecretBytes) -> ScanRecord? {
        message.withBytes { bytes -> ScanRecord? in
            guard bytes.count >= headerByteCount, bytes[0] == version else { return nil }
            func word(_ offset: Int) -> UInt32 {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
            func half(_ offset: Int) -> UInt16 {
                UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            }
            let count = Int(half(13))
            guard (1...ScanRecord.maximumHeard).contains(count) else { return nil }
            var heard: [ScanRecord.Heard] = []
            heard.reserveCapacity(count)
            var offset = headerByteCount
            for _ in 0..<count {
                let start = offset + heardByteCount
                guard start <= bytes.count, start + Int(bytes[start - 1]) <= bytes.count else { return nil }
                let end = start + Int(bytes[start - 1])
                let values = UnsafeRawBufferPointer(rebasing: bytes[start..<end]).bindMemory(to: Int8.self)
                guard let readings = ScanRecord.Readings(values) else { return nil }
                let payload = AdvertisingPayload(
                    identifier: RollingProximityIdentifier(bytes.loadUnaligned(fromByteOffset: offset, as: Block.self)),
                    metadata: AssociatedEncryptedMetadata(
                        word: bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt32.self)))
                heard.append(ScanRecord.Heard(payload: payload, offset: bytes[offset + 20], readings: readings))
                offset = end
            }
            guard offset == bytes.count else { return nil }
            return ScanRecord(
                start: word(1), previousScan: word(5), profileRevision: half(9), heard: heard, leftOut: half(11))
        }
    }
}
