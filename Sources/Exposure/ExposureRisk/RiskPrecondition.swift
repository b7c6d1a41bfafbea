// SPDX-License-Identifier: Apache-2.0

/// The check that comes before any model is asked about a risk (spec cwa-protocols 7.1, 7.3).
public enum RiskPrecondition: String, Sendable, CaseIterable {
    /// A level may be told.
    case met
    /// Nothing is being heard, so nothing can be said.
    case off
    /// Heard for less than ``leastTracing``, or never checked against published keys.
    case unknownInitial
    /// Published keys were checked longer than ``oldestCheck`` ago.
    case unknownOutdated

    /// Seconds of listening from which on there is a level, inclusive: 24 hours (spec cwa-protocols 7.1).
    public static let leastTracing: Int64 = 24 * 3_600
    /// Seconds after which a check is outdated, exclusive: 2 days (spec cwa-protocols 7.1).
    public static let oldestCheck: Int64 = 2 * 86_400

    /// Judges whether a risk may be told, in the order of Corona-Warn-App's checks. `tracingSeconds` is how many
    /// seconds the board has listened in the time that counts; `lastCheck` and `now` are Unix seconds, `lastCheck` is
    /// `nil` when keys were never checked. A check in the future, which a clock set back makes, counts as one of now.
    /// The two limits are in seconds, as the constants of their names.
    public init(
        isOn: Bool, tracingSeconds: Int64, lastCheck: Int64?, now: Int64, leastTracing: Int64 = Self.leastTracing,
        oldestCheck: Int64 = Self.oldestCheck
    ) {
        guard isOn else {
            self = .off
            return
        }
        guard let lastCheck, tracingSeconds >= leastTracing else {
            self = .unknownInitial
            return
        }
        let (age, overflow) = now.subtractingReportingOverflow(lastCheck)
        self = overflow ? (now > lastCheck ? .unknownOutdated : .met) : age > oldestCheck ? .unknownOutdated : .met
    }
}
