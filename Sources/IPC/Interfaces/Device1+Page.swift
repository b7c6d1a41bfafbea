// SPDX-License-Identifier: Apache-2.0

/// What pages need beside what every device has: choices of the wearer, calibration by the technician.
extension Device1 {
    public struct Preferences: Codable, Sendable, Equatable {
        public var introduced: Bool
        public var notifications: Bool
        public var language: String?

        public init(introduced: Bool, notifications: Bool, language: String?) {
            self.introduced = introduced
            self.notifications = notifications
            self.language = language
        }
    }

    /// The answer of `GetPreferences` and the parameters of `SetPreferences`.
    public struct PreferencesMessage: Codable, Sendable {
        public var preferences: Preferences

        public init(preferences: Preferences) { self.preferences = preferences }
    }

    public struct MeasureStrengthCall: Codable, Sendable {
        public var seconds: Int
        public var reference: Int

        public init(seconds: Int, reference: Int) {
            self.seconds = seconds
            self.reference = reference
        }
    }

    public struct Measurement: Codable, Sendable, Equatable {
        public var running: Bool
        public var secondsLeft: Int
        public var count: Int
        public var median: Int?
        public var spread: Int?
        public var proposal: Int?

        public init(running: Bool, secondsLeft: Int, count: Int, median: Int?, spread: Int?, proposal: Int?) {
            self.running = running
            self.secondsLeft = secondsLeft
            self.count = count
            self.median = median
            self.spread = spread
            self.proposal = proposal
        }
    }

    public struct MeasurementReply: Codable, Sendable {
        public var measurement: Measurement?
        public var correction: Int

        public init(measurement: Measurement?, correction: Int) {
            self.measurement = measurement
            self.correction = correction
        }
    }

    public struct SetCorrectionCall: Codable, Sendable {
        public var correction: Int?

        public init(correction: Int?) { self.correction = correction }
    }
}
