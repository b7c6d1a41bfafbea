// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import HCI
public import KeyIntake
public import TimeTrust

/// A recording under way: what passes between the core and its controller is kept for a moment in memory, made harmless
/// (``CaptureMask``) in small slices when nothing else is due, and written.
///
/// ``take(_:at:)`` costs no more than a copy, so the radio waits for nothing. What comes faster than it can be written is left
/// out and counted. The key of the pseudonyms ends with this object.
public final class Recorder {
    /// Packets that may wait; our own bound, some seconds of a crowd.
    static let mostWaiting = 4_096
    /// So many bytes are made harmless in one turn, a packet at least: a tenth of a millisecond for each 250 of them where it was measured.
    private static let slice = 1 << 10
    /// And so many at the end, before whoever ends it is answered; what waits besides is left out.
    private static let lastSlice = 8 << 10
    /// Written when so many bytes have come, or after ``pause``.
    private static let batch = 16 << 10
    private static let pause = Duration.seconds(10)

    private let mask: CaptureMask
    private let file: RecordingFile
    private let started: Duration
    /// The time of the records at ``started``, in microseconds since 1970.
    private let time: Int64
    /// When it ends, on the boot clock.
    public let end: Duration
    private var waiting: [(packet: HCIPacket, moment: Duration)] = []
    private var ready: [UInt8] = []
    private var readySince: Duration?

    /// The number of records that were written or wait for it.
    public private(set) var recordCount = 0
    /// The number of packets that were left out because too many waited, or because the file failed.
    public private(set) var leftOutCount = 0
    /// The bytes of the file so far, and of what waits to be written.
    public var byteCount: Int { file.byteCount + ready.count }
    /// Why nothing is written any more; `nil` while all is well.
    public private(set) var problem: IntakeFailure?

    /// Begins at `now`. `civil` is the time then in milliseconds since 1970: records go on from it by the boot clock, so their
    /// times never go back. `generator` must be cryptographically secure outside tests.
    public init(
        into file: RecordingFile, from now: BootInstant, civil: Int64, for length: Duration,
        generator: inout some RandomNumberGenerator
    ) {
        mask = CaptureMask(generator: &generator)
        self.file = file
        started = now.duration
        time = civil * 1_000
        end = now.duration + length
    }

    /// When ``advance(to:)`` has something to do, on the boot clock.
    public var deadline: BootInstant {
        if !waiting.isEmpty { return BootInstant(.zero) }
        return BootInstant(min(readySince.map { $0 + Self.pause } ?? end, end))
    }

    /// Keeps a packet that passed at `now`, in either direction. Data of connections is passed over: it is in no recording.
    public func take(_ packet: HCIPacket, at now: BootInstant) {
        guard packet.indicator == .command || packet.indicator == .event else { return }
        guard problem == nil, now.duration < end, waiting.count < Self.mostWaiting else {
            leftOutCount += 1
            return
        }
        waiting.append((packet, now.duration))
    }

    /// Makes some packets harmless, and writes what is due. Returns whether the recording goes on. Blocks on the disk for some
    /// kilobytes.
    public func advance(to now: BootInstant) -> Bool {
        work(byteCount: Self.slice, at: now.duration)
        let isLate = readySince.map { now.duration >= $0 + Self.pause } ?? false
        if ready.count >= Self.batch || isLate { write() }
        guard problem != nil || now.duration >= end && waiting.isEmpty else { return true }
        finish()
        return false
    }

    /// Writes what waits, some kilobytes at most: nobody waits for more. The rest is left out and counted. The recording is over.
    public func finish() {
        work(byteCount: Self.lastSlice, at: started)
        leftOutCount += waiting.count
        waiting = []
        write()
    }

    private func work(byteCount: Int, at now: Duration) {
        guard !waiting.isEmpty else { return }
        var (count, bytes) = (0, 0)
        for (packet, moment) in waiting {
            guard bytes < byteCount else { break }
            count += 1
            bytes += packet.bytes.count
            guard let harmless = try? mask.masked(packet) else { continue }
            let (seconds, attoseconds) = (moment - started).components
            let passed = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
            ready += CaptureWriter.record(harmless, at: time + passed)
            recordCount += 1
        }
        waiting.removeFirst(count)
        if readySince == nil { readySince = now }
    }

    private func write() {
        guard !ready.isEmpty, problem == nil else { return }
        do throws(IntakeFailure) { try file.append(ready) } catch { problem = error }
        ready = []
        readySince = nil
    }
}
