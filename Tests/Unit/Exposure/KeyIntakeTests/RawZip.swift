// SPDX-License-Identifier: Apache-2.0

/// Builds archives that no library would: stored entries, and a directory that may claim anything.
struct RawZip {
    struct Entry {
        var name: String
        var content: [UInt8]
        var claimedSize: UInt32?
        /// Position of the entry it pretends to be, instead of its own.
        var claimedOffset: UInt32?

        init(_ name: String, _ content: [UInt8], claimedSize: UInt32? = nil, claimedOffset: UInt32? = nil) {
            self.name = name
            self.content = content
            self.claimedSize = claimedSize
            self.claimedOffset = claimedOffset
        }
    }

    var entries: [Entry]

    var bytes: [UInt8] {
        var data: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let name = Array(entry.name.utf8)
            let packed = Self.little(UInt32(entry.content.count))
            let common =
                [0, 0, 0, 0, 0, 0, 0x21, 0x50] + Self.little(Self.checksum(entry.content)) + packed
                + (entry.claimedSize.map { Self.little($0) } ?? packed) + Self.little(UInt16(name.count)) + [0, 0]
            directory +=
                [0x50, 0x4b, 1, 2, 20, 0, 20, 0] + common + [UInt8](repeating: 0, count: 10)
                + Self.little(entry.claimedOffset ?? UInt32(data.count)) + name
            data += [0x50, 0x4b, 3, 4, 20, 0] + common + name + entry.content
        }
        let count = Self.little(UInt16(truncatingIfNeeded: entries.count))
        return data + directory + [0x50, 0x4b, 5, 6, 0, 0, 0, 0] + count + count + Self.little(UInt32(directory.count))
            + Self.little(UInt32(data.count)) + [0, 0]
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { crc, byte in crc >> 8 ^ table[Int((crc ^ UInt32(byte)) & 0xff)] }
    }
}
