// SPDX-License-Identifier: Apache-2.0

/// Reads little-endian fields one after the other. Every read is bounds-checked and refuses at the end, saying where.
struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Bytes read so far.
    var offset: UInt64 { UInt64(index - bytes.startIndex) }
    var remaining: Int { bytes.endIndex - index }

    mutating func bytes(_ count: Int) throws(HCIError) -> ArraySlice<UInt8> {
        guard count <= remaining else {
            throw HCIError(.truncated, at: offset, "\(count) bytes wanted, \(remaining) left")
        }
        defer { index += count }
        return bytes[index..<(index + count)]
    }

    mutating func uint8() throws(HCIError) -> UInt8 {
        guard index < bytes.endIndex else { throw HCIError(.truncated, at: offset, "1 byte wanted, none left") }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func int8() throws(HCIError) -> Int8 { Int8(bitPattern: try uint8()) }

    mutating func uint16() throws(HCIError) -> UInt16 { UInt16(truncatingIfNeeded: try integer(ofBytes: 2)) }

    mutating func uint64() throws(HCIError) -> UInt64 { try integer(ofBytes: 8) }

    mutating func address(_ type: AddressType) throws(HCIError) -> BluetoothAddress {
        BluetoothAddress(value: try integer(ofBytes: 6), type: type)
    }

    private mutating func integer(ofBytes count: Int) throws(HCIError) -> UInt64 {
        try bytes(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension [UInt8] {
    mutating func append(littleEndian value: UInt64, byteCount: Int) {
        for index in 0..<byteCount { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }

    mutating func append(littleEndian value: UInt16) { append(littleEndian: UInt64(value), byteCount: 2) }
}
