// SPDX-License-Identifier: Apache-2.0

/// The rule about which stored keys are public (cwa-server `minimum-trl-value-allowed` and `days-to-publish`; specification
/// rules-and-nhs 6.5).
public struct PublicationFilter: Hashable, Sendable {
    /// The lowest transmission risk level that is published, inclusive; 0 or less publishes all.
    public var minimumLevel: Int32
    /// Days before today (UTC) whose keys are offered, 0 or more, unchecked; today's own come on top.
    public var days: Int64

    /// A filter, unchecked; the defaults are those of the Corona-Warn-App's server (specification rules-and-nhs 6.5).
    public init(minimumLevel: Int32 = 3, days: Int64 = 10) {
        self.minimumLevel = minimumLevel
        self.days = days
    }

    /// Whether keys of that transmission risk level are published: from ``minimumLevel`` on.
    public func admits(level: Int32) -> Bool { level >= minimumLevel }

    /// The oldest day that is offered on the day `today`, inclusive; both in days since 1970, UTC. Cannot fail for days
    /// within `Int32`.
    public func firstDay(today: Int64) -> Int64 { today - days }
}
