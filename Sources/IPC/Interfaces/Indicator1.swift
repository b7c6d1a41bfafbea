// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.indicator1`. The interface's text explains each of them.
public enum Indicator1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.indicator1"

    /// A signal that can apply, in the order in which a light shows them.
    public enum Signal: String, Codable, Sendable, CaseIterable {
        /// `updating`: new software is being installed; `problem`: the device does not protect the wearer now;
        /// `timeUntrusted`: the time is not known; `batteryLow`: the battery should be charged today; `news`: there is
        /// something on the page, and the wearer wants to be notified; `reminder`: something that the wearer began, such
        /// as a visit, ends by itself soon; `onAir`: the device works; `off`: nobody has agreed to take part. `updating` and `batteryLow` come from the board.
        case updating, problem, timeUntrusted, batteryLow, news, reminder, onAir, off
    }

    /// The present meaning of a press of the button, for lights that show it.
    public enum Button: String, Codable, Sendable, CaseIterable {
        /// `idle`: none; `consentWanted`: a press consents to warning others; `countdown`: the button is held, and a
        /// countdown to a reset is running; `release`: the button must be released; `confirmWanted`: another press erases
        /// everything; `stuck`: the button is not released.
        case idle, consentWanted, countdown, release, confirmWanted, stuck
    }

    /// The scene to show. It contains no day and no personal information.
    public struct Scene: Codable, Sendable, Equatable {
        /// The signals that apply, without duplicates, at most 8.
        public var signals: [Signal]
        /// The present meaning of a press of the button.
        public var button: Button
        /// The number of counts left until a reset can be confirmed, 5 to 1; `nil` unless ``button`` is `countdown`.
        public var count: Int64?
        /// The number of presses that asked for the state since the core started.
        public var presses: UInt64
        /// The number of the button's acts that were carried out since the core started.
        public var done: UInt64
        /// The number of the button's acts that were cancelled since the core started.
        public var cancelled: UInt64
        /// Whether a place's code is being collected while the button is held, or is being written down; `nil` if not.
        public var collecting: Bool?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(
            signals: [Signal], button: Button, count: Int64?, presses: UInt64, done: UInt64, cancelled: UInt64,
            collecting: Bool? = nil
        ) {
            self.signals = signals
            self.button = button
            self.count = count
            self.presses = presses
            self.done = done
            self.cancelled = cancelled
            self.collecting = collecting
        }
    }

    /// A time in which the light reminds the wearer, without its end.
    public struct Reminder: Codable, Sendable, Equatable {
        /// The time at which it begins, in Unix seconds.
        public var from: Int64
        /// The time at which it is over, in Unix seconds; after ``from``.
        public var until: Int64

        /// Creates a part of calls of the core. No value is checked.
        public init(from: Int64, until: Int64) {
            self.from = from
            self.until = until
        }
    }

    /// Parameters of `SayNews`: whether the plugin has something for the wearer, and when the wearer is to be reminded. The
    /// core keeps this until the plugin changes it or is removed, or until the core restarts.
    public struct NewsCall: Codable, Sendable, Equatable {
        /// Whether there is something on the page for the wearer.
        public var news: Bool

        /// The times at which the wearer is to be reminded, in place of those before; `nil` for none. At most 8.
        public var reminders: [Reminder]?

        /// Creates the parameters of a call of `SayNews`. No value is checked.
        public init(news: Bool, reminders: [Reminder]? = nil) {
            self.news = news
            self.reminders = reminders
        }
    }

    /// Reply of `Watch`: the first one immediately, and another after every change.
    public struct WatchReply: Codable, Sendable, Equatable {
        /// The complete scene to show, not a difference from the previous one.
        public var scene: Scene

        /// Creates the reply of the core to `Watch`. No value is checked.
        public init(scene: Scene) { self.scene = scene }
    }
}
