// SPDX-License-Identifier: Apache-2.0

import KeyExport

/// Reads a protobuf message by its table in ``ConfigSchema``.
///
/// Unknown fields are ignored. A known field of a wrong type makes the whole message malformed, as for other readers.
package struct ConfigReader {
    // A real configuration has a few hundred elements and five levels.
    private static let maximumElements = 20_000
    private static let maximumDepth = 16
    private var elements = 0

    /// Returns the message in `bytes`, read by the table of the name `message`, without fields that have their
    /// default. Returns `nil` when it is malformed, has a number that is not finite, has no table, or has more than
    /// 20,000 elements or 16 levels (this project's own numbers; a real one has a few hundred and five).
    package static func read(_ bytes: [UInt8], as message: String) -> ConfigValue? {
        var reader = ConfigReader()
        return bytes.withUnsafeBytes { reader.message($0, message, depth: 0).map(ConfigValue.message) }
    }

    private mutating func message(
        _ bytes: UnsafeRawBufferPointer, _ name: String, depth: Int
    ) -> [String: ConfigValue]? {
        guard depth < Self.maximumDepth, let fields = ConfigSchema.messages[name] else { return nil }
        var result: [String: ConfigValue] = [:]
        var cursor = ProtobufCursor(bytes)
        while !cursor.isAtEnd {
            guard let (number, type) = cursor.tag() else { return nil }
            guard let field = fields[number] else {
                guard cursor.skip(type) else { return nil }
                continue
            }
            elements += 1
            guard elements <= Self.maximumElements,
                take(&cursor, type, field.kind, into: &result[field.name], depth: depth)
            else { return nil }
        }
        return result.filter { !$0.value.isDefault }
    }

    /// Reads one occurrence of a field; `false` when malformed.
    private mutating func take(
        _ cursor: inout ProtobufCursor, _ type: ProtobufCursor.WireType, _ kind: ConfigSchema.Kind,
        into value: inout ConfigValue?, depth: Int
    ) -> Bool {
        switch kind {
        case .repeated(let element):
            var list = value?.list ?? []
            if type == .bytes, element.isNumber {
                // Packed: numbers without tags.
                guard let content = cursor.bytes() else { return false }
                var inner = ProtobufCursor(content)
                while !inner.isAtEnd {
                    elements += 1
                    guard elements <= Self.maximumElements,
                        let number = scalar(&inner, element.wireType, element, depth: depth)
                    else { return false }
                    list.append(number)
                }
            } else {
                guard let single = scalar(&cursor, type, element, depth: depth) else { return false }
                list.append(single)
            }
            value = .list(list)
        case .map(let element):
            guard type == .bytes, let content = cursor.bytes(), let entry = mapEntry(content, element, depth: depth) else {
                return false
            }
            var map = value?.map ?? [:]
            map[entry.key] = entry.value
            value = .map(map)
        case .message(let name):
            guard type == .bytes, let content = cursor.bytes(), let fields = message(content, name, depth: depth + 1) else {
                return false
            }
            // Two parts of one message are joined, the later winning.
            if case .message(let earlier)? = value {
                value = .message(earlier.merging(fields) { $1 })
            } else {
                value = .message(fields)
            }
        default:
            guard let single = scalar(&cursor, type, kind, depth: depth) else { return false }
            value = single
        }
        return true
    }

    private mutating func mapEntry(
        _ content: UnsafeRawBufferPointer, _ kind: ConfigSchema.Kind, depth: Int
    ) -> (key: Int64, value: ConfigValue)? {
        var key: Int64 = 0
        var value = kind.zero
        var cursor = ProtobufCursor(content)
        while !cursor.isAtEnd {
            guard let (number, type) = cursor.tag() else { return nil }
            if number == 1 {
                guard type == .varint, let raw = cursor.varint() else { return nil }
                key = Int64(bitPattern: raw)
            } else if number == 2 {
                guard let read = scalar(&cursor, type, kind, depth: depth) else { return nil }
                value = read
            } else if !cursor.skip(type) {
                return nil
            }
        }
        return (key, value)
    }

    private mutating func scalar(
        _ cursor: inout ProtobufCursor, _ type: ProtobufCursor.WireType, _ kind: ConfigSchema.Kind, depth: Int
    ) -> ConfigValue? {
        guard type == kind.wireType else { return nil }
        switch kind {
        case .integer: return cursor.varint().map { .integer(Int64(bitPattern: $0)) }
        case .bool: return cursor.varint().map { .bool($0 != 0) }
        case .double:
            // No rule can be made of what is not a number, or of infinity.
            guard let value = cursor.fixed64().map(Double.init(bitPattern:)), value.isFinite else { return nil }
            return .number(value)
        case .string: return cursor.string().map { .string($0) }
        case .bytes: return cursor.bytes().map { .bytes(Array($0)) }
        case .choice(let names):
            // A number without a name is kept as a number, as the JSON mapping does.
            return cursor.varint().map { raw in
                raw < UInt64(names.count)
                    ? (raw == 0 ? .integer(0) : .string(names[Int(raw)])) : .integer(Int64(bitPattern: raw))
            }
        case .message(let name):
            guard let content = cursor.bytes() else { return nil }
            return message(content, name, depth: depth + 1).map { .message($0) }
        case .map, .repeated: return nil
        }
    }
}

extension ConfigSchema.Kind {
    var wireType: ProtobufCursor.WireType {
        switch self {
        case .integer, .bool, .choice: return .varint
        case .double: return .fixed64
        default: return .bytes
        }
    }

    var isNumber: Bool { wireType != .bytes }

    var zero: ConfigValue {
        switch self {
        case .double: return .number(0)
        default: return .integer(0)
        }
    }
}

extension ConfigValue {
    /// Whether it is what an absent field means.
    fileprivate var isDefault: Bool {
        switch self {
        case .integer(let value): return value == 0
        case .number(let value): return value == 0 && value.sign == .plus
        case .bool(let value): return !value
        case .string(let text): return text.isEmpty
        case .bytes(let bytes): return bytes.isEmpty
        case .list(let values): return values.isEmpty
        case .map(let values): return values.isEmpty
        case .message: return false
        }
    }
}
