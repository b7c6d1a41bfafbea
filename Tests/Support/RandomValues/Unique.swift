// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What two tests must not share, also not two runs at once or a run and what a killed one left: drawn without a seed, in every run anew.
/// The only such draws of the tests. Nothing may depend on the value, so all names are equally long.
public enum Unique {
    /// No port could be reserved.
    public struct NoPort: Error {}

    /// The end of a name of a folder, file or group: 16 hexadecimal digits, which 2³² names would not be expected to repeat.
    public static func name() -> String {
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// A TCP port of 127.0.0.1 that is reserved until this process ends: no other call gets it, in no process, and the kernel gives it
    /// to no connection. A server that sets SO_REUSEADDR, as nearly all do, can listen there, and again after a restart.
    ///
    /// A port that is merely free at the moment is not enough: dozens of servers start at once, each some time after its port was drawn.
    ///
    /// Linux lets two sockets have one address when both allow it and neither listens yet. The reserving socket is bound while it does
    /// not allow it, so that it is the only one, allows it from then on, and never listens.
    public static func port() throws -> UInt16 {
        for _ in 0..<1_000 {
            // Below those that Linux gives to connections by itself (ip_local_port_range, from 32768 on).
            let port = UInt16.random(in: 10_240..<32_768)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { break }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            var on: Int32 = 1
            guard isBound, setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size)) == 0
            else {
                close(descriptor)
                continue
            }
            return port
        }
        throw NoPort()
    }
}
