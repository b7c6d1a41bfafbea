// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText
import Glibc
public import JSON

/// The reason why a card's folder was not written. The folder from before is still in its place; only when a step after the
/// switch failed, such as removing the old folder, is the new one there.
public enum FolderFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The folder at `path` is that of another board, with this serial number.
    case otherBoard(path: String, serial: String)
    /// There is something at `path` that is not a board's folder.
    case foreign(path: String)
    /// The board's folder at `path` holds files that this program did not make.
    case strangeFiles(path: String, names: [String])
    /// The folder at `path` holds a folder `provision`, but no readable `board.json` that names the board.
    case noRecord(path: String)
    /// A card is to be made anew, and there is no card at `path`.
    case nothingToReplace(path: String)
    /// The path is empty.
    case emptyPath
    /// The folder that contains `path` does not exist, or is not a folder.
    case noParent(path: String, parent: String)
    /// The folder at `path` does not have the files that the inventory says; `name` is one that is missing, changed or strange.
    case notAsMade(path: String, name: String)
    /// Another process of this program works in the same place.
    case inUse
    /// The system refused `action` on `path`; `number` is the value of `errno`.
    case system(path: String, action: String, number: Int32)

    /// An English sentence for the operator: what is wrong, and what to do.
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
        case .notAsMade(let path, let name):
            "\(ForeignText.line(path)) does not have the card that was made: \(ForeignText.line(name, limit: 100)) is missing, changed or strange. Make it anew with vigil-fleet plan and --remake."
        case .inUse: "Another vigil-fleet is working here. Wait until it has ended, then give the command again."
        case .system(let path, let action, EACCES), .system(let path, let action, EPERM):
            "You may not \(action) \(ForeignText.line(path)): it or its folder belongs to another user, or is read-only."
        case .system(let path, let action, let number):
            "Cannot \(action) \(ForeignText.line(path)): \(String(cString: strerror(number)))."
        }
    }
}

/// Finds, checks and writes the folder of one board on the operator's computer. A folder is written completely or not at
/// all.
public enum CardFolder {
    /// A board's folder that was found, with its `board.json`.
    public struct Existing: Sendable {
        /// The serial number of the board that the folder is for.
        public let serial: BoardSerial
        /// The content of `board.json`, a JSON value with a valid serial number.
        public let record: JSON
        /// Where it lies: the path that was asked for, or beside it when power failed between two renames.
        fileprivate let place: String
    }

    /// Returns the serial number of the board whose folder is at `path`; `nil` if nothing is there, or an empty
    /// folder. If nothing is at `path`, a folder that a power cut left beside it (`.NAME.vigil-old`) counts.
    /// - Throws: `emptyPath` for an empty path; `foreign` for anything else that is there, a symbolic link
    ///   included; `noRecord` for a folder with a folder `provision` whose `board.json` is missing, larger than 64
    ///   KiB or without a valid serial number; `system` when that cannot be found out.
    public static func owner(of path: String) throws(FolderFault) -> BoardSerial? { try existing(at: path)?.serial }

    /// Returns the board's folder at `path`, with its record; `nil` if nothing is there, or an empty folder. Throws as
    /// ``owner(of:)`` does.
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

    /// Checks that a board's folder may be written at `path`; writes nothing.
    /// - Throws: `noParent` when the folder that contains `path` does not exist; `system` when that folder is not
    ///   writable; `otherBoard` when the folder of a board other than `replacing` is there (with `nil`: of any
    ///   board); `strangeFiles` when that folder holds files that this program did not make; and as ``owner(of:)``
    ///   does.
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

    /// Returns the serial numbers that are names in `folder`, in the form of ``BoardSerial/description``, sorted;
    /// empty if it cannot be read. Their content is not looked at.
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

    /// Writes a card's files into a hidden folder beside `path` (mode 0700, files 0600), and then renames it to
    /// `path`. After a power cut there is the old folder or the new one, and perhaps hidden folders beside it
    /// (`.NAME.vigil-partial`, `.NAME.vigil-old`), which the next call restores or removes. When a card is made
    /// anew, the old files are overwritten before they are deleted. `replacing` is the board whose folder may be at
    /// `path`; `nil` if there must be none. Two calls for one path must not run at once, which is not checked: hold
    /// a ``WorkLock``.
    /// - Throws: as ``admit(_:replacing:)`` does, and `system` when the system refuses a step; ``FolderFault`` says
    ///   which folder is there then.
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

    /// Writes the files of a label into the new folder `path`, readable by its owner only. Throws when there is something of
    /// that name, or the system refuses; then the folder is not there.
    public static func writeLabel(_ files: [Card.File], to path: String) throws(FolderFault) {
        try make(path)
        do throws(FolderFault) {
            for file in files { try write(file, in: path) }
        } catch {
            try? remove(path)
            throw error
        }
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

    /// Returns the folder that contains `path`; slashes at the end of `path` are ignored. Returns `.` for a name without
    /// slashes. Cannot fail.
    public static func parent(of path: String) -> String {
        let trimmed = withoutEnd(path)
        return trimmed.lastIndex(of: "/").map { $0 == trimmed.startIndex ? "/" : String(trimmed[..<$0]) } ?? "."
    }

    private static func withoutEnd(_ path: String) -> Substring {
        var trimmed = path[...]
        while trimmed.utf8.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        return trimmed
    }

    static func names(in folder: String) -> [String]? {
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
            // A file of two names is somebody else's, too.
            if status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 {
                erase(path, count: Int(min(status.st_size, 1 << 20)))
            }
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
