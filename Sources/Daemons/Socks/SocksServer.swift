// SPDX-License-Identifier: Apache-2.0

import IPNetwork

/// The server's side of one SOCKS5 connection up to its request (RFC 1928; name and password as in RFC 1929): bytes in,
/// bytes out.
///
/// Pass bytes in until there is an ``outcome``, send what ``takeOutput()`` returns, and close the connection after a
/// refusal. Bytes that it does not use belong to the destination. It never holds more than 513 bytes.
public struct SocksServer: Sendable {
    /// The outcome: the client's request, or the reason for a refusal.
    public enum Outcome: Hashable, Sendable {
        /// The client asks for a connection to this destination.
        case request(Destination)
        /// The client is refused, for this reason; ``takeOutput()`` returns the reply, if there is one.
        case refused(Refusal)
    }

    private enum Stage { case greeting, password, request }
    private static let version: UInt8 = 5

    /// The client's request, or the reason for a refusal; `nil` until it is known. It is set once, and no byte is used
    /// afterwards.
    public private(set) var outcome: Outcome?
    private let credentials: Credentials?
    private var stage = Stage.greeting
    private var held: [UInt8] = []
    private var output: [UInt8] = []
    private var isAnswered = false

    /// Creates the state of a connection that was just accepted, from which no byte was read.
    ///
    /// - Parameter credentials: The credentials with which a client must log in; `nil` if it need not, and then it cannot.
    public init(credentials: Credentials? = nil) { self.credentials = credentials }

    /// Whether the client has begun a message and not finished it; `false` between messages, and once there is an
    /// ``outcome``.
    public var isInsideMessage: Bool { outcome == nil && !held.isEmpty }

    /// Returns the bytes to send now, each only once: the next call returns what was added since. Empty if there are none.
    public mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Takes bytes from the client, and returns how many it used, 0 to all; bytes after the request belong to the
    /// destination, and are not used. Cannot fail: faults become the ``outcome``.
    public mutating func receive(_ bytes: some Collection<UInt8>) -> Int {
        var count = 0
        for byte in bytes {
            guard outcome == nil else { break }
            held.append(byte)
            count += 1
            advance()
        }
        return count
    }

    /// Answers the request. Has no effect if the request was not understood or is answered already. The address that the
    /// connection comes from is not revealed: 0.0.0.0 is sent in its place.
    public mutating func answer(_ reply: SocksReply) {
        guard case .request? = outcome, !isAnswered else { return }
        send(reply)
    }

    private mutating func send(_ reply: SocksReply) {
        isAnswered = true
        output += [Self.version, reply.rawValue, 0, 1, 0, 0, 0, 0, 0, 0]
    }

    private mutating func refuse(_ rule: Refusal.Rule) {
        let refusal = Refusal(rule)
        outcome = .refused(refusal)
        held = []
        if stage == .request, let reply = refusal.reply { send(reply) }
    }

    /// Called with each byte: what is complete is acted upon, what cannot become right is refused at once.
    private mutating func advance() {
        switch stage {
        case .greeting: greet()
        case .password: logIn()
        case .request: read()
        }
    }

    private mutating func greet() {
        guard held[0] == Self.version else { return refuse(.malformedRequest) }
        guard held.count >= 2, held.count == 2 + Int(held[1]) else { return }
        let methods = held[2...]
        let needed: UInt8 = credentials == nil ? 0 : 2
        guard methods.contains(needed) else {
            output += [Self.version, 0xFF]
            return refuse(.noCommonMethod)
        }
        output += [Self.version, needed]
        stage = credentials == nil ? .request : .password
        held = []
    }

    private mutating func logIn() {
        guard held[0] == 1 else { return refuse(.malformedRequest) }
        guard held.count >= 2 else { return }
        let userEnd = 2 + Int(held[1])
        guard held.count > userEnd, held.count == userEnd + 1 + Int(held[userEnd]) else { return }
        guard let credentials, credentials.matches(user: held[2..<userEnd], password: held[(userEnd + 1)...]) else {
            output += [1, 1]
            return refuse(.wrongPassword)
        }
        output += [1, 0]
        stage = .request
        held = []
    }

    private mutating func read() {
        guard held[0] == Self.version, held.count < 3 || held[2] == 0 else { return refuse(.malformedRequest) }
        guard held.count >= 5 else { return }
        let length: Int
        switch held[3] {
        case 1: length = 4
        case 3: length = 1 + Int(held[4])
        case 4: length = 16
        default:
            outcome = .refused(Refusal(.malformedRequest))
            held = []
            return send(.addressTypeNotSupported)
        }
        guard held.count == 4 + length + 2 else { return }
        guard held[1] == 1 else { return refuse(.commandNotSupported) }
        let body = held[4..<(4 + length)]
        let port = UInt16(held[4 + length]) << 8 | UInt16(held[5 + length])
        let host: Host? =
            if held[3] == 3 {
                String(validating: body.dropFirst(), as: UTF8.self).flatMap { Host($0) }
            } else {
                IPAddress(bytes: body).map { .address($0) }
            }
        guard let host, port > 0 else { return refuse(.malformedHost) }
        outcome = .request(Destination(host: host, port: port))
        held = []
    }
}
