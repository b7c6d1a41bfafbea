// SPDX-License-Identifier: Apache-2.0

import CBluetooth
import HCI
import Testing

/// A command as libbluetooth's `hci_send_cmd` writes it: indicator, `hci_command_hdr`, the structure of the parameters.
private func reference(_ group: Int32, _ command: Int32, _ parameters: [UInt8] = []) -> [UInt8] {
    let header = hci_command_hdr(opcode: UInt16(group << 10 | command), plen: UInt8(parameters.count))
    return [UInt8(HCI_COMMAND_PKT)] + raw(header) + parameters
}

private func raw<Structure: BitwiseCopyable>(_ structure: Structure) -> [UInt8] {
    withUnsafeBytes(of: structure) { Array($0) }
}

private func address(_ address: BluetoothAddress) -> bdaddr_t {
    let b = address.littleEndianBytes
    return bdaddr_t(b: (b[0], b[1], b[2], b[3], b[4], b[5]))
}

/// Byte for byte against the structures of <bluetooth/hci.h>.
@Suite struct LegacyCommandTests {
    private let beacon = BluetoothAddress(value: 0x2A11_2233_4455, type: .random)

    @Test func commandsWithoutParameters() {
        let cases: [(HCICommand, Int32, Int32)] = [
            (.reset, OGF_HOST_CTL, OCF_RESET),
            (.readLocalVersionInformation, OGF_INFO_PARAM, OCF_READ_LOCAL_VERSION),
            (.readLocalSupportedCommands, OGF_INFO_PARAM, OCF_READ_LOCAL_COMMANDS),
            (.readAddress, OGF_INFO_PARAM, OCF_READ_BD_ADDR),
            (.leReadBufferSize, OGF_LE_CTL, OCF_LE_READ_BUFFER_SIZE),
            (.leReadLocalSupportedFeatures, OGF_LE_CTL, OCF_LE_READ_LOCAL_SUPPORTED_FEATURES),
            (.leReadAdvertisingTransmitPower, OGF_LE_CTL, OCF_LE_READ_ADVERTISING_CHANNEL_TX_POWER),
            (.leRandom, OGF_LE_CTL, OCF_LE_RAND),
        ]
        for (command, group, number) in cases {
            #expect(command.bytes == reference(group, number), "\(command)")
        }
    }

    @Test func eventMasks() {
        let mask: EventMask = [.hardwareError, .dataBufferOverflow, .lowEnergy]
        #expect(
            HCICommand.setEventMask(mask).bytes
                == reference(
                    OGF_HOST_CTL, OCF_SET_EVENT_MASK, raw(set_event_mask_cp(mask: (0, 0x80, 0, 0x02, 0, 0, 0, 0x20)))))
        // The bit of an event is its code less one (7.3.1, 7.8.1).
        #expect(EventMask.hardwareError.rawValue == 1 << (UInt64(EVT_HARDWARE_ERROR) - 1))
        #expect(EventMask.dataBufferOverflow.rawValue == 1 << (UInt64(EVT_DATA_BUFFER_OVERFLOW) - 1))
        #expect(EventMask.lowEnergy.rawValue == 1 << (UInt64(EVT_LE_META_EVENT) - 1))
        #expect(LEEventMask.advertisingReport.rawValue == 1 << (UInt64(EVT_LE_ADVERTISING_REPORT) - 1))

        let all: LEEventMask = [
            .advertisingReport, .extendedAdvertisingReport, .scanTimeout, .advertisingSetTerminated,
        ]
        #expect(
            HCICommand.leSetEventMask(all).bytes
                == reference(
                    OGF_LE_CTL, OCF_LE_SET_EVENT_MASK, raw(le_set_event_mask_cp(mask: (0x02, 0x10, 0x03, 0, 0, 0, 0, 0)))))
    }

    @Test func randomAddress() throws {
        #expect(
            try HCICommand.leSetRandomAddress(beacon).bytes
                == reference(
                    OGF_LE_CTL, OCF_LE_SET_RANDOM_ADDRESS, raw(le_set_random_address_cp(bdaddr: address(beacon)))))
    }

    @Test(arguments: LegacyAdvertisingParameters.Kind.allCases, OwnAddressType.allCases)
    func advertisingParameters(kind: LegacyAdvertisingParameters.Kind, own: OwnAddressType) throws {
        for (minimum, maximum) in [(0x00A0, 0x00A0), (0x0140, 0x01B0), (0x0123, 0x4000)] {
            for policy in AdvertisingFilterPolicy.allCases {
                for channels in [AdvertisingChannels.all, .channel37, [.channel38, .channel39]] {
                    let parameters = try LegacyAdvertisingParameters(
                        minimumInterval: .microseconds(minimum * 625), maximumInterval: .microseconds(maximum * 625),
                        kind: kind, ownAddress: own, channels: channels, filterPolicy: policy)
                    let structure = le_set_advertising_parameters_cp(
                        min_interval: UInt16(minimum), max_interval: UInt16(maximum), advtype: kind.rawValue,
                        own_bdaddr_type: own.rawValue, direct_bdaddr_type: 0, direct_bdaddr: bdaddr_t(),
                        chan_map: channels.rawValue, filter: policy.rawValue)
                    #expect(
                        HCICommand.leSetAdvertisingParameters(parameters).bytes
                            == reference(OGF_LE_CTL, OCF_LE_SET_ADVERTISING_PARAMETERS, raw(structure)))
                }
            }
        }
    }

    /// What a beacon of exposure notification asks for (spec/gaen-core.md section 2), by hand.
    @Test func advertisingParametersOfABeacon() throws {
        let parameters = try LegacyAdvertisingParameters(
            minimumInterval: .milliseconds(200), maximumInterval: .milliseconds(270))
        #expect(
            HCICommand.leSetAdvertisingParameters(parameters).bytes
                == hex("01 0620 0f 4001 b001 03 01 00 000000000000 07 00"))
    }

    @Test(arguments: 0...31)
    func advertisingDataIsPadded(_ count: Int) throws {
        let data = Array(Samples.iPhone.prefix(count))
        var structure = le_set_advertising_data_cp()
        structure.length = UInt8(count)
        withUnsafeMutableBytes(of: &structure.data) { $0.copyBytes(from: data) }
        #expect(
            try HCICommand.leSetAdvertisingData(data).bytes
                == reference(OGF_LE_CTL, OCF_LE_SET_ADVERTISING_DATA, raw(structure)))
    }

    @Test(arguments: [true, false])
    func enables(_ isEnabled: Bool) throws {
        let flag: UInt8 = isEnabled ? 1 : 0
        #expect(
            HCICommand.leSetAdvertising(enabled: isEnabled).bytes
                == reference(OGF_LE_CTL, OCF_LE_SET_ADVERTISE_ENABLE, raw(le_set_advertise_enable_cp(enable: flag))))
        for filter in [DuplicateFilter.off, .on] {
            #expect(
                try HCICommand.leSetScan(enabled: isEnabled, duplicateFilter: filter).bytes
                    == reference(
                        OGF_LE_CTL, OCF_LE_SET_SCAN_ENABLE,
                        raw(le_set_scan_enable_cp(enable: flag, filter_dup: filter.rawValue))))
        }
    }

    @Test(arguments: ScanType.allCases, ScanFilterPolicy.allCases)
    func scanParameters(type: ScanType, policy: ScanFilterPolicy) throws {
        for (interval, window) in [(0x0004, 0x0004), (0x0060, 0x0030), (0x4000, 0x4000), (0x1234, 0x0123)] {
            for own in OwnAddressType.allCases {
                let parameters = try LegacyScanParameters(
                    type: type, interval: .microseconds(interval * 625), window: .microseconds(window * 625),
                    ownAddress: own, filterPolicy: policy)
                let structure = le_set_scan_parameters_cp(
                    type: type.rawValue, interval: UInt16(interval), window: UInt16(window),
                    own_bdaddr_type: own.rawValue, filter: policy.rawValue)
                #expect(
                    HCICommand.leSetScanParameters(parameters).bytes
                        == reference(OGF_LE_CTL, OCF_LE_SET_SCAN_PARAMETERS, raw(structure)))
            }
        }
    }

    @Test func commandsAreNotPrintedWithTheirParameters() throws {
        let command = try HCICommand.leSetAdvertisingData(Samples.iPhone)
        var dumped = ""
        dump(command, to: &dumped)
        #expect("\(command)" == "LE Set Advertising Data (0x2008)")
        for text in ["\(command)", String(reflecting: command), dumped] {
            #expect(!text.contains("226"))  // 0xe2, the first byte of the identifier
        }
    }
}
