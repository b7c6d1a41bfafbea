// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where a socket that was handed over listens.
struct ListenerPlace: Equatable {
    /// 4 or 16 bytes.
    let address: [UInt8]
    let port: UInt16

    init?(descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { return nil }
        let family = Int32(storage.ss_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        // The port stands at the same place in both families.
        (address, port) = withUnsafeBytes(of: &storage) { bytes in
            (Array(family == AF_INET ? bytes[4..<8] : bytes[8..<24]), UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
        }
    }

    init(address: [UInt8], port: UInt16) {
        self.address = address
        self.port = port
    }

    var isLoopback: Bool {
        address.count == 4 ? address[0] == 127 : address == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// As it stands in `Host`.
    var text: String {
        if address.count == 4 { return address.map { "\($0)" }.joined(separator: ".") }
        var bytes = address
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(AF_INET6, &bytes, &buffer, socklen_t(buffer.count))
        return "[" + String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + "]"
    }

    /// Whether it is every address that the device has, those included that it gets later: then each connection's own counts.
    var isEveryAddress: Bool { address.allSatisfy { $0 == 0 } }

    /// Names under which it may be asked for without anybody's permission.
    var names: [String] {
        (isEveryAddress ? [] : [text]) + ["vigil.local"] + (isLoopback ? ["127.0.0.1", "localhost", "[::1]"] : [])
    }
}
