// SPDX-License-Identifier: Apache-2.0

public import IPNetwork

/// One destination that a caller may reach, and whether it may be in a private network.
public struct AllowRule: Hashable, Sendable, CustomStringConvertible {
    /// The host and port; nothing else of the host is covered.
    public let destination: Destination
    /// Whether it may lie in a range that is not of the public internet (``SpecialRange``).
    public let mayBePrivate: Bool

    /// A rule for this destination alone.
    ///
    /// - Parameter mayBePrivate: Whether it may lie in a range that is not of the public internet.
    public init(_ destination: Destination, mayBePrivate: Bool = false) {
        self.destination = destination
        self.mayBePrivate = mayBePrivate
    }

    /// Reads `host:port`, with `!` behind it if it may be private; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let mayBePrivate = text.hasSuffix("!")
        guard let destination = Destination(mayBePrivate ? text.dropLast() : text[...]) else { return nil }
        self.init(destination, mayBePrivate: mayBePrivate)
    }

    /// The rule as ``init(_:)`` reads it: `host:port`, with `!` if it may be private.
    public var description: String { mayBePrivate ? "\(destination)!" : "\(destination)" }

    /// Whether this rule lets everything pass that `other` lets pass.
    public func covers(_ other: AllowRule) -> Bool {
        destination == other.destination && (mayBePrivate || !other.mayBePrivate)
    }

    /// Checks an address that stands for the destination, right before it is connected to: whatever name it came from, and whatever that name meant a
    /// moment ago. Returns if it may be connected to.
    /// - Throws: `Refusal` with ``Refusal/Rule/privateAddress`` if the address is not of the public internet and the rule does not allow
    ///   that.
    public func judge(_ address: IPAddress) throws(Refusal) {
        guard !mayBePrivate, let range = address.specialRange else { return }
        throw Refusal(.privateAddress, destination, range: range)
    }
}

/// The destinations that a caller may reach: exact hosts and ports. What is not on it is refused.
public struct AllowList: Hashable, Sendable, CustomStringConvertible {
    /// The most entries of one list, a choice of ours; it is searched for each connection.
    public static let maximumCount = 64

    /// A list that lets nothing pass.
    public static let nothing = AllowList(distinct: [])

    /// The rules in the order given, each destination once, at most ``maximumCount``.
    public let rules: [AllowRule]

    private init(distinct rules: [AllowRule]) { self.rules = rules }

    /// A list of these rules, in their order. The same destination twice is one rule at the place of the first, private if either is.
    /// - Throws: `SocksError.tooManyRules` if more than ``maximumCount`` destinations are left.
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

    /// Reads rules with commas between them; an empty text is an empty list.
    /// - Throws: `SocksError`: `malformedRule` if a part is none, `tooManyRules` if there are too many.
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

    /// The list as ``init(parsing:)`` reads it: rules with commas between; empty for an empty list.
    public var description: String { rules.map(\.description).joined(separator: ",") }

    /// The rule that lets a destination pass.
    /// - Throws: `Refusal`: ``Refusal/Rule/portNotListed`` if the host is listed with other ports only, otherwise ``Refusal/Rule/notListed``.
    public func rule(for destination: Destination) throws(Refusal) -> AllowRule {
        if let rule = rules.first(where: { $0.destination == destination }) { return rule }
        let ports = rules.filter { $0.destination.host == destination.host }.map(\.destination.port).sorted()
        guard !ports.isEmpty else { throw Refusal(.notListed, destination) }
        throw Refusal(.portNotListed, destination, otherPorts: ports)
    }
}
