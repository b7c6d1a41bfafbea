// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A JSON value whose shape the vectors decide, not we: nothing is refused but what is no JSON.
package enum VectorValue: Decodable, Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([VectorValue])
    case object([String: VectorValue])

    /// Takes the first of null, Bool, whole number of 64 bits, number, text, list and object that fits. Throws what the decoder throws.
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

    /// Reads the JSON file at `path`. Throws when it cannot be read or is no JSON.
    package init(contentsOf path: String) throws {
        self = try JSONDecoder().decode(VectorValue.self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// The member of an object; `null` when there is none, so that a vector that lacks one fails where the value is used.
    package subscript(key: String) -> VectorValue {
        guard case .object(let members) = self else { return .null }
        return members[key] ?? .null
    }

    /// The element, or `null` when there is none.
    package subscript(index: Int) -> VectorValue { array.indices.contains(index) ? array[index] : .null }

    /// Whether it is `null`, which also stands for a member that is not there.
    package var isNull: Bool { self == .null }
    /// The elements of a list; none for anything else.
    package var array: [VectorValue] { if case .array(let values) = self { values } else { [] } }
    /// The members of an object; none for anything else.
    package var object: [String: VectorValue] { if case .object(let members) = self { members } else { [:] } }
    /// The text; `nil` for anything else.
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The truth value; `nil` for anything else, numbers included.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The whole number, also where it is written with a point; `nil` for anything else.
    package var int: Int? {
        switch self {
        case .integer(let value): return Int(value)
        case .number(let value): return Int(exactly: value)
        default: return nil
        }
    }
    /// The number, rounded where a whole one is too large for it; `nil` for anything else.
    package var double: Double? {
        switch self {
        case .integer(let value): return Double(value)
        case .number(let value): return value
        default: return nil
        }
    }
}

extension VectorValue: Encodable {
    /// Writes the same JSON value. Throws what the encoder throws.
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
