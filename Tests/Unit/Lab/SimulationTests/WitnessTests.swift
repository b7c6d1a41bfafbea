// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Simulation
import Testing
import TimeTrust
import VirtualAir

/// The witness against doctored broadcasts: it must be able to find each kind of fault.
@Suite struct WitnessTests {
    private static let node = NodeID(rawValue: 1)
    private let midnight: Int64 = 1_795_219_200

    /// Civil time is noon at the air's zero, unless another offset is given.
    private func witness(hours: Int64 = 12, slice: Duration? = nil) -> Witness {
        let witness = Witness()
        witness.watch(
            Self.node,
            as: .init(longestSlice: slice) { [midnight] in
                UnixTime(seconds: midnight + hours * 3_600).advanced(by: $0)
            })
        witness.processStarted(Self.node, at: .zero)
        return witness
    }

    private func data(_ number: UInt8) -> [UInt8] {
        [0x02, 0x01, 0x1A, 0x03, 0x03, 0x6F, 0xFD, 0x17, 0x16, 0x6F, 0xFD] + [UInt8](repeating: number, count: 20)
    }

    private func address(_ number: UInt64) -> AirAddress { AirAddress(value: 0x0001_0000_0000 + number, isRandom: true) }

    private func broadcast(
        _ witness: Witness, _ number: UInt8, address: AirAddress? = nil, data: [UInt8]? = nil, from start: Double,
        to end: Double
    ) {
        var broadcast = Broadcast(
            node: Self.node, set: 0, address: address ?? self.address(UInt64(number)), data: data ?? self.data(number),
            start: .seconds(start), end: nil)
        witness.observe(broadcast)
        broadcast.end = .seconds(end)
        witness.observe(broadcast)
    }

    private func kinds(_ witness: Witness) -> [Witness.Finding.Kind] { witness.findings.map(\.kind) }

    @Test func findsNothingWrongWithProperRotation() {
        let witness = witness()
        for number in 0..<20 {
            broadcast(witness, UInt8(number), from: Double(number) * 700, to: Double(number) * 700 + 700)
        }
        #expect(kinds(witness) == [])
        #expect(witness.figures.rotations.count == 19)
        #expect(witness.figures.identifiers == 20)
    }

    @Test func findsAnOldIdentifierWithANewAddress() {
        let witness = witness()
        broadcast(witness, 1, from: 0, to: 700)
        broadcast(witness, 1, address: address(2), from: 700, to: 700)
        #expect(kinds(witness) == [.oldIdentifierNewAddress])
    }

    @Test func findsANewIdentifierWithAnOldAddress() {
        let witness = witness()
        broadcast(witness, 1, from: 0, to: 700)
        broadcast(witness, 2, address: address(1), from: 700, to: 700)
        #expect(kinds(witness).contains(.newIdentifierOldAddress))
    }

    /// Within its time an identifier may come again after a restart, as it was.
    @Test(arguments: [(101, [Witness.Finding.Kind]()), (1_300, [.secondLife, .tooLong])])
    func findsAnIdentifierOfAnEarlierProcess(_ start: Int, _ expected: [Witness.Finding.Kind]) {
        let witness = witness()
        broadcast(witness, 1, from: 0, to: 100)
        witness.processEnded(Self.node, at: .seconds(100))
        witness.processStarted(Self.node, at: .seconds(start))
        broadcast(witness, 1, from: Double(start) + 0.1, to: Double(start) + 99)
        #expect(kinds(witness) == expected)
        #expect(witness.figures.repetitions == 1)
    }

    @Test func findsAnAddressThatChangedOverARestart() {
        let witness = witness()
        broadcast(witness, 1, from: 0, to: 100)
        witness.processEnded(Self.node, at: .seconds(100))
        witness.processStarted(Self.node, at: .seconds(101))
        broadcast(witness, 1, address: address(2), from: 101.1, to: 200)
        #expect(kinds(witness) == [.oldIdentifierNewAddress])
    }

    @Test func findsAPlaceThatSends() {
        let witness = Witness()
        witness.watch(Self.node, as: .init(mustBeSilent: true) { _ in nil })
        witness.processStarted(Self.node, at: .zero)
        witness.processEnded(Self.node, at: .seconds(10))
        #expect(kinds(witness) == [])
        witness.processStarted(Self.node, at: .seconds(11))
        broadcast(witness, 1, from: 11.1, to: 12)
        #expect(kinds(witness).contains(.place))
    }

    @Test func findsAnIdentifierOfAnotherDevice() {
        let witness = witness()
        let other = NodeID(rawValue: 2)
        witness.watch(other, as: .init { _ in nil })
        witness.processStarted(other, at: .zero)
        broadcast(witness, 1, from: 0, to: 700)
        witness.observe(
            Broadcast(node: other, set: 0, address: address(1), data: data(1), start: .milliseconds(500), end: nil))
        #expect(kinds(witness).contains(.twoDevices))
    }

    @Test(
        arguments: [
            ([0x02, 0x01, 0x06, 0x03, 0x03, 0x6F, 0xFD, 0x17, 0x16, 0x6F, 0xFD], 20),
            ([0x02, 0x01, 0x1A, 0x03, 0x03, 0x6F, 0xFD, 0x17, 0x16, 0x6F, 0xFD], 19),
            ([0x17, 0x16, 0x6F, 0xFD, 0x03, 0x03, 0x6F, 0xFD], 20),
        ] as [([UInt8], Int)]) func findsAnotherPayload(_ start: [UInt8], _ count: Int)
    {
        let witness = witness()
        broadcast(witness, 1, data: start + [UInt8](repeating: 1, count: count), from: 0, to: 1)
        #expect(kinds(witness) == [.malformed])
    }

    @Test(arguments: [
        AirAddress(value: 0x0001_0000_0001, isRandom: false), AirAddress(value: 0xC001_0000_0001, isRandom: true),
        AirAddress(value: 0x4001_0000_0001, isRandom: true), AirAddress(value: 0, isRandom: true),
        AirAddress(value: 0x3FFF_FFFF_FFFF, isRandom: true),
    ]) func findsAnotherKindOfAddress(_ address: AirAddress) {
        let witness = witness()
        broadcast(witness, 1, address: address, from: 0, to: 1)
        #expect(kinds(witness) == [.addressKind])
    }

    @Test func findsWhatIsOnAirTooLongOrTooShort() {
        let witness = witness()
        broadcast(witness, 1, from: 0, to: 1_202)
        broadcast(witness, 2, from: 1_202, to: 1_500)
        broadcast(witness, 3, from: 1_500, to: 2_400)
        #expect(kinds(witness) == [.tooLong, .tooShort])
    }

    @Test func aReleaseDoesNotShowOnAir() throws {
        let calm = witness()
        broadcast(calm, 1, from: 0, to: 700)
        calm.keysReleased(Self.node, [], at: .seconds(100))
        broadcast(calm, 2, from: 700, to: 1_400)
        #expect(kinds(calm) == [])
        let hasty = witness()
        broadcast(hasty, 1, from: 0, to: 700)
        broadcast(hasty, 2, from: 700, to: 800)
        hasty.keysReleased(Self.node, [], at: .seconds(800))
        broadcast(hasty, 3, from: 800, to: 1_500)
        #expect(kinds(hasty) == [.tooShort])
    }

    @Test func findsAnIdentifierThatOutlivesItsDay() {
        let late = witness(hours: 23)
        broadcast(late, 1, from: 3_000, to: 3_602)
        late.judge(Self.node, by: [], at: .seconds(3_700))
        #expect(kinds(late).contains(.overMidnight))
        let punctual = witness(hours: 23)
        broadcast(punctual, 1, from: 0.5, to: 700)
        broadcast(punctual, 2, from: 700, to: 1_800)
        broadcast(punctual, 3, from: 1_800, to: 3_000)
        broadcast(punctual, 4, from: 3_000, to: 3_600.01)
        broadcast(punctual, 5, from: 3_600.01, to: 4_300)
        #expect(kinds(punctual) == [])
    }

    @Test func findsPauses() {
        let silent = witness()
        broadcast(silent, 1, from: 0, to: 700)
        broadcast(silent, 2, from: 700.2, to: 1_400)
        #expect(kinds(silent) == [.gap])
        let slicing = witness(slice: .seconds(4.5))
        broadcast(slicing, 1, from: 0, to: 300)
        broadcast(slicing, 1, from: 304, to: 700)
        broadcast(slicing, 2, from: 704.6, to: 1_400)
        #expect(kinds(slicing) == [.gap])
        let slow = witness()
        broadcast(slow, 1, from: 1, to: 300)
        #expect(kinds(slow) == [.gap])
        let never = witness()
        never.processEnded(Self.node, at: .seconds(1))
        #expect(kinds(never) == [.gap])
        let ghost = witness()
        broadcast(ghost, 1, from: 0, to: 700)
        ghost.processEnded(Self.node, at: .seconds(700))
        broadcast(ghost, 2, from: 700.01, to: 1_300)
        #expect(kinds(ghost) == [.gap])
    }

    @Test func judgesByKeys() throws {
        let first = ENIN(UInt32(midnight / 600))
        let key = try #require(
            TemporaryExposureKey(
                secret: SecretBytes(copying: [UInt8](repeating: 9, count: 16)), rollingStart: first, rollingPeriod: 144))
        let keys = try IdentifierKeys(key.secret)
        func sees(_ interval: UInt32, by judged: [TemporaryExposureKey]) -> [Witness.Finding.Kind] {
            let witness = witness()
            let identifier = keys.identifier(for: ENIN(interval)).bytes
            let data = Array(data(1).prefix(11)) + identifier + [1, 2, 3, 4]
            broadcast(witness, 1, data: data, from: 0, to: 700)
            witness.judge(Self.node, by: judged, at: .seconds(700))
            return kinds(witness)
        }
        let noon = first.number + 72
        #expect(sees(noon, by: [key]) == [])
        #expect(sees(noon + 2, by: [key]) == [])
        #expect(sees(noon + 3, by: [key]) == [.wrongInterval])
        #expect(sees(noon - 3, by: [key]) == [.wrongInterval])
        #expect(sees(noon, by: []) == [.unknownKey])
        let shortened = try #require(key.shortened(to: ENIN(noon)))
        #expect(sees(noon, by: [shortened]) == [.unknownKey])
        #expect(sees(noon, by: [key, key]).contains(.ambiguous))
    }

    @Test func judgesPackets() {
        let witness = witness()
        witness.observe(Broadcast(node: Self.node, set: 0, address: address(1), data: data(1), start: .zero, end: nil))
        func packet(_ milliseconds: Int64, _ number: UInt8, rssi: Int8 = -50) {
            witness.heard(
                .init(at: .milliseconds(milliseconds), address: address(1), data: data(number), rssi: rssi))
        }
        for time in [0, 200, 480, 730] { packet(Int64(time), 1) }
        #expect(kinds(witness) == [])
        packet(929, 1)
        packet(1_210, 1)
        #expect(kinds(witness) == [.spacing, .spacing])
        witness.receiverPaused()
        packet(9_000, 2)
        #expect(kinds(witness) == [.spacing, .spacing, .malformed])
        witness.judgeLevel(of: Self.node, expected: -50.9, at: .zero)
        #expect(witness.findings.count == 3)
        witness.judgeLevel(of: Self.node, expected: -52, at: .zero)
        #expect(kinds(witness).last == .level)
    }
}
