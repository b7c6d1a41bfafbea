// SPDX-License-Identifier: Apache-2.0

public import CommandFiles
import Glibc
import HCI

extension PhoneCapture {
    private static let pieceByteCount = 1 << 16

    /// Reads the capture at `path` in pieces. `clockOffset` is subtracted from every time, in seconds: the phones of the
    /// published captures wrote local time as if it were UTC. With `keepsReports` the events with advertisements stay in
    /// memory, for ``replay(hearing:)``. With `allowsTorn` a file that ends in the middle of a record, as a power cut leaves one,
    /// is read up to that record.
    ///
    /// Throws `InputError` with the path if the file cannot be read, or is not a whole capture (`CaptureError` says why).
    public init(
        path: String, clockOffset: Int64 = 0, keepsReports: Bool = false, allowsTorn: Bool = false
    ) throws(InputError) {
        self.init(offset: clockOffset * 1_000_000, keepsReports: keepsReports)
        let (reader, isTorn) = try Self.read(path, allowsTorn: allowsTorn) { take($0) }
        self.isTorn = isTorn
        finish(reader)
    }

    /// Reads a capture from memory in pieces of `size` bytes, 1 or more. Throws `CaptureError` as a file would, after the
    /// records before the fault were taken.
    init(bytes: [UInt8], size: Int = .max, allowsTorn: Bool = false) throws(CaptureError) {
        self.init(offset: 0, keepsReports: true)
        var reader = CaptureReader()
        var start = 0
        while start < bytes.count {
            let end = start + min(size, bytes.count - start)
            try reader.push(bytes[start..<end]) { take($0) }
            start = end
        }
        isTorn = try Self.finish(reader, allowsTorn: allowsTorn)
        finish(reader)
    }

    /// Whether the end is torn, where that may be.
    private static func finish(_ reader: CaptureReader, allowsTorn: Bool) throws(CaptureError) -> Bool {
        do throws(CaptureError) { try reader.finish() } catch {
            guard allowsTorn, error.code == .truncated, error.record > 0 else { throw error }
            return true
        }
        return false
    }

    /// What a board stores that heard, in the scans of this phone, those packets of the kept reports for which `isHeard`
    /// returns `true`. It is given the time in microseconds since 1970. Throws as ``BoardReplay``.
    func replay(hearing isHeard: (ArraySlice<UInt8>, Int64) -> Bool = { _, _ in true }) throws -> BoardReplay.Outcome {
        let board = try BoardReplay(listeningIn: scans)
        try reports.forEach { packet, time in if isHeard(packet, time) { try board.receive(packet, at: time) } }
        return try board.finish()
    }

    /// What a board stores that heard the capture at `path`, of which this is the content; reads it again, in pieces. Throws
    /// `InputError` as the first reading, and what ``BoardReplay`` throws.
    public func replay(path: String) throws -> BoardReplay.Outcome {
        let board = try BoardReplay(listeningIn: scans)
        var failure: (any Error)?
        _ = try Self.read(path, allowsTorn: isTorn) { record in
            guard failure == nil, BoardReplay.isReport(record.packet) else { return }
            do { try board.receive(record.packet.bytes, at: record.time - offset) } catch { failure = error }
        }
        if let failure { throw failure }
        return try board.finish()
    }

    /// Reads a file in pieces, and calls `deliver` for each record.
    private static func read(
        _ path: String, allowsTorn: Bool, deliver: (CaptureRecord) -> Void
    ) throws(InputError) -> (CaptureReader, isTorn: Bool) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw InputError(file: path, "cannot be read: \(String(cString: strerror(errno)))") }
        defer { close(file) }
        // It is read twice, and a pipe might never end.
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw InputError(file: path, "is not an ordinary file")
        }
        var reader = CaptureReader()
        var buffer = [UInt8](repeating: 0, count: pieceByteCount)
        do throws(CaptureError) {
            while true {
                let count = Glibc.read(file, &buffer, buffer.count)
                guard count != 0 else { break }
                guard count > 0 else { throw CaptureError.unreadable(record: reader.recordCount) }
                try reader.push(buffer[..<count], deliver: deliver)
            }
            return (reader, try finish(reader, allowsTorn: allowsTorn))
        } catch {
            throw InputError(file: path, "\(error)")
        }
    }
}
