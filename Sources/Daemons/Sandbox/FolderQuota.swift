// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The limit on a program's data in a folder of a file system that has no limits of its own.
///
/// The kernel limits each file (RLIMIT_FSIZE), and measurements limit the sum: between two measurements, a program can
/// exceed the quota by no more than it writes in that time.
public struct FolderQuota: Sendable, Hashable {
    /// The most bytes on the medium, counted like ``Usage/byteCount``.
    public var byteCount: UInt64
    /// The most files, folders and other entries, without the folder itself; 0 or more, not checked.
    public var entryCount: Int

    /// Creates a quota of these numbers. Cannot fail.
    ///
    /// - Parameter entryCount: The most files and folders; 10,000 by default, our choice, which limits how long a
    ///   measurement takes.
    public init(byteCount: UInt64, entryCount: Int = 10_000) {
        self.byteCount = byteCount
        self.entryCount = entryCount
    }

    /// Folders within folders, as far as anybody looks: what lies deeper is too much.
    static let deepest = 32

    /// The size of a folder, as far as it was measured.
    public struct Usage: Sendable, Hashable {
        /// The number of bytes on the medium; a file with several names counts once for each. A file with holes counts with
        /// its whole length, because holes can be filled through memory mappings without notice.
        public var byteCount: UInt64 = 0
        /// The number of files, folders and other entries, without the folder itself; a file with several names counts once
        /// for each.
        public var entryCount = 0
        /// Whether everything was counted; `false` if there are too many entries, folders are nested deeper than 32 levels,
        /// or a folder cannot be read.
        public var isComplete = true
    }

    /// Measures `folder`, without following links or entering other file systems, up to one entry more than the quota
    /// permits.
    ///
    /// - Returns: The usage, which may be incomplete; `nil` if `folder` is not a folder (a link is not one) or cannot be
    ///   opened.
    public func measure(_ folder: String) -> Usage? {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        var usage = Usage()
        add(descriptor, device: status.st_dev, depth: 0, to: &usage)
        return usage
    }

    /// Returns whether `usage` is above the quota; an incomplete measurement always is.
    public func isExceeded(by usage: Usage) -> Bool {
        usage.byteCount > byteCount || usage.entryCount > entryCount || !usage.isComplete
    }

    /// Takes over `descriptor`.
    private func add(_ descriptor: Int32, device: dev_t, depth: Int, to usage: inout Usage) {
        guard let folder = fdopendir(descriptor) else {
            close(descriptor)
            usage.isComplete = false
            return
        }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                Array(bytes.prefix { $0 != 0 }).map(CChar.init(bitPattern:)) + [0]
            }
            if name == [46, 0] || name == [46, 46, 0] { continue }
            guard usage.entryCount <= entryCount else {
                usage.isComplete = false
                return
            }
            usage.entryCount += 1
            var status = stat()
            // Gone in between is nothing used.
            guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            usage.byteCount += status.takenByteCount
            guard status.st_mode & S_IFMT == S_IFDIR, status.st_dev == device else { continue }
            let inner = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard inner >= 0, depth < Self.deepest else {
                if inner >= 0 { close(inner) }
                usage.isComplete = false
                continue
            }
            add(inner, device: device, depth: depth + 1, to: &usage)
        }
    }
}

extension stat {
    /// What a file takes, or will take when its holes are filled.
    var takenByteCount: UInt64 {
        let blocks = UInt64(clamping: st_blocks) * 512
        return st_mode & S_IFMT == S_IFREG ? max(blocks, UInt64(clamping: st_size)) : blocks
    }
}
