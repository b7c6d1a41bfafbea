// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// A listening UNIX socket that only its owner may use. Its file is removed together with the object.
package final class UnixListener {
    /// The listening descriptor, which does not block; owned by this object.
    package let descriptor: Int32
    private let path: String

    /// Listens at `path`, and replaces a socket file there if nothing listens on it any more. Changes the umask of
    /// the process for a moment. Throws `pathNotUsable` when the path does not have 1 to 107 bytes, has a NUL, or
    /// another kind of file is there, `pathInUse` when another process listens there, and `system` when the system
    /// refuses a call.
    package init(path: String) throws(VirtualAirError) {
        guard var address = Self.address(path) else {
            throw VirtualAirError(.pathNotUsable, "the path of a socket has 1 to 107 bytes, not \(path.utf8.count)")
        }
        var information = stat()
        if lstat(path, &information) == 0 {
            guard information.st_mode & S_IFMT == S_IFSOCK else {
                throw VirtualAirError(.pathNotUsable, "\(path) is there already and is no socket")
            }
            guard !Self.isInUse(&address) else { throw VirtualAirError(.pathInUse, path) }
            unlink(path)
        }
        let descriptor = Self.makeSocket()
        guard descriptor >= 0 else { throw .system("making a socket") }
        let mask = umask(0o077)
        let status = Self.with(&address) { bind(descriptor, $0, $1) }
        umask(mask)
        guard status == 0, listen(descriptor, 512) == 0 else {
            let error = VirtualAirError.system("listening on \(path)")
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Returns the descriptor of a waiting connection, which does not block; `nil` when none waits.
    package func accept() -> Int32? {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFL, O_NONBLOCK)
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                return connection
            }
            guard errno == EINTR else { return nil }
        }
    }

    /// Returns the number of the process at the other end of a connection; 0 if it is not known.
    package static func peer(of connection: Int32) -> pid_t {
        // struct ucred: process, user, group.
        var credentials: (pid_t, UInt32, UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 ? credentials.0 : 0
    }

    private static func makeSocket() -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        if descriptor >= 0 {
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        return descriptor
    }

    private static func isInUse(_ address: inout sockaddr_un) -> Bool {
        let descriptor = makeSocket()
        defer { close(descriptor) }
        return with(&address) { connect(descriptor, $0, $1) } == 0 || errno == EAGAIN
    }

    private static func address(_ path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let isFitting = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard !bytes.isEmpty, bytes.count < room.count, !bytes.contains(0) else { return false }
            room.copyBytes(from: bytes)
            return true
        }
        return isFitting ? address : nil
    }

    private static func with(_ address: inout sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
