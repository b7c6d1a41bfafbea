// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.wake1`. The interface's text explains each of them.
public enum Wake1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.wake1"

    /// The counts of the wake plugin since it started, each 0 or more.
    public struct Counters: Codable, Sendable, Equatable {
        /// The number of times that the broker accepted this device.
        public var connectionCount: UInt64
        /// The number of messages on the wake topic, including retained and repeated ones.
        public var messageCount: UInt64
        /// The number of these messages that had a payload, which is never read.
        public var nonEmptyCount: UInt64
        /// The number of these messages that the broker had retained.
        public var retainedCount: UInt64
        /// The number of messages and connections that gave a reason for a sync but changed nothing, because a sync was
        /// already planned or the broker delivered a message again.
        public var mergedCount: UInt64
        /// The number of wake-ups beyond the limit of 24 hours; they are followed only if the keys on this device are old.
        public var overLimitCount: UInt64
        /// The number of times that nothing was done because everything was fresh.
        public var freshCount: UInt64
        /// The number of times that a sync was requested, including repetitions after a failure.
        public var syncCount: UInt64
        /// The number of times that the sync plugin did not answer.
        public var failureCount: UInt64
        /// The number of registrations and deregistrations that a server accepted.
        public var registrationCount: UInt64

        /// Creates a part of replies of the plugin. No value is checked. See the properties for units.
        public init(
            connectionCount: UInt64, messageCount: UInt64, nonEmptyCount: UInt64, retainedCount: UInt64,
            mergedCount: UInt64, overLimitCount: UInt64, freshCount: UInt64, syncCount: UInt64, failureCount: UInt64,
            registrationCount: UInt64
        ) {
            self.connectionCount = connectionCount
            self.messageCount = messageCount
            self.nonEmptyCount = nonEmptyCount
            self.retainedCount = retainedCount
            self.mergedCount = mergedCount
            self.overLimitCount = overLimitCount
            self.freshCount = freshCount
            self.syncCount = syncCount
            self.failureCount = failureCount
            self.registrationCount = registrationCount
        }
    }

    /// Reply of `GetState`: whether the plugin is connected to the broker, and what resulted from the wake-ups.
    public struct StateReply: Codable, Sendable, Equatable {
        /// Whether wake-ups are useful to this device now; `false` until that is known.
        public var wanted: Bool
        /// Whether the broker has accepted this device, and the connection is open.
        public var connected: Bool
        /// The last problem with the broker, in an English sentence with advice; `nil` if there was none, and after the
        /// broker has accepted this device again.
        public var problem: String?
        /// The number of seconds until the planned sync, 0 or more; `nil` if none is planned.
        public var secondsToSync: Int64?
        /// Whether a server has accepted a registration of this device and no deregistration since.
        public var registered: Bool
        /// The counts since the plugin started.
        public var counters: Counters

        /// Creates the reply of the plugin to `GetState`. No value is checked. See the properties for units and `nil`.
        public init(
            wanted: Bool, connected: Bool, problem: String?, secondsToSync: Int64?, registered: Bool, counters: Counters
        ) {
            self.wanted = wanted
            self.connected = connected
            self.problem = problem
            self.secondsToSync = secondsToSync
            self.registered = registered
            self.counters = counters
        }
    }
}
