// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A TCP socket that listens, made for a plugin that may not make one.
final class NetworkListener {
    /// Where one listens.
    struct Place: Hashable {
        /// An IPv4 address or an IPv6 address, with or without brackets.
        let address: String
        let port: UInt16

        init(_ address: String, _ port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    let place: Place
    let descriptor: Int32

    init(at place: Place) throws(Folders.Failure) {
        self.place = place
        let (address, port) = (place.address, place.port)
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
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            isBound = inet_pton(AF_INET6, text, &name.sin6_addr) == 1 && Self.bind(descriptor, &name)
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            isBound = inet_pton(AF_INET, text, &name.sin_addr) == 1 && Self.bind(descriptor, &name)
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
