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
    let listener: String
    let isSecure: Bool
    var step = Step.head
    /// Since when, or the last sign of life of a stream.
    var since: Duration
    var pending: HTTPPending?
    private(set) var isEvicted = false

    init(descriptor: Int32, address: [UInt8]?, listener: String, isSecure: Bool, since: Duration) {
        self.descriptor = descriptor
        self.address = address
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
