// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The time limits and rates of the verification server. Defaults are those of **ver** (`application.yml`, `cwa-protocols`
/// section 4) unless stated otherwise. Values are not checked; each must be above 0.
public struct VerificationRules: Sendable, Hashable {
    /// The seconds for which a teleTAN for a test is valid, from its issue: one day. Our own choice (**ver** has an hour):
    /// a board connects only in its slots, and with six slots a day it may wait for eight hours. A day leaves room for 45
    /// minutes until the teleTAN is entered and for three missed slots in a row (docs/decisions/0031).
    public var teleTANSeconds: Int64 = UTCDay.seconds
    /// The seconds for which the server remembers a teleTAN after it has expired: seven days, so that a person who comes
    /// late is told that it has expired. Our own choice.
    public var expiredTeleTANSeconds: Int64 = 7 * UTCDay.seconds
    /// The seconds for which a teleTAN for an event is valid, from its issue: two days (**ver**).
    public var eventTeleTANSeconds: Int64 = 2 * UTCDay.seconds
    /// The seconds for which a TAN is valid, from the full hour before its issue: 14 days (**ver**).
    public var tanSeconds: Int64 = 14 * UTCDay.seconds
    /// The least seconds for which the TAN for the rest of a day is valid: two days, after which it expires at the next
    /// full hour. Our own choice: boards send it within 48 hours of the wearer's consent, which comes before the TAN.
    public var remainderSeconds: Int64 = 2 * UTCDay.seconds
    /// The seconds for which a registration is stored and its token is valid, from the full hour before it: 21 days
    /// (**ver**).
    public var registrationSeconds: Int64 = 21 * UTCDay.seconds
    /// The seconds for which the server remembers that a test, a date of birth or a teleTAN was registered, from the full
    /// hour before: 60 days, as long as a result may be stored. Our own choice: **ver** forgets it together with the
    /// registration, and then a second device could register the test.
    public var spentKeySeconds: Int64 = 60 * UTCDay.seconds
    /// The most teleTANs that are issued in ``teleTANWindowSeconds``, of both types and for all callers together. Our own
    /// choice.
    public var teleTANLimit = 1_000
    /// The seconds before now in which teleTANs count for ``teleTANLimit``: an hour. Our own choice.
    public var teleTANWindowSeconds: Int64 = 3_600

    /// Creates rules with the defaults stated.
    public init() {}

    /// Returns the seconds for which a teleTAN of this type is valid, from its issue: ``eventTeleTANSeconds`` for an event,
    /// otherwise the property ``teleTANSeconds``, also for ``WarningType/remainder``, which has no teleTANs. Cannot fail.
    public func teleTANSeconds(_ type: WarningType) -> Int64 { type == .event ? eventTeleTANSeconds : teleTANSeconds }
}
