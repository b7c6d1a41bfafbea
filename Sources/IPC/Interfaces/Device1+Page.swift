// SPDX-License-Identifier: Apache-2.0

/// Additional messages for the pages: preferences of the wearer, and calibration by the technician.
extension Device1 {
    /// The wearer's preferences. They survive restarts, but not a reset.
    public struct Preferences: Codable, Sendable, Equatable {
        /// Whether a person has been shown what this device does and has agreed to the terms; false on a new device and
        /// after a reset.
        public var introduced: Bool
        /// Whether the device may signal news by light or sound; true until a person chooses, and in the answer to a
        /// caller that acts for people without a session of the wearer. News always appear on the page.
        public var notifications: Bool
        /// The language of the pages, such as `de` or `de-simple`; until a person chooses, the operator's. With `nil` the
        /// browser decides. Refused with `InvalidParameter` unless it has the form `[a-z]{2,3}(-[a-z]{2,8})?`.
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
        /// The preferences in force, or those to set.
        public var preferences: Preferences

        /// Creates a part of the core's reply, and of a call of `SetPreferences`. No value is checked here.
        public init(preferences: Preferences) { self.preferences = preferences }
    }

    /// Parameters of `MeasureStrength`, which listens to a reference device one metre away. Refused with `InvalidParameter`
    /// if a value is out of range.
    public struct MeasureStrengthCall: Codable, Sendable {
        /// The duration of the measurement in seconds, 10 to 120.
        public var seconds: Int
        /// The signal strength of the reference device at that distance, in dBm, -90 to -30, from the device's data sheet.
        public var reference: Int

        /// Creates the parameters of a call of `MeasureStrength`. Nothing is checked here: the core checks the values when
        /// the call arrives. See the properties for units.
        public init(seconds: Int, reference: Int) {
            self.seconds = seconds
            self.reference = reference
        }
    }

    /// The signal of the strongest sender of Exposure Notification in a measurement.
    public struct Measurement: Codable, Sendable, Equatable {
        /// Whether the measurement is still running.
        public var running: Bool
        /// The number of seconds left, rounded up; 0 when the measurement has ended.
        public var secondsLeft: Int
        /// The number of advertisements from the strongest sender so far, 0 or more. Senders with 30 or more advertisements
        /// take precedence.
        public var count: Int
        /// The median signal strength of that sender, in dBm; `nil` before the first advertisement.
        public var median: Int?
        /// The difference between the lower and the upper quartile of the signal strengths, in dB, 0 or more; `nil` before
        /// the first advertisement.
        public var spread: Int?
        /// The correction that makes the median equal to the reference, -30 to 30 dB; `nil` with fewer than 30
        /// advertisements, with a spread above 8 dB, or for a larger difference.
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

    /// Reply of `GetMeasurement`: the measurement, and the correction in force.
    public struct MeasurementReply: Codable, Sendable {
        /// The running or the last measurement; `nil` if there was none since the start of the core.
        public var measurement: Measurement?
        /// The correction in force, in dB, which is added to the measured signal strength: the operator's, -30 to 30, or
        /// that of the board profile.
        public var correction: Int

        /// Creates the reply of the core to `GetMeasurement`. No value is checked. See the properties for units and `nil`.
        public init(measurement: Measurement?, correction: Int) {
            self.measurement = measurement
            self.correction = correction
        }
    }

    /// Parameters of `SetCorrection`: the correction of this board's receiver from now on. Refused with `InvalidParameter`
    /// if it is out of range.
    public struct SetCorrectionCall: Codable, Sendable {
        /// The number of dB to add to the measured signal strength, -30 to 30; `nil` restores the correction of the board
        /// profile.
        public var correction: Int?

        /// Creates the parameters of a call of `SetCorrection`. Nothing is checked here: the core checks the values when
        /// the call arrives. See the properties for units and `nil`.
        public init(correction: Int?) { self.correction = correction }
    }
}
