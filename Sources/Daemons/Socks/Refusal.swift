// SPDX-License-Identifier: Apache-2.0

public import IPNetwork

/// The reason why a caller gets no connection: the rule, a text for the caller's author, and the reply in SOCKS.
public struct Refusal: Error, Hashable, Sendable {
    /// The rules and other obstacles that lead to a refusal. Raw values are stable: they name counters.
    public enum Rule: String, Sendable, CaseIterable {
        // What was said is not what is spoken here.
        /// The bytes are not SOCKS5 as defined in RFC 1928.
        case malformedRequest
        /// The command is BIND, UDP ASSOCIATE or unknown: only CONNECT is served.
        case commandNotSupported
        /// The client offered neither "no authentication" nor the method that is needed here.
        case noCommonMethod
        /// The client offered a name and a password that are wrong.
        case wrongPassword
        /// The host is neither a name nor an address, or the port is 0.
        case malformedHost
        /// The request was not complete in time (10 seconds in egress).
        case slowRequest

        // What the operator did not allow.
        /// The host is not among the granted ones.
        case notListed
        /// The host is granted, but with other ports.
        case portNotListed
        /// The host leads to an address outside the public internet, or in the board's own network.
        case privateAddress
        /// The network is metered at the moment, and the caller may not use it then.
        case metered
        /// The caller, or all callers together, have the most connections that are permitted, or the system provides no
        /// socket.
        case tooManyConnections

        // What the network did.
        /// The name has no address in DNS.
        case nameNotFound
        /// The resolver did not answer in time.
        case resolverTimeout
        /// The resolver cannot be asked at the moment, but may be later.
        case resolverFailed
        /// The network has no route to the address, or refuses it for a reason that no other rule covers.
        case unreachable
        /// The address answers, but no server listens at that port.
        case connectionRefused
        /// No address of the destination accepted the connection in time, or the proxy says so.
        case connectTimeout
        /// The proxy for all connections cannot be reached, refuses the connection, does not answer in time, breaks its
        /// protocol, or is not valid in the settings.
        case proxyFailed
    }

    /// The rule by which the connection was refused.
    public let rule: Rule
    /// The destination that the caller asked for; `nil` if the request was not understood so far.
    public let destination: Destination?
    /// The range that the address lies in, for ``Rule/privateAddress`` (this may be the board's own network); `nil` for
    /// other rules.
    public let range: SpecialRange?
    private let otherPorts: [UInt16]

    /// Creates a refusal by this rule.
    ///
    /// - Parameters:
    ///   - destination: The destination that the caller asked for; `nil` if the request was not understood so far.
    ///   - range: The range of the address, for ``Rule/privateAddress``; `nil` for other rules.
    ///   - otherPorts: The ports with which the host is granted, for ``Rule/portNotListed``; empty for other rules.
    public init(
        _ rule: Rule, _ destination: Destination? = nil, range: SpecialRange? = nil, otherPorts: [UInt16] = []
    ) {
        self.rule = rule
        self.destination = destination
        self.range = range
        self.otherPorts = otherPorts
    }

    /// The reply to a SOCKS client (RFC 1928, section 6); `nil` if the protocol has no reply at this stage.
    public var reply: SocksReply? {
        switch rule {
        case .noCommonMethod, .wrongPassword, .slowRequest: nil
        case .malformedRequest, .resolverFailed, .proxyFailed, .tooManyConnections: .generalFailure
        case .commandNotSupported: .commandNotSupported
        case .malformedHost, .notListed, .portNotListed, .privateAddress, .metered: .notAllowed
        case .nameNotFound, .unreachable: .hostUnreachable
        case .connectionRefused: .connectionRefused
        // What Tor answers, and what clients have a word for: "TTL expired" is as near to it as the protocol gets.
        case .resolverTimeout, .connectTimeout: .timeExpired
        }
    }

    /// Returns an English text without a full stop that says what happened, why, and what to do, for the author or operator
    /// of the caller named `caller`, whose name is quoted unchanged. It contains the requested host. Cannot fail.
    public func text(for caller: String) -> String {
        let place = destination.map { "\($0)" } ?? "The connection"
        let grants = "the endpoints of \(caller) in the grants file"
        switch rule {
        case .malformedRequest:
            return "\(place) was refused: what came is not SOCKS5. Speak SOCKS version 5 as in RFC 1928"
        case .commandNotSupported:
            return "\(place) was refused: of SOCKS5, only CONNECT is done here. Use a connection of TCP"
        case .noCommonMethod:
            return
                "\(place) was refused: no way to log in that is used here was offered. Offer \"no authentication\", or name and "
                + "password where VIGIL_SOCKS has them"
        case .wrongPassword:
            return "\(place) was refused: name or password is wrong. Use those in VIGIL_SOCKS"
        case .malformedHost:
            return
                "\(place) was refused: the host is neither a name nor an address. Send the name in its ASCII form, or an address"
        case .slowRequest: return "\(place) was closed: the request took too long. Send it at once after connecting"
        case .notListed: return "\(place) was refused: it is not granted. Add it to \(grants)"
        case .portNotListed:
            let ports = otherPorts.map { "\($0)" }.joined(separator: ", ")
            return
                "\(place) was refused: the host is granted with port \(ports) only. Use that, or add this one to \(grants)"
        case .privateAddress:
            return
                "\(place) was refused: it is \(range?.explanation ?? "not of the public internet"). If that is meant, mark it as "
                + "private in \(grants)"
        case .metered:
            return
                "\(place) was refused: traffic costs money now, and \(caller) may not use it then. Wait, or set \"metered\" for "
                + "it in the grants file"
        case .tooManyConnections:
            return
                "\(place) was refused: too many connections are open. Close those that are not used, or use one for several requests"
        case .nameNotFound: return "\(place) was not reached: the name has no address. Look for a mistake in it"
        case .resolverTimeout:
            return
                "\(place) was not reached: nobody said in time what its address is. See whether the network's name servers answer"
        case .resolverFailed:
            return
                "\(place) was not reached: names cannot be looked up now. See whether the board has a network and a name server"
        case .unreachable: return "\(place) was not reached: there is no way to it. See whether the board has a network"
        case .connectionRefused:
            return "\(place) was not reached: nobody listens there. See whether the service runs and the port is right"
        case .connectTimeout:
            return "\(place) was not reached: it does not answer. See whether it is up, or a firewall is between"
        case .proxyFailed:
            return "\(place) was not reached: the proxy does not let it pass. See the proxy's settings and its log"
        }
    }
}

/// The replies of a SOCKS server to a request (RFC 1928, section 6). Raw values are the bytes that are sent.
public enum SocksReply: UInt8, Sendable, CaseIterable {
    /// The connection is made; bytes pass from now on.
    case succeeded = 0
    /// There was a failure that has no number of its own, for example of the resolver.
    case generalFailure = 1
    /// The rules do not permit the connection.
    case notAllowed = 2
    /// There is no route to the network.
    case networkUnreachable = 3
    /// The host has no address, or cannot be reached.
    case hostUnreachable = 4
    /// No server listens at that port.
    case connectionRefused = 5
    /// It took too long; RFC 1928 calls it "TTL expired".
    case timeExpired = 6
    /// The command is not CONNECT.
    case commandNotSupported = 7
    /// The address is of an unknown type.
    case addressTypeNotSupported = 8
}
