// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// What one slot of `ledger.slots` holds: the data keys of the ledger, newest first. Two only while one is being replaced.
///
/// Version (1), number of keys (1), keys (32 each).
enum LedgerKeySlot {
    static let fileName = "ledger.slots"
    private static let version: UInt8 = 1
    static let maximumCount = 2

    /// `keys` must be one or two of 32 bytes.
    static func encode(_ keys: [SecretBytes]) -> SecretBytes {
        SecretBytes(count: 2 + keys.count * SealedBox.keyByteCount) { buffer in
            buffer[0] = version
            buffer[1] = UInt8(keys.count)
            for (index, key) in keys.enumerated() {
                let start = 2 + index * SealedBox.keyByteCount
                key.withBytes {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + SealedBox.keyByteCount)])
                        .copyMemory(from: $0)
                }
            }
        }
    }

    /// `nil` for anything ``encode(_:)`` cannot have made.
    static func decode(_ message: SecretBytes) -> [SecretBytes]? {
        message.withBytes { bytes -> [SecretBytes]? in
            guard bytes.count >= 2, bytes[0] == version, (1...maximumCount).contains(Int(bytes[1])),
                bytes.count == 2 + Int(bytes[1]) * SealedBox.keyByteCount
            else { return nil }
            return stride(from: 2, to: bytes.count, by: SealedBox.keyByteCount).map { start in
                SecretBytes(
                    copying: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + SealedBox.keyByteCount)]))
            }
        }
    }
}
