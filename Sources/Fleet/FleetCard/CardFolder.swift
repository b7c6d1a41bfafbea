// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText
import Glibc
public import JSON

/// The reason why a card's folder was not written. What was there before is in its place; only if a step after the switch to the new folder failed,
/// such as the removal of the old one, is the new one there.
public enum FolderFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// At `path` is the folder of another board, of that serial number.
    case otherBoard(path: String, serial: String)
    /// At `path` is something that is no board's folder.
    case foreign(path: String)
    /// There is a board's folder, and in it are files that this program has not made.
    case strangeFiles(path: String, names: [String])
    /// There is a folder `provision`, but no `board.json` that says whose.
    case noRecord(path: String)
    /// A card is to be made anew, and there is none.
    case nothingToReplace(path: String)
    /// The path has no characters.
    case emptyPath
    /// The folder above is not there, or is no folder.
    case noParent(path: String, parent: String)
    /// Another process works there.
    case inUse
    /// The system's words.
    case system(path: String, action: String, number: Int32)

    /// A sentence for the operator, with what to do.
    public var description: String {
        switch self {
        case .otherBoard(let path, let serial):
            "\(ForeignText.line(path)) belongs to the board \(serial). Two boards must never share a folder: give another one, or say --replace \(serial) to make that board's card anew, with new secrets."
        case .foreign(let path):
            "\(ForeignText.line(path)) is there already and is no folder that this program has made. It was left as it is; give a path where nothing is."
        case .strangeFiles(let path, let names):
            "\(ForeignText.line(path)) has files that this program has not made: \(names.prefix(5).map { ForeignText.line($0, limit: 100) }.joined(separator: ", "))\(names.count > 5 ? " and \(names.count - 5) more" : ""). They would be lost; move them elsewhere, then give the command again."
        case .noRecord(let path):
            "\(ForeignText.line(path)) has a folder \(Card.folder) but no \(Card.record) that can be read, so it does not say whose it is. It was left as it is; put \(Card.record) back, or give a path where nothing is."
        case .nothingToReplace(let path): "\(ForeignText.line(path)) does not exist; nothing to replace."
        case .emptyPath: "The path of the board's folder is empty. Give one, such as board-1."
        case .noParent(let path, let parent):
            "\(ForeignText.line(path)) cannot be made: there is no folder \(ForeignText.line(parent)). Make it first."
        case .inUse: "Another vigil-fleet is working here. Wait until it has ended, then give the command again."
        case .system(let path, let action, EACCES), .system(let path, let action, EPERM):
            "You may not \(action) \(ForeignText.line(path)): it or its folder belongs to another user, or is read-only."
        case .system(let path, let action, let number):
            "Cannot \(action) \(ForeignText.line(path)): \(String(cString: strerror(number)))."
        }
    }
}

/// The folder of one board on the operator's computer, written whole or not at all.
public enum CardFolder {
    /// A board's folder that was found, with the facts of its `board.json`.
    public struct Existing: Sendable {
        /// The serial number of the board that the folder is for.
        public let serial: BoardSerial
        /// The content of `board.json`.
        public let record: JSON
        /// Where it lies: the path that was asked for, or beside it when power failed between two renames.
        fileprivate let place: String
    }

    /// The serial number of the board whose folder lies at `path`; `nil` if there is nothing. An empty folder counts as
    /// nothing.
    /// - Throws: `.foreign` or `.noRecord` where something else lies, `.system` where that cannot be told.
    public static func owner(of path: String) throws(FolderFault) -> BoardSerial? { try existing(at: path)?.serial }

    /// The board's folder at `path`, with its record; `nil` where there is nothing. Throws as ``owner(of:)``.
    public static func existing(at path: String) throws(FolderFault) -> Existing? {
        guard !path.isEmpty else { throw .emptyPath }
        return try folder(at: isThere(path) || !isThere(beside(path, "old")) ? path : beside(path, "old"))
    }

    private static func folder(at path: String) throws(FolderFault) -> Existing? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .system(path: path, action: "look at", number: errno) }
            return nil
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .foreign(path: path) }
        guard let names = names(in: path) else { throw .system(path: path, action: "read", number: errno) }
        if names.isEmpty { return nil }
        let unknown: FolderFault = names.contains(Card.folder) ? .noRecord(path: path) : .foreign(path: path)
        let record = "\(path)/\(Card.record)"
        // A pipe is nobody's record, and is not waited for.
        let descriptor = open(record, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw errno == EACCES ? .system(path: record, action: "read", number: EACCES) : unknown
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0, let json = try? JSON(parsing: Array(bytes.prefix(count))), let text = json["serial"]?.string,
            let serial = BoardSerial(text)
        else { throw unknown }
        return Existing(serial: serial, record: json, place: path)
    }

    /// Checks that a board's folder may be written at `path`: nothing is there, or the folder of `replacing` with no file
    /// that this program has not made. The folder above must be there, and writable. Writes nothing.
    public static func admit(_ path: String, replacing: BoardSerial?) throws(FolderFault) {
        let existing = try existing(at: path)
        let above = parent(of: path)
        var status = stat()
        guard stat(above, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .noParent(path: path, parent: above)
        }
        guard access(above, W_OK | X_OK) == 0 else { throw .system(path: above, action: "write in", number: errno) }
        guard let existing else { return }
        guard existing.serial == replacing else { throw .otherBoard(path: path, serial: "\(existing.serial)") }
        let strange = strangers(in: existing.place)
        guard strange.isEmpty else { throw .strangeFiles(path: path, names: strange) }
    }

    /// The serial numbers that folders in `folder` are called by, sorted; empty when it is not there.
    public static func serials(in folder: String) -> [BoardSerial] {
        (names(in: folder) ?? []).sorted().compactMap { name in
            BoardSerial(name).flatMap { "\($0)" == name ? $0 : nil }
        }
    }

    /// What no card has, by path below the folder.
    private static func strangers(in folder: String, _ below: String = "") -> [String] {
        var found: [String] = []
        for name in (names(in: folder) ?? []).sorted() {
            var status = stat()
            let path = below + name
            let isFolder = lstat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            if isFolder, Card.paths.contains(where: { $0.hasPrefix("\(path)/") }) {
                found += strangers(in: "\(folder)/\(name)", "\(path)/")
            } else if isFolder || !Card.paths.contains(path) {
                found.append(path)
            }
        }
        return found
    }

    /// Writes a card's files into a folder beside `path`, mode 0700, its files 0600, and then puts it in place. A power cut leaves what was there
    /// before, or the new folder, and perhaps hidden folders beside it (`.NAME.vigil-partial`, `.NAME.vigil-old`), which the next call puts back or
    /// removes. The old files of a board whose card is made anew are overwritten before they are deleted. `replacing` is the board whose folder may
    /// be there; `nil` if nothing may be.
    /// - Throws: as ``admit(_:replacing:)``, and `.system`; see ``FolderFault`` for what is there then.
    public static func write(_ card: Card, to path: String, replacing: BoardSerial? = nil) throws(FolderFault) {
        try admit(path, replacing: replacing)
        let (draft, old) = (beside(path, "partial"), beside(path, "old"))
        try remove(draft)
        // A cut between the two renames below.
        if isThere(old), !isThere(path) { try put(old, path) }
        try remove(old)
        do throws(FolderFault) {
            try make(draft)
            for file in card.files { try write(file, in: draft) }
            try sync(draft)
        } catch {
            try? remove(draft)
            throw error
        }
        let isReplaced = isThere(path)
        do throws(FolderFault) {
            if isReplaced { try put(path, old) }
            try put(draft, path)
        } catch {
            if isReplaced, !isThere(path) { try? put(old, path) }
            try? remove(draft)
            throw error
        }
        try sync(parent(of: path))
        if isReplaced { try remove(old) }
    }

    // MARK: The system

    private static func write(_ file: Card.File, in folder: String) throws(FolderFault) {
        let path = "\(folder)/\(file.path)"
        var missing: [String] = []
        var above = parent(of: path)
        while above.utf8.count > folder.utf8.count {
            missing.append(above)
            above = parent(of: above)
        }
        for folder in missing.reversed() where access(folder, F_OK) != 0 { try make(folder) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(path: path, action: "create", number: errno) }
        defer { close(descriptor) }
        let isWritten = file.content.withBytes { bytes in
            var total = 0
            while total < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + total }, bytes.count - total)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                total += count
            }
            return fsync(descriptor) == 0
        }
        guard isWritten else { throw .system(path: path, action: "write", number: errno) }
        try sync(parent(of: path))
    }

    private static func make(_ folder: String) throws(FolderFault) {
        guard mkdir(folder, 0o700) == 0 else { throw .system(path: folder, action: "make the folder", number: errno) }
    }

    private static func put(_ from: String, _ to: String) throws(FolderFault) {
        guard rename(from, to) == 0 else { throw .system(path: to, action: "put in place", number: errno) }
    }

    private static func sync(_ folder: String) throws(FolderFault) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path: folder, action: "open", number: errno) }
        defer { close(descriptor) }
        // Some file systems cannot sync a folder; what they promise is theirs.
        _ = fsync(descriptor)
    }

    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// A folder of ours beside `path`, hidden, and called so that nobody else's has the name.
    static func beside(_ path: String, _ what: String) -> String {
        let trimmed = withoutEnd(path)
        let name = trimmed.lastIndex(of: "/").map { trimmed[trimmed.index(after: $0)...] } ?? trimmed
        return "\(parent(of: path))/.\(name).vigil-\(what)"
    }

    /// The folder that `path` lies in; slashes at its end do not count. Cannot fail.
    public static func parent(of path: String) -> String {
        let trimmed = withoutEnd(path)
        return trimmed.lastIndex(of: "/").map { $0 == trimmed.startIndex ? "/" : String(trimmed[..<$0]) } ?? "."
    }

    private static func withoutEnd(_ path: String) -> Substring {
        var trimmed = path[...]
        while trimmed.utf8.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        return trimmed
    }

    private static func names(in folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a folder of ours with what is in it, three levels deep at most; files are overwritten first. Nothing there is no fault.
    private static func remove(_ path: String, depth: Int = 0) throws(FolderFault) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            if status.st_mode & S_IFMT == S_IFREG { erase(path, count: Int(min(status.st_size, 1 << 20))) }
            guard unlink(path) == 0 else { throw .system(path: path, action: "remove", number: errno) }
            return
        }
        guard depth < 4 else { throw .foreign(path: path) }
        for name in names(in: path) ?? [] { try remove("\(path)/\(name)", depth: depth + 1) }
        guard rmdir(path) == 0 else { throw .system(path: path, action: "remove", number: errno) }
    }

    /// A file that is only unlinked leaves its bytes on the disk. Flash memory may keep them all the same.
    private static func erase(_ path: String, count: Int) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: count)
        _ = zeros.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        fsync(descriptor)
    }
}
