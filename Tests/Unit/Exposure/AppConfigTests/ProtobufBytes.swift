// SPDX-License-Identifier: Apache-2.0

/// Writes the few protobuf elements the tests need.
indirect enum ProtobufBytes {
    case number(Int64)
    case double(Double)
    case text(String)
    case bytes([UInt8])
    case packed([Int64])
    case message([(Int, ProtobufBytes)])

    /// The content without tag and length.
    var bytes: [UInt8] {
        switch self {
        case .number(let value): return Self.varint(UInt64(bitPattern: value))
        case .double(let value): return (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt64($0))) }
        case .text(let text): return Array(text.utf8)
        case .bytes(let bytes): return bytes
        case .packed(let numbers): return numbers.flatMap { Self.varint(UInt64(bitPattern: $0)) }
        case .message(let fields): return fields.flatMap { Self.field($0, $1) }
        }
    }

    private static func field(_ number: Int, _ value: ProtobufBytes) -> [UInt8] {
        let content = value.bytes
        switch value {
        case .number: return varint(UInt64(number << 3)) + content
        case .double: return varint(UInt64(number << 3 | 1)) + content
        default: return varint(UInt64(number << 3 | 2)) + varint(UInt64(content.count)) + content
        }
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }
}
