// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Taking away what others wrote: nothing in it is followed, and however deep it goes, it is gone in the end.
extension Folders {
    /// Removes everything in a folder that nobody writes to. What cannot be removed is said; the rest is gone.
    static func empty(_ path: String) throws(Failure) {
        let top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard top >= 0 else {
            if errno == ENOENT { return }
            throw Failure(path, "is no folder of ours")
        }
        defer { close(top) }
        // Folders within folders are brought up to the top, and emptied there: no path becomes long, and no stack deep.
        var number = 0
        var didSomething = true
        while didSomething {
            didSomething = false
            for name in names(path) {
                if unlinkat(top, name, 0) == 0 || unlinkat(top, name, AT_REMOVEDIR) == 0 {
                    didSomething = true
                    continue
                }
                for inner in names("\(path)/\(name)") {
                    number += 1
                    if renameat(top, "\(name)/\(inner)", top, ".forgotten-\(number)") == 0 { didSomething = true }
                }
            }
        }
        guard names(path).isEmpty else { throw Failure(path, "cannot be emptied") }
        fsync(top)
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

    /// Forces a file and its name to the disk.
    static func sync(_ folder: String, file: String) throws(Failure) {
        for (path, flags) in [("\(folder)/\(file)", O_RDONLY), (folder, O_RDONLY | O_DIRECTORY)] {
            let descriptor = open(path, flags | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure(path, "cannot be opened") }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw Failure(path, "cannot be written out") }
        }
    }
}
