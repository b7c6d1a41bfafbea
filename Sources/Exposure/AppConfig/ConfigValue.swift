// SPDX-License-Identifier: Apache-2.0

/// The content of a configuration message, in the shape of protobuf's JSON mapping: fields that carry their default are
/// absent.
public indirect enum ConfigValue: Sendable, Hashable {
    /// A whole number with its sign; also the value of an enumeration whose number has no name.
    case integer(Int64)
    /// A floating-point number; always finite in a message that was read.
    case number(Double)
    /// A truth value.
    case bool(Bool)
    /// A text, or the name of an enumeration's value.
    case string(String)
    /// Bytes, of any length.
    case bytes([UInt8])
    /// A repeated field: values in the order of the message.
    case list([ConfigValue])
    /// A message: values by the names of their fields; absent fields are not in it.
    case message([String: ConfigValue])
    /// A map; keys are numbers in every map of the Corona-Warn-App.
    case map([Int64: ConfigValue])

    /// The field of a message by its name; `nil` when it is absent or has its default, and when this is no message.
    public subscript(name: String) -> ConfigValue? {
        if case .message(let fields) = self { fields[name] } else { nil }
    }

    /// The whole number; `nil` for any other kind.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The floating-point number, finite in a message that was read; `nil` for any other kind, an integer too.
    public var number: Double? { if case .number(let value) = self { value } else { nil } }
    /// The text, or the name of an enumeration's value; `nil` for any other kind. Foreign text, of any length and with
    /// any characters.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements of a list; empty for any other kind.
    public var list: [ConfigValue] { if case .list(let values) = self { values } else { [] } }
    /// The values of a map by their keys; empty for any other kind.
    public var map: [Int64: ConfigValue] { if case .map(let values) = self { values } else { [:] } }
}
