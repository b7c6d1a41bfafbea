// SPDX-License-Identifier: Apache-2.0

/// Builds archives that no library would: stored entries with whatever the directory is made to claim.
struct RawZip {
    struct Entry {
        var name: String
        var content: [UInt8]
        var method: UInt16 = 0
        var flags: UInt16 = 0
        var claimedSize: UInt32?
        var claimedPackedSize: UInt32?
        var claimedCRC: UInt32?
    }

    var entries: [Entry]

    var bytes: [UInt8] {
        var data: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let size = entry.claimedSize ?? UInt32(entry.content.count)
            let packed = entry.claimedPackedSize ?? UInt32(entry.content.count)
            let crc = entry.claimedCRC ?? Self.crc32(entry.content)
            let name = Array(entry.name.utf8)
            let common =
                Self.little(entry.flags) + Self.little(entry.method) + [0, 0, 0x21, 0x50] + Self.little(crc)
                + Self.little(packed) + Self.little(size) + Self.little(UInt16(name.count)) + [0, 0]
            directory +=
                [0x50, 0x4b, 1, 2, 20, 0, 20, 0] + common + [UInt8](repeating: 0, count: 10)
                + Self.little(UInt32(data.count)) + name
            data += [0x50, 0x4b, 3, 4, 20, 0] + common + name + entry.content
        }
        let count = Self.little(UInt16(entries.count))
        return data + directory + [0x50, 0x4b, 5, 6, 0, 0, 0, 0] + count + count + Self.little(UInt32(directory.count))
            + Self.little(UInt32(data.count)) + [0, 0]
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
