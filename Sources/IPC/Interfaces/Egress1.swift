// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.egress1`; the interface's text says what each part means.
public enum Egress1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.egress1"

    /// The traffic of one plugin since egress started. Counts only, each 0 or more; never contents.
    public struct Caller: Codable, Sendable, Equatable {
        /// The plugin's name, as its manifest has it.
        public var name: String
        /// Whether it may go out while traffic costs money.
        public var mayUseMetered: Bool
        /// The number of its connections that are open now or on the way, 0 or more.
        public var openConnectionCount: Int
        /// The number of its connections that were made since egress started, 0 or more.
        public var connectionCount: UInt64
        /// The number of bytes that the plugin sent since the start of egress, 0 or more.
        public var sentByteCount: UInt64
        /// The number of bytes that the plugin received since the start of egress, 0 or more.
        public var receivedByteCount: UInt64
        /// The number of times that it did not get a connection, each above 0, by the rule's stable word; docs/egress.md has all rules. At most 32.
        public var refusals: [String: UInt64]
        /// The last refusal in an English sentence, with what to do; `nil` if there was none.
        public var lastRefusal: String?

        /// Creates a part of replies of egress. No value is checked. See the properties for units and `nil`.
        public init(
            name: String, mayUseMetered: Bool, openConnectionCount: Int, connectionCount: UInt64, sentByteCount: UInt64,
            receivedByteCount: UInt64, refusals: [String: UInt64], lastRefusal: String?
        ) {
            self.name = name
            self.mayUseMetered = mayUseMetered
            self.openConnectionCount = openConnectionCount
            self.connectionCount = connectionCount
            self.sentByteCount = sentByteCount
            self.receivedByteCount = receivedByteCount
            self.refusals = refusals
            self.lastRefusal = lastRefusal
        }
    }

    /// Reply of `GetTraffic`: what every caller did since egress started, and how traffic goes out now.
    public struct TrafficReply: Codable, Sendable, Equatable {
        /// Whether the operator says that traffic costs money now.
        public var metered: Bool
        /// Whether everything goes through a proxy of the operator's; true, too, where that proxy cannot be used and nothing goes out.
        public var proxied: Bool
        /// Every caller that egress has, by name; at most 32.
        public var callers: [Caller]

        /// Creates the reply of egress to `GetTraffic`. No value is checked.
        public init(metered: Bool, proxied: Bool, callers: [Caller]) {
            self.metered = metered
            self.proxied = proxied
            self.callers = callers
        }
    }

    /// The traffic of one caller with one destination that it may reach, since egress started or the destination was granted last. Counts only, each
    /// 0 or more.
    public struct Endpoint: Codable, Sendable, Equatable {
        /// Host and port as granted, such as `example.org:443`.
        public var destination: String
        /// Whether the destination may be in a private network.
        public var mayBePrivate: Bool
        /// The number of connections to it that came about since egress started, or since it was granted last, 0 or more.
        public var connectionCount: UInt64
        /// The number of connections to it that did not come about in that time, for whatever reason, 0 or more.
        public var failedConnectionCount: UInt64
        /// The number of bytes that were sent there in that time, 0 or more.
        public var sentByteCount: UInt64
        /// The number of bytes that were received from there in that time, 0 or more.
        public var receivedByteCount: UInt64

        /// Creates a part of replies of egress. No value is checked. See the properties for units.
        public init(
            destination: String, mayBePrivate: Bool, connectionCount: UInt64, failedConnectionCount: UInt64,
            sentByteCount: UInt64, receivedByteCount: UInt64
        ) {
            self.destination = destination
            self.mayBePrivate = mayBePrivate
            self.connectionCount = connectionCount
            self.failedConnectionCount = failedConnectionCount
            self.sentByteCount = sentByteCount
            self.receivedByteCount = receivedByteCount
        }
    }

    /// Parameters of `GetEndpoints`: whose destinations are wanted. An unknown name is refused with `UnknownCaller`.
    public struct EndpointsCall: Codable, Sendable {
        /// The name of the plugin whose endpoints are asked for.
        public var caller: String

        /// Creates the parameters of a call of `GetEndpoints`. Nothing is checked here: egress checks the values when the
        /// call arrives.
        public init(caller: String) { self.caller = caller }
    }

    /// Reply of `GetEndpoints`: the destinations a caller may reach, and what it did there.
    public struct EndpointsReply: Codable, Sendable, Equatable {
        /// The destinations as granted, used or not; at most 64. Empty for a plugin whose way out was taken away.
        public var endpoints: [Endpoint]

        /// Creates the reply of egress to `GetEndpoints`. No value is checked.
        public init(endpoints: [Endpoint]) { self.endpoints = endpoints }
    }

    /// The names of the interface's errors, as replies have them.
    public enum Failure {
        /// The error for a name that egress has no caller of, as it is on the wire; it carries `caller`, as it was given.
        public static let unknownCaller = "org.vigil.egress1.UnknownCaller"
    }
}
