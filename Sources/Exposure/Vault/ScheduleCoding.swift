// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN

/// The key schedule as bytes, inside a sealed slot only.
///
/// Version (1), which parts are there (1: bit 0 current key, bit 1 address secret), last interval (4, or 0xFFFFFFFF), the number of past
/// keys (2), the address secret (16) or nothing, then keys, the current one first: start (4), period (1), secret (16).
///
/// Version 1, of releases before, had no address secret: addresses were drawn for each identifier.
enum ScheduleCoding {
    private static let version: UInt8 = 2
    private static let versionWithoutAddressSecret: UInt8 = 1
    private static let headerByteCount = 8
    private static let keyByteCount = 21
    private static let noInterval = UInt32.max

    private enum Part {
        static let current: UInt8 = 1
        static let addressSecret: UInt8 = 2
    }

    static func encode(_ schedule: TEKSchedule) -> SecretBytes {
        let past = schedule.past
        let keys = (schedule.current.map { [$0] } ?? []) + past
        let address = schedule.addressSecret
        let keysStart = headerByteCount + (address?.count ?? 0)
        return SecretBytes(count: keysStart + keys.count * keyByteCount) { buffer in
            buffer[0] = version
            buffer[1] = (schedule.current == nil ? 0 : Part.current) | (address == nil ? 0 : Part.addressSecret)
            buffer.storeBytes(
                of: (schedule.lastInterval?.number ?? noInterval).littleEndian, toByteOffset: 2, as: UInt32.self)
            buffer.storeBytes(of: UInt16(past.count).littleEndian, toByteOffset: 6, as: UInt16.self)
            address?.withBytes {
                UnsafeMutableRawBufferPointer(rebasing: buffer[headerByteCount..<keysStart]).copyMemory(from: $0)
            }
            for (index, key) in keys.enumerated() {
                let start = keysStart + index * keyByteCount
                buffer.storeBytes(of: key.rollingStart.number.littleEndian, toByteOffset: start, as: UInt32.self)
                buffer[start + 4] = UInt8(key.rollingPeriod)
                key.secret.withBytes {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[(start + 5)..<(start + keyByteCount)]).copyMemory(
                        from: $0)
                }
            }
        }
    }

    /// `nil` for anything ``encode(_:)`` cannot have made.
    static func decode(_ message: SecretBytes) -> TEKSchedule? {
        message.withBytes { bytes -> TEKSchedule? in
            guard bytes.count >= headerByteCount, bytes[0] == version || bytes[0] == versionWithoutAddressSecret
            else { return nil }
            let known = bytes[0] == version ? Part.current | Part.addressSecret : Part.current
            guard bytes[1] & ~known == 0 else { return nil }
            let last = Little.read(UInt32.self, bytes[2..<6])
            let pastCount = Int(Little.read(UInt16.self, bytes[6..<8]))
            let hasCurrent = bytes[1] & Part.current != 0
            let count = pastCount + (hasCurrent ? 1 : 0)
            let hasAddress = bytes[1] & Part.addressSecret != 0
            let keysStart = headerByteCount + (hasAddress ? TEKSchedule.addressSecretByteCount : 0)
            guard bytes.count == keysStart + count * keyByteCount else { return nil }
            let address =
                hasAddress
                ? SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[headerByteCount..<keysStart])) : nil
            var keys: [TemporaryExposureKey] = []
            for index in 0..<count {
                let start = keysStart + index * keyByteCount
                let secret = SecretBytes(count: TemporaryExposureKey.byteCount) {
                    $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[(start + 5)..<(start + keyByteCount)]))
                }
                guard
                    let key = TemporaryExposureKey(
                        secret: secret, rollingStart: ENIN(Little.read(UInt32.self, bytes[start..<(start + 4)])),
                        rollingPeriod: UInt32(bytes[start + 4]))
                else { return nil }
                keys.append(key)
            }
            return TEKSchedule(
                current: hasCurrent ? keys.first : nil, lastInterval: last == noInterval ? nil : ENIN(last),
                addressSecret: address,
                past: Array(keys.dropFirst(hasCurrent ? 1 : 0)))
        }
    }
}
