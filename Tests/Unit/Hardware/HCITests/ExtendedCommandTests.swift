// SPDX-License-Identifier: Apache-2.0

import HCI
import Testing

/// libbluetooth has no structures for the commands of Bluetooth 5: these byte strings were written by hand from the tables of the
/// Core Specification, Vol 4 Part E 7.8.52 to 7.8.65. Field order and sizes were compared with the structures of BlueZ's
/// `monitor/bt.h`, which are not installed anywhere a test could reach them.
@Suite struct ExtendedCommandTests {
    private let beacon = BluetoothAddress(value: 0x2A11_2233_4455, type: .random)
    private let third = AdvertisingHandle(2)!

    @Test func simpleCommands() throws {
        #expect(HCICommand.leReadMaximumAdvertisingDataLength.bytes == hex("01 3a20 00"))
        #expect(HCICommand.leReadNumberOfSupportedAdvertisingSets.bytes == hex("01 3b20 00"))
        #expect(HCICommand.leRemoveAdvertisingSet(third).bytes == hex("01 3c20 01 02"))
        #expect(HCICommand.leClearAdvertisingSets.bytes == hex("01 3d20 00"))
        #expect(
            try HCICommand.leSetAdvertisingSetRandomAddress(beacon, handle: third).bytes
                == hex("01 3520 07 02 55443322112a"))
    }

    @Test func parametersOfABeaconWithLegacyPackets() throws {
        let parameters = try ExtendedAdvertisingParameters(
            minimumInterval: .milliseconds(200), maximumInterval: .milliseconds(270), transmitPower: -15)
        #expect(
            HCICommand.leSetExtendedAdvertisingParameters(parameters).bytes
                == hex("01 3620 19  00 1000 400100 b00100 07 01 00 000000000000 00 f1 01 00 01 00 00"))
    }

    @Test func parametersWithEveryField() throws {
        let parameters = try ExtendedAdvertisingParameters(
            handle: third, minimumInterval: .microseconds(0x12_3456 * 625), maximumInterval: .microseconds(0xFF_FFFF * 625),
            kind: .nonConnectable(secondary: .leCoded, isAnonymous: true), ownAddress: .public, channels: [.channel38],
            filterPolicy: .bothFromList, transmitPower: nil, primary: .leCoded, includesTransmitPower: true,
            secondaryMaximumSkip: 9, setIdentifier: 15, notifiesScanRequests: true)
        #expect(
            HCICommand.leSetExtendedAdvertisingParameters(parameters).bytes
                == hex("01 3620 19  02 6000 563412 ffffff 02 00 00 000000000000 03 7f 03 09 03 0f 01"))
    }

    /// The combinations of 7.8.53, without directed ones.
    @Test(arguments: [
        (ExtendedAdvertisingParameters.Kind.legacy(.connectable), UInt8(0x13)),
        (.legacy(.scannable), 0x12),
        (.legacy(.nonConnectable), 0x10),
        (.nonConnectable(secondary: .le1M, isAnonymous: false), 0x00),
        (.nonConnectable(secondary: .le1M, isAnonymous: true), 0x20),
        (.scannable(secondary: .le2M), 0x02),
        (.connectable(secondary: .le2M), 0x01),
    ])
    func properties(kind: ExtendedAdvertisingParameters.Kind, expected: UInt8) throws {
        let parameters = try ExtendedAdvertisingParameters(
            minimumInterval: .milliseconds(20), maximumInterval: .milliseconds(20), kind: kind)
        let command = HCICommand.leSetExtendedAdvertisingParameters(parameters)
        #expect(command.parameters[1] == expected)
        #expect(command.parameters[2] == 0)
        #expect(command.parameters.count == 25)
    }

    @Test func dataUpTo251BytesIsOneCommand() throws {
        let short = try HCICommand.leSetExtendedAdvertisingData(Samples.android, handle: third)
        #expect(short.map(\.bytes) == [hex("01 3720 20 02 03 01 1c") + Samples.android])
        #expect(try HCICommand.leSetExtendedAdvertisingData([]).map(\.bytes) == [hex("01 3720 04 00 03 01 00")])
        let longest = try HCICommand.leSetExtendedAdvertisingData([UInt8](repeating: 7, count: 251))
        #expect(longest.count == 1)
        #expect(longest[0].parameters.count == 255)
        #expect(longest[0].bytes.starts(with: hex("01 3720 ff 00 03 01 fb 07")))
    }

    @Test(arguments: [252, 502, 503, 753, 1649, 1650])
    func longerDataIsFirstIntermediateLast(_ count: Int) throws {
        let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) }
        let commands = try HCICommand.leSetExtendedAdvertisingData(data)
        #expect(commands.count == (count + 250) / 251)
        #expect(commands.map { $0.parameters[1] } == [1] + [UInt8](repeating: 0, count: commands.count - 2) + [2])
        for command in commands { #expect(Int(command.parameters[3]) == command.parameters.count - 4) }
        #expect(Array(commands.map { $0.parameters.dropFirst(4) }.joined()) == data)
    }

    @Test func dataAbove1650BytesIsRefused() {
        #expect(throws: HCIError(.dataTooLong)) {
            try HCICommand.leSetExtendedAdvertisingData([UInt8](repeating: 0, count: 1651))
        }
    }

    @Test func enable() throws {
        #expect(
            try HCICommand.leEnableExtendedAdvertising([.init()]).bytes == hex("01 3920 06 01 01 00 0000 00"))
        #expect(
            try HCICommand.leEnableExtendedAdvertising([
                .init(handle: .zero, duration: .milliseconds(2_550), maximumEvents: 3), .init(handle: third),
            ]).bytes == hex("01 3920 0a 01 02 00 ff00 03 02 0000 00"))
        #expect(try HCICommand.leDisableExtendedAdvertising().bytes == hex("01 3920 02 00 00"))
        #expect(try HCICommand.leDisableExtendedAdvertising([third]).bytes == hex("01 3920 06 00 01 02 0000 00"))
    }

    @Test func setsAreNamedOnceAndNotTooMany() throws {
        let handles = (0...0xEF).compactMap { AdvertisingHandle(UInt8($0)) }
        #expect(handles.count == 240)
        #expect(AdvertisingHandle(0xF0) == nil)
        let sets = try handles.map { try HCICommand.AdvertisingSetEnable(handle: $0) }
        #expect(try HCICommand.leEnableExtendedAdvertising(Array(sets.prefix(63))).parameters.count == 254)
        #expect(try HCICommand.leDisableExtendedAdvertising(Array(handles.prefix(63))).parameters.count == 254)
        #expect(throws: HCIError(.parameterOutOfRange)) {
            try HCICommand.leEnableExtendedAdvertising(Array(sets.prefix(64)))
        }
        #expect(throws: HCIError(.parameterOutOfRange)) {
            try HCICommand.leDisableExtendedAdvertising(Array(handles.prefix(64)))
        }
        #expect(throws: HCIError(.parameterOutOfRange)) { try HCICommand.leEnableExtendedAdvertising([]) }
        #expect(throws: HCIError(.contradictoryParameters)) {
            try HCICommand.leEnableExtendedAdvertising([sets[0], sets[0]])
        }
        #expect(throws: HCIError(.contradictoryParameters)) {
            try HCICommand.leDisableExtendedAdvertising([.zero, .zero])
        }
    }

    @Test func scanParameters() throws {
        let fast = try ExtendedScanParameters.Timing(interval: .milliseconds(60), window: .milliseconds(30))
        let slow = try ExtendedScanParameters.Timing(
            type: .active, interval: .microseconds(0xFFFF * 625), window: .microseconds(4 * 625))
        let cases: [(ExtendedScanParameters, String)] = [
            (try .init(le1M: fast), "01 4120 08 01 00 01 00 6000 3000"),
            (try .init(le1M: nil, leCoded: slow, ownAddress: .public), "01 4120 08 00 00 04 01 ffff 0400"),
            (
                try .init(le1M: fast, leCoded: slow, filterPolicy: .fromListAndUnresolvedDirected),
                "01 4120 0d 01 03 05 00 6000 3000 01 ffff 0400"
            ),
        ]
        for (parameters, expected) in cases {
            #expect(HCICommand.leSetExtendedScanParameters(parameters).bytes == hex(expected))
        }
        #expect(throws: HCIError(.contradictoryParameters)) { try ExtendedScanParameters(le1M: nil) }
    }

    @Test func scanEnable() throws {
        #expect(try HCICommand.leEnableExtendedScan().bytes == hex("01 4220 06 01 00 0000 0000"))
        // Four seconds, as Google scans.
        #expect(try HCICommand.leEnableExtendedScan(duration: .seconds(4)).bytes == hex("01 4220 06 01 00 9001 0000"))
        #expect(
            try HCICommand.leEnableExtendedScan(
                duplicateFilter: .onResetEachPeriod, duration: .seconds(4), period: .seconds(300)
            ).bytes == hex("01 4220 06 01 02 9001 ea00"))
        #expect(HCICommand.leDisableExtendedScan.bytes == hex("01 4220 06 00 00 0000 0000"))
    }
}
