// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Files that last: whenever the power goes, the old one or the new one is there.
extension Folders {
    /// Replaces the file as a whole, on the disk when this returns.
    static func replaceLastingly(_ path: String, with bytes: [UInt8], mode: mode_t) throws(Failure) {
        let draft = path + ".new"
        try replaceDraft(draft, with: bytes, mode: mode)
        guard rename(draft, path) == 0 else {
            let failure = Failure(path, "cannot be replaced")
            unlink(draft)
            throw failure
        }
        try syncFolder(of: path)
    }

    /// A new file, on the disk when this returns.
    static func replaceDraft(_ draft: String, with bytes: [UInt8], mode: mode_t) throws(Failure) {
        let descriptor = try writeNew(draft, bytes, mode: mode)
        defer { close(descriptor) }
        guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else { throw Failure(draft, "cannot be written out") }
    }

    /// Names that were made, moved or removed in the folder of `path` are on the disk when this returns.
    static func syncFolder(of path: String) throws(Failure) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(folder, "cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure(folder, "cannot be written out") }
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
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress.map { $0 + count }, $0.count - count) }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            count += got
        }
        return count <= limit ? Array(bytes[..<count]) : nil
    }
}
