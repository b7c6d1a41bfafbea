// SPDX-License-Identifier: Apache-2.0

/// A value that must not appear in a log: wherever it is printed, `(private)` is printed instead.
public struct Redacted<Value>: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value itself, to work with; code that takes it out must not print it.
    public var value: Value

    /// Wraps a value, so that printing shows `(private)` until the value is taken out. Cannot fail.
    public init(_ value: Value) { self.value = value }

    /// The text `(private)`, whatever the value is.
    public var description: String { "(private)" }
    /// The text `(private)`, whatever the value is; debuggers show it, too.
    public var debugDescription: String { "(private)" }
    /// A mirror without children, because `dump` and debuggers read values through mirrors.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Redacted: Sendable where Value: Sendable {}
extension Redacted: Equatable where Value: Equatable {}
extension Redacted: Hashable where Value: Hashable {}

extension Redacted: Decodable where Value: Decodable {
    /// Decodes the value alone, without a wrapper, for settings that are secrets. Throws the errors of the value's own
    /// type.
    public init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

extension DefaultStringInterpolation {
    /// Appends `(private)` instead of `value`: `"sent to \(private: host)"` becomes `sent to (private)`. Cannot fail.
    public mutating func appendInterpolation<Value>(private value: Value) { appendInterpolation("(private)") }
}
