// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc

/// One connection, as far as limits go.
final class HTTPSlot {
    /// What is waited for.
    enum Step { case head, body, answer, streaming }

    let descriptor: Int32
    /// Of the other end; `nil` for the machine itself.
    let address: [UInt8]?
    /// The same in words, for the machine itself too.
    let source: String
    let listener: String
    let isSecure: Bool
    var step = Step.head
    /// Since when, or the last sign of life of a stream.
    var since: Duration
    var pending: HTTPPending?
    /// Whether it was answered before: closing it now costs the other end a new connection and nothing else.
    var wasAnswered = false
    private(set) var isEvicted = false

    init(descriptor: Int32, address: [UInt8]?, source: String, listener: String, isSecure: Bool, since: Duration) {
        self.descriptor = descriptor
        self.address = address
        self.source = source
        self.listener = listener
        self.isSecure = isSecure
        self.since = since
    }

    /// Has libmicrohttpd find it closed.
    func evict() {
        isEvicted = true
        shutdown(descriptor, Int32(SHUT_RDWR))
        letGo()
    }

    /// Nothing is suspended any more.
    func letGo() {
        pending?.stream?.end()
        pending?.abandon()
    }

    /// Whether the other end has closed, where nobody reads.
    var hasGone: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    static func source(_ storage: inout sockaddr_storage) -> String {
        let family = Int32(storage.ss_family)
        return withUnsafeBytes(of: &storage) { bytes in
            switch family {
            case AF_INET: return bytes[4..<8].map { "\($0)" }.joined(separator: ".")
            case AF_INET6:
                // An IPv4 address that came by an IPv6 socket is a host, not a network.
                let address = Array(bytes[8..<24])
                let isMapped = address.prefix(10).allSatisfy { $0 == 0 } && address[10] == 255 && address[11] == 255
                if isMapped { return address.suffix(4).map { "\($0)" }.joined(separator: ".") }
                return address.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            default: return ""
            }
        }
    }

    static func address(_ storage: inout sockaddr_storage) -> [UInt8]? {
        let family = Int32(storage.ss_family)
        return withUnsafeBytes(of: &storage) { bytes -> [UInt8]? in
            switch family {
            case AF_INET:
                let address = Array(bytes[4..<8])
                return address.first == 127 ? nil : address
            case AF_INET6:
                // A network's host has all addresses of its /64.
                let address = Array(bytes[8..<24])
                return address == [UInt8](repeating: 0, count: 15) + [1] ? nil : Array(address[..<8])
            default: return []
            }
        }
    }
}
