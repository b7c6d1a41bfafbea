// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

extension Spool {
    /// Returns the bytes of a small file of the spool, at most `limit` bytes; a negative limit stops the program.
    /// Blocks on the disk. A file that was shortened meanwhile returns what is left. Throws the errors of
    /// ``open(_:maximumByteCount:)``, and `unreadable` when reading fails.
    public func read(_ name: String, limit: Int) throws(IntakeFailure) -> [UInt8] {
        let file = try open(name, maximumByteCount: UInt64(limit))
        var bytes = [UInt8](repeating: 0, count: Int(file.byteCount))
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                pread(file.descriptor, $0.baseAddress! + count, $0.count - count, off_t(count))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw IntakeFailure(.unreadable, file: name, SystemCall.text(errno)) }
            if got == 0 { break }
            count += got
        }
        return Array(bytes[..<count])
    }

    /// Creates an empty file under a name that is not yet taken, readable only by its owner as in ``create(_:_:)``, and
    /// returns a descriptor for writing, which the caller closes. Throws as ``create(_:_:)``.
    public func createForWriting(_ name: String) throws(IntakeFailure) -> Int32 {
        guard Self.isLegal(name) else { throw IntakeFailure(.illegalName, file: name) }
        let descriptor = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw IntakeFailure(.unreadable, file: name, SystemCall.text(errno)) }
        if geteuid() == 0 { _ = fchown(descriptor, owner, gid_t.max) }
        return descriptor
    }

    /// Removes a file of the spool, if it is there and its name is allowed.
    public func remove(_ name: String) { if Self.isLegal(name) { unlinkat(folder, name, 0) } }

    /// Renames a file of the spool, in the place of what has the new name. Throws `illegalName`, or `unreadable` if the
    /// system refuses.
    public func rename(_ name: String, to newName: String) throws(IntakeFailure) {
        for name in [name, newName] where !Self.isLegal(name) { throw IntakeFailure(.illegalName, file: name) }
        guard renameat(folder, name, folder, newName) == 0 else {
            throw IntakeFailure(.unreadable, file: name, SystemCall.text(errno))
        }
    }

    /// Creates a file for the caller under a name that is not yet taken; an existing file is never written to. The
    /// file is readable only by its owner, who is the owner of the folder if this process runs as root, and
    /// otherwise this process's user. Blocks, but does not wait until the file is durable.
    ///
    /// Throws `illegalName` for a name that ``isLegal(_:)`` refuses, and `unreadable` when the name is taken or the
    /// bytes cannot be written; no file is left then.
    public func create(_ name: String, _ bytes: [UInt8]) throws(IntakeFailure) {
        let descriptor = try createForWriting(name)
        defer { close(descriptor) }
        let error = SystemCall.writeAll(descriptor, bytes)
        guard error == 0 else {
            unlinkat(folder, name, 0)
            throw IntakeFailure(.unreadable, file: name, SystemCall.text(error))
        }
    }
}
