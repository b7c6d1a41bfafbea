// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Glibc
import SystemCalls

/// The folder through which files reach the core and come back: copies under fresh plain names, gone afterwards.
struct SpoolFolder {
    /// What the names of copies begin with.
    static let prefix = "console-"
    /// A copy of this age was left behind by a command that was killed; none takes so long.
    private static let abandonedAfter: time_t = 86_400

    let path: String
    let leftovers: Leftovers

    /// Names that no file here has, one for each of `count`.
    func freshNames(_ count: Int, ending: String) -> [String] {
        let lot = String(UInt64.random(in: 0 ... .max), radix: 36)
        return (0..<count).map { "\(Self.prefix)\(lot)-\($0 + 1)\(ending)" }
    }

    /// Copies the file at `source` under `name`. The core can read it, whoever runs this.
    func copy(_ source: String, as name: String) throws(ControlFailure) {
        let input = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard input >= 0 else { throw Self.bad(source, "cannot be opened") }
        defer { close(input) }
        var status = stat()
        guard fstat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ControlFailure(.badFile, "\(source) is not an ordinary file. Give a file that lies on a disk.")
        }
        let target = "\(path)/\(name)"
        leftovers.add(target)
        let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw folderFailure() }
        defer { close(output) }
        if geteuid() == 0 {
            var folder = stat()
            guard stat(path, &folder) == 0, fchown(output, folder.st_uid, folder.st_gid) == 0 else { throw folderFailure() }
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(input, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.bad(source, "cannot be read") }
            if count == 0 { return }
            var rest = buffer[..<count]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw folderFailure() }
                rest = rest.dropFirst(written)
            }
        }
    }

    /// Takes the file `name`, which the core wrote, to `destination`.
    func fetch(_ name: String, to destination: String, limit: Int) throws(ControlFailure) {
        guard let bytes = try contents(of: name, limit: limit) else { throw Self.bad("\(path)/\(name)", "is not there") }
        do throws(InputError) { try Files.write(bytes, to: destination) } catch {
            throw ControlFailure(.badFile, "\(error)")
        }
    }

    /// Reads the file `name`, at most `limit` bytes; `nil` if there is none. Whoever runs this may read more than the core, to whom the
    /// folder belongs: no link is followed, nothing is waited for, and a file with another owner or another name is refused.
    func contents(of name: String, limit: Int) throws(ControlFailure) -> [UInt8]? {
        let place = "\(path)/\(name)"
        let file = open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw Self.bad(place, "cannot be opened") }
        defer { close(file) }
        var (status, folder) = (stat(), stat())
        guard fstat(file, &status) == 0, stat(path, &folder) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
            status.st_uid == folder.st_uid || status.st_uid == geteuid()
        else { throw ControlFailure(.badFile, "\(place) is not a file that the core has written. It is not read.") }
        do throws(SystemError) { return try WholeFile.read(file, limit: limit) } catch {
            throw ControlFailure(.badFile, "\(place) cannot be read: \(error.text)")
        }
    }

    /// The core is going to make a file of this name.
    func expect(_ name: String) { leftovers.add("\(path)/\(name)") }

    func remove(_ names: [String]) {
        for name in names { leftovers.remove("\(path)/\(name)") }
    }

    /// Removes copies that a killed command left behind.
    func removeAbandoned() {
        guard let folder = opendir(path) else { return }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name.hasPrefix(Self.prefix) { names.append(name) }
        }
        let now = time(nil)
        for name in names {
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                now - status.st_mtim.tv_sec > Self.abandonedAfter
            else { continue }
            unlink("\(path)/\(name)")
        }
    }

    private static func bad(_ file: String, _ what: String) -> ControlFailure {
        ControlFailure(.badFile, "\(file) \(what): \(String(cString: strerror(errno))). Check its name and its rights.")
    }

    private func folderFailure() -> ControlFailure {
        let error = errno
        return ControlFailure(
            error == EACCES || error == EPERM ? .notPermitted : .badFile,
            """
            Nothing can be put into \(path): \(String(cString: strerror(error))). It is the folder for files of this socket, made by the \
            core; --spool names another one.
            """)
    }
}
