// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

/// An open file or folder, closed when it is let go of. Names below it are never followed through links.
final class OpenFile {
    /// One name in a folder, as it lies there.
    struct Entry {
        enum Kind { case file, folder, link, other }

        let name: String
        let kind: Kind
        let mode: mode_t
        let byteCount: Int64
    }

    let number: Int32

    private init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// The folder at `path`, which the person who runs the command has named: links on the way are theirs.
    static func folder(_ path: String) throws(PluginFailure) -> OpenFile {
        let number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else {
            let error = errno
            guard error == ENOENT || error == ENOTDIR else { throw .system("\(path) cannot be opened", error) }
            throw PluginFailure(.badFolder, "There is no folder \(path).")
        }
        return OpenFile(number)
    }

    /// A folder in this one; `nil` when there is none.
    func folder(_ name: String) throws(PluginFailure) -> OpenFile? {
        let inner = openat(number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard inner < 0 else { return OpenFile(inner) }
        let error = errno
        if error == ENOENT { return nil }
        guard error == ELOOP || error == ENOTDIR else { throw .system("\(name) cannot be opened", error) }
        throw PluginFailure(
            .badFolder, "\(name) is a link or no folder; a plugin's folder holds plain files and folders only.")
    }

    /// A plain file in this folder, to be read; `nil` when there is none.
    func file(_ name: String) throws(PluginFailure) -> OpenFile? {
        // Without waiting: a FIFO would have us wait for ever.
        let inner = openat(number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard inner >= 0 else {
            let error = errno
            if error == ENOENT { return nil }
            guard error == ELOOP || error == ENXIO else { throw .system("\(name) cannot be opened", error) }
            throw PluginFailure(
                .badFolder, "\(name) is a link or no plain file; a plugin's folder holds plain files and folders only.")
        }
        let file = OpenFile(inner)
        guard let status = file.status, status.st_mode & S_IFMT == S_IFREG else {
            throw PluginFailure(
                .badFolder, "\(name) is no plain file; a plugin's folder holds plain files and folders only.")
        }
        return file
    }

    /// A new file in this folder, to be written.
    func newFile(_ name: String, mode: mode_t) throws(PluginFailure) -> OpenFile {
        let inner = openat(number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard inner >= 0 else { throw .system("\(name) cannot be made") }
        let file = OpenFile(inner)
        // Whatever the umask says.
        fchmod(inner, mode)
        return file
    }

    /// A new folder in this one.
    func newFolder(_ name: String, mode: mode_t) throws(PluginFailure) -> OpenFile {
        guard mkdirat(number, name, 0o700) == 0 else { throw .system("\(name) cannot be made") }
        guard let folder = try folder(name) else { throw PluginFailure(.system, "\(name) is gone again.") }
        fchmod(folder.number, mode)
        return folder
    }

    var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }

    /// The names in this folder, sorted; at most `most`, and whether there are more.
    func entries(most: Int) throws(PluginFailure) -> (entries: [Entry], hasMore: Bool) {
        let copy = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else {
            let error = errno
            if copy >= 0 { close(copy) }
            throw .system("A folder cannot be read", error)
        }
        defer { closedir(stream) }
        var entries: [Entry] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name else { throw PluginFailure(.badFolder, "A file's name is not UTF-8; rename it.") }
            guard name != ".", name != ".." else { continue }
            guard entries.count < most else { return (entries, true) }
            var status = stat()
            guard fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            let kind: Entry.Kind =
                switch status.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                case S_IFLNK: .link
                default: .other
                }
            entries.append(Entry(name: name, kind: kind, mode: status.st_mode & 0o777, byteCount: Int64(status.st_size)))
        }
        return (entries.sorted { $0.name < $1.name }, false)
    }

    /// The next bytes, at most `count`; empty at the end.
    func read(_ count: Int) throws(PluginFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(number, $0.baseAddress, $0.count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .system("A file cannot be read") }
            return Array(bytes[..<got])
        }
    }

    /// All of a file; `nil` when it has more than `most` bytes.
    func readAll(most: Int) throws(PluginFailure) -> [UInt8]? {
        do throws(SystemError) { return try WholeFile.read(number, limit: most) } catch {
            if error.number == EFBIG { return nil }
            throw .system("A file cannot be read", error.number)
        }
    }

    func write(_ bytes: [UInt8]) throws(PluginFailure) {
        let error = SystemCall.writeAll(number, bytes)
        guard error == 0 else { throw .system("A file cannot be written", error) }
    }

    /// On the disk, and not only on its way there.
    func sync() throws(PluginFailure) {
        guard fsync(number) == 0 else { throw .system("A file cannot be written out") }
    }
}
