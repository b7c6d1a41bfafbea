// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.indicator1`; the interface's text says what each part means.
public enum Indicator1 {
    public static let name = "org.vigil.indicator1"

    public enum Signal: String, Codable, Sendable, CaseIterable {
        case updating, problem, timeUntrusted, batteryLow, news, onAir, off
    }

    public enum Button: String, Codable, Sendable, CaseIterable {
        case idle, consentWanted, countdown, release, confirmWanted, stuck
    }

    public struct Scene: Codable, Sendable, Equatable {
        public var signals: [Signal]
        public var button: Button
        public var count: Int64?
        public var presses: UInt64
        public var done: UInt64
        public var cancelled: UInt64

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

    public struct NewsCall: Codable, Sendable, Equatable {
        public var news: Bool

        public init(news: Bool) { self.news = news }
    }

    public struct WatchReply: Codable, Sendable, Equatable {
        public var scene: Scene

        public init(scene: Scene) { self.scene = scene }
    }
}
