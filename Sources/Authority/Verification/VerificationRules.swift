// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The verification server's numbers. Defaults are those of **ver** (`application.yml`, `cwa-protocols` section 4) unless said.
public struct VerificationRules: Sendable, Hashable {
    /// Seconds for which a teleTAN for a test is valid: a day (ours: **ver** has an hour). A board exchanges nothing but in
    /// its slots, and waits up to eight hours for one with six slots a day; 24 hours leave room for 45 minutes until it is
    /// entered and for three slots missed in a row (docs/decisions/0031).
    public var teleTANSeconds: Int64 = UTCDay.seconds
    /// Seconds after its end for which it is remembered that a teleTAN was issued and its time is over, so that who comes
    /// late reads that (ours).
    public var expiredTeleTANSeconds: Int64 = 7 * UTCDay.seconds
    /// Seconds for which a teleTAN for an event is valid: two days.
    public var eventTeleTANSeconds: Int64 = 2 * UTCDay.seconds
    /// Seconds for which a TAN is valid: 14 days (**ver**).
    public var tanSeconds: Int64 = 14 * UTCDay.seconds
    /// Seconds for which the TAN for the rest of the day is good at least, and until the next full hour (ours): boards send
    /// it within 48 hours of the wearer's consent, which comes before the TAN.
    public var remainderSeconds: Int64 = 2 * UTCDay.seconds
    /// Seconds for which registrations are kept: 21 days (**ver**).
    public var registrationSeconds: Int64 = 21 * UTCDay.seconds
    /// Seconds for which it is remembered that a test was registered: 60 days, as long as its result may be kept (ours:
    /// **ver** forgets with the registration, and a second device could register the test then).
    public var spentKeySeconds: Int64 = 60 * UTCDay.seconds
    /// Most teleTANs in ``teleTANWindowSeconds``, of all who ask together. Our own choice.
    public var teleTANLimit = 1_000
    /// Seconds back from now in which teleTANs count for ``teleTANLimit``: an hour. Our own choice.
    public var teleTANWindowSeconds: Int64 = 3_600

    /// The rules with the defaults stated, to be changed.
    public init() {}

    /// Seconds for which a teleTAN of that type is good, from its issue on.
    public func teleTANSeconds(_ type: WarningType) -> Int64 { type == .event ? eventTeleTANSeconds : teleTANSeconds }
}
