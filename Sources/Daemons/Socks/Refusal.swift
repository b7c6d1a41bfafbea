// SPDX-License-Identifier: Apache-2.0

public import IPNetwork

/// The reason why a caller does not get a connection: by which rule, in a text for whoever wrote the caller, and in SOCKS.
public struct Refusal: Error, Hashable, Sendable {
    /// The rules and other obstacles by which a connection is refused. Raw values are stable: they name counters.
    public enum Rule: String, Sendable, CaseIterable {
        // What was said is not what is spoken here.
        /// The bytes are not SOCKS5 as RFC 1928 has it.
        case malformedRequest
        /// The command is BIND, UDP ASSOCIATE or unknown: only CONNECT is served.
        case commandNotSupported
        /// Neither "no authentication" nor the one that is needed here was offered.
        case noCommonMethod
        /// Name and password were offered, and are not those of the caller.
        case wrongPassword
        /// A host that is neither a name nor an address, or port 0.
        case malformedHost
        /// The request was not complete in time (10 seconds in egress).
        case slowRequest

        // What the operator did not allow.
        /// The host is not among those granted.
        case notListed
        /// The host is granted, with other ports.
        case portNotListed
        /// It led to an address that is not of the public internet, or that is in the board's own network.
        case privateAddress
        /// The connection costs money at the moment, and the caller may not use it then.
        case metered
        /// The caller, or all callers together, have as many connections open as there may be, or the system gives no socket.
        case tooManyConnections

        // What the network did.
        /// The name has no address in DNS.
        case nameNotFound
        /// The resolver did not answer in time.
        case resolverTimeout
        /// The resolver cannot be asked at the moment; later it may.
        case resolverFailed
        /// The network has no way to the address, or refuses it for a reason that is none of the others here.
        case unreachable
        /// The address answers, and nobody listens at that port.
        case connectionRefused
        /// No address of the destination took the connection in time; or the proxy says so.
        case connectTimeout
        /// The proxy that everything goes through cannot be reached, does not let it pass, does not answer in time or keep to its protocol, or cannot
        /// be read in the settings.
        case proxyFailed
    }

    /// The rule that the connection was refused by.
    public let rule: Rule
    /// The destination that the caller wanted to reach; `nil` if that was not understood so far.
    public let destination: Destination?
    /// The range that the address lies in, for ``Rule/privateAddress`` (also the board's own network); otherwise `nil`.
    public let range: SpecialRange?
    private let otherPorts: [UInt16]

    /// A refusal by this rule.
    ///
    /// - Parameters:
    ///   - destination: The destination that the caller asked for; `nil` if that was not understood so far.
    ///   - range: For ``Rule/privateAddress`` alone; otherwise `nil`.
    ///   - otherPorts: The ports that the host is granted with, for ``Rule/portNotListed`` alone.
    public init(
        _ rule: Rule, _ destination: Destination? = nil, range: SpecialRange? = nil, otherPorts: [UInt16] = []
    ) {
        self.rule = rule
        self.destination = destination
        self.range = range
        self.otherPorts = otherPorts
    }

    /// The reply to a SOCKS client (RFC 1928, section 6); `nil` where the protocol has no reply yet.
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

    /// An English text of what happened, why, and what to do, without a full stop at its end, for the author or operator of
    /// the caller called `caller` (its name, which is quoted as it is). It has the requested host in it. Cannot fail.
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

/// The replies of a SOCKS server to a request (RFC 1928, section 6); raw values are the bytes on the wire.
public enum SocksReply: UInt8, Sendable, CaseIterable {
    /// The connection stands; bytes pass from now on.
    case succeeded = 0
    /// Something failed that has no number of its own, such as the resolver.
    case generalFailure = 1
    /// The rules do not allow it.
    case notAllowed = 2
    /// There is no way to the network.
    case networkUnreachable = 3
    /// The host has no address, or cannot be reached.
    case hostUnreachable = 4
    /// Nobody listens at that port.
    case connectionRefused = 5
    /// It took too long; RFC 1928 calls it "TTL expired".
    case timeExpired = 6
    /// The command is not CONNECT.
    case commandNotSupported = 7
    /// The address is of a type that is not known.
    case addressTypeNotSupported = 8
}
