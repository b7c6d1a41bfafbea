// SPDX-License-Identifier: Apache-2.0

import HCI
import Testing

@Suite struct CaptureWriterTests {
    private static let packets = Samples.events + [hex("01 0c20 02 0100"), hex("02 4020 0300 010203")]

    @Test func whatIsWrittenIsRead() throws {
        let start: Int64 = 1_600_000_000_123_456
        var bytes = CaptureWriter.heading
        for (index, packet) in Self.packets.enumerated() {
            bytes += CaptureWriter.record(try HCIPacket(datagram: packet), at: start + Int64(index))
        }
        var reader = CaptureReader()
        var records: [CaptureRecord] = []
        try reader.push(bytes) { records.append($0) }
        try reader.finish()
        #expect(records.map(\.packet.bytes) == Self.packets)
        #expect(records.map(\.time) == Self.packets.indices.map { start + Int64($0) })
    }

    /// By hand, as in the published captures: an event is 3, a command 2.
    @Test func theBytesAreThoseOfTheFormat() throws {
        #expect(CaptureWriter.heading == hex("62 74 73 6e 6f 6f 70 00 00000001 000003ea"))
        let event = CaptureWriter.record(try HCIPacket(datagram: hex("04 0e 04 01 03 0c 00")), at: 1)
        #expect(event == hex("00000007 00000007 00000003 00000000 00dcddb30f2f8001 04 0e 04 01 03 0c 00"))
        let command = CaptureWriter.record(try HCIPacket(datagram: hex("01 03 0c 00")), at: 0)
        #expect(command == hex("00000004 00000004 00000002 00000000 00dcddb30f2f8000 01 03 0c 00"))
    }

    @Test func timesThatCannotBeAreTheNearestThatCan() throws {
        let packet = try HCIPacket(datagram: hex("01 03 0c 00"))
        for time in [Int64.min, -1, Int64.max] {
            var reader = CaptureReader()
            var found: Int64?
            try reader.push(CaptureWriter.heading + CaptureWriter.record(packet, at: time)) { found = $0.time }
            #expect(found == (time < 0 ? 0 : 253_402_300_799_999_999))
        }
    }
}
