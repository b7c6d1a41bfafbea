// SPDX-License-Identifier: Apache-2.0

import HCI
import RandomValues
import Testing

@Suite struct CaptureReaderTests {
    private static let epoch: UInt64 = 0x00DC_DDB3_0F2F_8000
    private static let packets: [[UInt8]] =
        Samples.events + [
            hex("01 0c20 02 0100"), hex("02 4020 0300 010203"), hex("02 4020 ffff") + [UInt8](repeating: 7, count: 0xFFFF),
        ]

    private static func big(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }

    private static func heading(version: UInt64 = 1, datalink: UInt64 = 1002) -> [UInt8] {
        Array("btsnoop\0".utf8) + big(version, 4) + big(datalink, 4)
    }

    private static func record(
        _ packet: [UInt8], at time: UInt64 = 1_600_000_000_000_000, original: Int? = nil, included: Int? = nil
    ) -> [UInt8] {
        big(UInt64(original ?? packet.count), 4) + big(UInt64(included ?? packet.count), 4) + big(3, 4) + big(0, 4)
            + big(epoch &+ time, 8) + packet
    }

    private static let capture =
        heading() + packets.enumerated().flatMap { record($1, at: 1_600_000_000_000_000 + UInt64($0)) }

    /// What is read of `bytes`, pushed in pieces of `size`.
    private func read(_ bytes: [UInt8], size: Int = .max) -> (records: [CaptureRecord], error: CaptureError?) {
        var reader = CaptureReader()
        var records: [CaptureRecord] = []
        do {
            var start = 0
            while start < bytes.count {
                let end = start + min(size, bytes.count - start)
                try reader.push(bytes[start..<end]) { records.append($0) }
                start = end
            }
            try reader.finish()
        } catch {
            return (records, error)
        }
        return (records, nil)
    }

    @Test(arguments: [Int.max, 1, 2, 7, 16, 24, 25, 4_096]) func anyPiecesGiveTheSameRecords(size: Int) {
        let (records, error) = read(Self.capture, size: size)
        #expect(error == nil)
        #expect(records.map(\.packet.bytes) == Self.packets)
        #expect(records.map(\.time) == Self.packets.indices.map { 1_600_000_000_000_000 + Int64($0) })
    }

    @Test func anEmptyCaptureIsOne() {
        #expect(read(Self.heading()).error == nil)
        #expect(read([]).error?.code == .truncated)
    }

    @Test func eachFaultHasItsOwnSentence() {
        let event = hex("04 0e 04 01 03 0c 00")
        let before = Self.record(event)
        let faults: [(CaptureError.Code, [UInt8], Int)] = [
            (.notACapture, Array("btsnoop\u{1}".utf8) + Self.heading().dropFirst(8), 0),
            (.notACapture, hex("d4 c3 b2 a1") + [UInt8](repeating: 0, count: 20), 0),
            (.unknownVersion, Self.heading(version: 2), 0),
            (.otherDatalink, Self.heading(datalink: 1001), 0),
            (.otherDatalink, Self.heading(datalink: 2001), 0),
            (.truncated, Self.heading() + before + Self.record(event).dropLast(), 2),
            (.truncated, Self.heading() + before + Self.record(event).prefix(23), 2),
            (.cutRecord, Self.heading() + before + Self.record(event, original: 8), 2),
            (.recordTooLong, Self.heading() + before + Self.record(event, original: 70_000, included: 70_000), 2),
            (
                .recordTooLong, Self.heading() + Self.record(event, original: -1 & 0xFFFF_FFFF, included: -1 & 0xFFFF_FFFF),
                1
            ),
            // Lying lengths: of the packet's own heading, and of the record.
            (.badPacket, Self.heading() + before + Self.record(hex("04 0e 05 01 03 0c 00")), 2),
            (.badPacket, Self.heading() + Self.record(event, original: 6, included: 6), 1),
            (.badPacket, Self.heading() + Self.record([]), 1),
            (.badPacket, Self.heading() + Self.record(hex("09 0e 00")), 1),
            (.impossibleTime, Self.heading() + Self.record(event, at: 253_402_300_800_000_000), 1),
            (.impossibleTime, Self.heading() + Self.record(event, at: 0 &- 1), 1),
            (.impossibleTime, Self.heading() + Self.record(event, at: 0 &- Self.epoch &+ (1 << 63)), 1),
        ]
        for (code, bytes, record) in faults {
            for size in [Int.max, 1, 5] {
                let found = read(bytes, size: size)
                #expect(found.error?.code == code && found.error?.record == record, "\(code)")
                #expect(found.records.count == max(0, record - 1), "\(code)")
            }
        }
        let sentences = CaptureError.Code.allCases.map { code in
            faults.first { $0.0 == code }.map { "\(read($0.1).error.map { "\($0)" } ?? "")" } ?? "\(code)"
        }
        #expect(Set(sentences).count == sentences.count)
    }

    /// Phones' clocks do, when they hear the time: nothing is lost, and it is told.
    @Test func aClockThatIsSetBackIsCounted() throws {
        let event = hex("04 0e 04 01 03 0c 00")
        var reader = CaptureReader()
        var times: [Int64] = []
        let bytes = Self.heading() + [10, 7, 20, 20, 15].flatMap { Self.record(event, at: $0) }
        try reader.push(bytes) { times.append($0.time) }
        try reader.finish()
        #expect(times == [10, 7, 20, 20, 15] && reader.clockStepsBack == 2 && reader.longestStepBack == 5)
    }

    /// A fault stays one, so that nothing is taken out of the middle of a packet.
    @Test func afterAFaultNothingIsRead() throws {
        var reader = CaptureReader()
        #expect(throws: CaptureError.self) { try reader.push(Self.heading(version: 9)) { _ in Issue.record("a record") } }
        #expect(throws: CaptureError.self) { try reader.push(Self.capture) { _ in Issue.record("a record") } }
        #expect(throws: CaptureError.self) { try reader.finish() }
    }

    /// Whatever is changed, it is read or refused, the same in any pieces.
    @Test func mutationsAreReadOrRefused() {
        var generator = SeededGenerator(seed: 5)
        let small =
            Self.heading() + Samples.events.enumerated().flatMap { Self.record($1, at: 1_600_000_000_000_000 + UInt64($0)) }
        for _ in 0..<2_000 {
            var bytes = small
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 2: bytes.remove(at: place)
                default: bytes.removeLast(min(bytes.count - 1, place))
                }
            }
            let whole = read(bytes)
            let pieces = read(bytes, size: Int.random(in: 1...64, using: &generator))
            #expect(whole.records == pieces.records && whole.error?.code == pieces.error?.code)
        }
    }
}
