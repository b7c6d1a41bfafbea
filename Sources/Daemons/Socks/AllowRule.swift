// SPDX-License-Identifier: Apache-2.0

public import IPNetwork

/// One destination a caller may reach.
public struct AllowRule: Hashable, Sendable, CustomStringConvertible {
    public let destination: Destination
    /// Whether it may lie in a range that is not of the public internet (``SpecialRange``).
    public let mayBePrivate: Bool

    public init(_ destination: Destination, mayBePrivate: Bool = false) {
        self.destination = destination
        self.mayBePrivate = mayBePrivate
    }

    /// Reads `host:port`, with `!` behind it if it may be private.
    public init?(_ text: some StringProtocol) {
        let mayBePrivate = text.hasSuffix("!")
        guard let destination = Destination(mayBePrivate ? text.dropLast() : text[...]) else { return nil }
        self.init(destination, mayBePrivate: mayBePrivate)
    }

    public var description: String { mayBePrivate ? "\(destination)!" : "\(destination)" }

    /// Whether whatever the other lets pass, this does.
    public func covers(_ other: AllowRule) -> Bool {
        destination == other.destination && (mayBePrivate || !other.mayBePrivate)
    }

    /// Judges an address that stands for the destination, right before it is connected to: whatever name it came from, and whatever
    /// that name meant a moment ago.
    public func judge(_ address: IPAddress) throws(Refusal) {
        guard !mayBePrivate, let range = address.specialRange else { return }
        throw Refusal(.privateAddress, destination, range: range)
    }
}

/// Where a caller may go: exact hosts and ports. What is not on it is refused.
public struct AllowList: Hashable, Sendable, CustomStringConvertible {
    /// Entries of one list.
    public static let maximumCount = 64

    /// Leads nowhere.
    public static let nothing = AllowList(distinct: [])

    public let rules: [AllowRule]

    private init(distinct rules: [AllowRule]) { self.rules = rules }

    /// The same destination twice is one rule, private if either is.
    public init(_ rules: some Sequence<AllowRule>) throws(SocksError) {
        var merged: [AllowRule] = []
        for rule in rules {
            if let index = merged.firstIndex(where: { $0.destination == rule.destination }) {
                merged[index] = AllowRule(
                    rule.destination, mayBePrivate: merged[index].mayBePrivate || rule.mayBePrivate)
            } else {
                merged.append(rule)
            }
        }
        guard merged.count <= Self.maximumCount else { throw SocksError(.tooManyRules, "\(merged.count)") }
        self.rules = merged
    }

    /// Reads rules with commas between them; nothing is an empty list.
    public init(parsing text: some StringProtocol) throws(SocksError) {
        var rules: [AllowRule] = []
        if !text.isEmpty {
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let rule = AllowRule(part) else { throw SocksError(.malformedRule, "\(part.prefix(80))") }
                rules.append(rule)
            }
        }
        try self.init(rules)
    }

    public var description: String { rules.map(\.description).joined(separator: ",") }

    /// The rule that lets it pass.
    public func rule(for destination: Destination) throws(Refusal) -> AllowRule {
        if let rule = rules.first(where: { $0.destination == destination }) { return rule }
        let ports = rules.filter { $0.destination.host == destination.host }.map(\.destination.port).sorted()
        guard !ports.isEmpty else { throw Refusal(.notListed, destination) }
        throw Refusal(.portNotListed, destination, otherPorts: ports)
    }
}
