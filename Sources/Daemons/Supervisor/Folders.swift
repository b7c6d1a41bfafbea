// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

/// The folders and sockets that the supervisor makes for others. What is there already is put right, never followed through a link.
enum Folders {
    struct Failure: Error, CustomStringConvertible {
        let description: String

        /// With the error of the system's last call, or the one that is given.
        init(_ path: String, _ what: String, _ error: SystemError = SystemError(number: errno)) {
            description = "\(path) \(what): \(error.text)"
        }
    }

    /// Makes the folder, of that mode and, as root, of that owner.
    static func make(_ path: String, mode: mode_t, user: UInt32? = nil, group: UInt32? = nil) throws(Failure) {
        if mkdir(path, mode) != 0, errno != EEXIST { throw Failure(path, "cannot be made") }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(path, "is no folder of ours") }
        defer { close(descriptor) }
        if geteuid() == 0, let user, fchown(descriptor, user, group ?? user) != 0 {
            throw Failure(path, "cannot be given away")
        }
        if fchmod(descriptor, mode) != 0 { throw Failure(path, "cannot get its rights") }
    }

    /// Lets `user`, whose group is the folder's, read what its owner puts there, as far as the owner gives the group the right to. Does
    /// nothing unless it is root, for then they are the same.
    static func share(_ path: String, with user: UInt32) throws(Failure) {
        guard geteuid() == 0 else { return }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(path, "is no folder of ours") }
        defer { close(descriptor) }
        if vigil_share_folder(descriptor, user) == 0 { return }
        // Without lists of rights files get the folder's group. A board's unit does not permit this bit, nor is it needed there.
        guard fchmod(descriptor, 0o2770) == 0 else { throw Failure(path, "cannot be shared with the core") }
    }

    /// Makes all parts of the path that are missing.
    static func makePath(_ path: String, mode: mode_t) throws(Failure) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/\(part)"
            if mkdir(made, mode) != 0, errno != EEXIST { throw Failure(made, "cannot be made") }
        }
    }

    /// Removes the files of a folder whose names `isWanted` refuses; what lies deeper is left.
    static func tidy(_ path: String, keeping isWanted: (String) -> Bool) {
        for name in names(path) where !isWanted(name) { unlink("\(path)/\(name)") }
    }

    /// The names in a folder, at most 4096, in order.
    static func names(_ path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < 4096, let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Writes to a file of the kernel; false where there is none, or the kernel does not want it.
    static func tell(_ path: String, _ text: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return write(descriptor, text, text.utf8.count) == text.utf8.count
    }

    /// Replaces the file as a whole; readers never see half of it. As root it can be given to `user`. Not synced: it lies in memory.
    static func replace(_ path: String, with bytes: [UInt8], mode: mode_t, user: UInt32? = nil) throws(Failure) {
        guard geteuid() == 0, let user else {
            do throws(SystemError) { return try WholeFile.replace(path, with: bytes, mode: mode, .process) } catch {
                throw Failure(path, "cannot be replaced", error)
            }
        }
        let draft = path + ".new"
        let descriptor = try writeNew(draft, bytes, mode: mode)
        defer { close(descriptor) }
        guard fchown(descriptor, user, user) == 0 else { throw Failure(draft, "cannot be given away") }
        guard fchmod(descriptor, mode) == 0, rename(draft, path) == 0 else { throw Failure(path, "cannot be replaced") }
    }

    /// A new file with that in it, in place of one of that name; open, and the caller's to close.
    static func writeNew(_ path: String, _ bytes: [UInt8], mode: mode_t) throws(Failure) -> Int32 {
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Failure(path, "cannot be made") }
        let error = SystemCall.writeAll(descriptor, bytes)
        guard error != 0 else { return descriptor }
        close(descriptor)
        throw Failure(path, "cannot be written", SystemError(number: error))
    }

    /// Reads a file of at most `limit` bytes; `nil` when it is not there, cannot be read or is longer.
    static func read(_ path: String, limit: Int) -> [UInt8]? {
        try? WholeFile.read(path, limit: limit, .ordinary)
    }
}
