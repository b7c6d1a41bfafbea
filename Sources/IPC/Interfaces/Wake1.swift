// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.wake1`; the interface's text says what each part means.
public enum Wake1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.wake1"

    /// Counts of the wake plugin since it started, each 0 or more.
    public struct Counters: Codable, Sendable, Equatable {
        /// The number of times that the broker accepted this device since the plugin started, 0 or more.
        public var connectionCount: UInt64
        /// The number of messages that came on the wake topic since the plugin started, those of before and repeated ones
        /// included, 0 or more.
        public var messageCount: UInt64
        /// The number of these messages with a payload, which is never read; 0 or more.
        public var nonEmptyCount: UInt64
        /// The number of these messages that the broker had retained from before, 0 or more.
        public var retainedCount: UInt64
        /// The number of reasons for a sync, messages and connections, since the plugin started that changed nothing: a
        /// sync had been decided on already, or the broker delivered a message once more, 0 or more.
        public var mergedCount: UInt64
        /// The number of wakes since the plugin started that were above what 24 hours may have; they are believed only if the keys here are old.
        public var overLimitCount: UInt64
        /// The number of times that nothing was done because all was fresh, since the plugin started; 0 or more.
        public var freshCount: UInt64
        /// The number of times that a sync was asked for since the plugin started, tries after a failure included, 0 or
        /// more.
        public var syncCount: UInt64
        /// The number of times that the sync plugin did not answer, since the plugin started; 0 or more.
        public var failureCount: UInt64
        /// The number of registrations and deregistrations that a server accepted since the plugin started, 0 or more.
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

    /// Reply of `GetState`: whether the plugin hears the broker, and what became of the wakes.
    public struct StateReply: Codable, Sendable, Equatable {
        /// Whether a wake is of any use to this device now; false until that is known.
        public var wanted: Bool
        /// Whether the broker has let this device in, and the connection is open.
        public var connected: Bool
        /// The last trouble with the broker, in an English sentence with what to do; `nil` if there was none, and from when the broker lets this
        /// device in.
        public var problem: String?
        /// Seconds until the sync that has been decided on, 0 or more; `nil` if none has.
        public var secondsToSync: Int64?
        /// Whether a server has agreed to a registration of this device and to no deregistration since.
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
