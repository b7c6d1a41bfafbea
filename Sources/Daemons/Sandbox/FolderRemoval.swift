// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Removes what programs that have ended wrote, whatever its names, depth and size. Follows no link.
///
/// Names are bytes here, because not every name is text. Inner folders are moved to the top and emptied there, so that no
/// path gets long and no stack deep; they get random names, which never replace anything, so a program cannot have taken
/// them before.
public struct FolderRemoval {
    /// A name as the kernel has it, with the zero at its end.
    typealias Name = [CChar]

    /// At most so many names are held in memory at a time.
    private static let batch = 4_096

    private let top: Int32
    /// Files and folders removed so far.
    private(set) var count = 0

    /// Works in `top`, an open folder that stays the caller's.
    init(in top: Int32) { self.top = top }

    /// Removes everything in the folder at `path`; when it returns, the removal is on the disk, too. A link is not
    /// followed.
    ///
    /// - Returns: The system's error number (errno) if something is still there, or may come back after a power cut; `nil`
    ///   if the folder is empty or does not exist.
    public static func empty(_ path: String) -> Int32? {
        let top = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard top >= 0 else { return errno == ENOENT ? nil : errno }
        defer { close(top) }
        var removal = FolderRemoval(in: top)
        if let error = removal.empty() { return error }
        return fsync(top) == 0 ? nil : errno
    }

    /// Removes everything in the top folder: what comes up meanwhile is found there by the next look.
    ///
    /// - Returns: the system's number for why something is still there; `nil` when nothing is.
    mutating func empty() -> Int32? {
        while true {
            guard let names = Self.names(in: top, most: Self.batch) else { return errno }
            if names.isEmpty { return nil }
            var problem: Int32 = 0
            let before = count
            for name in names { if let error = remove(name) { problem = error } }
            // What can never be removed is not asked for without end.
            if count == before { return problem }
        }
    }

    /// Removes one name of the top folder; folders in it that are not empty come up to the top.
    private mutating func remove(_ name: Name) -> Int32? {
        guard let error = unlinkOrRemove(name, of: top) else { return nil }
        guard error == ENOTEMPTY else { return error }
        let inner = Self.open(name, of: top)
        guard inner >= 0 else { return errno }
        defer { close(inner) }
        while true {
            guard let names = Self.names(in: inner, most: Self.batch) else { return errno }
            if names.isEmpty { break }
            var problem: Int32 = 0
            var didSomething = false
            for below in names {
                var error = unlinkOrRemove(below, of: inner)
                if error == ENOTEMPTY { error = bringUp(below, of: inner) }
                // Encrypted, and the key is gone: names can be removed, but not moved.
                if error == ENOKEY { error = removeInPlace(below, of: inner) }
                if let error { problem = error } else { didSomething = true }
            }
            if !didSomething { return problem }
        }
        return unlinkOrRemove(name, of: top)
    }

    /// Removes a folder and all that is in it, going down and up again one folder at a time: slower than bringing it up, and as deep as it goes.
    private mutating func removeInPlace(_ name: Name, of folder: Int32) -> Int32? {
        var current = Self.open(name, of: folder)
        guard current >= 0 else { return errno }
        defer { close(current) }
        var depth = 0
        while true {
            var next: Int32 = -1
            let before = count
            guard let names = Self.names(in: current, most: Self.batch) else { return errno }
            var problem: Int32 = 0
            for below in names {
                guard let error = unlinkOrRemove(below, of: current) else { continue }
                guard error == ENOTEMPTY else {
                    problem = error
                    continue
                }
                next = Self.open(below, of: current)
                if next >= 0 { break }
                problem = errno
            }
            if next >= 0 {
                depth += 1
            } else if names.isEmpty {
                if depth == 0 { break }
                // From where it has become empty it is removed.
                next = openat(current, "..", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                guard next >= 0 else { return errno }
                depth -= 1
            } else if count == before {
                return problem
            } else {
                continue
            }
            close(current)
            current = next
        }
        return unlinkOrRemove(name, of: folder)
    }

    /// `ENOTEMPTY` for a folder that has something in it.
    private mutating func unlinkOrRemove(_ name: Name, of folder: Int32) -> Int32? {
        if unlinkat(folder, name, 0) == 0 {
            count += 1
            return nil
        }
        let error = errno
        if unlinkat(folder, name, AT_REMOVEDIR) == 0 {
            count += 1
            return nil
        }
        switch errno {
        case ENOTDIR: return error
        case EEXIST: return ENOTEMPTY
        default: return errno
        }
    }

    /// Moves a folder to the top, under a name that nobody has.
    private func bringUp(_ name: Name, of folder: Int32) -> Int32? {
        // To move a folder is to write in it, for its way back.
        let its = Self.open(name, of: folder)
        if its >= 0 { close(its) }
        return Self.move(name, of: folder, into: top).error
    }

    /// Moves it to another folder of the same file system, under a name that nobody there has.
    static func move(_ name: Name, of folder: Int32, into other: Int32) -> (fresh: Name, error: Int32?) {
        while true {
            let fresh = fresh()
            let result = vigil_move_to_new(folder, name, other, fresh)
            if result == -EEXIST { continue }
            return (fresh, result == 0 ? nil : -result)
        }
    }

    /// A name that nobody can have foreseen.
    static func fresh() -> Name { Array(".forgotten-\(String(UInt64.random(in: 0 ... .max), radix: 16))".utf8CString) }

    /// Opens a folder, with the rights to read and change it if they are missing and can be had. -1 with `errno`.
    static func open(_ name: Name, of folder: Int32) -> Int32 {
        // Root needs no rights. Whoever is no root owns what his plugins make, and a link is not changed by this.
        if geteuid() != 0 { fchmodat(folder, name, 0o700, AT_SYMLINK_NOFOLLOW) }
        return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    /// Names in an open folder, at most so many, without `.` and `..`; `nil` with `errno` when the folder cannot be read to its end. A folder
    /// that cannot be read is not an empty one.
    static func names(in folder: Int32, most: Int) -> [Name]? {
        // A description of its own: nobody's place in the folder is moved.
        let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return nil }
        guard let entries = fdopendir(copy) else {
            let error = errno
            close(copy)
            errno = error
            return nil
        }
        var names: [Name] = []
        errno = 0
        while names.count < most, let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                Array(bytes.prefix { $0 != 0 }).map(CChar.init(bitPattern:)) + [0]
            }
            if name != [46, 0], name != [46, 46, 0] { names.append(name) }
            errno = 0
        }
        let error = errno
        closedir(entries)
        errno = error
        return names.count < most && error != 0 ? nil : names
    }
}
