// SPDX-License-Identifier: Apache-2.0

import Glibc
import Sandbox

/// Taking away what others wrote: nothing in it is followed, and however deep it goes, it is gone in the end.
extension Folders {
    /// Removes everything in a folder that nobody writes to, on the disk when this returns. What cannot be removed is said; the rest is gone.
    static func empty(_ path: String) throws(Failure) {
        guard let error = FolderRemoval.empty(path) else { return }
        errno = error
        throw Failure(path, "cannot be emptied")
    }

    /// Overwrites a small file, on the disk, and removes it. Nothing happens when there is none.
    static func overwrite(_ path: String) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw Failure(path, "cannot be overwritten")
        }
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: 4_096)
        guard write(descriptor, zeros, zeros.count) == zeros.count, fsync(descriptor) == 0, unlink(path) == 0 else {
            throw Failure(path, "cannot be overwritten")
        }
    }
}
