// SPDX-License-Identifier: Apache-2.0

public import Glibc
import SystemCalls

/// The process at the other end of a connection, as the kernel recorded it when the connection was made.
///
/// For a socketpair it is the process that made the pair. Process numbers are reused, so nothing important may depend on
/// ``process``.
public struct Peer: Hashable, Sendable {
    /// The user of the process.
    public let user: uid_t
    /// The group of the process.
    public let group: gid_t
    /// The number of the process, which may belong to another process by now; for logs.
    public let process: pid_t

    /// Creates a peer from these numbers, unchecked; for tests.
    public init(user: uid_t, group: gid_t, process: pid_t) {
        self.user = user
        self.group = group
        self.process = process
    }

    /// The peer of a connected socket; `nil` when the kernel does not say.
    init?(of descriptor: Int32) {
        // struct ucred, which the C library declares only with extensions on: process, user, group.
        var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        self.init(user: credentials.1, group: credentials.2, process: credentials.0)
    }
}

/// A listening UNIX socket. If the listener made the socket's file, it removes the file when it is released. Not
/// thread-safe.
public final class VarlinkListener {
    /// How many connections may wait to be accepted; Linux's own upper limit cuts it further.
    private static let backlog: Int32 = 128

    /// The listening descriptor, which is non-blocking and owned by this object.
    public let descriptor: Int32
    /// The users who may connect; connections of others are closed at once and counted. `nil` leaves it to the mode of the
    /// file.
    public let allowedUsers: Set<uid_t>?
    private let path: String?
    private var identity: (device: dev_t, file: ino_t)?

    /// Creates a socket at `path` with exactly this mode. Replaces a socket on which no process listens, and
    /// nothing else. Throws `pathNotUsable` if the path is empty, longer than 107 bytes, contains a NUL, belongs to
    /// another kind of file, or cannot be created; `pathInUse` if a process listens there, or if it cannot be found
    /// out; and `system` if no socket can be made. A path of 107 bytes is the longest that the kernel takes
    /// (unix(7)).
    ///
    /// If two processes do this at the same moment, both may succeed, so the caller must ensure that there is only one.
    /// `allowedUsers` may connect; `nil` permits everybody whom the mode permits.
    public init(path: String, mode: mode_t = 0o600, allowedUsers: Set<uid_t>? = nil) throws(VarlinkSocketError) {
        guard var address = UnixAddress(path: path) else { throw .unusable(path) }
        try Self.clear(path, &address)
        let descriptor = UnixAddress.makeSocket()
        guard descriptor >= 0 else { throw .system("There is no socket to be had", errno) }
        // Linux takes the file's mode from the socket, less the umask: nobody gets in before chmod has said who may.
        var step = "The mode of the socket could not be set"
        var isBound = false
        if fchmod(descriptor, 0o600) == 0 {
            step = "The socket \(path) could not be made"
            isBound = address.with { bind(descriptor, $0, $1) } == 0
        }
        guard isBound, chmod(path, mode) == 0, listen(descriptor, Self.backlog) == 0 else {
            let error = errno
            close(descriptor)
            if isBound { unlink(path) }
            throw VarlinkSocketError(
                .pathNotUsable, step, advice: "Make sure its folder is there and this user may write to it",
                systemError: error)
        }
        var status = stat()
        if lstat(path, &status) == 0 { identity = (status.st_dev, status.st_ino) }
        self.descriptor = descriptor
        self.path = path
        self.allowedUsers = allowedUsers
    }

    /// Takes over a UNIX stream socket that is already listening, such as one from systemd. Its file is not removed.
    /// `allowedUsers` may connect; `nil` permits everybody whom the mode permits. Throws `notASocket` for anything else and
    /// for the standard descriptors 0 to 2, and `system` if the descriptor cannot be made non-blocking.
    ///
    /// A descriptor that is refused stays open, because it may belong to somebody else.
    public init(adopting descriptor: Int32, allowedUsers: Set<uid_t>? = nil) throws(VarlinkSocketError) {
        guard descriptor > STDERR_FILENO, SystemCall.option(SO_DOMAIN, descriptor) == AF_UNIX,
            SystemCall.option(SO_TYPE, descriptor) == Int32(SOCK_STREAM.rawValue),
            SystemCall.option(SO_ACCEPTCONN, descriptor) == 1
        else {
            throw VarlinkSocketError(
                .notASocket, "Descriptor \(descriptor) is no listening UNIX stream socket",
                advice: "Pass one, with ListenStream= and a path in the socket unit")
        }
        let error = SystemCall.prepare(descriptor)
        guard error == 0 else { throw .system("Descriptor \(descriptor) cannot be prepared", error) }
        SystemCall.refuseDescriptors(descriptor)
        self.descriptor = descriptor
        self.allowedUsers = allowedUsers
        path = nil
    }

    deinit {
        // With whoever waits to be accepted; but one that was taken over is somebody else's too, for whom it goes on.
        SystemCall.closeReceiver(descriptor, isShared: path == nil)
        guard let path, let identity else { return }
        var status = stat()
        // Not somebody else's that took its place.
        if lstat(path, &status) == 0, status.st_dev == identity.device, status.st_ino == identity.file { unlink(path) }
    }

    /// The next connection, non-blocking and closed on exec. The latter in a second step, as Swift does not see accept4: nobody may
    /// start a process from another thread meanwhile.
    func accept() -> SystemCall.Outcome {
        let outcome = SystemCall.retrying { Int(Glibc.accept(descriptor, nil, nil)) }
        guard case .done(let connection) = outcome else { return outcome }
        let error = SystemCall.prepare(Int32(connection))
        guard error == 0 else {
            close(Int32(connection))
            return .failed(error)
        }
        SystemCall.refuseDescriptors(Int32(connection))
        return outcome
    }

    private static func clear(_ path: String, _ address: inout UnixAddress) throws(VarlinkSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw VarlinkSocketError(
                .pathNotUsable, "\(path) is there already and is no socket", advice: "Choose another path, or remove it")
        }
        let probe = UnixAddress.makeSocket()
        guard probe >= 0 else { throw .system("There is no socket to be had", errno) }
        defer { close(probe) }
        let result = address.with { connect(probe, $0, $1) }
        // Refused is the only answer that means nobody listens; a full backlog means somebody does, and slowly.
        guard result < 0, errno == ECONNREFUSED else {
            throw VarlinkSocketError(
                .pathInUse, "Somebody answers at \(path) already", advice: "Stop that process, or choose another path")
        }
        unlink(path)
    }
}
