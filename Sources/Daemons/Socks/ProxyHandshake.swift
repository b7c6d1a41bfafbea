// SPDX-License-Identifier: Apache-2.0

import Cryptography
import IPNetwork

/// The client's side of a handshake with a proxy, by SOCKS5 or CONNECT: bytes in, bytes out. It never holds more of the
/// proxy's bytes than ``maximumByteCount`` and one, at which it refuses.
public struct ProxyHandshake: Sendable {
    /// The most bytes of the head of an answer to CONNECT: 8,192, our choice, so that a proxy cannot fill the memory.
    public static let maximumByteCount = 8192

    /// The progress of the handshake.
    public enum State: Hashable, Sendable {
        /// The proxy still has to send bytes.
        case inProgress
        /// The handshake is complete: all further bytes come from the destination.
        case open
        /// The proxy refused the connection or broke its protocol; this rule says which.
        case refused(Refusal.Rule)
    }

    private enum Stage { case method, password, reply, head }

    /// The state of the handshake; it does not change any more once it is not ``State/inProgress``.
    public private(set) var state = State.inProgress
    private let target: Destination
    private let credentials: Credentials?
    private var stage: Stage
    private var held: [UInt8] = []
    private var output: [UInt8] = []

    init(language: UpstreamProxy.Language, target: Destination, credentials: Credentials?) {
        self.target = target
        self.credentials = credentials
        switch language {
        case .socks5:
            stage = .method
            output = credentials == nil ? [5, 1, 0] : [5, 2, 0, 2]
        case .http:
            stage = .head
            var head = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
            if let credentials {
                head += "Proxy-Authorization: Basic \(Base64.string(credentials.user + [58] + credentials.password))\r\n"
            }
            output = Array((head + "\r\n").utf8)
        }
    }

    /// Returns the bytes to send now, each only once: the next call returns what was added since. Empty if there are none.
    public mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Takes bytes from the proxy, and returns how many it used, 0 to all. Bytes after the handshake belong to the
    /// destination, and are not used. Cannot fail: faults change ``state``.
    public mutating func receive(_ bytes: some Collection<UInt8>) -> Int {
        var count = 0
        for byte in bytes {
            guard state == .inProgress else { break }
            held.append(byte)
            count += 1
            switch stage {
            case .method: choose()
            case .password: logIn()
            case .reply: readReply()
            case .head: readHead()
            }
        }
        return count
    }

    private mutating func choose() {
        guard held[0] == 5 else { return state = .refused(.proxyFailed) }
        guard held.count == 2 else { return }
        switch held[1] {
        case 0: request()
        case 2:
            guard let credentials else { return state = .refused(.proxyFailed) }
            output +=
                [1, UInt8(credentials.user.count)] + credentials.user + [UInt8(credentials.password.count)]
                + credentials.password
            stage = .password
        default: state = .refused(.proxyFailed)
        }
        held = []
    }

    private mutating func logIn() {
        guard held.count == 2 else { return }
        guard held == [1, 0] else { return state = .refused(.proxyFailed) }
        held = []
        request()
    }

    private mutating func request() {
        stage = .reply
        output += [5, 1, 0]
        switch target.host {
        case .name(let name): output += [3, UInt8(name.utf8.count)] + Array(name.utf8)
        case .address(let address): output += [address.version == .v4 ? 1 : 4] + address.bytes
        }
        output += [UInt8(target.port >> 8), UInt8(truncatingIfNeeded: target.port)]
    }

    private mutating func readReply() {
        guard held[0] == 5 else { return state = .refused(.proxyFailed) }
        guard held.count >= 5 else { return }
        let length: Int
        switch held[3] {
        case 1: length = 4
        case 3: length = 1 + Int(held[4])
        case 4: length = 16
        default: return state = .refused(.proxyFailed)
        }
        guard held.count == 4 + length + 2 else { return }
        state =
            switch SocksReply(rawValue: held[1]) {
            case .succeeded: .open
            case .networkUnreachable, .hostUnreachable: .refused(.unreachable)
            case .connectionRefused: .refused(.connectionRefused)
            case .timeExpired: .refused(.connectTimeout)
            default: .refused(.proxyFailed)
            }
    }

    private mutating func readHead() {
        guard held.count <= Self.maximumByteCount else { return state = .refused(.proxyFailed) }
        guard held.suffix(4) == [13, 10, 13, 10] else { return }
        // HTTP/1.x 200 Connection established
        let line = held.prefix { $0 != 13 }
        let isVersion = line.starts(with: "HTTP/1.".utf8) && line.count >= 12 && line[8] == 32
        let status = line.dropFirst(9).prefix(3)
        guard isVersion, status.count == 3, line.count == 12 || line[12] == 32 else {
            return state = .refused(.proxyFailed)
        }
        // Section 9.3.6 of RFC 9110: any 2xx.
        state =
            status.first == UInt8(ascii: "2")
            ? .open : .refused(status.elementsEqual("504".utf8) ? .connectTimeout : .proxyFailed)
    }
}
