// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Keeps other runs of this program out of a place while one run works there; two runs that write one folder would mix
/// their files.
///
/// The lock is an exclusive flock(2) on a file that is never removed, so that two runs cannot lock different files of one
/// name. The system releases it when the process ends, for whatever reason.
public enum WorkLock {
    /// The name of the lock file in a folder that contains boards' folders. Our own choice.
    public static let name = ".vigil-fleet.lock"

    /// Runs `body` while this process alone works in `folder`, which must exist and be writable, and returns its result.
    /// - Throws: `inUse`, without waiting, when another process works there; `system` when the lock file cannot be created
    ///   or locked; and what `body` throws.
    public static func holding<Value>(folder: String, _ body: () throws -> Value) throws -> Value {
        try holding(file: "\(folder)/\(name)", body)
    }

    /// Runs `body` while this process alone holds the lock on `file`, and returns its result. If there is no such file, it
    /// is created, empty and accessible by its owner only.
    /// - Throws: `inUse`, without waiting, when another process holds the lock; `system` when the file cannot be created or
    ///   locked; and what `body` throws.
    public static func holding<Value>(file: String, _ body: () throws -> Value) throws -> Value {
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FolderFault.system(path: file, action: "make", number: errno) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            if number == EINTR { continue }
            throw number == EWOULDBLOCK ? FolderFault.inUse : .system(path: file, action: "lock", number: number)
        }
        return try body()
    }
}
