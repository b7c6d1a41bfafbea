// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

/// The address of a UNIX socket that has a path.
struct UnixAddress {
    /// What fits `sun_path` with its NUL.
    static let maximumPathByteCount = 107

    private var storage = sockaddr_un()

    /// `nil` when the path is empty, too long or contains a NUL.
    init?(path: String) {
        storage.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= Self.maximumPathByteCount, !bytes.contains(0) else { return nil }
        withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: bytes) }
    }

    mutating func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// A socket that does not block and is closed on exec, to which nobody hands descriptors where the kernel sees to that; negative on failure.
    static func makeSocket() -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        if descriptor >= 0 { SystemCall.refuseDescriptors(descriptor) }
        return descriptor
    }
}
