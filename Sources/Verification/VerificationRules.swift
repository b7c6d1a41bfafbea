// SPDX-License-Identifier: Apache-2.0

/// The verification server's numbers. Defaults are those of **ver** (`application.yml`, `cwa-protocols` section 4) unless said.
public struct VerificationRules: Sendable, Hashable {
    /// A teleTAN for a test is valid so long.
    public var teleTANSeconds: Int64 = 3_600
    /// A teleTAN for an event.
    public var eventTeleTANSeconds: Int64 = 2 * 86_400
    /// A TAN.
    public var tanSeconds: Int64 = 14 * 86_400
    /// Registrations are kept so long.
    public var registrationSeconds: Int64 = 21 * 86_400
    /// That a test was registered is kept as long as its result may be (ours: **ver** forgets with the registration, and a second device
    /// could register the test then).
    public var spentKeySeconds: Int64 = 60 * 86_400
    /// At most so many teleTANs in `teleTANWindowSeconds`.
    public var teleTANLimit = 1_000
    public var teleTANWindowSeconds: Int64 = 3_600
    /// At most so many wrong teleTANs in an hour are looked up (ours). With 1,000 valid ones of 31⁹, so many guesses find one with a
    /// probability of 4·10⁻⁷; a lower limit would let anybody lock everybody out cheaply.
    public var guessLimit = 10_000
    public var guessWindowSeconds: Int64 = 3_600

    /// The defaults.
    public init() {}
}
