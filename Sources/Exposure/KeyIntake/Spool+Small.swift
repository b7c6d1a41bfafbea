// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

extension Spool {
    /// All of a small file of the spool, at most `limit` bytes; a negative limit stops the program. Blocks. Throws as
    /// ``open(_:maximumByteCount:)``, and `unreadable`; a file that got shorter meanwhile gives what is left.
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

    /// Makes a file for the caller, under a name that is not taken: nothing that is there is ever written to. Only its
    /// owner can read it; it belongs to whoever owns the folder, if that is permitted. Blocks, and does not wait for
    /// the disk.
    ///
    /// Throws `illegalName`, and `unreadable` when the name is taken or the bytes cannot be written; then no file is
    /// left.
    public func create(_ name: String, _ bytes: [UInt8]) throws(IntakeFailure) {
        guard Self.isLegal(name) else { throw IntakeFailure(.illegalName, file: name) }
        let descriptor = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw IntakeFailure(.unreadable, file: name, SystemCall.text(errno)) }
        defer { close(descriptor) }
        if geteuid() == 0 { _ = fchown(descriptor, owner, gid_t.max) }
        let error = SystemCall.writeAll(descriptor, bytes)
        guard error == 0 else {
            unlinkat(folder, name, 0)
            throw IntakeFailure(.unreadable, file: name, SystemCall.text(error))
        }
    }
}
