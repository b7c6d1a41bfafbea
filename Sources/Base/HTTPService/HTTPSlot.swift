// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc
import IPNetwork

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
    /// Whether its stream is for somebody whom nobody knows.
    var isStranger = false
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

    /// The other end of an accepted connection; `nil` for what is not of the internet protocol. An IPv4 address that came by an IPv6 socket is that IPv4
    /// address.
    static func peer(_ storage: inout sockaddr_storage) -> IPAddress? {
        let family = Int32(storage.ss_family)
        return withUnsafeBytes(of: &storage) { bytes in
            switch family {
            case AF_INET: IPAddress(bytes: bytes[4..<8])?.unmapped
            case AF_INET6: IPAddress(bytes: bytes[8..<24])?.unmapped
            default: nil
            }
        }
    }

    /// An address in words for the handler: version 4 in decimal, of version 6 the network (/64) in 16 hexadecimal digits; empty for none.
    static func source(_ peer: IPAddress?) -> String {
        guard let peer else { return "" }
        guard peer.version == .v6 else { return "\(peer)" }
        return peer.bytes.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// What connections are counted by: `nil` for the machine itself, four bytes of version 4, the network (/64) of version 6, since a host has all its
    /// addresses. Empty for what has no address.
    static func address(_ peer: IPAddress?) -> [UInt8]? {
        guard let peer else { return [] }
        return peer.isLoopback ? nil : Array(peer.bytes.prefix(peer.version == .v6 ? 8 : 4))
    }

    /// The address at this end of a connection, 4 or 16 bytes; empty when the system does not say, or it is not of the internet protocol. An IPv4
    /// address that was reached by an IPv6 socket is that IPv4 address.
    static func ownAddress(_ descriptor: Int32) -> [UInt8] {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return status == 0 ? peer(&storage)?.bytes ?? [] : []
    }
}
