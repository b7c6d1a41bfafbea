// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
import SystemCalls

/// The kernel's limit for one user on one file system. It counts deleted files that are still open, and data that are not
/// on the disk yet. A write beyond it fails with EDQUOT, so usage need not be measured at intervals.
///
/// It needs a file system that counts by user, such as an ext4 that was made with `-O quota` and is mounted with
/// `usrquota`.
public struct DiskQuota: Sendable, Hashable {
    /// The number of bytes that are added for each folder, four blocks of 4 KiB: the folder belongs to its user, too, and
    /// its list of names takes blocks that a measurement of its files does not see. Our choice.
    public static let slack: UInt64 = 16 << 10

    /// The most bytes, a multiple of 1024 as the kernel counts, from 1024 to 2^62.
    public let byteCount: UInt64
    /// The most files, folders and other entries, including the folders themselves; 1 to 2^62. Never 0, which the
    /// kernel treats as no limit.
    public let fileCount: UInt64

    /// Creates the quota for all these folders of one user on one file system: the sum of their quotas, with
    /// ``slack`` for each, rounded down to whole KiB. A folder's bytes above 2^60 count as 2^60, sums above 2^62 as
    /// 2^62. For no folders it is 1024 bytes and one file.
    public init(for folders: [FolderQuota]) {
        // What is more than the kernel can count (2^63) is no limit to anybody.
        let bytes = folders.reduce(UInt64(0)) { min($0 + min($1.byteCount, 1 << 60) + Self.slack, 1 << 62) }
        byteCount = max(bytes, 1024) & ~1023
        fileCount = max(folders.reduce(UInt64(0)) { min($0 + UInt64(clamping: $1.entryCount) + 1, 1 << 62) }, 1)
    }

    /// Sets this quota in the kernel for `user` on the file system of `folder`, in place of an earlier one, and reads it
    /// back.
    ///
    /// Needs `CAP_SYS_ADMIN`. The state is `missing` if `folder` cannot be opened, the capability is missing, or the file
    /// system has no quotas; it is `failed` if the kernel accepted the quota and then reports another one, or cannot be
    /// asked.
    ///
    /// - Parameters:
    ///   - user: The system's number of the user.
    ///   - folder: The absolute path of a folder on the file system.
    /// - Returns: Whether the quota is in force; `level` is the limit in bytes, in decimal, and `nil` if the state is
    ///   `missing`. It never throws.
    public func keep(for user: UInt32, on folder: String) -> Confinement {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return part(.missing, "\(folder): \(SystemCall.text(errno))") }
        defer { close(descriptor) }
        let result = vigil_disk_quota_set(descriptor, user, byteCount, fileCount)
        guard result == 0 else { return part(.missing, Self.reason(-result, folder)) }
        var found = vigil_disk_quota()
        let answer = vigil_disk_quota_get(descriptor, user, &found)
        guard answer == 0 else { return part(.failed, "cannot be read back: \(SystemCall.text(-answer))") }
        guard found.byte_limit == byteCount, found.file_limit == fileCount else {
            return part(.failed, "the kernel says \(found.byte_limit) bytes and \(found.file_limit) files")
        }
        return part(.verified, "limit read back; the kernel refuses more")
    }

    private func part(_ state: Confinement.State, _ reason: String) -> Confinement {
        Confinement(primitive: .diskQuota, level: state == .missing ? nil : "\(byteCount)", state: state, reason: reason)
    }

    private static func reason(_ error: Int32, _ folder: String) -> String {
        switch error {
        case ENOSYS: "the file system of \(folder), or the kernel, keeps no quotas of users"
        case ESRCH: "the file system of \(folder) counts by user and refuses nobody; it is to be mounted with usrquota"
        case EPERM: "the supervisor may not set quotas (CAP_SYS_ADMIN)"
        default: "the file system of \(folder): \(SystemCall.text(error))"
        }
    }
}
