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

    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    public var number: Double? { if case .number(let value) = self { value } else { nil } }
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var list: [ConfigValue] { if case .list(let values) = self { values } else { [] } }
    public var map: [Int64: ConfigValue] { if case .map(let values) = self { values } else { [:] } }
}
