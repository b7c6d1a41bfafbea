// SPDX-License-Identifier: Apache-2.0

/// The result of the check that precedes every risk assessment (spec cwa-protocols 7.1, 7.3).
public enum RiskPrecondition: String, Sendable, CaseIterable {
    /// A level may be shown.
    case met
    /// The board is not listening, so no level can be given.
    case off
    /// The board has listened for less than ``leastTracing``, or has never compared its sightings with published
    /// keys.
    case unknownInitial
    /// The last comparison with published keys is more than ``oldestCheck`` ago.
    case unknownOutdated

    /// The number of seconds of listening from which a level is given, inclusive: 24 hours (spec cwa-protocols 7.1).
    public static let leastTracing: Int64 = 24 * 3_600
    /// The number of seconds after which a comparison is outdated, exclusive: 2 days (spec cwa-protocols 7.1).
    public static let oldestCheck: Int64 = 2 * 86_400

    /// Decides whether a level may be shown, in the order of Corona-Warn-App's checks. `tracingSeconds` is how many
    /// seconds the board has listened in the period that counts. `lastCheck` and `now` are in Unix seconds;
    /// `lastCheck` is `nil` when published keys were never compared. A `lastCheck` in the future, which a clock that
    /// was set back can cause, counts as now. `leastTracing` and `oldestCheck` are in seconds and replace the
    /// constants of these names. Cannot fail.
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
