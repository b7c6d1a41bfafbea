// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.egress1`. The interface's text explains each of them.
public enum Egress1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.egress1"

    /// The traffic of one plugin since egress started: counts of 0 or more, never contents.
    public struct Caller: Codable, Sendable, Equatable {
        /// The name of the plugin in its manifest.
        public var name: String
        /// Whether the plugin may use the network while traffic costs money.
        public var mayUseMetered: Bool
        /// The number of the plugin's connections that are open or being opened.
        public var openConnectionCount: Int
        /// The number of connections of the plugin that were established since egress started; refused ones are not
        /// counted.
        public var connectionCount: UInt64
        /// The number of bytes that the plugin has sent since egress started.
        public var sentByteCount: UInt64
        /// The number of bytes that the plugin has received since egress started.
        public var receivedByteCount: UInt64
        /// The number of refused connections, each above 0, by the stable word of the rule; docs/egress.md lists the rules.
        /// At most 32.
        public var refusals: [String: UInt64]
        /// The last refusal, in an English sentence with advice; `nil` if there was none.
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

    /// Reply of `GetTraffic`: the traffic of each caller since egress started, and how traffic leaves the board now.
    public struct TrafficReply: Codable, Sendable, Equatable {
        /// Whether the operator has declared that traffic costs money now.
        public var metered: Bool
        /// Whether all traffic goes through the operator's proxy; also true if that proxy cannot be used and no traffic
        /// leaves the board.
        public var proxied: Bool
        /// The callers of egress, sorted by name, at most 32.
        public var callers: [Caller]

        /// Creates the reply of egress to `GetTraffic`. No value is checked.
        public init(metered: Bool, proxied: Bool, callers: [Caller]) {
            self.metered = metered
            self.proxied = proxied
            self.callers = callers
        }
    }

    /// The traffic of a caller with a destination that it may reach, since egress started or since the destination was last
    /// granted: counts of 0 or more.
    public struct Endpoint: Codable, Sendable, Equatable {
        /// The host and port as granted, such as `example.org:443`.
        public var destination: String
        /// Whether the destination may be in a private network.
        public var mayBePrivate: Bool
        /// The number of connections that were established.
        public var connectionCount: UInt64
        /// The number of connections that failed, for any reason.
        public var failedConnectionCount: UInt64
        /// The number of bytes that were sent.
        public var sentByteCount: UInt64
        /// The number of bytes that were received.
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

    /// Parameters of `GetEndpoints`: the caller whose destinations are wanted. Refused with `UnknownCaller` for an unknown
    /// name.
    public struct EndpointsCall: Codable, Sendable {
        /// The name of the plugin whose destinations are wanted.
        public var caller: String

        /// Creates the parameters of a call of `GetEndpoints`. Nothing is checked here: egress checks the values when the
        /// call arrives.
        public init(caller: String) { self.caller = caller }
    }

    /// Reply of `GetEndpoints`: the destinations that the caller may reach, with its traffic.
    public struct EndpointsReply: Codable, Sendable, Equatable {
        /// The granted destinations, used or not, at most 64. Empty for a plugin whose access to the network was removed.
        public var endpoints: [Endpoint]

        /// Creates the reply of egress to `GetEndpoints`. No value is checked.
        public init(endpoints: [Endpoint]) { self.endpoints = endpoints }
    }

    /// The names of the interface's errors in replies.
    public enum Failure {
        /// The error for a name that is not a caller of egress; its parameter `caller` contains the name as given,
        /// cut to 64 characters.
        public static let unknownCaller = "org.vigil.egress1.UnknownCaller"
    }
}
