// SPDX-License-Identifier: Apache-2.0

import Core
import GAEN
import HCI
import RandomValues
import Testing

@Suite struct CaptureMaskTests {
    private let mask: CaptureMask
    private var generator = SeededGenerator(seed: 26)

    init() { mask = CaptureMask(generator: &generator) }

    private func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        // No zeros: what is blanked must not look like it.
        (0..<count).map { _ in UInt8.random(in: 1...255, using: &generator) }
    }

    private static func legacy(_ data: [UInt8], address: [UInt8], type: UInt8 = 1, rssi: UInt8 = 0xC4) -> [UInt8] {
        let report = [3, type] + address + [UInt8(data.count)] + data + [rssi]
        return [0x04, 0x3E, UInt8(report.count + 2), 0x02, 1] + report
    }

    private static func extended(
        _ data: [UInt8], address: [UInt8], kind: UInt16 = 0x10, target: [UInt8] = [UInt8](repeating: 9, count: 6)
    ) -> [UInt8] {
        let head = [UInt8(kind & 0xFF), UInt8(kind >> 8), 1] + address + [1, 0, 0xFF, 127, 0xC4, 0, 0, 1]
        let report = head + target + [UInt8(data.count)] + data
        return [0x04, 0x3E, UInt8(report.count + 2), 0x0D, 1] + report
    }

    private func masked(_ bytes: [UInt8]) throws -> [UInt8] {
        let found = try #require(try mask.masked(HCIPacket(datagram: bytes)))
        #expect(found.bytes.count == bytes.count && found.bytes[0] == bytes[0])
        return found.bytes
    }

    private func report(_ bytes: [UInt8]) throws -> AdvertisingReport {
        guard case .advertisingReports(let reports) = try HCIEvent(HCIPacket(datagram: bytes)) else {
            throw HCITestFailure()
        }
        return try #require(reports.first)
    }

    private struct HCITestFailure: Error {}

    /// Whether four bytes in a row of `secret` are anywhere in `bytes`.
    private func leaks(_ secret: [UInt8], _ bytes: [UInt8]) -> Bool {
        guard secret.count >= 4 else { return false }
        return (0...(secret.count - 4)).contains { start in
            let piece = secret[start..<(start + 4)]
            return (0...(max(0, bytes.count - 4))).contains { bytes[$0...].starts(with: piece) }
        }
    }

    /// Bytes that slipped on the wire stand behind an event that is whole by its own rules; flags can be sent more than once.
    @Test func bytesThatBelongToNothingAreBlanked() throws {
        let stray: [UInt8] = [0xDE, 0xAD, 0xBE, 0xEF, 0xCA, 0xFE, 0xF0, 0x0D, 0x11, 0x22, 0x33]
        let events: [(code: UInt8, own: [UInt8])] = [
            (0x0F, [0x00, 0x01, 0x0C, 0x20]), (0x10, [0x42]), (0x3E, [0x11]), (0x3E, [0x12, 0x00, 0x01, 0x02, 0x03, 0x04]),
            (0x0E, [0x01, 0x03, 0x0C, 0x00]), (0x0E, [0x01, 0x0C, 0x20, 0x00]),
            (0x0E, [0x01, 0x07, 0x20, 0x00, 0x04]), (0x0E, [0x01, 0x01, 0x10, 0x00] + [UInt8](repeating: 9, count: 8)),
        ]
        for event in events {
            let clean = [0x04, event.code, UInt8(event.own.count)] + event.own
            #expect(try masked(clean) == clean)
            let found = try masked([0x04, event.code, UInt8(event.own.count + stray.count)] + event.own + stray)
            #expect(found[3...] == (event.own + [UInt8](repeating: 0, count: stray.count))[...], "\(event)")
        }
        // Ten flags are ten bytes of anything, and so is the length of a part that is cut off.
        let flags = (0..<9).flatMap { number -> [UInt8] in [0x02, 0x01, 0xA0 | UInt8(number)] }
        let data = try report(try masked(Self.legacy(flags + [0xFE], address: [1, 2, 3, 4, 5, 0x46]))).data
        let none = (0..<9).flatMap { _ -> [UInt8] in [0x02, 0x01, 0x00] }
        #expect(data == none + [0xFF])
        let once = try report(try masked(Self.legacy([0x02, 0x01, 0x1A], address: [1, 2, 3, 4, 5, 0x46]))).data
        #expect(once == [0x02, 0x01, 0x1A])
    }

    /// All that could tell who was near, in every packet that could carry it.
    @Test func nothingOfAPersonIsLeft() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<300 {
            let (payload, address, name) = (bytes(20, &generator), bytes(6, &generator), bytes(12, &generator))
            let beacon = [2, 1, 0x1A, 3, 3, 0x6F, 0xFD, 0x17, 0x16, 0x6F, 0xFD] + payload
            let others = [13, 9] + name + [13, 0xFF] + name
            let door = [30, 0x21] + bytes(29, &generator)
            let broken = [0x1F, 0x16, 0x6F, 0xFD] + payload
            let packets: [[UInt8]] = [
                Self.legacy(beacon, address: address), Self.legacy(others, address: address, type: 0),
                Self.legacy(door, address: address), Self.legacy(broken, address: address),
                Self.extended(beacon, address: address), Self.extended(others, address: address, target: address),
                Self.extended(beacon, address: address, kind: 0), Self.extended(beacon, address: address, kind: 0x20),
                Self.extended(beacon, address: address, kind: 0x14, target: address),
                [1, 0x08, 0x20, 32, 31] + beacon, [1, 0x08, 0x20, 32, 3] + beacon,
                [1, 0x37, 0x20, 35, 0, 3, 1, 31] + beacon, [1, 0x37, 0x20, 35, 0, 1, 1, 31] + beacon,
                [1, 0x05, 0x20, 6] + address, [1, 0x35, 0x20, 7, 0] + address,
                [1, 0x06, 0x20, 15, 0, 8, 0, 8, 3, 1, 0] + address + [7, 0],
                // Answers with an address and with random numbers, an event of the maker's, one that cannot be read.
                [4, 0x0E, 10, 1, 0x09, 0x10, 0] + address, [4, 0x0E, 12, 1, 0x18, 0x20, 0] + name.prefix(8),
                [4, 0xFF, 20] + payload, [4, 0x3E, 21, 0x01] + payload, [4, 0x3E, 23, 0x02, 9, 9] + payload,
            ]
            for packet in packets {
                let found = try masked(packet)
                for secret in [payload, address, name, Array(door.dropFirst(2))] {
                    #expect(!leaks(secret, found), "\(packet.prefix(5))")
                }
            }
        }
    }

    @Test func theSameStaysTheSameAndOthersDiffer() throws {
        var generator = SeededGenerator(seed: 2)
        var pseudonyms: [[UInt8]: AdvertisingPayload] = [:]
        for round in 0..<60 {
            let data = [0x03, 0x03, 0x6F, 0xFD, 0x17, 0x16, 0x6F, 0xFD] + bytes(20, &generator)
            let address = Array(bytes(5, &generator)) + [0x40 | UInt8(round)]
            let one = try report(masked(Self.legacy(data, address: address)))
            let other = try report(masked(Self.extended(data, address: address)))
            let payload = try AdvertisingPayload(advertisingData: one.data)
            #expect(try AdvertisingPayload(advertisingData: other.data) == payload)
            #expect(one.address == other.address && one.rssi == -60 && other.rssi == -60)
            // The two bits that say that it is a resolvable one.
            #expect(try masked(Self.legacy(data, address: address))[12] & 0xC0 == 0x40)
            pseudonyms[data] = payload
        }
        #expect(Set(pseudonyms.values).count == 60)
        // What the board sends is heard by others under the same pseudonym.
        let (data, payload) = try #require(pseudonyms.first)
        let sent = try masked([1, 0x08, 0x20, 32, 28] + data + [0, 0, 0])
        #expect(try AdvertisingPayload(advertisingData: sent[5..<33]) == payload)
        var another = SeededGenerator(seed: 3)
        let later = try #require(
            try CaptureMask(generator: &another).masked(
                HCIPacket(datagram: Self.legacy(data, address: [1, 2, 3, 4, 5, 6]))))
        #expect(try AdvertisingPayload(advertisingData: report(later.bytes).data) != payload)
    }

    /// What a replay needs: commands of scanning, answers, flags, and the reason why something is no beacon.
    @Test func whatSaysNothingAboutAnybodyStays() throws {
        for packet in [
            hex("01 0b20 07 00 5408 5408 01 00"), hex("01 0c20 02 01 00"), hex("01 030c 00"),
            hex("04 0e 04 01 0c20 00"), hex("04 0e 0c 01 0110 00 0b 0000 0b 0f00 0000"), hex("04 0f 04 0c 01 0620"),
            hex("04 10 01 42"), hex("01 0a20 01 01"),
        ] {
            #expect(try masked(packet) == packet)
        }
        let flags = try report(masked(Self.legacy(hex("02 01 1a 02 0a f4 03 03 6ffd"), address: [1, 2, 3, 4, 5, 6])))
        #expect(flags.data == hex("02 01 1a 02 0a 00 03 03 6ffd"))
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<2_000 {
            let data = bytes(Int.random(in: 0...31, using: &generator), &generator)
            let found = try report(masked(Self.legacy(data, address: [1, 2, 3, 4, 5, 6]))).data
            #expect(isBeacon(found) == isBeacon(data))
        }
    }

    private func isBeacon(_ data: [UInt8]) -> Bool { (try? AdvertisingPayload(advertisingData: data)) != nil }

    @Test func dataOfConnectionsIsLeftOut() throws {
        #expect(try mask.masked(HCIPacket(datagram: hex("02 4020 0300 010203"))) == nil)
    }

    /// Whatever a controller writes, the mask makes a packet of the same length of it.
    @Test func anyBytesAreMasked() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...60, using: &generator)
            var rest = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if Bool.random(using: &generator) {
                let kinds: [UInt8] = [0x3E, 0x0E, 0x0F, 0xFF]
                if count > 1, Bool.random(using: &generator) { rest[0] = Bool.random(using: &generator) ? 0x02 : 0x0D }
                if count > 1, Bool.random(using: &generator) { rest[1] = 1 }
                _ = try masked([4, kinds.randomElement(using: &generator) ?? 0, UInt8(count)] + rest)
            } else {
                let opcodes: [UInt8] = [0x05, 0x06, 0x08, 0x35, 0x36, 0x37, 0x41, 0x99]
                _ = try masked([1, opcodes.randomElement(using: &generator) ?? 0, 0x20, UInt8(count)] + rest)
            }
        }
    }
}

private func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
