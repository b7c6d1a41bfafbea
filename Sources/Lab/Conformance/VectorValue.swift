// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A JSON value whose shape the vectors decide, not we.
package enum VectorValue: Decodable, Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([VectorValue])
    case object([String: VectorValue])

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

    package init(contentsOf path: String) throws {
        self = try JSONDecoder().decode(VectorValue.self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// The member, or `null` when there is none: a vector that lacks a member fails where the value is used.
    package subscript(key: String) -> VectorValue {
        guard case .object(let members) = self else { return .null }
        return members[key] ?? .null
    }

    package subscript(index: Int) -> VectorValue { array.indices.contains(index) ? array[index] : .null }

    package var isNull: Bool { self == .null }
    package var array: [VectorValue] { if case .array(let values) = self { values } else { [] } }
    package var object: [String: VectorValue] { if case .object(let members) = self { members } else { [:] } }
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var int: Int? {
        switch self {
        case .integer(let value): return Int(value)
        case .number(let value): return Int(exactly: value)
        default: return nil
        }
    }
    package var double: Double? {
        switch self {
        case .integer(let value): return Double(value)
        case .number(let value): return value
        default: return nil
        }
    }
}

extension VectorValue: Encodable {
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
