// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
import SystemCalls

/// The kernel's limit for one user on one file system; it counts deleted files that are still open and data that have not
/// reached the disk yet. A write beyond it fails with EDQUOT. With such a limit nothing has to be measured from time to
/// time.
///
/// For file systems that count by user, as ext4 does that was made with `-O quota` and is mounted with `usrquota`.
public struct DiskQuota: Sendable, Hashable {
    /// Bytes more for each folder than it may hold, four blocks of 4 KiB: the folder belongs to its user too, and the list
    /// of names in it takes blocks, which a measurement of its files does not see. A choice of ours.
    public static let slack: UInt64 = 16 << 10

    /// The most bytes, a multiple of 1024, as the kernel counts; 1024 at least and 2^62 at most.
    public let byteCount: UInt64
    /// The most files, folders and whatever else has an entry there, the folders themselves included; 1 at least, for the kernel takes 0 as no limit.
    public let fileCount: UInt64

    /// The quota for all these folders of one user on one file system together: the sum of theirs, with ``slack`` for each. A folder's bytes beyond
    /// 2^60 count as 2^60, sums beyond 2^62 as 2^62. For no folders it is 1024 bytes and one file.
    public init(for folders: [FolderQuota]) {
        // What is more than the kernel can count (2^63) is no limit to anybody.
        let bytes = folders.reduce(UInt64(0)) { min($0 + min($1.byteCount, 1 << 60) + Self.slack, 1 << 62) }
        byteCount = max(bytes, 1024) & ~1023
        fileCount = max(folders.reduce(UInt64(0)) { min($0 + UInt64(clamping: $1.entryCount) + 1, 1 << 62) }, 1)
    }

    /// Has the kernel keep it for `user` on the file system of `folder`, instead of whatever was there before, and reads it back.
    ///
    /// Needs `CAP_SYS_ADMIN`. The state is `missing` if `folder` cannot be opened, the right is missing, or the file system keeps none; `failed` when
    /// it took it and says something else, or cannot be asked.
    ///
    /// - Parameters:
    ///   - user: The number of the system's user.
    ///   - folder: The absolute path of a folder on the file system.
    /// - Returns: Whether it holds; `level` is the limit in bytes, in decimal, and `nil` when `missing`. It never throws.
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
