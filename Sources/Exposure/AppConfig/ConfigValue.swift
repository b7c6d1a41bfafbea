// SPDX-License-Identifier: Apache-2.0

/// What a configuration message says, in the shape of protobuf's JSON mapping: fields that carry their default are absent.
public indirect enum ConfigValue: Sendable, Hashable {
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    case string(String)
    case bytes([UInt8])
    case list([ConfigValue])
    case message([String: ConfigValue])
    /// Keys are numbers in every map of the Corona-Warn-App.
    case map([Int64: ConfigValue])

    /// The field of a message; `nil` when it is absent or this is no message.
    public subscript(name: String) -> ConfigValue? {
        if case .message(let fields) = self { fields[name] } else { nil }
    }

    /// `nil` unless it is an integer.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// `nil` unless it is a floating-point number; always finite. An integer is none.
    public var number: Double? { if case .number(let value) = self { value } else { nil } }
    /// `nil` unless it is text. Foreign text, of any length and with any characters.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// Empty unless it is a list.
    public var list: [ConfigValue] { if case .list(let values) = self { values } else { [] } }
    /// Empty unless it is a map.
    public var map: [Int64: ConfigValue] { if case .map(let values) = self { values } else { [:] } }
}
