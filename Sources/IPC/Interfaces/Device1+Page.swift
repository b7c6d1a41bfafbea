// SPDX-License-Identifier: Apache-2.0

/// What pages need beside what every device has: choices of the wearer, calibration by the technician.
extension Device1 {
    /// The wearer's choices beyond taking part. They outlast restarts, not a reset.
    public struct Preferences: Codable, Sendable, Equatable {
        /// Whether somebody was shown what this device is and does, and has agreed to the terms; false on a new device and after a reset.
        public var introduced: Bool
        /// Whether the device may draw attention to news by light or sound; false until somebody chooses, and in the answer to a caller that acts for
        /// people while its session is not the wearer's. News are on the page in any case.
        public var notifications: Bool
        /// The language of pages, such as `de` or `de-simple`; until somebody chooses, the operator's. `nil` lets the browser decide. The core
        /// refuses with `InvalidParameter` what is not of the form `[a-z]{2,3}(-[a-z]{2,8})?`.
        public var language: String?

        /// Creates a part of the core's reply, and of a call of `SetPreferences`. No value is checked here; the core checks
        /// the language. See the properties for `nil`.
        public init(introduced: Bool, notifications: Bool, language: String?) {
            self.introduced = introduced
            self.notifications = notifications
            self.language = language
        }
    }

    /// Reply of `GetPreferences`, and parameters of `SetPreferences`.
    public struct PreferencesMessage: Codable, Sendable {
        /// The preferences that hold, or that are to hold from now on.
        public var preferences: Preferences

        /// Creates a part of the core's reply, and of a call of `SetPreferences`. No value is checked here.
        public init(preferences: Preferences) { self.preferences = preferences }
    }

    /// Parameters of `MeasureStrength`: listens to a reference device one metre away. Values out of range are refused with
    /// `InvalidParameter`.
    public struct MeasureStrengthCall: Codable, Sendable {
        /// The number of seconds to measure, 10 to 120.
        public var seconds: Int
        /// The level that a reference receiver hears at that distance, dBm, -90 to -30: written on the reference device's
        /// sheet.
        public var reference: Int

        /// Creates the parameters of a call of `MeasureStrength`. Nothing is checked here: the core checks the values when
        /// the call arrives. See the properties for units.
        public init(seconds: Int, reference: Int) {
            self.seconds = seconds
            self.reference = reference
        }
    }

    /// The signal of the strongest sender of Exposure Notification during a measurement.
    public struct Measurement: Codable, Sendable, Equatable {
        /// Whether the measurement is still under way.
        public var running: Bool
        /// Seconds left, rounded up; 0 when the measurement is over.
        public var secondsLeft: Int
        /// The number of advertisements of the strongest sender so far, 0 or more: of those with 30 or more, if there are any.
        public var count: Int
        /// Median strength of that sender's readings, dBm; `nil` before the first.
        public var median: Int?
        /// Decibels between the lower and the upper quartile of the readings, 0 or more; `nil` before the first.
        public var spread: Int?
        /// The correction to set so that the median becomes the reference, -30 to 30 dB; `nil` with fewer than 30 readings, a spread
        /// above 8 dB, or a larger difference.
        public var proposal: Int?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(running: Bool, secondsLeft: Int, count: Int, median: Int?, spread: Int?, proposal: Int?) {
            self.running = running
            self.secondsLeft = secondsLeft
            self.count = count
            self.median = median
            self.spread = spread
            self.proposal = proposal
        }
    }

    /// Reply of `GetMeasurement`: the progress of the measurement, and the correction that holds.
    public struct MeasurementReply: Codable, Sendable {
        /// The measurement under way, or the last one; `nil` if none was made since the start.
        public var measurement: Measurement?
        /// The correction that holds now: decibels added to what the receiver says, the operator's of -30 to 30 or the board profile's.
        public var correction: Int

        /// Creates the reply of the core to `GetMeasurement`. No value is checked. See the properties for units and `nil`.
        public init(measurement: Measurement?, correction: Int) {
            self.measurement = measurement
            self.correction = correction
        }
    }

    /// Parameters of `SetCorrection`: how this board's receiver is corrected for what is heard from now on. Values out of range are
    /// refused with `InvalidParameter`.
    public struct SetCorrectionCall: Codable, Sendable {
        /// Decibels added to what the receiver says, -30 to 30; `nil` goes back to the board profile's.
        public var correction: Int?

        /// Creates the parameters of a call of `SetCorrection`. Nothing is checked here: the core checks the values when
        /// the call arrives. See the properties for units and `nil`.
        public init(correction: Int?) { self.correction = correction }
    }
}
