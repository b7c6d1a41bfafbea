// SPDX-License-Identifier: Apache-2.0

/// A value that must not be read by anybody who reads a log: it prints as `(private)`, wherever it is printed.
public struct Redacted<Value>: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value itself, for work.
    public var value: Value

    public init(_ value: Value) { self.value = value }

    public var description: String { "(private)" }
    public var debugDescription: String { "(private)" }
    /// `dump` and the debugger look through mirrors.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Redacted: Sendable where Value: Sendable {}
extension Redacted: Equatable where Value: Equatable {}
extension Redacted: Hashable where Value: Hashable {}

extension Redacted: Decodable where Value: Decodable {
    /// As the value alone: for settings that are secrets.
    public init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

extension DefaultStringInterpolation {
    /// `"sent to \(private: host)"` becomes `sent to (private)`.
    public mutating func appendInterpolation<Value>(private value: Value) { appendInterpolation("(private)") }
}
