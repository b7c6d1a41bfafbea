// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The verification server's numbers. Defaults are those of **ver** (`application.yml`, `cwa-protocols` section 4) unless said.
public struct VerificationRules: Sendable, Hashable {
    /// A teleTAN for a test is valid so long (ours: **ver** has an hour). A board exchanges nothing but in its slots, and waits up to eight
    /// hours for one with six slots a day; 24 hours leave room for 45 minutes until it is entered and for three slots missed in a row
    /// (docs/decisions/0031).
    public var teleTANSeconds: Int64 = UTCDay.seconds
    /// That a teleTAN was issued and its time is over is remembered so long after its end, so that who comes late reads that (ours).
    public var expiredTeleTANSeconds: Int64 = 7 * UTCDay.seconds
    /// A teleTAN for an event.
    public var eventTeleTANSeconds: Int64 = 2 * UTCDay.seconds
    /// A TAN.
    public var tanSeconds: Int64 = 14 * UTCDay.seconds
    /// What the rest of the day is sent with is good at least so long, and until the next full hour (ours): boards send it within 48 hours of the
    /// wearer's consent, which comes before the TAN.
    public var remainderSeconds: Int64 = 2 * UTCDay.seconds
    /// Registrations are kept so long.
    public var registrationSeconds: Int64 = 21 * UTCDay.seconds
    /// That a test was registered is kept as long as its result may be (ours: **ver** forgets with the registration, and a second device
    /// could register the test then).
    public var spentKeySeconds: Int64 = 60 * UTCDay.seconds
    /// At most so many teleTANs in `teleTANWindowSeconds`.
    public var teleTANLimit = 1_000
    public var teleTANWindowSeconds: Int64 = 3_600

    /// The defaults.
    public init() {}

    /// How long a teleTAN of that type is good.
    public func teleTANSeconds(_ type: WarningType) -> Int64 { type == .event ? eventTeleTANSeconds : teleTANSeconds }
}
