// SPDX-License-Identifier: Apache-2.0

/// A value that must not be read by anybody who reads a log: it prints as `(private)`, wherever it is printed.
public struct Redacted<Value>: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value itself, for work; whoever takes it out must not print it.
    public var value: Value

    /// Wraps any value; it is printed nowhere from then on, unless somebody takes it out. Cannot fail.
    public init(_ value: Value) { self.value = value }

    /// The text `(private)`, whatever the value is.
    public var description: String { "(private)" }
    /// The text `(private)`, whatever the value is; also for debuggers.
    public var debugDescription: String { "(private)" }
    /// A mirror without children: `dump` and the debugger look through mirrors.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Redacted: Sendable where Value: Sendable {}
extension Redacted: Equatable where Value: Equatable {}
extension Redacted: Hashable where Value: Hashable {}

extension Redacted: Decodable where Value: Decodable {
    /// Reads the value alone, for settings that are secrets. Throws what the value's own type throws.
    public init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

extension DefaultStringInterpolation {
    /// Puts `(private)` in the place of `value`: `"sent to \(private: host)"` becomes `sent to (private)`. Cannot fail.
    public mutating func appendInterpolation<Value>(private value: Value) { appendInterpolation("(private)") }
}
