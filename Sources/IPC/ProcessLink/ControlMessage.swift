// SPDX-License-Identifier: Apache-2.0

/// One packet between the supervisor and a process it started: a verb, and values by name (docs/plugins.md has the list). As text:
/// the verb in the first line, `name=value` in the others.
public struct ControlMessage: Sendable, Hashable {
    /// The most bytes of a packet. Far more than any message of ours has, and what a process may make the supervisor hold.
    /// Our own bound.
    public static let maximumByteCount = 4096

    /// The word that says what the message is for: capital letters and dashes, 1 to 32.
    public let verb: String
    /// Names are small letters and digits, 1 to 32; values have no control characters.
    public let values: [String: String]

    /// A message whose rules ``bytes`` checks.
    ///
    /// - Precondition: verb, names and values are as said above; they come from this program, not from outside.
    public init(_ verb: String, _ values: [String: String] = [:]) {
        self.verb = verb
        self.values = values
    }

    /// Reads a packet; `nil` when it is too long, not UTF-8, breaks a rule, or has a name twice.
    public init?(parsing bytes: some Collection<UInt8>) {
        guard (1...Self.maximumByteCount).contains(bytes.count),
            let text = String(validating: Array(bytes), as: UTF8.self)
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

    /// The message as it travels; the names in order, so that equal messages are equal bytes. `nil` when it does not fit or
    /// breaks a rule.
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
