// SPDX-License-Identifier: Apache-2.0

import Glibc
import IPNetwork
import Socks
import SystemCalls

/// What this machine reaches without a router: itself and its neighbours. Their addresses may be public ones, above all of version 6, where every
/// printer in a home has one; a plugin that may go to a public name is not meant to reach them.
struct OwnNetwork: Hashable {
    private struct Route: Hashable {
        let start: IPAddress
        /// Bits, not 0: a default route without a router, as a modem has it, is the way to everybody.
        let length: Int

        func contains(_ address: IPAddress) -> Bool {
            guard start.version == address.version else { return false }
            let width = start.version == .v4 ? 32 : 128
            return zip(start.bytes, address.bytes).enumerated().allSatisfy { index, pair in
                let bits = min(max(length - index * 8, 0), 8)
                return bits == 0 || (pair.0 ^ pair.1) >> (8 - bits) == 0
            } && length <= width
        }
    }

    /// More than a board has; what comes after them is not looked at.
    private static let mostRoutes = 1_024
    private static let mostBytes = 256 << 10
    // linux/route.h and linux/ipv6_route.h
    private static let isUp: UInt32 = 0x1, hasGateway: UInt32 = 0x2, rejects: UInt32 = 0x200

    private var routes: [Route]

    /// As the kernel has it now. Nothing is known of what cannot be read.
    static func current() -> OwnNetwork {
        OwnNetwork(version4: text("/proc/thread-self/net/route"), version6: text("/proc/thread-self/net/ipv6_route"))
    }

    /// From the kernel's tables (proc(5) and net/ipv6/route.c): lines that are none of theirs are passed over.
    init(version4: String, version6: String) {
        routes = version4.split(separator: "\n").prefix(Self.mostRoutes).compactMap { Self.route4($0) }
        routes += version6.split(separator: "\n").prefix(Self.mostRoutes).compactMap { Self.route6($0) }
    }

    func contains(_ address: IPAddress) -> Bool { routes.contains { $0.contains(address) } }

    /// `Iface Destination Gateway Flags RefCnt Use Metric Mask …`; addresses are hexadecimal in the machine's own order of bytes.
    private static func route4(_ line: Substring) -> Route? {
        let words = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
        guard words.count >= 8, let start = UInt32(words[1], radix: 16), let flags = UInt32(words[3], radix: 16),
            let mask = UInt32(words[7], radix: 16), isDirect(flags), mask != 0
        else { return nil }
        return Route(
            start: IPAddress(v4: UInt32(bigEndian: start)), length: UInt32(bigEndian: mask).leadingOneBitCount)
    }

    /// `destination length source length next-hop metric references use flags interface`, all hexadecimal.
    private static func route6(_ line: Substring) -> Route? {
        let words = line.split(separator: " ")
        guard words.count == 10, words[0].utf8.count == 32, let high = UInt64(words[0].prefix(16), radix: 16),
            let low = UInt64(words[0].suffix(16), radix: 16), let length = UInt8(words[1], radix: 16),
            (1...128).contains(length), let flags = UInt32(words[8], radix: 16), isDirect(flags)
        else { return nil }
        return Route(start: IPAddress(high: high, low: low), length: Int(length))
    }

    private static func isDirect(_ flags: UInt32) -> Bool {
        flags & isUp != 0 && flags & (hasGateway | rejects) == 0
    }

    private static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < mostBytes {
            guard case .done(let count) = SystemCall.retrying({ read(descriptor, &block, block.count) }), count > 0 else {
                break
            }
            bytes += block.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt32 {
    fileprivate var leadingOneBitCount: Int { (~self).leadingZeroBitCount }
}

extension Candidate {
    /// Whether it is an address of this machine: then the kernel speaks to it from that same address. Sends nothing.
    var isThisMachine: Bool {
        let descriptor = socket(
            address.version == .v4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard with(port: 9, { Int(Glibc.connect(descriptor, $0, $1)) }) == 0 else { return false }
        var own = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length) == 0 && Candidate($0)?.address == address
            }
        }
    }
}
