// SPDX-License-Identifier: Apache-2.0

/// The rule that decides which stored keys are published (cwa-server `minimum-trl-value-allowed` and
/// `days-to-publish`; specification rules-and-nhs 6.5).
public struct PublicationFilter: Hashable, Sendable {
    /// The lowest transmission risk level that is published; 0 or less publishes all levels from 0 on.
    public var minimumLevel: Int32
    /// The number of days before today (UTC) whose keys are offered, in addition to today's; 0 or more, not checked.
    public var days: Int64

    /// Creates a filter; nothing is checked. The defaults are those of the Corona-Warn-App's server (specification
    /// rules-and-nhs 6.5).
    public init(minimumLevel: Int32 = 3, days: Int64 = 10) {
        self.minimumLevel = minimumLevel
        self.days = days
    }

    /// Whether keys of this transmission risk level are published, which they are if it is ``minimumLevel`` or
    /// higher.
    public func admits(level: Int32) -> Bool { level >= minimumLevel }

    /// Returns the oldest day that is offered on the day `today`, inclusive; both are in days since 1970, UTC. Cannot
    /// fail for days within `Int32`.
    public func firstDay(today: Int64) -> Int64 { today - days }
}
