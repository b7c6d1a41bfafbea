// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Core
import GAEN
import HCI
import RandomValues
import Testing
import Vault

@testable import Reality

/// What a board records, replayed. On captures that were made here, and on a real phone's where it is there.
@Suite struct RecordingReplayTests {
    /// The capture as a board would have recorded it.
    private func masked(_ bytes: [UInt8], seed: UInt64) throws -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        let mask = CaptureMask(generator: &generator)
        var reader = CaptureReader()
        var found = CaptureWriter.heading
        var failure: (any Error)?
        try reader.push(bytes) { record in
            do {
                guard let packet = try mask.masked(record.packet) else { return }
                found += CaptureWriter.record(packet, at: record.time)
            } catch { failure = error }
        }
        if let failure { throw failure }
        return found
    }

    private func compare(_ bytes: [UInt8]) throws {
        let harmless = try masked(bytes, seed: 1)
        let (raw, safe) = (try PhoneCapture(bytes: bytes), try PhoneCapture(bytes: harmless))
        // The same receptions: how many, when, how strong, from how many.
        #expect(!raw.receptions.isEmpty && safe.scans == raw.scans)
        #expect(safe.receptions.map(\.time) == raw.receptions.map(\.time))
        #expect(safe.receptions.map(\.rssi) == raw.receptions.map(\.rssi))
        #expect(safe.receptions.map(\.flags) == raw.receptions.map(\.flags))
        var pseudonyms: [[UInt8]: [UInt8]] = [:]
        for (one, other) in zip(raw.receptions, safe.receptions) {
            let name = one.payload.identifier.bytes
            #expect(pseudonyms[name] == nil || pseudonyms[name] == other.payload.identifier.bytes)
            pseudonyms[name] = other.payload.identifier.bytes
        }
        #expect(Set(pseudonyms.values).count == pseudonyms.count)
        // A board stores the same of both, but for the names.
        let (heard, again) = (try raw.replay(), try safe.replay())
        #expect(heard.heardCount == again.heardCount && heard.scanCount == again.scanCount)
        #expect(heard.records.map(\.start) == again.records.map(\.start))
        #expect(
            heard.records.map { $0.heard.map { Array($0.readings) } }
                == again.records.map { $0.heard.map { Array($0.readings) } })
        // Nothing that was on air is in the file: no identifier, no metadata, no address.
        let pieces = Set(
            raw.receptions.flatMap { heard in
                [
                    Array(heard.payload.identifier.bytes.prefix(6)), Array(heard.payload.identifier.bytes.suffix(6)),
                    Array(heard.payload.identifier.bytes.suffix(2) + heard.payload.metadata.bytes),
                    Array(heard.address.littleEndianBytes),
                ]
            } + raw.sent.map { Array($0.payload.identifier.bytes.prefix(6)) })
        let found = (0...(harmless.count - 6)).filter { pieces.contains(Array(harmless[$0..<($0 + 6)])) }
        #expect(found.isEmpty)
        // And what was searched for is found in the raw one.
        #expect((0...(bytes.count - 6)).contains { pieces.contains(Array(bytes[$0..<($0 + 6)])) })
    }

    @Test func aReplayHearsTheSame() throws { try compare(CaptureTrial.madeBytes) }

    @Test(.enabled(if: RealityTests.isThere, RealityTests.absent)) func aReplayOfAPhonesCaptureHearsTheSame() throws {
        let path = "\(RealityTests.soldiers)/pcaps/01.btsnoop"
        // A part of it is enough: some scans.
        var (bytes, reader, count) = (CaptureWriter.heading, CaptureReader(), 0)
        try reader.push(try Files.read(path, limit: 64 << 20)) { record in
            count += 1
            if (9_000..<13_000).contains(count) { bytes += CaptureWriter.record(record.packet, at: record.time) }
        }
        try compare(bytes)
    }

    /// Cut anywhere, a recording is refused, or read up to the torn record where that is wished.
    @Test func aTornRecordingIsReadOnlyIfThatIsWished() throws {
        let whole = CaptureTrial.madeBytes
        let torn = Array(whole.dropLast(3))
        #expect(throws: CaptureError.self) { try PhoneCapture(bytes: torn) }
        let read = try PhoneCapture(bytes: torn, allowsTorn: true)
        let all = try PhoneCapture(bytes: whole).recordCount
        #expect(read.isTorn && read.recordCount == all - 1)
    }

    /// Changed captures are read or refused, and a board hears what is read.
    @Test func changedCapturesAreReadOrRefused() throws {
        let trial = try CaptureTrial([])
        var (read, refused) = (0, 0)
        for seed in 1...150 as ClosedRange<UInt64> {
            let outcome = trial.run(seed)
            #expect(outcome.problem == nil, "seed \(seed)")
            if outcome.refusal == nil { read += 1 } else { refused += 1 }
        }
        #expect(read > 30 && refused > 30)
    }
}
