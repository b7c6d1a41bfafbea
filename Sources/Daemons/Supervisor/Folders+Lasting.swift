// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

/// Files that last: whenever the power goes, the old one or the new one is there.
extension Folders {
    /// Replaces the file as a whole, on the disk when this returns.
    static func replaceLastingly(_ path: String, with bytes: [UInt8], mode: mode_t) throws(Failure) {
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: mode) } catch {
            throw Failure(path, "cannot be stored", error)
        }
    }

    /// Names that were made, moved or removed in the folder of `path` are on the disk when this returns.
    static func syncFolder(of path: String) throws(Failure) {
        do throws(SystemError) { try WholeFile.syncFolder(of: path) } catch {
            throw Failure(path, "has a folder that cannot be written out", error)
        }
    }

    /// A plain file that another process has left in a folder of its own: no link on the way is followed, nothing is waited for, and more
    /// than `limit` bytes are not read. Removed in any case. `nil` when it is not that.
    static func takeLeft(_ name: String, in folder: String, inside parent: String, of user: UInt32, limit: Int) -> [UInt8]?
    {
        let outer = open(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard outer >= 0 else { return nil }
        defer { close(outer) }
        let inner = openat(outer, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard inner >= 0 else { return nil }
        defer { close(inner) }
        let file = openat(inner, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        defer { unlinkat(inner, name, 0) }
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == user,
            (0...limit).contains(Int(clamping: status.st_size))
        else { return nil }
        return try? WholeFile.read(file, limit: limit)
    }
}
