// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A TCP socket that listens, made for a plugin that may not make one.
final class NetworkListener {
    let descriptor: Int32

    /// `address` is an IPv4 address or an IPv6 address, with or without brackets.
    init(address: String, port: UInt16) throws(Folders.Failure) {
        let text = address.hasPrefix("[") ? String(address.dropFirst().dropLast()) : address
        let isSix = text.contains(":")
        let descriptor = socket(isSix ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Folders.Failure("\(address):\(port)", "cannot be listened on") }
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        // An address that the board gets later, or has not at the moment, is waited at all the same. 15 is IP_FREEBIND, for both families.
        setsockopt(descriptor, Int32(IPPROTO_IP), 15, &on, socklen_t(MemoryLayout<Int32>.size))
        let isBound: Bool
        if isSix {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size))
            var place = sockaddr_in6()
            place.sin6_family = sa_family_t(AF_INET6)
            place.sin6_port = port.bigEndian
            isBound = inet_pton(AF_INET6, text, &place.sin6_addr) == 1 && Self.bind(descriptor, &place)
        } else {
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_port = port.bigEndian
            isBound = inet_pton(AF_INET, text, &place.sin_addr) == 1 && Self.bind(descriptor, &place)
        }
        guard isBound, listen(descriptor, 64) == 0 else {
            throw Folders.Failure("\(address):\(port)", "cannot be listened on")
        }
    }

    deinit { close(descriptor) }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }
}
