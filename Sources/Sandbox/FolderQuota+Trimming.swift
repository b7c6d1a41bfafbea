// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension FolderQuota {
    private struct File {
        var path: [CChar]
        var byteCount: UInt64
        /// Of its last change, which no program can set.
        var changed: (Int, Int)
    }

    /// Removes files from `folder`, those changed last first, until the rest is no more than the quota. For folders of programs that have
    /// ended: nobody changes them meanwhile. Follows no link, enters no other file system; folders stay.
    ///
    /// - Returns: how many were removed.
    public func trim(_ folder: String) -> Int {
        guard let usage = measure(folder), isExceeded(by: usage) else { return 0 }
        let root = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard root >= 0 else { return 0 }
        defer { close(root) }
        var files: [File] = []
        Self.list(root, under: [], depth: 0, into: &files)
        var total = files.reduce(0) { $0 + $1.byteCount }
        var left = files.count
        files.sort { $0.changed > $1.changed }
        for file in files {
            if total <= byteCount, left <= entryCount { break }
            // The path has plain folders only, and whoever could change that is gone.
            guard unlinkat(root, file.path, 0) == 0 else { continue }
            total -= file.byteCount
            left -= 1
        }
        return files.count - left
    }

    /// At most so many are listed; more are removed when it is trimmed again.
    private static let longestList = 100_000

    private static func list(_ folder: Int32, under path: [CChar], depth: Int, into files: inout [File]) {
        let copy = openat(folder, path.isEmpty ? [46, 0] : path + [0], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard copy >= 0, let entries = fdopendir(copy) else {
            if copy >= 0 { close(copy) }
            return
        }
        defer { closedir(entries) }
        while files.count < longestList, let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map(CChar.init(bitPattern:))
            }
            if name == [46] || name == [46, 46] { continue }
            let inner = path.isEmpty ? name : path + [47] + name
            var status = stat()
            guard fstatat(copy, name + [0], &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                if depth < 32 { list(folder, under: inner, depth: depth + 1, into: &files) }
            } else {
                files.append(
                    File(
                        path: inner + [0], byteCount: status.takenByteCount,
                        changed: (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)))
            }
        }
    }
}
