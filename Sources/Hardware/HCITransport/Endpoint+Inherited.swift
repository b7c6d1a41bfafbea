// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

extension Endpoint {
    /// Takes over a descriptor that was open before: finds out what it is, and makes it non-blocking and closed on exec.
    ///
    /// A descriptor that is refused stays open and as it was: it may belong to somebody else.
    static func adopt(_ descriptor: Int32, _ address: TransportAddress) throws(TransportFailure) -> Endpoint {
        // A terminal would be taken for a serial line, and whoever sits at it locked out.
        guard descriptor > STDERR_FILENO else {
            throw .notATransport(address, "0 to 2 are standard input, output and error; what is handed over starts at 3")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .opening(address, errno) }
        let kind: Kind
        switch status.st_mode & S_IFMT {
        case S_IFSOCK: kind = try socketKind(descriptor, address)
        case S_IFCHR where isatty(descriptor) == 1: kind = .serialLine
        default: throw .notATransport(address, "the descriptor is neither a socket nor a serial line")
        }
        if kind == .serialLine {
            // Speed and flow control are the opener's; cooked mode would change bytes.
            var real: UInt32 = 0
            let result = vigil_serial_make_raw(descriptor, 0, &real)
            if result < 0 { throw .opening(address, -result) }
        }
        let error = SystemCall.prepare(descriptor)
        guard error == 0 else { throw .opening(address, error) }
        return Endpoint(descriptor: descriptor, kind: kind)
    }

    private static func socketKind(_ descriptor: Int32, _ address: TransportAddress) throws(TransportFailure) -> Kind {
        // Linux's address family of Bluetooth; no header of the C library has it.
        let bluetooth: Int32 = 31
        let type = try option(SO_TYPE, descriptor, address)
        let family = try option(SO_DOMAIN, descriptor, address)
        guard try option(SO_ACCEPTCONN, descriptor, address) == 0 else {
            throw .notATransport(address, "the socket waits for connections instead of being one")
        }
        if family == bluetooth {
            guard vigil_hci_is_user_channel(descriptor) == 1 else {
                throw .notATransport(address, "the Bluetooth socket is not bound to an adapter's exclusive channel")
            }
            return .packetSocket
        }
        guard SystemCall.hasPeer(descriptor) else {
            throw .notATransport(address, "the socket is not connected to anything")
        }
        switch type {
        case Int32(SOCK_STREAM.rawValue): return .streamSocket
        case Int32(SOCK_SEQPACKET.rawValue): return .packetSocket
        // Datagrams may be lost or reordered, and nobody says when the other end is gone.
        default: throw .notATransport(address, "the socket is neither a stream nor a sequence of packets")
        }
    }

    private static func option(
        _ name: Int32, _ descriptor: Int32, _ address: TransportAddress
    ) throws(TransportFailure) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 else { throw .opening(address, errno) }
        return value
    }
}
