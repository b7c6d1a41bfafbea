// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A JSON value of any form, as vectors need it: nothing is refused except what is not JSON.
package enum VectorValue: Decodable, Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([VectorValue])
    case object([String: VectorValue])

    /// Decodes the first of these that fits: null, Boolean, 64-bit integer, number, text, list, object. Throws what the
    /// decoder throws.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([VectorValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: VectorValue].self))
        }
    }

    /// Reads the JSON file at `path`. Throws when it cannot be read or is not JSON.
    package init(contentsOf path: String) throws {
        self = try JSONDecoder().decode(VectorValue.self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// Returns the member of an object, or `null` if there is none, so that a vector without it fails where the value is
    /// used.
    package subscript(key: String) -> VectorValue {
        guard case .object(let members) = self else { return .null }
        return members[key] ?? .null
    }

    /// Returns the element of a list, or `null` if there is none.
    package subscript(index: Int) -> VectorValue { array.indices.contains(index) ? array[index] : .null }

    /// Whether the value is `null`, which also stands for a missing member.
    package var isNull: Bool { self == .null }
    /// The elements of a list; empty for any other value.
    package var array: [VectorValue] { if case .array(let values) = self { values } else { [] } }
    /// The members of an object; empty for any other value.
    package var object: [String: VectorValue] { if case .object(let members) = self { members } else { [:] } }
    /// The text; `nil` for any other value.
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The Boolean; `nil` for any other value, numbers included.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The whole number, even if it is written with a decimal point; `nil` for any other value.
    package var int: Int? {
        switch self {
        case .integer(let value): return Int(value)
        case .number(let value): return Int(exactly: value)
        default: return nil
        }
    }
    /// The number, rounded if an integer is too large to be represented exactly; `nil` for any other value.
    package var double: Double? {
        switch self {
        case .integer(let value): return Double(value)
        case .number(let value): return value
        default: return nil
        }
    }
}

extension VectorValue: Encodable {
    /// Encodes the same JSON value. Throws what the encoder throws.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
