// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The operations of the ledger on files beside the database, which are named by path. They are separate so that a
/// test can stop between any two.
public protocol LedgerFolder: AnyObject {
    /// Returns the size of a file in bytes; `nil` when there is none or it cannot be examined.
    func byteCount(_ path: String) -> Int?
    /// Creates an empty file that only its owner can read and write. Throws `full`, `readOnly` or `failed` when the
    /// system refuses, also when the file exists.
    func make(_ path: String) throws(LedgerFailure)
    /// Whether the folder of `path`, and the file if there is one, can be written to; `false` when there is no such
    /// folder.
    func isWritable(_ path: String) -> Bool
    /// Renames a file, replacing a file of the new name; durable after ``sync(folderOf:)``. Throws `full`,
    /// `readOnly` or `failed`, also when there is no file of the old name.
    func rename(_ path: String, to newPath: String) throws(LedgerFailure)
    /// Removes the file, if there is one; durable after ``sync(folderOf:)``. Throws `full`, `readOnly` or `failed`.
    func remove(_ path: String) throws(LedgerFailure)
    /// Waits until every creation, renaming and removal in the folder of `path` so far is durable. Throws `full`,
    /// `readOnly` or `failed`.
    func sync(folderOf path: String) throws(LedgerFailure)
}

/// The ledger's files on the real file system, with the rights of this process; blocks on the disk. Used by one
/// thread at a time.
public final class PosixLedgerFolder: LedgerFolder {
    /// Creates an access to the file system as this process sees it; it has no state and cannot fail.
    public init() {}

    /// Returns the size of the file in bytes; `nil` when there is none or it cannot be examined.
    public func byteCount(_ path: String) -> Int? {
        var information = stat()
        return stat(path, &information) == 0 ? Int(information.st_size) : nil
    }

    /// Whether this process may write to the folder of `path`, and to the file if there is one; `false` when there is
    /// no such folder.
    public func isWritable(_ path: String) -> Bool {
        // The folder always: the log is made and removed in it.
        access(Self.folder(of: path), W_OK) == 0 && (byteCount(path) == nil || access(path, W_OK) == 0)
    }

    /// Creates an empty file that only its owner can read and write. Throws `full`, `readOnly` or `failed` when the
    /// system refuses, also when the file exists.
    public func make(_ path: String) throws(LedgerFailure) {
        // SQLite would let everybody read it, and gives its logs the rights of the file.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("make the file") }
        close(descriptor)
    }

    /// Renames a file, replacing a file of the new name; durable after ``sync(folderOf:)``. Throws `full`, `readOnly`
    /// or `failed` when the system refuses, also when there is no file of the old name.
    public func rename(_ path: String, to newPath: String) throws(LedgerFailure) {
        guard Glibc.rename(path, newPath) == 0 else { throw Self.failure("rename") }
    }

    /// Removes the file, if there is one; durable after ``sync(folderOf:)``. Throws `full`, `readOnly` or `failed`
    /// when the system refuses.
    public func remove(_ path: String) throws(LedgerFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw Self.failure("remove") }
    }

    /// Waits until the changes of the file's folder are durable; blocks on the disk. Throws `full`, `readOnly` or
    /// `failed` when the system refuses.
    public func sync(folderOf path: String) throws(LedgerFailure) {
        let descriptor = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open the folder") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure("sync the folder") }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Must be called before anything else can change `errno`.
    @inline(never)
    private static func failure(_ action: String) -> LedgerFailure {
        let reason = errno
        let code: LedgerFailure.Code
        switch reason {
        case ENOSPC, EDQUOT: code = .full
        case EROFS: code = .readOnly
        default: code = .failed
        }
        return LedgerFailure(code, "cannot \(action): \(String(cString: strerror(reason)))")
    }
}
