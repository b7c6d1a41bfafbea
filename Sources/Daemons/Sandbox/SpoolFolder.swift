// SPDX-License-Identifier: Apache-2.0

internal import Glibc
import SystemCalls

/// A folder in memory for the files that a program hands to the core. The kernel limits its size: each has a file system of
/// its own, so that no program takes another's space, however short-lived it is and whatever names it uses.
public struct SpoolFolder: Sendable, Hashable {
    /// The kind of folder, which determines what limits its size.
    public enum Kind: Sendable, Hashable {
        /// A file system in memory of its own, which the kernel limits.
        case memory
        /// An ordinary folder, for this reason; only measurements by ``FolderQuota`` limit it.
        case plain(reason: String)
    }

    /// The folder's absolute path, as the supervisor sees it.
    public let path: String
    /// The kind of folder: a file system of its own, or an ordinary folder.
    public let kind: Kind

    /// The most files and folders in one spool folder, including itself: 1,024, our choice, because the kernel keeps
    /// something in memory for each name, however small the file is.
    public static let mostEntries = 1_024
    private static let page = UInt64(max(sysconf(Int32(_SC_PAGESIZE)), 4_096))

    /// Returns the quota of a spool folder of `byteCount` bytes, rounded up to whole pages, as the kernel does; more than
    /// 2^60 counts as 2^60. In an ordinary folder the quota has to be kept by measuring; in a file system of its own the
    /// kernel keeps it (where 0 means one page). Cannot fail.
    public static func quota(byteCount: UInt64) -> FolderQuota {
        FolderQuota(byteCount: (min(byteCount, 1 << 60) + page - 1) / page * page, entryCount: mostEntries)
    }

    /// Makes the folder at `path`, an absolute path, as a file system of its own in memory; one that is there
    /// already gets this size. Existing files stay; in a file system of its own, its owner and mode stay, too. If
    /// the system refuses to mount one, the folder stays an ordinary one (``Kind/plain(reason:)``). Needs
    /// `CAP_SYS_ADMIN` for a file system.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the folder.
    ///   - byteCount: The most bytes in the folder, rounded up to pages, at least one page.
    ///   - owner: The folder's owner; `nil` leaves it the caller's.
    ///   - mode: The mode bits of the folder, as for chmod(2).
    /// - Throws: `SandboxFailure.folderFailed` if the system refuses to make the folder, to give an existing file
    ///   system this size (it holds more, for instance), or to set owner and mode of an ordinary folder.
    public static func make(
        at path: String, byteCount: UInt64, owner: SandboxPlan.User?, mode: UInt32 = 0o750
    ) throws(SandboxFailure) -> SpoolFolder {
        guard mkdir(path, mode) == 0 || errno == EEXIST else {
            throw SandboxFailure(.folderFailed, "\(path): \(SystemCall.text(errno))")
        }
        // 0 would be no limit at all.
        var options = "size=\(max(quota(byteCount: byteCount).byteCount, page)),nr_inodes=\(mostEntries)"
        let flags = UInt(MS_NOSUID) | UInt(MS_NODEV) | UInt(MS_NOEXEC)
        if isOwnFileSystem(path) {
            guard options.withCString({ mount("vigil-spool", path, "tmpfs", flags | UInt(MS_REMOUNT), $0) }) == 0 else {
                throw SandboxFailure(.folderFailed, "\(path) cannot get its size: \(SystemCall.text(errno))")
            }
            return SpoolFolder(path: path, kind: .memory)
        }
        options += ",mode=\(String(mode, radix: 8))"
        if let owner { options += ",uid=\(owner.user),gid=\(owner.group)" }
        if options.withCString({ mount("vigil-spool", path, "tmpfs", flags, $0) }) == 0 {
            return SpoolFolder(path: path, kind: .memory)
        }
        let reason = SystemCall.text(errno)
        guard chmod(path, mode) == 0, owner.map({ chown(path, $0.user, $0.group) }) ?? 0 == 0 else {
            throw SandboxFailure(.folderFailed, "\(path): \(SystemCall.text(errno))")
        }
        return SpoolFolder(path: path, kind: .plain(reason: reason))
    }

    /// Removes the folder and everything in it, as far as the system permits; cannot fail. The memory is free when no
    /// process has anything open in it any more.
    public func remove() { Self.remove(at: path) }

    /// Removes the folder at `path` and everything in it, whatever its kind, as far as the system permits; cannot fail.
    public static func remove(at path: String) {
        if isOwnFileSystem(path) { umount2(path, Int32(MNT_DETACH)) }
        _ = FolderRemoval.empty(path)
        rmdir(path)
    }

    private static func isOwnFileSystem(_ path: String) -> Bool {
        var inside = stat(), above = stat()
        return lstat(path, &inside) == 0 && inside.st_mode & S_IFMT == S_IFDIR && stat("\(path)/..", &above) == 0
            && inside.st_dev != above.st_dev
    }
}
