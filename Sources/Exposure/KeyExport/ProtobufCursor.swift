// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// Reads the protobuf wire format from memory that the caller owns. Every read checks the bounds and returns `nil`
/// when too few bytes are left or they are malformed; ``position`` may then have moved, so the message must be
/// given up.
///
/// The frequent part of key files (millions of small messages) is read with this by hand; see DESIGN, dependencies.
package struct ProtobufCursor {
    private let base: UnsafeRawBufferPointer
    /// The number of bytes that were read, 0 up to the length of the memory.
    package private(set) var position: Int

    /// Creates a cursor at the beginning of `bytes`; the memory must outlive it.
    package init(_ bytes: UnsafeRawBufferPointer) {
        base = bytes
        position = 0
    }

    /// Whether all bytes were read.
    package var isAtEnd: Bool { position == base.count }
    /// The number of bytes that are left, 0 or more.
    package var remaining: Int { base.count - position }

    /// The encoding of a field's value (protobuf encoding, "message structure"), without groups, which are not
    /// supported.
    package enum WireType: UInt8 {
        case varint = 0
        case fixed64 = 1
        case bytes = 2
        case fixed32 = 5
    }

    /// Reads a varint of at most ten bytes; returns `nil` when it is cut off or has bits beyond the 64th.
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

    /// Reads a field number and a wire type; returns `nil` at the end of the memory, and for groups, reserved
    /// types, field 0, and numbers of 2^29 and above.
    @inline(__always)
    package mutating func tag() -> (field: UInt32, type: WireType)? {
        guard let raw = varint(), let type = WireType(rawValue: UInt8(raw & 7)) else { return nil }
        let field = raw >> 3
        guard field > 0, field < 1 << 29 else { return nil }
        return (UInt32(field), type)
    }

    /// Reads eight bytes, little-endian; returns `nil` when fewer are left.
    package mutating func fixed64() -> UInt64? {
        guard remaining >= 8 else { return nil }
        defer { position += 8 }
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// Reads four bytes, little-endian; returns `nil` when fewer are left.
    package mutating func fixed32() -> UInt32? {
        guard remaining >= 4 else { return nil }
        defer { position += 4 }
        return UInt32(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    }

    /// Reads a length-delimited field and returns its bytes, which stay in the memory of the cursor; `nil` when it is
    /// cut off.
    @inline(__always)
    package mutating func bytes() -> UnsafeRawBufferPointer? {
        guard let length = varint(), length <= UInt64(remaining) else { return nil }
        defer { position += Int(length) }
        return UnsafeRawBufferPointer(rebasing: base[position..<(position + Int(length))])
    }

    /// Reads the text of a length-delimited field; returns `nil` when it is cut off or no text (`StreamSafe`).
    package mutating func string() -> String? {
        guard let bytes = bytes() else { return nil }
        return StreamSafe.decode(bytes)
    }

    /// Skips the value of an unknown field; returns `false` when it is cut off or malformed.
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
