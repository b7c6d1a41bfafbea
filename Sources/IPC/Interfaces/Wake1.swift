// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.wake1`; the interface's text says what each part means.
public enum Wake1 {
    public static let name = "org.vigil.wake1"

    public struct Counters: Codable, Sendable, Equatable {
        public var connectionCount: UInt64
        public var messageCount: UInt64
        public var nonEmptyCount: UInt64
        public var retainedCount: UInt64
        public var mergedCount: UInt64
        public var overLimitCount: UInt64
        public var freshCount: UInt64
        public var syncCount: UInt64
        public var failureCount: UInt64
        public var registrationCount: UInt64

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

    public struct StateReply: Codable, Sendable, Equatable {
        public var wanted: Bool
        public var connected: Bool
        public var problem: String?
        public var secondsToSync: Int64?
        public var registered: Bool
        public var counters: Counters

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
