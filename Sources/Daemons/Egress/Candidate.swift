// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IPNetwork
import Socks
import SystemCalls

/// One of the addresses that a name has, with its scope.
public struct Candidate: Hashable, Sendable {
    /// The IPv4 or IPv6 address, without a port.
    public let address: IPAddress
    /// The index of the interface of a link-local address; 0 for any other.
    public let scope: UInt32

    /// Creates a candidate. Cannot fail.
    ///
    /// - Parameter scope: The index of the interface of a link-local address; 0 for all others.
    public init(_ address: IPAddress, scope: UInt32 = 0) {
        self.address = address
        self.scope = scope
    }

    /// Reads what the system calls an address; `nil` for those of other protocols.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let number = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
            self.init(IPAddress(v4: UInt32(bigEndian: number)))
        case AF_INET6:
            let whole = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            guard let address = withUnsafeBytes(of: whole.sin6_addr, { IPAddress(bytes: $0) }) else { return nil }
            self.init(address, scope: whole.sin6_scope_id)
        default: return nil
        }
    }

    /// A socket on its way there: its descriptor, or why there is none.
    func connect(port: UInt16) -> Result<Int32, ConnectFailure> {
        let family = address.version == .v4 ? AF_INET : AF_INET6
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { return .failure(ConnectFailure(error: errno)) }
        Socket.prepare(descriptor)
        let outcome = SystemCall.retrying { with(port: port) { Int(Glibc.connect(descriptor, $0, $1)) } }
        switch outcome {
        case .failed(let error) where error != EINPROGRESS && error != EALREADY:
            close(descriptor)
            return .failure(ConnectFailure(error: error))
        default: return .success(descriptor)
        }
    }

    func with(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int) -> Int {
        switch address.version {
        case .v4:
            var whole = sockaddr_in()
            whole.sin_family = sa_family_t(AF_INET)
            whole.sin_port = port.bigEndian
            whole.sin_addr.s_addr = UInt32(address.low).bigEndian
            return Self.rebound(&whole, body)
        case .v6:
            var whole = sockaddr_in6()
            whole.sin6_family = sa_family_t(AF_INET6)
            whole.sin6_port = port.bigEndian
            whole.sin6_scope_id = scope
            let bytes = address.bytes
            withUnsafeMutableBytes(of: &whole.sin6_addr) { $0.copyBytes(from: bytes) }
            return Self.rebound(&whole, body)
        }
    }

    private static func rebound<Address>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int
    ) -> Int {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}

/// Why an address cannot be connected to.
struct ConnectFailure: Error {
    /// errno
    let error: Int32

    var rule: Refusal.Rule {
        switch error {
        case ECONNREFUSED: .connectionRefused
        case ETIMEDOUT: .connectTimeout
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .tooManyConnections
        default: .unreachable
        }
    }
}
