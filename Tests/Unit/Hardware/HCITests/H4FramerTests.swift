// SPDX-License-Identifier: Apache-2.0

import HCI
import RandomValues
import Testing

@Suite struct H4FramerTests {
    /// Everything a controller may send, among it the largest packets.
    private static let packets: [[UInt8]] =
        Samples.events + [
            Wire.event(0xFF, [UInt8](repeating: 4, count: 255)), Wire.event(0x13, []),
            hex("02 4020 0300 010203"), hex("02 4020 0000"), hex("03 4000 02 0405"), hex("03 4000 00"),
            // The two upper bits of the length of ISO data are reserved: set here, and not part of it.
            hex("05 4020 02c0 0404"),
            hex("02 4020 ffff") + (0..<0xFFFF).map { UInt8(truncatingIfNeeded: $0) },
            hex("05 4020 ff3f") + [UInt8](repeating: 1, count: 0x3FFF),
        ] + Samples.events.reversed()

    /// Pushes `stream` in pieces; the sizes repeat.
    private func frame(_ stream: [UInt8], _ sizes: [Int], _ framer: inout H4Framer) throws(HCIError) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var start = 0
        var turn = 0
        while start < stream.count {
            let end = min(start + sizes[turn % sizes.count], stream.count)
            try framer.push(stream[start..<end]) { packets.append($0.bytes) }
            #expect(framer.pendingByteCount <= HCIPacket.Indicator.acl.maximumByteCount)
            start = end
            turn += 1
        }
        return packets
    }

    @Test(arguments: [
        [Int.max], [1], [2], [3], [5], [7], [64], [143], [257], [258], [259], [4096], [1, 2, 3, 5, 8, 13, 21],
        [1, 1_000], [65_540], [0, 1],
    ])
    func anyPiecesGiveTheSamePackets(_ sizes: [Int]) throws {
        let stream = Array(Self.packets.joined())
        var framer = H4Framer(sender: .controller)
        let sizes = sizes.map { min($0, stream.count) }
        #expect(try frame(stream, sizes, &framer) == Self.packets)
        #expect(framer.pendingByteCount == 0)
        #expect(framer.deliveredByteCount == UInt64(stream.count))
    }

    @Test func randomPiecesGiveTheSamePackets() throws {
        var generator = SeededGenerator(seed: 3)
        let stream = Array(Samples.events.joined())
        for _ in 0..<300 {
            let sizes = (0..<50).map { _ in Int.random(in: 1...40, using: &generator) }
            var framer = H4Framer(sender: .controller)
            #expect(try frame(stream, sizes, &framer) == Samples.events)
        }
    }

    @Test func piecesMayBeAnyCollection() throws {
        var framer = H4Framer(sender: .controller)
        var count = 0
        try framer.push(EmptyCollection<UInt8>()) { _ in count += 1 }
        try framer.push(CollectionOfOne<UInt8>(4)) { _ in count += 1 }
        try Wire.event(0x10, [1]).withUnsafeBytes { bytes in
            try framer.push(bytes.dropFirst()) { _ in count += 1 }
        }
        #expect(count == 1)
    }

    @Test func commandsOfAHostComeBack() throws {
        let commands = try [
            HCICommand.reset, .leSetAdvertisingData(Samples.iPhone), .leSetAdvertising(enabled: true),
            .leSetExtendedAdvertisingData([UInt8](repeating: 1, count: 251))[0], .leEnableExtendedScan(),
        ]
        var framer = H4Framer(sender: .host)
        var packets: [HCIPacket] = []
        for byte in commands.flatMap(\.bytes) { try framer.push([byte]) { packets.append($0) } }
        #expect(packets.map(\.bytes) == commands.map(\.bytes))
        #expect(packets.map { Array($0.payload) } == commands.map(\.parameters))
        #expect(packets.allSatisfy { $0.indicator == .command })
    }

    @Test(arguments: [UInt8(0), 1, 6, 7, 0x3E, 0x80, 0xFF])
    func unknownIndicatorsAreRefusedWhereTheyStand(_ indicator: UInt8) {
        let good = Wire.complete(.reset)
        for size in [1, 2, 5, 100] {
            let stream = good + good + [indicator, 4, 0x0E, 0] + good
            var framer = H4Framer(sender: .controller)
            var packets = 0
            var failure: HCIError?
            for start in stride(from: 0, to: stream.count, by: size) {
                do throws(HCIError) {
                    try framer.push(stream[start..<min(start + size, stream.count)]) { _ in packets += 1 }
                } catch {
                    failure = failure ?? error
                    // Nothing after it is believed, however good it looks.
                    #expect(error.offset == UInt64(2 * good.count))
                }
            }
            #expect(failure == HCIError(.unknownPacketIndicator))
            #expect(packets == 2)
        }
    }

    @Test func hostsAndControllersMayNotSendEachOthersPackets() {
        #expect(throws: HCIError(.unknownPacketIndicator)) {
            var framer = H4Framer(sender: .controller)
            try framer.push(HCICommand.reset.bytes) { _ in }
        }
        #expect(throws: HCIError(.unknownPacketIndicator)) {
            var framer = H4Framer(sender: .host)
            try framer.push(Wire.complete(.reset)) { _ in }
        }
    }

    @Test func aResetMakesAFreshStart() throws {
        var framer = H4Framer(sender: .controller)
        #expect(throws: HCIError.self) { try framer.push(Wire.complete(.reset) + [0]) { _ in } }
        #expect(throws: HCIError.self) { try framer.push(Wire.complete(.reset)) { _ in } }
        framer.reset()
        #expect(framer.deliveredByteCount == 0)
        var packets = 0
        try framer.push(Wire.complete(.reset)) { _ in packets += 1 }
        #expect(packets == 1)
        // Half a packet is forgotten, too.
        try framer.push([4, 0x0E]) { _ in packets += 1 }
        framer.reset()
        try framer.push(Wire.complete(.reset)) { _ in packets += 1 }
        #expect(packets == 2)
    }

    @Test func noiseIsBoundedAndHarmless() {
        var generator = SeededGenerator(seed: 11)
        var taken = 0
        var refusals = 0
        var framer = H4Framer(sender: .controller)
        while taken < 200_000 {
            var piece = generator.bytes(Int.random(in: 1...400, using: &generator))
            // Half of the pieces begin as packets do, so that noise gets past the first byte.
            if Bool.random(using: &generator) { piece[0] = [2, 3, 4, 5].randomElement(using: &generator) ?? 4 }
            do throws(HCIError) {
                try framer.push(piece) { packet in _ = try? HCIEvent(packet) }
            } catch {
                refusals += 1
                framer.reset()
            }
            #expect(framer.pendingByteCount <= 65_540)
            taken += piece.count
        }
        #expect(refusals > 10)
    }

    @Test func maximaAreThoseOfTheHeaders() {
        #expect(HCIPacket.Indicator.allCases.map(\.maximumByteCount) == [259, 65_540, 259, 258, 16_388])
    }

    // MARK: - One packet at a time

    @Test func datagramsAreExactlyOnePacket() throws {
        for bytes in Self.packets {
            let packet = try HCIPacket(datagram: bytes)
            #expect(packet.bytes == bytes)
            #expect(packet.indicator.rawValue == bytes[0])
            #expect(throws: HCIError(.packetLengthMismatch)) { try HCIPacket(datagram: bytes + [0]) }
            for count in Set([0, 1, 2, 3, 4, bytes.count - 1]) where count < bytes.count {
                #expect(throws: HCIError(.packetLengthMismatch)) { try HCIPacket(datagram: bytes.prefix(count)) }
            }
        }
        #expect(throws: HCIError(.unknownPacketIndicator)) { try HCIPacket(datagram: [9, 1, 2]) }
    }

    @Test func packetsAreNotPrinted() throws {
        let packet = try HCIPacket(datagram: Wire.legacyReports([Wire.legacyReport()]))
        var dumped = ""
        dump(packet, to: &dumped)
        for text in ["\(packet)", String(reflecting: packet), dumped] { #expect(!text.contains("226")) }
        #expect("\(packet)" == "event packet of 46 bytes")
    }
}
