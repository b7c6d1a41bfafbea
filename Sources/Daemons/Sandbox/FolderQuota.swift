// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The limit of a program's data in a folder of a file system that has no limits of its own.
///
/// The kernel bounds each file (RLIMIT_FSIZE) and who measures bounds their sum, so between two measurements a program can
/// write at most what it writes in that time.
public struct FolderQuota: Sendable, Hashable {
    /// The most bytes on the medium, counted as ``Usage/byteCount``.
    public var byteCount: UInt64
    /// The most files, folders and whatever else has a name, the folder itself not counted; 0 or more, not checked.
    public var entryCount: Int

    /// A quota of so many bytes and so many files and folders. Cannot fail.
    ///
    /// - Parameter entryCount: 10,000 if not given, a choice of ours; it bounds how long measuring takes.
    public init(byteCount: UInt64, entryCount: Int = 10_000) {
        self.byteCount = byteCount
        self.entryCount = entryCount
    }

    /// Folders within folders, as far as anybody looks: what lies deeper is too much.
    static let deepest = 32

    /// The size of a folder, as far as it was measured.
    public struct Usage: Sendable, Hashable {
        /// Taken on the medium, in bytes; what has several names counts with each. Of files with holes the whole length: holes are filled
        /// without anybody being told, through memory.
        public var byteCount: UInt64 = 0
        /// Files, folders and whatever else has a name, the folder itself not counted; what has several names counts with each.
        public var entryCount = 0
        /// `false` when the counts are not all: too many entries, folders more than 32 deep in one another, or a folder that cannot be read.
        public var isComplete = true
    }

    /// Measures `folder` without following links or entering other file systems, up to one entry more than allowed.
    ///
    /// - Returns: ``Usage``, perhaps incomplete; `nil` when `folder` itself is no folder (a link neither) or cannot be opened.
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

    /// Whether `usage` is more than allowed. What could not be measured to the end is.
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
