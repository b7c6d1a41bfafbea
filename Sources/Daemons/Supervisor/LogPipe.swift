// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Glibc
import Supervision

/// What a process writes to its standard error, as lines of the supervisor's log: cut, cleaned and counted, so that nobody can fill
/// the log, forge a line of another, or move a terminal's cursor. Nothing of it is understood.
final class LogPipe {
    /// Bytes of a line; the rest is dropped.
    static let longestLine = 1000
    /// Lines at once, and lines per second in the long run.
    static let burst = 100
    static let linesPerSecond = 10
    /// Bytes read in one turn.
    private static let bytesPerTurn = 16_384
    /// Bytes read in a second: many times what passes. Who writes more waits, so that reading does not keep the supervisor busy.
    static let bytesPerSecond = 262_144

    let descriptor: Int32
    private var line: [UInt8] = []
    private var isCut = false
    private var credit = burst
    private var creditAt: Duration
    private var droppedCount = 0
    private var pace: Pace
    private let write: (String) -> Void

    /// Takes over the pipe's end; `write` gets each line that passes.
    init(adopting descriptor: Int32, at now: Duration, write: @escaping (String) -> Void) {
        self.descriptor = descriptor
        self.write = write
        creditAt = now
        pace = Pace(Self.bytesPerSecond, at: now)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// Until when it is not read; `nil` when it may be.
    func rests(at now: Duration) -> Duration? { pace.rests(at: now) }

    /// Reads what is there, a bounded amount. False at the end.
    func read(at now: Duration) -> Bool {
        var buffer = [UInt8](repeating: 0, count: Self.bytesPerTurn)
        let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else {
            if count < 0, errno == EAGAIN || errno == EINTR { return true }
            if !line.isEmpty { endLine(at: now) }
            return false
        }
        pace.take(count, at: now)
        for byte in buffer[..<count] {
            if byte == 10 {
                endLine(at: now)
            } else if line.count < Self.longestLine {
                line.append(byte)
            } else {
                isCut = true
            }
        }
        return true
    }

    private func endLine(at now: Duration) {
        if line.last == 13 { line.removeLast() }
        defer {
            line.removeAll(keepingCapacity: true)
            isCut = false
        }
        let seconds = Int((now - creditAt) / .seconds(1))
        if seconds > 0 {
            credit = min(credit + seconds * Self.linesPerSecond, Self.burst)
            creditAt += .seconds(seconds)
        }
        guard credit > 0 else {
            droppedCount += 1
            return
        }
        credit -= 1
        if droppedCount > 0 {
            write("(\(droppedCount) lines were dropped: it writes more than \(Self.linesPerSecond) a second)")
            droppedCount = 0
        }
        write(Self.clean(line) + (isCut ? " …" : ""))
    }

    /// Text that can do no harm on a terminal or in a file of lines.
    static func clean(_ bytes: [UInt8]) -> String {
        ForeignText.line(String(decoding: bytes, as: UTF8.self), limit: .max)
    }
}
