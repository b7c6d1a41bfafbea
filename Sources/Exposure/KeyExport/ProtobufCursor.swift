// SPDX-License-Identifier: Apache-2.0

/// Reads protobuf wire format from memory somebody else owns. Every read is bounds-checked and gives `nil` at the end.
///
/// The hot path of key files (millions of small messages) is read with this by hand; see DESIGN, dependencies.
package struct ProtobufCursor {
    private let base: UnsafeRawBufferPointer
    /// Bytes that were taken; 0 to the number there are.
    package private(set) var position: Int

    /// A cursor at the beginning; the memory must outlive it.
    package init(_ bytes: UnsafeRawBufferPointer) {
        base = bytes
        position = 0
    }

    /// Whether everything was taken.
    package var isAtEnd: Bool { position == base.count }
    /// Bytes that are left.
    package var remaining: Int { base.count - position }

    /// How a field's value is written (protobuf encoding, "message structure"); groups are not read.
    package enum WireType: UInt8 {
        case varint = 0
        case fixed64 = 1
        case bytes = 2
        case fixed32 = 5
    }

    /// A varint of at most ten bytes; bits beyond the 64th must be zero.
    @inline(__always)
    package mutating func varint() -> UInt64? {
        guard position < base.count else { return nil }
        let first = base[position]
        if first < 0x80 {
            position += 1
            return UInt64(first)
        }
        return longVarint()
    }

    private mutating func longVarint() -> UInt64? {
        var value: UInt64 = 0
        var index = position
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard index < base.count else { return nil }
            let byte = base[index]
            index += 1
            if shift == 63, byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                position = index
                return value
            }
        }
        return nil
    }

    /// Field number and wire type; `nil` for groups, reserved types, field 0 and numbers beyond 2^29.
    @inline(__always)
    package mutating func tag() -> (field: UInt32, type: WireType)? {
        guard let raw = varint(), let type = WireType(rawValue: UInt8(raw & 7)) else { return nil }
        let field = raw >> 3
        guard field > 0, field < 1 << 29 else { return nil }
        return (UInt32(field), type)
    }

    /// Eight bytes, little-endian; `nil` when there are fewer.
    package mutating func fixed64() -> UInt64? {
        guard remaining >= 8 else { return nil }
        defer { position += 8 }
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    package mutating func fixed32() -> UInt32? {
        guard remaining >= 4 else { return nil }
        defer { position += 4 }
        return UInt32(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    }

    /// A length-delimited field.
    @inline(__always)
    package mutating func bytes() -> UnsafeRawBufferPointer? {
        guard let length = varint(), length <= UInt64(remaining) else { return nil }
        defer { position += Int(length) }
        return UnsafeRawBufferPointer(rebasing: base[position..<(position + Int(length))])
    }

    /// The text of a length-delimited field; `nil` also when it is not UTF-8.
    package mutating func string() -> String? {
        guard let bytes = bytes() else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Steps over the value of an unknown field; false when it is cut off or malformed.
    package mutating func skip(_ type: WireType) -> Bool {
        switch type {
        case .varint: return varint() != nil
        case .fixed64: return advance(8)
        case .bytes: return bytes() != nil
        case .fixed32: return advance(4)
        }
    }

    private mutating func advance(_ count: Int) -> Bool {
        guard remaining >= count else { return false }
        position += count
        return true
    }
}
