// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.indicator1`; the interface's text says what each part means.
public enum Indicator1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.indicator1"

    /// A signal that can hold, in the order in which a light shows it first.
    public enum Signal: String, Codable, Sendable, CaseIterable {
        /// `updating`: new software is being put in place; `problem`: the device does not protect the wearer at the moment;
        /// `timeUntrusted`: the time is not known; `batteryLow`: charge it today; `news`: somebody should look at the page,
        /// if the wearer wants to be notified; `onAir`: all is well; `off`: nobody has agreed to take part. `updating` and
        /// `batteryLow` come from the board.
        case updating, problem, timeUntrusted, batteryLow, news, onAir, off
    }

    /// The meaning that a press of the button has now, for lights that show it.
    public enum Button: String, Codable, Sendable, CaseIterable {
        /// `idle`: nothing; `consentWanted`: a press agrees to warn others; `countdown`: it is held and counts down to a
        /// reset; `release`: it has to be let go; `confirmWanted`: one more press erases everything; `stuck`: it does not
        /// come free.
        case idle, consentWanted, countdown, release, confirmWanted, stuck
    }

    /// The scene that is to be shown. It tells no number, no day and nothing about anybody.
    public struct Scene: Codable, Sendable, Equatable {
        /// The signals that hold, each once; at most 7.
        public var signals: [Signal]
        /// The meaning of a press of the button now.
        public var button: Button
        /// Counts left before a reset could be confirmed, 5 to 1; `nil` unless ``button`` is `countdown`.
        public var count: Int64?
        /// The number of presses to hear the state since the core's start, 0 or more.
        public var presses: UInt64
        /// The number of the button's acts that were carried out since the core's start, 0 or more.
        public var done: UInt64
        /// The number of the button's acts that were called off since the core's start, 0 or more.
        public var cancelled: UInt64

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(
            signals: [Signal], button: Button, count: Int64?, presses: UInt64, done: UInt64, cancelled: UInt64
        ) {
            self.signals = signals
            self.button = button
            self.count = count
            self.presses = presses
            self.done = done
            self.cancelled = cancelled
        }
    }

    /// Parameters of `SayNews`: whether a plugin has something for the wearer. The core holds it until the plugin says otherwise or is
    /// removed, or until it starts again.
    public struct NewsCall: Codable, Sendable, Equatable {
        /// Whether there is something that the wearer should look at on the page.
        public var news: Bool

        /// Creates the parameters of a call of `SayNews`. There is nothing to check.
        public init(news: Bool) { self.news = news }
    }

    /// Reply of `Watch`: what is to be shown now, and again after every change.
    public struct WatchReply: Codable, Sendable, Equatable {
        /// The whole of what is to be shown, never a difference from before.
        public var scene: Scene

        /// Creates the reply of the core to `Watch`. No value is checked.
        public init(scene: Scene) { self.scene = scene }
    }
}
