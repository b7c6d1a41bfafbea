// SPDX-License-Identifier: Apache-2.0

/// Whether a device donates now, as Corona-Warn-App's two apps decide it (Android `Analytics.submitIfWanted`, iOS
/// `PPAnalyticsSubmitter.triggerSubmitData`). A model to compare with: no part of a board uses it.
struct AppDonationGate: Sendable, Hashable {
    /// Which app's rules.
    enum Rules: Sendable, Hashable {
        /// 23 hours and 24 hours, from the first second on.
        case android
        /// 23 hours 55 minutes and 24 hours, only after them; also 24 hours after a reset.
        case iOS
    }

    /// The decision.
    enum Answer: Sendable, Hashable {
        case submit
        case disabled, noConsent, probability, tooSoon, onboarding, reset
    }

    /// What a device knows when it asks. Times are in Unix seconds.
    struct State: Sendable, Hashable {
        /// Whether the configuration allows donations.
        var isEnabled: Bool
        /// Whether the wearer has agreed.
        var hasConsent: Bool
        /// A random number from 0 to 1, drawn for this question.
        var roll: Double
        /// The probability to donate, 0 to 1, from the configuration.
        var probability: Double
        /// The last donation; `nil`: none.
        var lastSubmission: Int64?
        /// When the device was set up; `nil`: not known.
        var onboarded: Int64?
        /// The last reset; `nil`: none.
        var lastReset: Int64?
    }

    private static let hour: Int64 = 3_600

    /// The rules that hold.
    let rules: Rules

    /// The first rule, in the order of the apps, that keeps the device from donating at `now`, or `submit`.
    func answer(_ state: State, at now: Int64) -> Answer {
        if !state.isEnabled { return .disabled }
        if !state.hasConsent { return .noConsent }
        if state.roll > state.probability { return .probability }
        switch rules {
        case .android:
            if let last = state.lastSubmission, now - last < 23 * Self.hour { return .tooSoon }
            guard let onboarded = state.onboarded, now - onboarded >= 24 * Self.hour else { return .onboarding }
        case .iOS:
            func isWithin(_ seconds: Int64, of start: Int64?) -> Bool {
                start.map { ($0...$0 + seconds).contains(now) } ?? false
            }
            if isWithin(23 * Self.hour + 55 * 60, of: state.lastSubmission) { return .tooSoon }
            if isWithin(24 * Self.hour, of: state.onboarded) { return .onboarding }
            if isWithin(24 * Self.hour, of: state.lastReset) { return .reset }
        }
        return .submit
    }
}
