// SPDX-License-Identifier: Apache-2.0

import CBluetooth
import HCI
import Testing

@Suite struct ReturnParameterTests {
    private func result(
        _ opcode: Opcode, _ returned: [UInt8]
    ) throws -> (status: HCIStatus, parameters: ReturnParameters) {
        guard case .commandComplete(let answer) = try parse(Wire.complete(opcode, returned)) else {
            throw HCIError(.notAnEvent)
        }
        return try answer.result()
    }

    private func raw<Structure: BitwiseCopyable>(_ structure: Structure) -> [UInt8] {
        withUnsafeBytes(of: structure) { Array($0) }
    }

    @Test func localVersion() throws {
        let structure = read_local_version_rp(
            status: 0, hci_ver: 9, hci_rev: 0x1234, lmp_ver: 8, manufacturer: 0x0131, lmp_subver: 0x6119)
        let expected: ReturnParameters = try result(.readLocalVersionInformation, raw(structure)).parameters
        guard case .localVersion(let version) = expected else {
            Issue.record("not a version")
            return
        }
        #expect(version.hci == .v50)
        #expect(version.hciRevision == 0x1234)
        #expect(version.linkLayer == .v42)
        #expect(version.manufacturer == 0x0131)
        #expect(version.linkLayerRevision == 0x6119)
        #expect("\(version.hci) \(version.linkLayer) \(CoreVersion(rawValue: 99))" == "5.0 4.2 version 99")
    }

    @Test func smallReturns() throws {
        var features = le_read_local_supported_features_rp()
        features.features = (0x01, 0x10, 0, 0, 0, 0, 0, 0x80)
        let bits = try result(.leReadLocalSupportedFeatures, raw(features)).parameters
        #expect(bits == .lowEnergyFeatures([.encryption, .extendedAdvertising, .init(rawValue: 1 << 63)]))

        let buffers = raw(le_read_buffer_size_rp(status: 0, pkt_len: 251, max_pkt: 8))
        guard case .lowEnergyBuffers(let size) = try result(.leReadBufferSize, buffers).parameters else {
            Issue.record("not buffers")
            return
        }
        #expect(size.packetByteCount == 251)
        #expect(size.packetCount == 8)

        let power = raw(le_read_advertising_channel_tx_power_rp(status: 0, level: -15))
        #expect(try result(.leReadAdvertisingTransmitPower, power).parameters == .advertisingTransmitPower(-15))

        let random = raw(le_rand_rp(status: 0, random: 0x0123_4567_89AB_CDEF))
        #expect(try result(.leRandom, random).parameters == .random(0x0123_4567_89AB_CDEF))

        let address = read_bd_addr_rp(status: 0, bdaddr: bdaddr_t(b: (1, 0, 0, 0xAA, 2, 0)))
        #expect(
            try result(.readAddress, raw(address)).parameters
                == .address(try #require(BluetoothAddress("00:02:aa:00:00:01", type: .public))))
    }

    /// Not in libbluetooth: by hand from Vol 4 Part E 7.8.53, 7.8.57, 7.8.58.
    @Test func returnsOfBluetooth5() throws {
        #expect(try result(.leSetExtendedAdvertisingParameters, hex("00 f9")).parameters == .selectedTransmitPower(-7))
        #expect(
            try result(.leReadMaximumAdvertisingDataLength, hex("00 7206")).parameters
                == .maximumAdvertisingDataLength(1650))
        #expect(
            try result(.leReadNumberOfSupportedAdvertisingSets, hex("00 0a")).parameters == .supportedAdvertisingSets(10))
    }

    @Test(arguments: [Opcode.reset, .setEventMask, .leSetRandomAddress, .leSetAdvertisingEnable, .leSetExtendedScanEnable])
    func othersReturnTheirStatus(_ opcode: Opcode) throws {
        let good = try result(opcode, [0])
        #expect(good.status == .success)
        #expect(good.parameters == .none)
        #expect(try result(opcode, [0x0C]).status == .commandDisallowed)
        #expect(throws: HCIError(.truncated)) { try result(opcode, []) }
    }

    @Test func failuresNeedNoMoreThanAStatus() throws {
        for returned in [[UInt8(1)], [1, 9, 9], [1] + [UInt8](repeating: 0xFF, count: 99)] {
            let answer = try result(.readLocalVersionInformation, returned)
            #expect(answer.status == .unknownCommand)
            #expect(answer.parameters == .none)
        }
    }

    @Test func laterVersionsMayAppend() throws {
        #expect(
            try result(.leReadNumberOfSupportedAdvertisingSets, hex("00 0a ff ff")).parameters
                == .supportedAdvertisingSets(10))
    }

    @Test func strangersAreNotRead() throws {
        let answer = try result(Opcode(rawValue: 0xFC01), [7, 8])
        #expect(answer.parameters == .unparsed([7, 8]))
    }

    @Test func randomBytesAreNotPrinted() throws {
        let answer = try result(.leRandom, [0, 1, 2, 3, 4, 5, 6, 7, 8])
        var dumped = ""
        dump(answer, to: &dumped)
        for text in ["\(answer)", String(reflecting: answer), dumped] { #expect(!text.contains("578437695752307201")) }
        let event = try parse(Wire.complete(.leRandom, [0, 213, 2, 3, 4, 5, 6, 7, 8]))
        dump(event, to: &dumped)
        #expect(!"\(event)\(dumped)".contains("213"))
    }

    // MARK: - Supported commands

    private func supported(_ octets: [Int: UInt8]) throws -> SupportedCommands {
        var bytes = [UInt8](repeating: 0, count: 64)
        for (octet, bits) in octets { bytes[octet] = bits }
        let structure = [UInt8(0)] + bytes
        #expect(structure.count == Int(READ_LOCAL_COMMANDS_RP_SIZE))
        guard case .supportedCommands(let commands) = try result(.readLocalSupportedCommands, structure).parameters else {
            throw HCIError(.notAnEvent)
        }
        return commands
    }

    private static let legacy: [Opcode] = [
        .setEventMask, .reset, .readLocalVersionInformation, .readAddress, .leSetEventMask, .leReadBufferSize,
        .leReadLocalSupportedFeatures, .leSetRandomAddress, .leSetAdvertisingParameters, .leReadAdvertisingTransmitPower,
        .leSetAdvertisingData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable, .leRandom,
    ]
    private static let modern: [Opcode] = [
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength, .leReadNumberOfSupportedAdvertisingSets,
        .leRemoveAdvertisingSet, .leClearAdvertisingSets, .leSetExtendedScanParameters, .leSetExtendedScanEnable,
    ]

    /// What aether.py claims (bench-notes.md): Bluetooth 4 and nothing of Bluetooth 5.
    @Test func theVirtualControllerSupportsTheLegacyCommands() throws {
        let commands = try supported([0: 0x20, 5: 0xC0, 14: 0xA8, 15: 0x02, 25: 0xF7, 26: 0xFF, 27: 0xE0, 28: 0x0F])
        for opcode in Self.legacy { #expect(commands.contains(opcode), "\(opcode.name)") }
        for opcode in Self.modern { #expect(!commands.contains(opcode), "\(opcode.name)") }
        #expect(!commands.contains(Opcode(rawValue: 0xFC01)))
    }

    /// Octets 36 and 37 hold the commands of Bluetooth 5, in the order of their opcodes (6.27).
    @Test func bitsOfBluetooth5FollowTheOpcodes() throws {
        let commands = try supported([36: 0xFE, 37: 0x63])
        for opcode in Self.modern { #expect(commands.contains(opcode), "\(opcode.name)") }
        for opcode in Self.modern {
            // 0x202F is bit 3 of octet 35, and each opcode up to 0x2042 has the next bit.
            let position = 283 + Int(opcode.rawValue) - 0x202F
            #expect(try supported([position / 8: 1 << (position % 8)]).contains(opcode))
        }
    }

    @Test func opcodesHaveNamesAndParts() {
        for opcode in Self.legacy + Self.modern { #expect(!opcode.name.hasPrefix("0x")) }
        #expect(Opcode.leSetRandomAddress.group == 8)
        #expect(Opcode.leSetRandomAddress.command == 5)
        #expect(Opcode(rawValue: 0xFC01).name == "0xfc01")
        #expect("\(Opcode.none)" == "0x0000")
    }
}
