// SPDX-License-Identifier: Apache-2.0

import HCI

func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }

/// `04 0e 04 01`: digits of either case, spaces ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue.map(UInt8.init) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Events as a controller writes them, with the H4 indicator.
enum Wire {
    static func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        [0x04, code, UInt8(parameters.count)] + parameters
    }

    static func complete(_ opcode: Opcode, credits: UInt8 = 1, _ returned: [UInt8] = [0]) -> [UInt8] {
        event(0x0E, [credits] + littleEndian(opcode.rawValue) + returned)
    }

    static func status(_ opcode: Opcode, credits: UInt8 = 1, _ status: HCIStatus) -> [UInt8] {
        event(0x0F, [status.rawValue, credits] + littleEndian(opcode.rawValue))
    }

    static func legacyReport(
        kind: UInt8 = 3, type: AddressType = .random, address: UInt64 = 0xC011_2233_4455, data: [UInt8] = Samples.iPhone,
        rssi: Int8 = -60
    ) -> [UInt8] {
        [kind, type.rawValue] + littleEndian(address).prefix(6) + [UInt8(data.count)] + data + [UInt8(bitPattern: rssi)]
    }

    static func legacyReports(_ reports: [[UInt8]], claimed: UInt8? = nil) -> [UInt8] {
        event(0x3E, [0x02, claimed ?? UInt8(reports.count)] + reports.joined())
    }

    static func extendedReport(
        type: UInt16 = 0, addressType: AddressType = .random, address: UInt64 = 0x1122_3344_5566, setIdentifier: UInt8 = 1,
        transmitPower: Int8 = 127, rssi: Int8 = -70, target: [UInt8] = [0, 0, 0, 0, 0, 0, 0],
        data: [UInt8] = Samples.android
    ) -> [UInt8] {
        var bytes = littleEndian(type) + [addressType.rawValue] + littleEndian(address).prefix(6)
        bytes += [1, 2, setIdentifier, UInt8(bitPattern: transmitPower), UInt8(bitPattern: rssi)]
        return bytes + [0, 0] + target + [UInt8(data.count)] + data
    }

    static func extendedReports(_ reports: [[UInt8]], claimed: UInt8? = nil) -> [UInt8] {
        event(0x3E, [0x0D, claimed ?? UInt8(reports.count)] + reports.joined())
    }
}

func parse(_ bytes: [UInt8]) throws -> HCIEvent { try HCIEvent(try HCIPacket(datagram: bytes)) }

/// Advertising data that was really on air: captures quoted in `shared/vectors/gaen/adv_payload.json`.
enum Samples {
    /// 31 bytes with flags (secdev/scapy, test/contrib/exposure_notification.uts).
    static let iPhone = hex("02011a03036ffd17166ffde23f352fa09307a85d4194912443180d484dc151")
    /// 28 bytes without flags (alwentiu/exposure_notification README).
    static let android = hex("03036ffd17166ffd12ec68a558f69b3e332d303c222d6574f666f99a")

    /// What a controller may send in the life of a beacon: one of everything this target reads, and strangers.
    static let events: [[UInt8]] = [
        Wire.complete(.reset),
        Wire.complete(.none, credits: 1, []),
        Wire.complete(.readLocalVersionInformation, [0, 9, 0, 0, 9, 0xFF, 0xFF, 0, 0]),
        Wire.complete(.readLocalSupportedCommands, [0] + [UInt8](repeating: 0xFF, count: 64)),
        Wire.complete(.readAddress, [0, 1, 0, 0, 0xAA, 2, 0]),
        Wire.complete(.leReadBufferSize, [0, 251, 0, 8]),
        Wire.complete(.leReadLocalSupportedFeatures, [0, 1, 0x10, 0, 0, 0, 0, 0, 0]),
        Wire.complete(.leReadAdvertisingTransmitPower, [0, 0xF1]),
        Wire.complete(.leRandom, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
        Wire.complete(.leSetExtendedAdvertisingParameters, [0, 0xF9]),
        Wire.complete(.leReadMaximumAdvertisingDataLength, [0, 31, 0]),
        Wire.complete(.leReadNumberOfSupportedAdvertisingSets, [0, 1]),
        Wire.status(.leSetRandomAddress, .commandDisallowed),
        Wire.event(0x10, [0x42]),
        Wire.legacyReports([Wire.legacyReport()]),
        Wire.legacyReports([Wire.legacyReport(), Wire.legacyReport(kind: 0, data: []), Wire.legacyReport(data: android)]),
        Wire.extendedReports([Wire.extendedReport()]),
        Wire.extendedReports([Wire.extendedReport(type: 0x10), Wire.extendedReport(type: 0x20, data: [UInt8](0..<99))]),
        Wire.event(0x3E, [0x11]),
        Wire.event(0x3E, [0x12, 0x3C, 0, 0, 0, 7]),
        Wire.event(0x3E, [0x0A, 1, 2, 3]),
        Wire.event(0x13, [1, 0x40, 0, 1, 0]),
        Wire.event(0xFF, [9, 9]),
    ]
}
