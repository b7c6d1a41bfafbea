// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The verification server's numbers. Defaults are those of **ver** (`application.yml`, `cwa-protocols` section 4)
/// unless said. Nothing is checked; each is meant to be above 0.
public struct VerificationRules: Sendable, Hashable {
    /// Seconds for which a teleTAN for a test is valid, from its issue on: a day (ours: **ver** has an hour). A board
    /// exchanges nothing but in its slots, and waits up to eight hours for one with six slots a day; 24 hours leave
    /// room for 45 minutes until it is entered and for three slots missed in a row (docs/decisions/0031).
    public var teleTANSeconds: Int64 = UTCDay.seconds
    /// Seconds after the end of a teleTAN for which the server remembers that it was issued: seven days (ours), so that
    /// somebody who comes late reads that its time is over.
    public var expiredTeleTANSeconds: Int64 = 7 * UTCDay.seconds
    /// Seconds for which a teleTAN for an event is valid, from its issue on: two days (**ver**).
    public var eventTeleTANSeconds: Int64 = 2 * UTCDay.seconds
    /// Seconds for which a TAN is valid, from the full hour before its issue on: 14 days (**ver**).
    public var tanSeconds: Int64 = 14 * UTCDay.seconds
    /// Seconds for which the TAN for the rest of the day is good at least, two days; it ends at the next full hour
    /// after them (ours). Boards send it within 48 hours of the wearer's consent, which comes before the TAN.
    public var remainderSeconds: Int64 = 2 * UTCDay.seconds
    /// Seconds for which a registration is kept and its token is good, from the full hour before it on: 21 days
    /// (**ver**).
    public var registrationSeconds: Int64 = 21 * UTCDay.seconds
    /// Seconds for which the server remembers that a test, a date of birth or a teleTAN was registered, from the full
    /// hour before on: 60 days, as long as a result may be kept (ours: **ver** forgets with the registration, and a
    /// second device could register the test then).
    public var spentKeySeconds: Int64 = 60 * UTCDay.seconds
    /// The most teleTANs in ``teleTANWindowSeconds``, inclusive, of both types and of all who ask together. Our own
    /// choice.
    public var teleTANLimit = 1_000
    /// Seconds back from now in which teleTANs count for ``teleTANLimit``: an hour. Our own choice.
    public var teleTANWindowSeconds: Int64 = 3_600

    /// The rules with the defaults stated, to be changed.
    public init() {}

    /// Seconds for which a teleTAN of that type is good, from its issue on: ``eventTeleTANSeconds`` for an event, otherwise
    /// ``teleTANSeconds``, also for ``WarningType/remainder``, which has no teleTANs. Cannot fail.
    public func teleTANSeconds(_ type: WarningType) -> Int64 { type == .event ? eventTeleTANSeconds : teleTANSeconds }
}
