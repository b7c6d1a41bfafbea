// SPDX-License-Identifier: Apache-2.0

internal import Glibc
import SystemCalls

/// A folder in memory for what a program hands to the core, bounded by the kernel: one file system for each, so that nobody takes another's room,
/// however shortly he lives and whatever he does with names.
public struct SpoolFolder: Sendable, Hashable {
    /// The kind of folder that holds the files, and so what bounds it.
    public enum Kind: Sendable, Hashable {
        /// A file system in memory of its own: full means full.
        case memory
        /// An ordinary folder, with the reason; only ``FolderQuota`` bounds it.
        case plain(reason: String)
    }

    /// The folder's absolute path, as the supervisor sees it.
    public let path: String
    /// The means that bounds the folder's size: a file system of its own, or a measurement.
    public let kind: Kind

    /// The most files and folders in one, itself included: the kernel keeps something in memory for each name, however small the file is.
    /// A choice of ours.
    public static let mostEntries = 1_024
    private static let page = UInt64(max(sysconf(Int32(_SC_PAGESIZE)), 4_096))

    /// The quota of a spool folder of `byteCount` bytes, rounded up to whole pages, as the kernel gives them; beyond 2^60
    /// it is 2^60. It has to be kept by measuring where the folder is an ordinary one; in a file system of its own the
    /// kernel keeps it (0 as one page). Cannot fail.
    public static func quota(byteCount: UInt64) -> FolderQuota {
        FolderQuota(byteCount: (min(byteCount, 1 << 60) + page - 1) / page * page, entryCount: mostEntries)
    }

    /// Makes the folder at `path`, an absolute one, or gives one that is a file system of its own already this size. What lies in that stays, and its
    /// owner and rights too; in an ordinary folder only what lies there stays.
    ///
    /// - Parameters:
    ///   - byteCount: how much fits, rounded up to pages; one page at least.
    ///   - owner: whose it is; `nil` leaves it the caller's.
    ///   - mode: The bits of its rights, as chmod(2) counts.
    /// - Throws: `folderFailed` if the system refuses to make it, also when more lies in a file system of its own than `byteCount`.
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

    /// Takes it away with everything in it, as far as the system lets; cannot fail. The memory is free when nobody has anything open there any more.
    public func remove() { Self.remove(at: path) }

    /// Takes away the folder at `path` with everything in it, of whichever kind it is, as far as the system lets; cannot fail.
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
