// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Files of the state folder: read within a limit, written completely or not at all, durable when a call returns.
enum FileWork {
    static func failure(_ path: String, _ action: String) -> AuthorityError {
        let number = errno
        let reason = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        return AuthorityError(
            number == ENOSPC || number == EDQUOT ? .full : .stateUnusable, "\(path): cannot \(action): \(reason)")
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func makeFolder(_ path: String, mode: mode_t) throws(AuthorityError) {
        guard mkdir(path, mode) == 0 || errno == EEXIST else { throw failure(path, "make the folder") }
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
            throw AuthorityError(.stateUnusable, "\(path): is no folder")
        }
    }

    /// A folder with those above it.
    static func makeFolders(_ path: String, mode: mode_t) throws(AuthorityError) {
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex, !exists(String(path[..<slash])) {
            try makeFolders(String(path[..<slash]), mode: mode)
        }
        try makeFolder(path, mode: mode)
    }

    /// Refuses a secret that others can read.
    static func requirePrivate(_ path: String) throws(AuthorityError) {
        var information = stat()
        guard stat(path, &information) == 0 else { throw failure(path, "look at it") }
        guard information.st_mode & 0o077 == 0 else {
            throw AuthorityError(.stateUnusable, "\(path): others can read this secret; chmod 600")
        }
    }

    /// All of an ordinary file of at most `limit` bytes. Throws `tooLong` for a longer one, and `stateUnusable` for what is no file and when the system
    /// refuses.
    static func read(
        _ path: String, limit: Int, tooLong: AuthorityError.Code = .stateUnusable
    ) throws(AuthorityError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path, "open it") }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw AuthorityError(.stateUnusable, "\(path): is no ordinary file")
        }
        guard information.st_size <= limit else {
            throw AuthorityError(tooLong, "\(path): has more than \(limit) bytes")
        }
        var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
        var total = 0
        while total < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { Glibc.read(descriptor, $0 + total, buffer.count - total) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, "read it") }
            if count == 0 { break }
            total += count
        }
        bytes.removeLast(bytes.count - total)
        return bytes
    }

    /// Beside its place first, synced, renamed, the folder synced. `mode` is the file's from its first moment on.
    static func write(
        _ bytes: UnsafeRawBufferPointer, to path: String, mode: mode_t, modified: Int64? = nil
    ) throws(AuthorityError) {
        let temporary = "\(path).partial"
        // Somebody died here; whoever writes holds the lock.
        unlink(temporary)
        try create(bytes, at: temporary, mode: mode, modified: modified)
        guard rename(temporary, path) == 0 else {
            let failure = failure(path, "put it in place")
            unlink(temporary)
            throw failure
        }
        try sync(folderOf: path)
    }

    static func write(
        _ bytes: [UInt8], to path: String, mode: mode_t, modified: Int64? = nil
    ) throws(AuthorityError) {
        let result: Result<Void, AuthorityError> = bytes.withUnsafeBytes { bytes in
            do throws(AuthorityError) {
                return .success(try write(bytes, to: path, mode: mode, modified: modified))
            } catch { return .failure(error) }
        }
        try result.get()
    }

    /// A new file with its bytes on the disk; its name is durable once the folder is synced.
    static func create(
        _ bytes: UnsafeRawBufferPointer, at path: String, mode: mode_t, modified: Int64?
    ) throws(AuthorityError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure(path, "create it") }
        defer { close(descriptor) }
        // Whatever the umask is: a web server of another user must be able to read what is published.
        guard fchmod(descriptor, mode) == 0 else { throw failure(path, "set its rights") }
        var total = 0
        while total < bytes.count, let start = bytes.baseAddress {
            let count = Glibc.write(descriptor, start + total, bytes.count - total)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = failure(path, "write it")
                unlink(path)
                throw failure
            }
            total += count
        }
        if let modified {
            let time = timespec(tv_sec: Int(modified), tv_nsec: 0)
            var times = [time, time]
            guard futimens(descriptor, &times) == 0 else { throw failure(path, "set its time") }
        }
        guard fsync(descriptor) == 0 else { throw failure(path, "write it") }
    }

    static func sync(folderOf path: String) throws(AuthorityError) {
        try sync(folder: path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
    }

    static func sync(folder: String) throws(AuthorityError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder, "open the folder") }
        defer { close(descriptor) }
        // Some network file systems cannot sync a folder.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(folder, "write the folder") }
    }

    /// Names in a folder, sorted, without "." and "..".
    static func names(in folder: String) throws(AuthorityError) -> [String] {
        guard let handle = opendir(folder) else { throw failure(folder, "open the folder") }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a folder with everything in it; links are removed, never followed.
    static func removeTree(_ path: String, depth: Int = 0) throws(AuthorityError) {
        var information = stat()
        guard lstat(path, &information) == 0 else {
            if errno == ENOENT { return }
            throw failure(path, "look at it")
        }
        if information.st_mode & S_IFMT == S_IFDIR, depth < 32 {
            for name in try names(in: path) { try removeTree("\(path)/\(name)", depth: depth + 1) }
            guard rmdir(path) == 0 else { throw failure(path, "remove the folder") }
        } else {
            guard unlink(path) == 0 else { throw failure(path, "remove it") }
        }
    }
}
