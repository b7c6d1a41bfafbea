// SPDX-License-Identifier: Apache-2.0

import HCI
import RandomValues
import Testing

@Suite struct BluetoothAddressTests {
    @Test func wireAndPrintAreOpposite() throws {
        let address = try #require(BluetoothAddress(littleEndian: hex("5544332211c0"), type: .random))
        #expect(address.description == "C0:11:22:33:44:55")
        #expect(address.value == 0xC011_2233_4455)
        #expect(address.littleEndianBytes == hex("5544332211c0"))
        #expect(BluetoothAddress("c0:11:22:33:44:55", type: .random) == address)
        #expect(BluetoothAddress("c0:11:22:33:44:55", type: .public) != address)
    }

    @Test func everythingComesBack() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let address = BluetoothAddress(value: generator.next(), type: .public)
            #expect(BluetoothAddress(littleEndian: address.littleEndianBytes, type: .public) == address)
            #expect(BluetoothAddress(address.description, type: .public) == address)
            #expect(BluetoothAddress(address.description.lowercased(), type: .public) == address)
        }
    }

    @Test func slicesAreReadFromTheirOwnStart() {
        let bytes = hex("ff ff 554433221100 ff")
        #expect(BluetoothAddress(littleEndian: bytes[2..<8], type: .public)?.description == "00:11:22:33:44:55")
    }

    @Test(arguments: [
        "", ":", "c0:11:22:33:44", "c0:11:22:33:44:55:66", "c0-11-22-33-44-55", "c0:11:22:33:44:5", "c0:11:22:33:44:555",
        "+0:11:22:33:44:55", "-1:11:22:33:44:55", "g0:11:22:33:44:55", "c0:11:22:33:44:55 ", ":c0:11:22:33:44:55",
        "c0:11:22:33::55", "０0:11:22:33:44:55",
    ])
    func otherTextIsNoAddress(_ text: String) {
        #expect(BluetoothAddress(text, type: .random) == nil)
    }

    @Test(arguments: [0, 1, 5, 7, 12])
    func otherLengthsAreNoAddress(_ count: Int) {
        #expect(BluetoothAddress(littleEndian: [UInt8](repeating: 1, count: count), type: .random) == nil)
    }

    @Test func kindsAreTheTwoTopBits() {
        func kind(_ value: UInt64, _ type: AddressType = .random) -> BluetoothAddress.RandomKind? {
            BluetoothAddress(value: value, type: type).randomKind
        }
        #expect(kind(0x0011_2233_4455) == .nonResolvable)
        #expect(kind(0x3FFF_FFFF_FFFF) == .nonResolvable)
        #expect(kind(0x4011_2233_4455) == .resolvable)
        #expect(kind(0x8011_2233_4455) == .reserved)
        #expect(kind(0xC011_2233_4455) == .static)
        #expect(kind(0xC011_2233_4455, .randomIdentity) == .static)
        #expect(kind(0x4011_2233_4455, .unresolved) == .resolvable)
        for type in [AddressType.public, .publicIdentity, .anonymous, AddressType(rawValue: 0x77)] {
            #expect(kind(0xC011_2233_4455, type) == nil)
        }
    }

    @Test func freshAddressesAreNonResolvableAndDiffer() throws {
        var generator = SeededGenerator(seed: 7)
        var seen: Set<BluetoothAddress> = []
        var ones: UInt64 = 0
        var zeros: UInt64 = 0
        for _ in 0..<5_000 {
            let address = try BluetoothAddress.nonResolvable(from: &generator)
            #expect(address.type == .random)
            #expect(address.randomKind == .nonResolvable)
            #expect(address.isUsableAsRandomAddress)
            seen.insert(address)
            ones |= address.value
            zeros |= ~address.value
        }
        #expect(seen.count == 5_000)
        // All 46 bits are used, and only they.
        #expect(ones == 0x3FFF_FFFF_FFFF)
        #expect(zeros & 0x3FFF_FFFF_FFFF == 0x3FFF_FFFF_FFFF)
    }

    /// Gives what it is told, then repeats the last.
    private struct Script: RandomNumberGenerator {
        var values: [UInt64]
        mutating func next() -> UInt64 { values.count > 1 ? values.removeFirst() : values[0] }
    }

    @Test func unusableValuesAreDrawnAgain() throws {
        var generator = Script(values: [0, .max, 0xC000_0000_0000, 0xFFFF_0011_2233_4455])
        #expect(try BluetoothAddress.nonResolvable(from: &generator).value == 0x0011_2233_4455)
    }

    @Test(arguments: [UInt64(0), .max, 0x4000_0000_0000])
    func stuckGeneratorsAreNoticed(_ value: UInt64) {
        var generator = Script(values: [value])
        #expect(throws: HCIError(.generatorStuck)) { try BluetoothAddress.nonResolvable(from: &generator) }
    }

    @Test func thePublicAddressIsAvoided() throws {
        let own = BluetoothAddress(value: 0x0011_2233_4455, type: .public)
        var generator = Script(values: [own.value, 0x0099_8877_6655])
        #expect(try BluetoothAddress.nonResolvable(from: &generator, otherThan: own).value == 0x0099_8877_6655)
    }
}
