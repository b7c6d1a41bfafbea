// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Keeps other runs of this program out of a place while one works there: two that write one folder would mix their files.
///
/// The lock is an exclusive flock(2) on a file that stays, so that no two runs lock different files of one name. The system gives it back when the
/// process ends, however it ends.
public enum WorkLock {
    /// The name of the lock's file in a folder that boards' folders are made in. Our own choice.
    public static let name = ".vigil-fleet.lock"

    /// Runs `body` while this process alone works in `folder`, which must be there and writable.
    /// - Throws: `.inUse` at once when another process works there, `.system` when the file cannot be made, and what `body` throws.
    public static func holding<Value>(folder: String, _ body: () throws -> Value) throws -> Value {
        try holding(file: "\(folder)/\(name)", body)
    }

    /// Runs `body` while this process alone holds the lock on `file`, which is made, empty and its owner's alone, when
    /// there is none.
    ///
    /// - Throws: `.inUse` at once when another process holds it, `.system` when the file cannot be made or locked, and what
    ///   `body` throws.
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
