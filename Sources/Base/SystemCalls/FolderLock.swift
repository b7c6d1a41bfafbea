// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A lock on a folder by which programs that change the same files keep out of each other's way (`flock(2)`, on the folder itself, so that it needs no file of its own and
/// ends with its holder). Let go of with the last reference. Nobody waits for it: whoever does not get it tries again later. One thread at a time.
package final class FolderLock {
    /// The reason why there is no lock.
    package enum Failure: Error, Equatable {
        /// Somebody else has it, in this process or another.
        case taken
        /// There is no such folder.
        case noFolder
        /// The system refuses it.
        case system(SystemError)
    }

    /// Closed on exec.
    private let folder: OpaquePointer

    /// Takes the lock on the folder at `path`, at once or not at all.
    package init(_ path: String) throws(Failure) {
        guard let opened = opendir(path) else {
            let error = SystemError(number: errno)
            throw error.number == ENOENT ? .noFolder : .system(error)
        }
        switch SystemCall.retrying({ Int(flock(dirfd(opened), LOCK_EX | LOCK_NB)) }) {
        case .done: folder = opened
        case .wait:
            closedir(opened)
            throw .taken
        case .failed(let number):
            closedir(opened)
            throw .system(SystemError(number: number))
        }
    }

    // Not by closing alone: a process that is just being started holds a copy of the descriptor for a moment, and with it the lock.
    deinit {
        flock(dirfd(folder), LOCK_UN)
        closedir(folder)
    }
}
