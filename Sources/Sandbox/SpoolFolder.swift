// SPDX-License-Identifier: Apache-2.0

internal import Glibc
import SystemCalls

/// A folder in memory for what a program hands to the core, bounded by the kernel.
public struct SpoolFolder: Sendable, Hashable {
    /// What holds it.
    public enum Kind: Sendable, Hashable {
        /// A file system in memory of its own: full means full.
        case memory
        /// An ordinary folder, with the reason; only ``FolderQuota`` bounds it.
        case plain(reason: String)
    }

    public let path: String
    public let kind: Kind

    /// Makes the folder at `path`, which must not be there or be empty.
    ///
    /// - Parameters:
    ///   - byteCount: how much fits, rounded up to pages.
    ///   - owner: whose it is; nil leaves it the caller's.
    ///   - mode: as chmod counts.
    /// - Throws: `folderFailed`.
    public static func make(
        at path: String, byteCount: UInt64, owner: SandboxPlan.User?, mode: UInt32 = 0o750
    ) throws(SandboxFailure) -> SpoolFolder {
        guard mkdir(path, mode) == 0 || errno == EEXIST else {
            throw SandboxFailure(.folderFailed, "\(path): \(SystemCall.text(errno))")
        }
        var options = "size=\(byteCount),nr_inodes=1024,mode=\(String(mode, radix: 8))"
        if let owner { options += ",uid=\(owner.user),gid=\(owner.group)" }
        let flags = UInt(MS_NOSUID) | UInt(MS_NODEV) | UInt(MS_NOEXEC)
        if options.withCString({ mount("vigil-spool", path, "tmpfs", flags, $0) }) == 0 {
            return SpoolFolder(path: path, kind: .memory)
        }
        let reason = SystemCall.text(errno)
        guard chmod(path, mode) == 0, owner.map({ chown(path, $0.user, $0.group) }) ?? 0 == 0 else {
            throw SandboxFailure(.folderFailed, "\(path): \(SystemCall.text(errno))")
        }
        return SpoolFolder(path: path, kind: .plain(reason: reason))
    }

    /// Takes it away with everything in it, if it is a file system of its own.
    public func remove() {
        if case .memory = kind { umount2(path, Int32(MNT_DETACH)) }
        rmdir(path)
    }
}
