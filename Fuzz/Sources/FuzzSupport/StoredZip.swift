// SPDX-License-Identifier: Apache-2.0

/// Zip archives whose entries are stored as they are: made, and mended after a mutation.
///
/// A mutated archive hardly ever gets past its checksums and offsets. Mending them lets the fuzzer reach what is behind.
public enum StoredZip {
    /// An archive of these entries, in this order.
    public static func archive(_ entries: [(name: String, content: [UInt8])]) -> [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            bytes += localHeader + [20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x50] + zeros(12)
            bytes += little(entry.name.utf8.count) + zeros(2) + Array(entry.name.utf8) + entry.content
        }
        for entry in entries {
            bytes += centralHeader + [20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x50] + zeros(12)
            bytes += little(entry.name.utf8.count) + zeros(16) + Array(entry.name.utf8)
        }
        bytes += endRecord + zeros(4) + little(entries.count) + little(entries.count) + zeros(10)
        bytes.withUnsafeMutableBufferPointer { mend($0) }
        return bytes
    }

    /// Rewrites sizes, checksums and offsets so that they fit what lies between the headers. Deflated entries get offsets
    /// only. Whatever is not found is left alone: the result need not be an archive.
    public static func mend(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
        let locals = positions(of: localHeader, in: bytes)
        let centrals = positions(of: centralHeader, in: bytes)
        guard let directory = centrals.first, let end = positions(of: endRecord, in: bytes).last, end > directory
        else { return }
        for (index, (local, central)) in zip(locals, centrals).enumerated() {
            guard local + 30 <= directory, central + 46 <= end else { return }
            write32(UInt32(local), bytes, central + 42)
            let next = index + 1 < locals.count ? min(locals[index + 1], directory) : directory
            let start = local + 30 + read16(bytes, local + 26) + read16(bytes, local + 28)
            guard read16(bytes, central + 10) == 0, start <= next else { continue }
            let size = UInt32(next - start)
            let checksum = crc32(bytes[start..<next])
            for (header, offset) in [(local, 14), (central, 16)] {
                write32(checksum, bytes, header + offset)
                write32(size, bytes, header + offset + 4)
                write32(size, bytes, header + offset + 8)
            }
        }
        guard end + 22 <= bytes.count else { return }
        write32(UInt32(end - directory), bytes, end + 12)
        write32(UInt32(directory), bytes, end + 16)
    }

    // Signatures of APPNOTE.TXT 4.3.7, 4.3.12 and 4.3.16.
    private static let localHeader: [UInt8] = [0x50, 0x4B, 3, 4]
    private static let centralHeader: [UInt8] = [0x50, 0x4B, 1, 2]
    private static let endRecord: [UInt8] = [0x50, 0x4B, 5, 6]

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    private static func little(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8 & 255)] }

    private static func positions(of mark: [UInt8], in bytes: UnsafeMutableBufferPointer<UInt8>) -> [Int] {
        guard bytes.count >= mark.count else { return [] }
        return (0...(bytes.count - mark.count)).filter { bytes[$0] == mark[0] && bytes[$0...].starts(with: mark) }
    }

    private static func read16(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ offset: Int) -> Int {
        Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }

    private static func write32(_ value: UInt32, _ bytes: UnsafeMutableBufferPointer<UInt8>, _ offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
    }

    private static let crcTable: [UInt32] = (0..<256).map { start in
        (0..<8).reduce(UInt32(start)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    private static func crc32(_ bytes: some Collection<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { crcTable[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
    }
}
