// SPDX-License-Identifier: Apache-2.0

import Glibc
import HCI
public import KeyIntake
import SystemCalls

/// A capture on the disk that never exceeds its limit: when a file is half of it, it becomes the older one of two, and the
/// older one before goes. Both are whole captures; a power cut tears the last record at most.
public final class RecordingFile {
    /// The end of the name of the older part.
    public static let olderEnding = ".older"
    /// The default limit of both files together in bytes: 8 MiB, our choice, some days of a quiet place.
    public static let defaultLimit = 8 << 20
    /// Less would have no room for a scan among many.
    public static let leastLimit = 64 << 10

    private let spool: Spool
    private let name: String
    private let half: Int
    private var descriptor: Int32
    private var fileByteCount = 0
    private var olderByteCount = 0

    /// The bytes of both files, headings included.
    public var byteCount: Int { fileByteCount + olderByteCount }

    /// Creates an empty capture of this name in `spool`, in the place of what had the name. `limit` is in bytes, at least
    /// ``leastLimit``, for both parts. Blocks on the disk. Throws `IntakeFailure` if the file cannot be made, or if what has one of the
    /// names is no capture: then it stays.
    public init(in spool: Spool, name: String, limit: Int = RecordingFile.defaultLimit) throws(IntakeFailure) {
        self.spool = spool
        self.name = name
        half = max(limit, Self.leastLimit) / 2
        for name in [name + Self.olderEnding, name] {
            try Self.check(name, in: spool)
            spool.remove(name)
        }
        descriptor = try spool.createForWriting(name)
        try write(CaptureWriter.heading)
    }

    deinit { close(descriptor) }

    /// Throws if there is something of this name that no recording can have left.
    private static func check(_ name: String, in spool: Spool) throws(IntakeFailure) {
        let file: Spool.File
        do throws(IntakeFailure) { file = try spool.open(name, maximumByteCount: .max) } catch {
            // A link is removed and not followed.
            if [.noSuchFile, .symbolicLink].contains(error.code) { return }
            throw error
        }
        var start = [UInt8](repeating: 0, count: CaptureWriter.heading.count)
        let count = start.withUnsafeMutableBytes { pread(file.descriptor, $0.baseAddress, $0.count, 0) }
        guard CaptureWriter.heading.starts(with: start.prefix(max(count, 0))) else {
            throw IntakeFailure(.unreadable, file: name, "there is a file of this name that is no recording; it stays")
        }
    }

    /// Removes both parts. What is appended afterwards goes nowhere that has a name.
    public func remove() {
        spool.remove(name + Self.olderEnding)
        spool.remove(name)
    }

    /// Appends whole records. Blocks, and does not wait until they are durable. Throws `IntakeFailure` if the disk refuses
    /// them.
    public func append(_ records: [UInt8]) throws(IntakeFailure) {
        if fileByteCount + records.count > half, fileByteCount > CaptureWriter.heading.count { try turn() }
        try write(records)
    }

    private func turn() throws(IntakeFailure) {
        close(descriptor)
        descriptor = -1
        try spool.rename(name, to: name + Self.olderEnding)
        olderByteCount = fileByteCount
        fileByteCount = 0
        descriptor = try spool.createForWriting(name)
        try write(CaptureWriter.heading)
    }

    private func write(_ bytes: [UInt8]) throws(IntakeFailure) {
        let error = SystemCall.writeAll(descriptor, bytes)
        guard error == 0 else { throw IntakeFailure(.unreadable, file: name, SystemCall.text(error)) }
        fileByteCount += bytes.count
    }
}
