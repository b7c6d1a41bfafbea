// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText
import Glibc
import JSON

/// The reason why a card's folder was not written. What was there before is in its place; only if a step after the switch to the new folder failed,
/// such as the removal of the old one, is the new one there.
public enum FolderFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// At `path` is the folder of another board, of that serial number.
    case otherBoard(path: String, serial: String)
    /// At `path` is something that is no board's folder.
    case foreign(path: String)
    /// The system refused the `action` at `path`; `number` is its `errno`.
    case system(path: String, action: String, number: Int32)

    /// A sentence for the operator, with what to do.
    public var description: String {
        switch self {
        case .otherBoard(let path, let serial):
            "\(ForeignText.line(path)) belongs to the board \(serial). Two boards must never share a folder: give another one, or say --replace \(serial) to make that board's card anew, with new secrets."
        case .foreign(let path):
            "\(ForeignText.line(path)) is there already and is no folder that this program has made. It was left as it is; give a path where nothing is."
        case .system(let path, let action, let number):
            "\(ForeignText.line(path)): cannot \(action): \(String(cString: strerror(number)))."
        }
    }
}

/// The folder of one board on the operator's computer, written whole or not at all.
public enum CardFolder {
    /// The board whose folder lies at `path`; `nil` where there is nothing. An empty folder counts as nothing. Where a cut has left only the hidden
    /// old folder beside `path`, it is that one's.
    /// - Throws: `.foreign` where something else lies, `.system` where that cannot be told.
    public static func owner(of path: String) throws(FolderFault) -> BoardSerial? {
        try ownerOfFolder(at: isThere(path) || !isThere(beside(path, "old")) ? path : beside(path, "old"))
    }

    private static func ownerOfFolder(at path: String) throws(FolderFault) -> BoardSerial? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .system(path: path, action: "look at it", number: errno) }
            return nil
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .foreign(path: path) }
        if rmdirIsPossible(path) { return nil }
        let record = "\(path)/\(Card.record)"
        let descriptor = open(record, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .foreign(path: path) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0, let json = try? JSON(parsing: Array(bytes.prefix(count))), let text = json["serial"]?.string,
            let serial = BoardSerial(text)
        else { throw .foreign(path: path) }
        return serial
    }

    /// Returns if there may be written: nothing is at `path`, or the folder of the board `replacing`; with `nil` nothing may be there. Writes
    /// nothing.
    /// - Throws: `.otherBoard` where another board's folder lies, and as ``owner(of:)``.
    public static func admit(_ path: String, replacing: BoardSerial?) throws(FolderFault) {
        guard let owner = try owner(of: path) else { return }
        guard owner == replacing else { throw .otherBoard(path: path, serial: "\(owner)") }
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
        if isReplaced { try put(path, old) }
        do throws(FolderFault) { try put(draft, path) } catch {
            if isReplaced { try? put(old, path) }
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
        guard descriptor >= 0 else { throw .system(path: path, action: "create it", number: errno) }
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
        guard isWritten else { throw .system(path: path, action: "write it", number: errno) }
        try sync(parent(of: path))
    }

    private static func make(_ folder: String) throws(FolderFault) {
        guard mkdir(folder, 0o700) == 0 else { throw .system(path: folder, action: "make the folder", number: errno) }
    }

    private static func put(_ from: String, _ to: String) throws(FolderFault) {
        guard rename(from, to) == 0 else { throw .system(path: to, action: "put it in place", number: errno) }
    }

    private static func sync(_ folder: String) throws(FolderFault) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path: folder, action: "open it", number: errno) }
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
        var trimmed = path[...]
        while trimmed.utf8.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        let name = trimmed.lastIndex(of: "/").map { trimmed[trimmed.index(after: $0)...] } ?? trimmed
        return "\(parent(of: String(trimmed)))/.\(name).vigil-\(what)"
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    private static func rmdirIsPossible(_ path: String) -> Bool { names(in: path)?.isEmpty == true }

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
            guard unlink(path) == 0 else { throw .system(path: path, action: "remove it", number: errno) }
            return
        }
        guard depth < 4 else { throw .foreign(path: path) }
        for name in names(in: path) ?? [] { try remove("\(path)/\(name)", depth: depth + 1) }
        guard rmdir(path) == 0 else { throw .system(path: path, action: "remove it", number: errno) }
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
