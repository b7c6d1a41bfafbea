// SPDX-License-Identifier: Apache-2.0

import ForeignText
public import JSON

/// The reason why a board does not take a configuration of its fleet: which rule, and where.
public struct FleetConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule that it breaks, a stable word.
    public enum Rule: String, Sendable, CaseIterable {
        /// It has more bytes than allowed, or more of something.
        case tooLarge
        /// It is not JSON of the form that it has to have.
        case malformed
        /// A field that nobody knows.
        case unknownField
        /// Something that no configuration may change: it is the wearer's, the card's, or a secret.
        case forbidden
    }

    /// The rule.
    public let rule: Rule
    /// What is wrong and where, an English sentence without its full stop.
    public let description: String

    init(_ rule: Rule, _ description: String) { (self.rule, self.description) = (rule, description) }
}

/// A configuration that an operator writes for a fleet in stages (docs/fleet.md): what is said of one board counts more than what is said of its
/// group, and that more than what is said of the fleet. Pure: who signed it is another's question.
public struct FleetConfiguration: Sendable, Hashable {
    /// Whom a stage is for.
    public enum Audience: Sendable, Hashable {
        /// Every board of the fleet.
        case fleet
        /// The boards of a group.
        case group(String)
        /// One board, by its serial number.
        case board(String)

        var rank: Int {
            switch self {
            case .fleet: 0;
            case .group: 1;
            case .board: 2
            }
        }
    }

    /// The addresses of an interface, as they are to be.
    public struct Network: Sendable, Hashable {
        /// The interface's name, such as `eth0`.
        public let interface: String
        /// Whether the addresses are given here.
        public let isManual: Bool
        /// The addresses with the lengths of their networks.
        public let addresses: [String]
        /// The address of the gateway.
        public let gateway: String?
        /// The addresses of name servers.
        public let nameServers: [String]
    }

    /// What changes for a plugin: only what is written changes.
    public struct Plugin: Sendable, Hashable {
        /// Whether it may run.
        public var isEnabled: Bool?
        /// The methods that it may call, by interface; null takes an interface away.
        public var calls = JSON.Object()
        /// The places that it may reach, by the manifest's name; null takes one away.
        public var endpoints = JSON.Object()
        /// Its settings; null takes one away.
        public var settings = JSON.Object()

        mutating func merge(_ other: Plugin) {
            isEnabled = other.isEnabled ?? isEnabled
            for member in other.calls.members { calls[member.name] = member.value }
            for member in other.endpoints.members { endpoints[member.name] = member.value }
            for member in other.settings.members { settings[member.name] = member.value }
        }
    }

    /// What a configuration changes on one board.
    public struct Change: Sendable, Hashable {
        /// By the plugins' names.
        public var plugins: [String: Plugin] = [:]
        /// By the interfaces' names.
        public var networks: [String: Network] = [:]

        /// Whether nothing changes.
        public var isEmpty: Bool { plugins.isEmpty && networks.isEmpty }

        /// `grants.json` with this change; `grants` is as it is now.
        public func applied(to grants: JSON.Object) -> JSON.Object {
            var grants = grants
            var all = grants["plugins"]?.object ?? JSON.Object()
            for (name, plugin) in plugins.sorted(by: { $0.key < $1.key }) {
                var entry = all[name]?.object ?? ["enabled": false]
                if let isEnabled = plugin.isEnabled { entry["enabled"] = .bool(isEnabled) }
                for (field, wishes) in [
                    ("calls", plugin.calls), ("endpoints", plugin.endpoints), ("settings", plugin.settings),
                ] where !wishes.members.isEmpty {
                    var part = entry[field]?.object ?? JSON.Object()
                    for member in wishes.members {
                        part[member.name] = member.value == .null ? .none : .some(member.value)
                    }
                    entry[field] = .object(part)
                }
                all[name] = .object(entry)
            }
            grants["plugins"] = .object(all)
            return grants
        }
    }

    struct Stage: Sendable, Hashable {
        let audience: Audience
        let share: Int
        let change: Change
    }

    /// The most stages; our own bound.
    public static let maximumStages = 256
    /// The permitted seconds of a trial, a minute to a day; our choice. Whoever does not say gets ``standardTrialSeconds``.
    public static let trialSeconds: ClosedRange<Int64> = 60...86_400
    /// Three hours: a board that asks every hour has asked twice. Our choice.
    public static let standardTrialSeconds: Int64 = 10_800
    /// The name of the form, `format` of the document.
    public static let format = "vigil-fleet-configuration-1"

    /// The number by which boards know a newer one, at least 1.
    public let version: Int64
    /// Until when it may be taken, Unix seconds; `nil` for always.
    public let until: Int64?
    /// For how long a board tries it before it is taken back.
    public let trial: Int64
    let stages: [Stage]

    /// What it changes on the board with this serial number and group. `lot` is the board's in 0..<100, which decides whether it is in a share (``lot(ofDigest:)``).
    public func change(board: String, group: String?, lot: Int) -> Change {
        var result = Change()
        let mine = stages.filter { stage in
            guard lot < stage.share else { return false }
            return switch stage.audience {
            case .fleet: true
            case .group(let name): name == group
            case .board(let serial): serial == board
            }
        }
        for rank in 0...2 {
            for stage in mine where stage.audience.rank == rank {
                for (name, plugin) in stage.change.plugins {
                    var merged = result.plugins[name] ?? Plugin()
                    merged.merge(plugin)
                    result.plugins[name] = merged
                }
                result.networks.merge(stage.change.networks) { $1 }
            }
        }
        return result
    }

    /// A board's lot in 0..<100 of the SHA-256 of its serial number: the same for every configuration, so a share that grows has the boards of before.
    public static func lot(ofDigest digest: [UInt8]) -> Int {
        digest.prefix(4).reduce(0) { $0 << 8 | Int($1) } % 100
    }
}
