// SPDX-License-Identifier: Apache-2.0

public import IPNetwork

/// One destination that a caller may reach, and whether it may be in a private network.
public struct AllowRule: Hashable, Sendable, CustomStringConvertible {
    /// The host and port; the rule covers no other port of the host.
    public let destination: Destination
    /// Whether the destination may lie in a range outside the public internet (``SpecialRange``), or in the board's
    /// own network.
    public let mayBePrivate: Bool

    /// Creates a rule for this destination alone.
    ///
    /// - Parameter mayBePrivate: Whether the destination may lie in a range outside the public internet.
    public init(_ destination: Destination, mayBePrivate: Bool = false) {
        self.destination = destination
        self.mayBePrivate = mayBePrivate
    }

    /// Reads `host:port`, followed by `!` if the destination may be private; `nil` if the text has another form.
    public init?(_ text: some StringProtocol) {
        let mayBePrivate = text.hasSuffix("!")
        guard let destination = Destination(mayBePrivate ? text.dropLast() : text[...]) else { return nil }
        self.init(destination, mayBePrivate: mayBePrivate)
    }

    /// The rule in the form that ``init(_:)`` reads: `host:port`, followed by `!` if it may be private.
    public var description: String { mayBePrivate ? "\(destination)!" : "\(destination)" }

    /// Returns whether this rule permits everything that `other` permits.
    public func covers(_ other: AllowRule) -> Bool {
        destination == other.destination && (mayBePrivate || !other.mayBePrivate)
    }

    /// Checks an address of the destination right before the connection is made, whichever name it came from. Returns if
    /// the connection is permitted.
    /// - Throws: `Refusal` with ``Refusal/Rule/privateAddress`` if the address is not of the public internet and
    ///   ``mayBePrivate`` is `false`. Public addresses of the board and of its own network are not known here:
    ///   egress refuses them by the same rule.
    public func judge(_ address: IPAddress) throws(Refusal) {
        guard !mayBePrivate, let range = address.specialRange else { return }
        throw Refusal(.privateAddress, destination, range: range)
    }
}

/// The destinations that a caller may connect to, each an exact host and port. All others are refused.
public struct AllowList: Hashable, Sendable, CustomStringConvertible {
    /// The most entries of a list: 64, our choice, because the list is searched for each connection.
    public static let maximumCount = 64

    /// A list that permits nothing.
    public static let nothing = AllowList(distinct: [])

    /// The rules in the given order, each destination once, at most ``maximumCount``.
    public let rules: [AllowRule]

    private init(distinct rules: [AllowRule]) { self.rules = rules }

    /// Creates a list of these rules, in their order. Rules for the same destination become one, in the place of the first,
    /// which may be private if one of them may.
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

    /// Reads rules that are separated by commas; an empty text is an empty list.
    /// - Throws: `SocksError.malformedRule` if a part is not a rule; `SocksError.tooManyRules` if there are more than
    ///   ``maximumCount`` destinations.
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

    /// The list in the form that ``init(parsing:)`` reads: rules separated by commas; empty for an empty list.
    public var description: String { rules.map(\.description).joined(separator: ",") }

    /// Returns the rule that permits a destination.
    /// - Throws: `Refusal` with ``Refusal/Rule/portNotListed`` if the host is listed only with other ports, and with
    ///   ``Refusal/Rule/notListed`` if it is not listed.
    public func rule(for destination: Destination) throws(Refusal) -> AllowRule {
        if let rule = rules.first(where: { $0.destination == destination }) { return rule }
        let ports = rules.filter { $0.destination.host == destination.host }.map(\.destination.port).sorted()
        guard !ports.isEmpty else { throw Refusal(.notListed, destination) }
        throw Refusal(.portNotListed, destination, otherPorts: ports)
    }
}
