// SPDX-License-Identifier: Apache-2.0

import Glibc
public import SyncPlan

/// The journal on the disk: lines are appended and written out; now and then it is written anew beside the old one and takes its place. Whenever the
/// power goes, every line that was reported as written is there.
public final class JournalFile {
    /// Beyond so many bytes it is written anew; a year of hourly runs would else fill the folder.
    private static let rewriteBytes = 131_072
    private static let name = "journal"
    private let folder: String
    private var descriptor: Int32 = -1
    private var byteCount = 0
    private var rewriteAt = JournalFile.rewriteBytes
    /// What it says.
    public private(set) var state: SyncState

    /// Opens the journal in a folder, or begins one. One that is not ours is set aside; an end that was cut off is removed. `nil` when the folder
    /// cannot be used.
    public init?(folder: String) {
        self.folder = folder
        let path = "\(folder)/\(Self.name)"
        unlink(path + ".new")
        let bytes = Files.read(path, limit: 1 << 24)
        let read = JournalCodec.read(bytes ?? [])
        state = read.state
        if bytes != nil, read.soundByteCount == 0 { rename(path, path + ".damaged") }
        if read.soundByteCount == 0 {
            guard Files.replace(path, with: Array(JournalCodec.header.utf8), in: folder) else { return nil }
            byteCount = JournalCodec.header.utf8.count
        } else {
            byteCount = read.soundByteCount
        }
        descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0, ftruncate(descriptor, byteCount) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
            return nil
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Durable when it returns `true`; else nothing is different.
    public func append(_ entries: [JournalEntry]) -> Bool {
        let line = JournalCodec.line(entries)
        guard line.count <= JournalCodec.maximumLineBytes, Files.write(line, to: descriptor), fdatasync(descriptor) == 0
        else {
            // Half a line would hide what comes after it.
            ftruncate(descriptor, byteCount)
            lseek(descriptor, 0, SEEK_END)
            return false
        }
        byteCount += line.count
        for entry in entries { state.apply(entry) }
        if byteCount > rewriteAt { rewrite() }
        return true
    }

    /// A failure leaves the long one, which says the same.
    private func rewrite() {
        let path = "\(folder)/\(Self.name)"
        let bytes = JournalCodec.journal(state)
        rewriteAt = byteCount + Self.rewriteBytes
        guard Files.replace(path, with: bytes, in: folder) else { return }
        let new = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard new >= 0 else { return }
        close(descriptor)
        descriptor = new
        byteCount = bytes.count
        rewriteAt = byteCount + Self.rewriteBytes
    }
}
