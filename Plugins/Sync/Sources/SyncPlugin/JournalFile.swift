// SPDX-License-Identifier: Apache-2.0

import Glibc
import SyncPlan
import Synchronization
import SystemCalls

/// The journal on the disk: lines are appended and synced before what they say is acted on; a torn end is cut off; when most of it is old
/// it is written anew. Entries can be appended from any thread, everything else is for one at a time.
final class JournalFile {
    /// Rewritten when it has this many times the lines that its state needs.
    private static let growth = 4
    /// And when it is larger than this and twice what it had when it was written anew: lines are as long as a server's names.
    private static let spareByteCount = 1 << 20
    /// Half of what the state folder may have, for its successor lies beside it.
    private static let maximumByteCount = 8 << 20

    let state: SyncState
    private let path: String
    private let folder: String
    private var descriptor: Int32 = -1
    private var lineCount = 0
    private var writtenByteCount = 0
    private var current: SyncState
    private let appending = Mutex(())
    /// What is to replace a file is called by its name with this behind it, until it is complete.
    private static let draft = ".new"

    /// Opens `sync.journal` in `folder`. What is not a journal is set aside as `sync.journal.damaged`, and ``wasDamaged`` says so.
    init(folder: String) {
        self.folder = folder
        // Of a process that died before it could rename them.
        for name in FolderNames.all(folder) where name.hasSuffix(Self.draft) { unlink("\(folder)/\(name)") }
        path = folder + "/sync.journal"
        let bytes = Self.read(path)
        let (read, sound, lines) = JournalCodec.read(bytes)
        state = read
        current = read
        lineCount = lines
        // One that cannot be read, or is too large, is no empty one.
        wasDamaged = sound == 0 && Self.hasContent(path)
        if wasDamaged { rename(path, path + ".damaged") }
        if sound == 0 {
            _ = rewrite()
        } else {
            descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
            // What follows the last sound line was being written when the power failed.
            if descriptor >= 0 { ftruncate(descriptor, sound) }
            if descriptor >= 0 { lseek(descriptor, 0, Int32(SEEK_END)) }
        }
    }

    let wasDamaged: Bool

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// True when the entries are durable.
    func append(_ entries: [JournalEntry]) -> Bool { appending.withLock { _ in write(entries) } }

    private func write(_ entries: [JournalEntry]) -> Bool {
        guard descriptor >= 0 || rewrite() else { return false }
        let bytes = JournalCodec.line(entries)
        let end = lseek(descriptor, 0, Int32(SEEK_END))
        guard Self.write(descriptor, bytes), fdatasync(descriptor) == 0 else {
            // Half a line would hide all that follow.
            ftruncate(descriptor, end)
            return false
        }
        for entry in entries { current.apply(entry) }
        lineCount += entries.count
        let isLarge = Int(end) + bytes.count > Self.spareByteCount + 2 * writtenByteCount
        // What could not be written anew is not tried again with each line.
        if isLarge || lineCount > Self.growth * (current.entryCount + 16), !rewrite() { writtenByteCount = Int(end) }
        return true
    }

    /// A small document beside the journal, replaced as a whole.
    func save(_ bytes: [UInt8], document: String) -> Bool { replace("\(folder)/\(document)", bytes) }

    func load(document: String) -> [UInt8]? {
        let bytes = Self.read("\(folder)/\(document)")
        return bytes.isEmpty ? nil : bytes
    }

    private func rewrite() -> Bool {
        let bytes = JournalCodec.journal(current)
        guard replace(path, bytes) else { return false }
        writtenByteCount = bytes.count
        if descriptor >= 0 { close(descriptor) }
        descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        lineCount = current.entryCount
        return descriptor >= 0
    }

    private func replace(_ path: String, _ bytes: [UInt8]) -> Bool {
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: 0o600) } catch { return false }
        return true
    }

    private static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        SystemCall.writeAll(descriptor, bytes) == 0
    }

    private static func hasContent(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_size > 0
    }

    private static func read(_ path: String) -> [UInt8] {
        (try? WholeFile.read(path, limit: maximumByteCount, .noLink)) ?? []
    }
}
