// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// The value of one field of a protobuf message, for messages that are short enough to be read field by field.
package enum ProtobufValue {
    /// A value of type int32, int64, uint32, uint64, bool or enum.
    case number(UInt64)
    /// A value of type fixed32, sfixed32 or float, by its bits.
    case fixed32(UInt32)
    /// A value of type fixed64, sfixed64 or double, by its bits.
    case fixed64(UInt64)
    /// A text, bytes, a message or a packed list; valid only as long as the memory of the message.
    case bytes(UnsafeRawBufferPointer)

    /// The number of a varint, without sign extension or zigzag undone; `nil` when the value is of another type.
    package var number: UInt64? { if case .number(let value) = self { value } else { nil } }
    /// The bits of a 32-bit value; `nil` when it is of another type.
    package var fixed32: UInt32? { if case .fixed32(let value) = self { value } else { nil } }
    /// The bits of a 64-bit value; `nil` when it is of another type.
    package var fixed64: UInt64? { if case .fixed64(let value) = self { value } else { nil } }
    /// The bytes, in the memory of the message; `nil` when the value is of another type.
    package var buffer: UnsafeRawBufferPointer? { if case .bytes(let value) = self { value } else { nil } }
    /// A copy of the bytes; `nil` when the value is of another type.
    package var bytes: [UInt8]? { buffer.map { Array($0) } }
    /// The value as text; `nil` when it is of another type or no text (`StreamSafe`).
    package var text: String? { buffer.flatMap { StreamSafe.decode($0) } }
    /// The value as a number of 32 bits, without the bits of a longer number, as everywhere in protobuf; `nil` when
    /// it is of another type.
    package var uint32: UInt32? { number.map { UInt32(truncatingIfNeeded: $0) } }
}

extension ProtobufCursor {
    /// Calls `body` with each field of a message, in order. Returns `false` when the message is malformed or `body`
    /// returned `false`. `body` should return `false` for a known field of another type, and `true` for unknown
    /// fields.
    package static func forEachField(
        of message: UnsafeRawBufferPointer, _ body: (_ field: UInt32, _ value: ProtobufValue) -> Bool
    ) -> Bool {
        var cursor = ProtobufCursor(message)
        while !cursor.isAtEnd {
            guard let (field, type) = cursor.tag() else { return false }
            let value: ProtobufValue? =
                switch type {
                case .varint: cursor.varint().map { .number($0) }
                case .fixed32: cursor.fixed32().map { .fixed32($0) }
                case .fixed64: cursor.fixed64().map { .fixed64($0) }
                case .bytes: cursor.bytes().map { .bytes($0) }
                }
            guard let value, body(field, value) else { return false }
        }
        return true
    }
}

/// Stores `value` in `target` and returns `true`; leaves `target` unchanged and returns `false` if `value` is
/// `nil`. For the closure of ``ProtobufCursor/forEachField(of:_:)``.
package func store<Value>(_ value: Value?, in target: inout Value) -> Bool {
    guard let value else { return false }
    target = value
    return true
}
