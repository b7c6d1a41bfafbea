// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.egress1`; the interface's text says what each part means.
public enum Egress1 {
    public static let name = "org.vigil.egress1"

    public struct Caller: Codable, Sendable, Equatable {
        public var name: String
        public var mayUseMetered: Bool
        public var openConnectionCount: Int
        public var connectionCount: UInt64
        public var sentByteCount: UInt64
        public var receivedByteCount: UInt64
        public var refusals: [String: UInt64]
        public var lastRefusal: String?

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

    public struct TrafficReply: Codable, Sendable, Equatable {
        public var metered: Bool
        public var proxied: Bool
        public var callers: [Caller]

        public init(metered: Bool, proxied: Bool, callers: [Caller]) {
            self.metered = metered
            self.proxied = proxied
            self.callers = callers
        }
    }

    public struct Endpoint: Codable, Sendable, Equatable {
        public var destination: String
        public var mayBePrivate: Bool
        public var connectionCount: UInt64
        public var failedConnectionCount: UInt64
        public var sentByteCount: UInt64
        public var receivedByteCount: UInt64

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

    public struct EndpointsCall: Codable, Sendable {
        public var caller: String

        public init(caller: String) { self.caller = caller }
    }

    public struct EndpointsReply: Codable, Sendable, Equatable {
        public var endpoints: [Endpoint]

        public init(endpoints: [Endpoint]) { self.endpoints = endpoints }
    }

    /// Errors of the interface.
    public enum Failure {
        public static let unknownCaller = "org.vigil.egress1.UnknownCaller"
    }
}
