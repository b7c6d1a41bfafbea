// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A folder of the real file system. The files it creates are readable only by their owner. Used by one thread at a
/// time.
public final class PosixStorage: StorageMedium {
    /// The number of bytes that the system accepted from ``write(_:to:at:)`` since the folder was opened, including
    /// those of writes that failed later; 0 or more.
    public private(set) var bytesWritten: UInt64 = 0
    private let folder: Int32

    /// Opens the folder `path`, which must exist; throws `failed` when it cannot be opened.
    public init(folder path: String) throws(StorageFailure) {
        folder = Self.retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard folder >= 0 else { throw Self.failure("open \(path)") }
    }

    deinit { if folder >= 0 { close(folder) } }

    /// Returns the names of all files, without folders, in no particular order; empty if there are none. Throws
    /// `failed` if the folder cannot be read to its end.
    public func names() throws(StorageFailure) -> [String] {
        // A descriptor of its own: a directory stream owns and moves the one it is given.
        let descriptor = Self.retrying { openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw Self.failure("list") }
        guard let stream = fdopendir(descriptor) else {
            let error = Self.failure("list")
            close(descriptor)
            throw error
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // It says by this alone whether it is at the end.
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw Self.failure("list") }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != "..", !isFolder(name, kind: entry.pointee.d_type) { names.append(name) }
        }
    }

    private func isFolder(_ name: String, kind: UInt8) -> Bool {
        guard Int(kind) == Int(DT_UNKNOWN) else { return Int(kind) == Int(DT_DIR) }
        var information = stat()
        return fstatat(folder, name, &information, AT_SYMLINK_NOFOLLOW) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the number of bytes of a file; 0 when there is none of this name, or the system does not tell it.
    public func byteCount(_ name: String) -> Int {
        var information = stat()
        return fstatat(folder, name, &information, AT_SYMLINK_NOFOLLOW) == 0 ? Int(information.st_size) : 0
    }

    /// Returns the bytes of a file; `nil` when there is none of this name. Does not follow symbolic links. Throws
    /// `tooLarge` when the file has more than `limit` bytes, and `failed` when it cannot be read.
    public func read(_ name: String, limit: Int) throws(StorageFailure) -> [UInt8]? {
        let descriptor = Self.retrying { openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure("open \(name)")
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw Self.failure("look at \(name)") }
        guard information.st_size <= limit else { throw StorageFailure(.tooLarge, name) }
        var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
        var total = 0
        while total < bytes.count {
            let count = Self.retrying {
                bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress! + total, $0.count - total, off_t(total)) }
            }
            guard count >= 0 else { throw Self.failure("read \(name)") }
            if count == 0 { break }
            total += count
        }
        return Array(bytes.prefix(total))
    }

    /// Writes `bytes` at `offset`, which must not be negative; creates the file, readable only by its owner, when
    /// there is none. Throws `full` without space, `readOnly` on a file system that cannot be written to, and
    /// `failed` otherwise, possibly after a part was written.
    public func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(StorageFailure) {
        let descriptor = Self.retrying { openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        guard descriptor >= 0 else { throw Self.failure("open \(name)") }
        defer { close(descriptor) }
        var total = 0
        while total < bytes.count {
            let count = Self.retrying {
                bytes.withUnsafeBytes {
                    pwrite(descriptor, $0.baseAddress! + total, $0.count - total, off_t(offset + total))
                }
            }
            guard count > 0 else { throw Self.failure("write \(name)") }
            total += count
            bytesWritten += UInt64(count)
        }
    }

    /// Cuts the file to `length` bytes, or extends it with zeros. Throws `failed` when there is no file of this name;
    /// `full`, `readOnly` or `failed` when the system refuses.
    public func truncate(_ name: String, to length: Int) throws(StorageFailure) {
        try withDescriptor(name, O_WRONLY) { ftruncate($0, off_t(length)) }
    }

    /// Waits until the file's content is durable; blocks on the disk. Throws `failed` when there is no file of this
    /// name; `full`, `readOnly` or `failed` when the system refuses.
    public func sync(_ name: String) throws(StorageFailure) {
        // Reading rights are enough, and all there is on a partition mounted read-only.
        try withDescriptor(name, O_RDONLY, fdatasync)
    }

    /// Renames a file, replacing a file of the new name; durable after ``syncFolder()``. Throws `failed` when there
    /// is no file of the old name; `full`, `readOnly` or `failed` when the system refuses.
    public func rename(_ name: String, to newName: String) throws(StorageFailure) {
        guard renameat(folder, name, folder, newName) == 0 else { throw Self.failure("rename \(name)") }
    }

    /// Removes the file, if there is one; durable after ``syncFolder()``. Throws `full`, `readOnly` or `failed` when
    /// the system refuses.
    public func remove(_ name: String) throws(StorageFailure) {
        guard unlinkat(folder, name, 0) == 0 || errno == ENOENT else { throw Self.failure("remove \(name)") }
    }

    /// Waits until all creations, renamings and removals are durable; blocks on the disk. Throws `full`, `readOnly`
    /// or `failed` when the system refuses.
    public func syncFolder() throws(StorageFailure) {
        guard Self.retrying({ fsync(folder) }) == 0 else { throw Self.failure("sync the folder") }
    }

    /// The free and total space of the file system, and how many files it still takes; `nil` when the system does not tell.
    public var room: StorageRoom? {
        var information = statvfs()
        guard Self.retrying({ fstatvfs(folder, &information) }) == 0 else { return nil }
        let unit = UInt64(information.f_frsize)
        // Btrfs and others count no files, and say 0 of 0.
        return StorageRoom(
            free: UInt64(information.f_bavail) * unit, size: UInt64(information.f_blocks) * unit,
            freeFiles: information.f_files > 0 ? UInt64(information.f_favail) : nil)
    }

    private func withDescriptor(
        _ name: String, _ access: Int32, _ body: (Int32) -> Int32
    ) throws(StorageFailure) {
        let descriptor = Self.retrying { openat(folder, name, access | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else { throw Self.failure("open \(name)") }
        defer { close(descriptor) }
        guard Self.retrying({ body(descriptor) }) == 0 else { throw Self.failure("change \(name)") }
    }

    @inline(never)
    private static func retrying<Value: SignedInteger>(_ body: () -> Value) -> Value {
        while true {
            let result = body()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// Must be called before anything else can change `errno`.
    @inline(never)
    private static func failure(_ action: String) -> StorageFailure {
        let reason = errno
        let code: StorageFailure.Code
        switch reason {
        case ENOSPC, EDQUOT: code = .full
        case EROFS: code = .readOnly
        default: code = .failed
        }
        return StorageFailure(code, "cannot \(action): \(String(cString: strerror(reason)))")
    }
}
