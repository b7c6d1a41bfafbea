// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The data keys of the days, in the order the days began. Kept in a sealed slot file; a day that is not in it cannot be read.
struct DayKeys {
    static let fileName = "days.keys"
    private static let version: UInt8 = 1
    private static let entryByteCount = 4 + SealedBox.keyByteCount
    /// Days at most. 14 and the present are right; clocks that jump about make more.
    static let maximumDays = 100

    private(set) var entries: [(day: UInt32, key: SecretBytes)] = []

    func key(_ day: UInt32) -> SecretBytes? { entries.first { $0.day == day }?.key }

    /// Adds a day; gives the day that had to go for it: the one of which the least is kept by `byteCount`, of several the one that began last.
    ///
    /// Not the one that began first: who has the network's time leap from day to day would have a fortnight of encounters given up for days on which
    /// nobody was met. A day that lasts as long as a day costs the liar a day.
    mutating func add(_ day: UInt32, _ key: SecretBytes, byteCount: (UInt32) -> Int) -> UInt32? {
        defer { entries.append((day, key)) }
        guard entries.count >= Self.maximumDays else { return nil }
        let sizes = entries.map { byteCount($0.day) }
        guard let least = sizes.min(), let index = sizes.lastIndex(of: least) else { return nil }
        return entries.remove(at: index).day
    }

    mutating func remove(where isGone: (UInt32) -> Bool) { entries.removeAll { isGone($0.day) } }

    func encode() -> SecretBytes {
        SecretBytes(count: 1 + entries.count * Self.entryByteCount) { buffer in
            buffer[0] = Self.version
            for (index, entry) in entries.enumerated() {
                let start = 1 + index * Self.entryByteCount
                buffer.storeBytes(of: entry.day.littleEndian, toByteOffset: start, as: UInt32.self)
                entry.key.withBytes {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[(start + 4)..<(start + Self.entryByteCount)])
                        .copyMemory(from: $0)
                }
            }
        }
    }

    init() {}

    init?(_ message: SecretBytes) {
        let decoded = message.withBytes { bytes -> [(day: UInt32, key: SecretBytes)]? in
            guard let first = bytes.first, first == Self.version, (bytes.count - 1).isMultiple(of: Self.entryByteCount)
            else {
                return nil
            }
            return stride(from: 1, to: bytes.count, by: Self.entryByteCount).map { start in
                let key = SecretBytes(count: SealedBox.keyByteCount) {
                    $0.copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: bytes[(start + 4)..<(start + Self.entryByteCount)]))
                }
                return (Little.read(UInt32.self, bytes[start..<(start + 4)]), key)
            }
        }
        guard let decoded, decoded.count <= Self.maximumDays, Set(decoded.map(\.day)).count == decoded.count else {
            return nil
        }
        entries = decoded
    }
}
