// SPDX-License-Identifier: Apache-2.0

/// Writes the few kinds of protobuf fields that key files and configurations have. It writes every value it is
/// given; the caller leaves out defaults. In all functions `field` is the number of the field, 1 to 2^29 - 1, which
/// is not checked.
package struct ProtobufWriter {
    /// The bytes of the message that were written so far.
    package var bytes: [UInt8] = []

    /// Creates a writer that has written nothing.
    package init() {}

    /// Writes a number without a tag, one to ten bytes.
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func tag(_ field: Int, _ type: ProtobufCursor.WireType) {
        varint(UInt64(field) << 3 | UInt64(type.rawValue))
    }

    /// Writes a field of type fixed64.
    package mutating func fixed64(_ field: Int, _ value: UInt64) {
        tag(field, .fixed64)
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    /// Writes a field of type fixed32.
    package mutating func fixed32(_ field: Int, _ value: UInt32) {
        tag(field, .fixed32)
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    /// Writes a field of type int32; negative numbers take ten bytes.
    package mutating func int32(_ field: Int, _ value: Int32) {
        tag(field, .varint)
        varint(UInt64(bitPattern: Int64(value)))
    }

    /// Writes a field of type sint32.
    package mutating func sint32(_ field: Int, _ value: Int32) {
        tag(field, .varint)
        varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
    }

    /// Writes a field of type int64 (by its bit pattern), uint32, uint64, bool or enum.
    package mutating func number(_ field: Int, _ value: UInt64) {
        tag(field, .varint)
        varint(value)
    }

    /// Writes a field of type double.
    package mutating func double(_ field: Int, _ value: Double) { fixed64(field, value.bitPattern) }

    /// Writes a field of type bytes.
    package mutating func data(_ field: Int, _ value: some Collection<UInt8>) {
        tag(field, .bytes)
        varint(UInt64(value.count))
        bytes += value
    }

    /// Writes a field of type string.
    package mutating func text(_ field: Int, _ value: String) { data(field, Array(value.utf8)) }

    /// Writes a field that is a message, whose content `body` writes.
    package mutating func message(_ field: Int, _ body: (inout ProtobufWriter) -> Void) {
        // Messages here are short; writing them apart and copying is simpler than patching lengths.
        var inner = ProtobufWriter()
        body(&inner)
        data(field, inner.bytes)
    }
}
