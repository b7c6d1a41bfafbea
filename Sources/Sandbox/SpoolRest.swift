// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What has no name any more on the file system in memory that all spools share, found without looking into any process: what is in use there,
/// less what the names lead to. Whose it is the kernel half says, for memory is counted by group: nobody has more of it than what his group
/// holds of shared memory, less what has a name in his own spool.
public struct SpoolRest: Sendable, Hashable {
    /// In use and without a name, of all programs together.
    public let byteCount: UInt64

    init(used: UInt64, named: UInt64) { byteCount = used > named ? used - named : 0 }

    /// Measures the file system that has nothing but the spools, each a folder of `folder`. Nil when it is no file system of its own in memory.
    public init?(measuring folder: String) {
        var above = stat(), inside = stat()
        guard stat(folder, &inside) == 0, stat("\(folder)/..", &above) == 0, inside.st_dev != above.st_dev,
            let entries = opendir(folder)
        else { return nil }
        defer { closedir(entries) }
        // The names first: what is made meanwhile is found again as what a program has with a name. Each spool by itself, as its own quota
        // looks at it: whoever made his too deep to be seen has exceeded that.
        var named: UInt64 = 0
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name == "." || name == ".." { continue }
            named += FolderQuota(byteCount: .max).measure("\(folder)/\(name)")?.blockByteCount ?? 0
        }
        var filesystem = statvfs()
        guard statvfs(folder, &filesystem) == 0 else { return nil }
        let blocks = UInt64(filesystem.f_blocks) - min(UInt64(filesystem.f_bfree), UInt64(filesystem.f_blocks))
        self.init(used: blocks * UInt64(filesystem.f_frsize), named: named)
    }

    /// The most of it that a program can have, of whose group this much is shared memory, and who has this much with names. A program that
    /// shares memory otherwise is taken for more than it has, as long as somebody hides something. 0 where no group counts.
    public func most(shared: UInt64?, named: UInt64) -> UInt64 {
        guard let shared else { return 0 }
        return min(byteCount, shared > named ? shared - named : 0)
    }
}
