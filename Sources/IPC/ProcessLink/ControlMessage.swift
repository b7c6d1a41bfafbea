// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// A packet between the supervisor and a process that it started: a verb, and values by name (docs/plugins.md has the
/// list). Its text has the verb in the first line and `name=value` in the others.
public struct ControlMessage: Sendable, Hashable {
    /// The largest size of a packet in bytes, far above that of any message; limits the memory that a process can make the
    /// supervisor use. Our own bound.
    public static let maximumByteCount = 4096

    /// The purpose of the message: 1 to 32 capital letters and dashes.
    public let verb: String
    /// The values by name. A name has 1 to 32 small letters and digits; a value has no ASCII control characters (0
    /// to 31 and 127).
    public let values: [String: String]

    /// Creates a message, without checking it; ``bytes`` does.
    ///
    /// - Precondition: Verb, names and values have the form that the properties describe. They come from this program, not
    ///   from outside.
    public init(_ verb: String, _ values: [String: String] = [:]) {
        self.verb = verb
        self.values = values
    }

    /// Reads a packet. Returns `nil` if it is empty, longer than ``maximumByteCount``, no text (``ForeignText/StreamSafe``), breaks a rule of
    /// the properties, or contains a name twice.
    public init?(parsing bytes: some Collection<UInt8>) {
        guard (1...Self.maximumByteCount).contains(bytes.count),
            let text = StreamSafe.decode(bytes)
        else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard let verb = lines.popFirst(), Self.isVerb(verb) else { return nil }
        var values: [String: String] = [:]
        for line in lines {
            guard let mark = line.firstIndex(of: "="), Self.isName(line[..<mark]),
                Self.isValue(line[line.index(after: mark)...]),
                values.updateValue(String(line[line.index(after: mark)...]), forKey: String(line[..<mark])) == nil
            else { return nil }
        }
        self.verb = String(verb)
        self.values = values
    }

    /// The message as a packet, with the names sorted so that equal messages have equal bytes. `nil` if it is longer than
    /// ``maximumByteCount`` or breaks a rule of the properties.
    public var bytes: [UInt8]? {
        guard Self.isVerb(verb[...]) else { return nil }
        var text = verb
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard Self.isName(name[...]), Self.isValue(value[...]) else { return nil }
            text += "\n\(name)=\(value)"
        }
        let bytes = Array(text.utf8)
        return bytes.count <= Self.maximumByteCount ? bytes : nil
    }

    private static func isVerb(_ text: Substring) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { (65...90).contains($0) || $0 == 45 }
    }

    private static func isName(_ text: Substring) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) }
    }

    private static func isValue(_ text: Substring) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
