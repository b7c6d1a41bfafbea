// SPDX-License-Identifier: Apache-2.0

/// Writes the contents of rows: little-endian integers, strings and byte strings with a length before them.
struct LedgerWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }

    /// `value` must be shorter than 65,536 bytes.
    mutating func write(_ value: String) { write(counted: Array(value.utf8)) }

    /// `value` must be shorter than 65,536 bytes.
    mutating func write(counted value: [UInt8]) {
        write(UInt16(clamping: value.count))
        bytes += value.prefix(Int(UInt16.max))
    }

    mutating func write(raw value: [UInt8]) { bytes += value }
}

/// Reads what ``LedgerWriter`` wrote; `nil` when there is not enough.
struct LedgerReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value? {
        guard let part = raw(MemoryLayout<Value>.size) else { return nil }
        return part.withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(as: Value.self)) }
    }

    mutating func raw(_ count: Int) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func counted() -> [UInt8]? {
        guard let count = integer(UInt16.self) else { return nil }
        return raw(Int(count))
    }

    mutating func string() -> String? {
        guard let bytes = counted(), let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return text
    }
}
