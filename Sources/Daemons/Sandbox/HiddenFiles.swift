// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The measurement of files without a name that programs keep open or mapped: they use space, but no list of a folder shows
/// them.
///
/// A file counts only against its owner (`st_uid`), as in the kernel's quotas. If a program still has a shared library
/// mapped that an update has replaced, the space counts against root.
public struct HiddenFiles: Sendable {
    private struct Place: Hashable {
        var user: UInt32
        var device: UInt64
    }

    private struct File: Hashable {
        var device: UInt64
        var number: UInt64
    }

    private var byteCounts: [Place: UInt64] = [:]

    /// Whether this process may examine the processes of other users (`CAP_SYS_PTRACE` is in force); determined once,
    /// `false` if that fails. A board's systemd unit does not grant this capability if the kernel counts such files itself
    /// (``DiskQuota``).
    public static let arePossible = mayLook(status: readText("/proc/self/status") ?? "")

    /// By the text of `/proc/self/status` (proc_pid_status(5)).
    static func mayLook(status: String) -> Bool {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
            let rights = UInt64(line.dropFirst(7).drop { $0 == "\t" || $0 == " " }, radix: 16)
        else { return false }
        // CAP_SYS_PTRACE of linux/capability.h.
        return rights >> 19 & 1 == 1
    }

    /// Creates a measurement that found nothing.
    public init() {}

    /// Examines every process of these users, given by their numbers. If this process may not examine them
    /// (``arePossible``), it finds nothing. It never throws: processes that end meanwhile are skipped.
    public static func measure(of users: Set<UInt32>) -> HiddenFiles {
        var hidden = HiddenFiles()
        var seen: Set<File> = []
        guard let processes = opendir("/proc") else { return hidden }
        defer { closedir(processes) }
        while let entry = readdir(processes) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard Int32(name) != nil, let user = user(of: name), users.contains(user) else { continue }
            for kind in ["fd", "map_files"] { hidden.add("/proc/\(name)/\(kind)", of: user, &seen) }
        }
        return hidden
    }

    /// Returns the number of bytes of files without a name that belong to `user` and that a process of `user` keeps, on the
    /// file system of `folder`; each file counts once. 0 for a user that was not measured, or if the file system of
    /// `folder` cannot be determined. Cannot fail.
    public func byteCount(of user: UInt32, on folder: String) -> UInt64 {
        var status = stat()
        guard !byteCounts.isEmpty, stat(folder, &status) == 0 else { return 0 }
        return byteCounts[Place(user: user, device: UInt64(status.st_dev))] ?? 0
    }

    private mutating func add(_ folder: String, of user: UInt32, _ seen: inout Set<File>) {
        guard let entries = opendir(folder) else { return }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                Array(bytes.prefix { $0 != 0 }).map(CChar.init(bitPattern:)) + [0]
            }
            var status = stat()
            // What it leads to, which has no name of its own to be swapped.
            guard fstatat(dirfd(entries), name, &status, 0) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0,
                status.st_uid == user,
                seen.insert(File(device: UInt64(status.st_dev), number: UInt64(status.st_ino))).inserted
            else { continue }
            byteCounts[Place(user: user, device: UInt64(status.st_dev)), default: 0] += status.takenByteCount
        }
    }

    /// From the status: a process can make its folder in `/proc` root's.
    private static func user(of process: String) -> UInt32? {
        guard let text = readText("/proc/\(process)/status"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Uid:") })
        else { return nil }
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { UInt32($0) }
    }
}
