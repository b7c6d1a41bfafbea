// SPDX-License-Identifier: Apache-2.0

import CBluetooth
import HCI
import Testing

private func reports(_ bytes: [UInt8]) throws -> [AdvertisingReport] {
    guard case .advertisingReports(let reports) = try parse(bytes) else {
        Issue.record("not reports")
        return []
    }
    return reports
}

@Suite struct LegacyReportTests {
    /// As libbluetooth's structure has it: `le_advertising_info`, data, strength.
    @Test func fieldsAreThoseOfLibbluetooth() throws {
        var info = le_advertising_info()
        info.evt_type = 3
        info.bdaddr_type = UInt8(LE_RANDOM_ADDRESS)
        info.bdaddr = bdaddr_t(b: (0x55, 0x44, 0x33, 0x22, 0x11, 0xC0))
        info.length = 31
        let bytes = withUnsafeBytes(of: info) { Array($0.prefix(Int(LE_ADVERTISING_INFO_SIZE))) }
        let event = Wire.event(
            UInt8(EVT_LE_META_EVENT), [UInt8(EVT_LE_ADVERTISING_REPORT), 1] + bytes + Samples.iPhone + [0xC4])
        let report = try #require(try reports(event).first)
        #expect(report.address == BluetoothAddress("c0:11:22:33:44:55", type: .random))
        #expect(report.data == Samples.iPhone)
        #expect(report.rssi == -60)
        #expect(report.eventType == [.legacy])
        #expect(report.eventType.dataStatus == .complete)
        #expect(report.extended == nil)
    }

    /// The frame of aether.py (bench-notes.md), written down byte by byte.
    @Test func aReportOfTheVirtualAir() throws {
        let report = try #require(
            try reports(
                hex(
                    "04 3e 2b 02 01 03 01 55443322 11c0 1f 02011a03036ffd17166ffd 000102030405060708090a0b0c0d0e0f 40f80000 c5"
                )
            ).first)
        #expect(report.data == hex("02011a03036ffd17166ffd 000102030405060708090a0b0c0d0e0f 40f80000"))
        #expect(report.rssi == -59)
    }

    @Test func severalReportsInOneEvent() throws {
        let bytes = Wire.legacyReports([
            Wire.legacyReport(rssi: -40), Wire.legacyReport(kind: 0, type: .public, address: 1, data: [], rssi: 127),
            Wire.legacyReport(kind: 4, data: Samples.android, rssi: -90),
        ])
        let all = try reports(bytes)
        #expect(all.map(\.rssi) == [-40, nil, -90])
        #expect(all.map(\.data) == [Samples.iPhone, [], Samples.android])
        #expect(all.map(\.address.type) == [.random, .public, .random])
    }

    @Test func twentyFiveEmptyReportsFit() throws {
        let one = Wire.legacyReport(data: [])
        #expect(try reports(Wire.legacyReports(Array(repeating: one, count: 25))).count == 25)
    }

    @Test(arguments: [
        (UInt8(0), AdvertisingEventType(rawValue: 0x13)), (1, .init(rawValue: 0x15)), (2, .init(rawValue: 0x12)),
        (3, .init(rawValue: 0x10)), (4, .init(rawValue: 0x1A)),
    ])
    func kindsBecomeTheBitsOfTheSpecification(kind: UInt8, type: AdvertisingEventType) throws {
        #expect(try reports(Wire.legacyReports([Wire.legacyReport(kind: kind)])).first?.eventType == type)
    }

    @Test(arguments: 5...255)
    func otherKindsAreRefused(_ kind: Int) {
        let refusal = #expect(throws: HCIError(.reservedValue)) {
            try reports(Wire.legacyReports([Wire.legacyReport(), Wire.legacyReport(kind: UInt8(kind))]))
        }
        #expect(refusal?.offset == 2 + 41)
    }

    @Test func onlyMeasurementsAreStrengths() throws {
        for raw in Int8.min...Int8.max {
            let report = try #require(try reports(Wire.legacyReports([Wire.legacyReport(rssi: raw)])).first)
            #expect(report.rssi == ((-127...20).contains(raw) ? raw : nil))
        }
    }

    @Test(arguments: 32...255)
    func longerDataIsRefused(_ count: Int) {
        var bytes = Wire.legacyReports([Wire.legacyReport()])
        bytes[13] = UInt8(count)
        let refusal = #expect(throws: HCIError(.dataLengthOutOfRange)) { try reports(bytes) }
        #expect(refusal?.offset == 10)
    }

    @Test(arguments: 0...30)
    func shorterLengthsThanTheDataAreRefused(_ count: Int) {
        var bytes = Wire.legacyReports([Wire.legacyReport()])
        bytes[13] = UInt8(count)
        #expect(throws: HCIError(.trailingBytes)) { try reports(bytes) }
    }

    @Test(arguments: 0...255)
    func numbersOfReportsThatLieAreRefused(_ claimed: Int) throws {
        let two = [Wire.legacyReport(), Wire.legacyReport(data: Samples.android)]
        let bytes = Wire.legacyReports(two, claimed: UInt8(claimed))
        switch claimed {
        case 2: #expect(try reports(bytes).count == 2)
        case 1: #expect(throws: HCIError(.trailingBytes)) { try reports(bytes) }
        case 0, 26...: #expect(throws: HCIError(.reportCountOutOfRange)) { try reports(bytes) }
        default: #expect(throws: HCIError(.truncated)) { try reports(bytes) }
        }
    }

    @Test func sightingsAreNotPrinted() throws {
        let event = try parse(Wire.legacyReports([Wire.legacyReport()]))
        var dumped = ""
        dump(event, to: &dumped)
        for text in ["\(event)", String(reflecting: event), dumped] {
            #expect(!text.contains("226"))
            #expect(!text.uppercased().contains("C0:11"))
            #expect(!text.contains("\(0xC011_2233_4455)"))
        }
    }
}

@Suite struct ExtendedReportTests {
    /// Written by hand from the table of 7.7.65.13; libbluetooth has no structure for it.
    @Test func fieldsAreThoseOfTheSpecification() throws {
        let bytes = hex(
            """
            04 3e 1f 0d 01  0400 01 665544332211 01 03 05 f4 b5 0600 fe 0d0c0b0a0948  05 0403020100
            """)
        let report = try #require(try reports(bytes).first)
        #expect(report.eventType == [.directed])
        #expect(report.address == BluetoothAddress("11:22:33:44:55:66", type: .random))
        #expect(report.rssi == -75)
        #expect(report.data == [4, 3, 2, 1, 0])
        let extended = try #require(report.extended)
        #expect(extended.primaryPHY == 1)
        #expect(extended.secondaryPHY == 3)
        #expect(extended.setIdentifier == 5)
        #expect(extended.transmitPower == -12)
        #expect(extended.periodicIntervalUnits == 6)
        #expect(extended.target == BluetoothAddress("48:09:0a:0b:0c:0d", type: .unresolved))
        #expect(extended.target?.randomKind == .resolvable)
    }

    /// aether.py --ext: a legacy packet in an extended report, nothing measured or told but the strength.
    @Test func aReportOfTheVirtualAir() throws {
        let bytes = hex("04 3e 38 0d 01 1000 01 5544332211c0 01 00 ff 7f c5 0000 00 000000000000 1c") + Samples.android
        var fixed = bytes
        fixed[2] = UInt8(bytes.count - 3)
        let report = try #require(try reports(fixed).first)
        #expect(report.eventType == [.legacy])
        #expect(report.rssi == -59)
        #expect(report.extended?.setIdentifier == nil)
        #expect(report.extended?.transmitPower == nil)
        #expect(report.extended?.target == nil)
        #expect(report.data == Samples.android)
    }

    @Test(arguments: AdvertisingEventType.DataStatus.allCases)
    func statusIsTwoBits(_ status: AdvertisingEventType.DataStatus) throws {
        let type = UInt16(status.rawValue) << 5 | 0b01010
        let report = try #require(try reports(Wire.extendedReports([Wire.extendedReport(type: type)])).first)
        #expect(report.eventType.dataStatus == status)
        #expect(report.eventType.contains([.scannable, .scanResponse]))
        #expect(!report.eventType.contains(.legacy))
    }

    @Test func anonymousAdvertisersAreNamedSo() throws {
        let bytes = Wire.extendedReports([Wire.extendedReport(addressType: .anonymous, address: 0)])
        let report = try #require(try reports(bytes).first)
        #expect(report.address.type == .anonymous)
        #expect(report.address.randomKind == nil)
    }

    @Test func noMeasurementIsNoNumber() throws {
        let report = try #require(try reports(Wire.extendedReports([Wire.extendedReport(rssi: 127)])).first)
        #expect(report.rssi == nil)
    }

    @Test(arguments: 0...255)
    func numbersOfReportsThatLieAreRefused(_ claimed: Int) throws {
        let two = [Wire.extendedReport(), Wire.extendedReport(data: [])]
        let bytes = Wire.extendedReports(two, claimed: UInt8(claimed))
        switch claimed {
        case 2: #expect(try reports(bytes).count == 2)
        case 1: #expect(throws: HCIError(.trailingBytes)) { try reports(bytes) }
        case 0, 11...: #expect(throws: HCIError(.reportCountOutOfRange)) { try reports(bytes) }
        default: #expect(throws: HCIError(.truncated)) { try reports(bytes) }
        }
    }

    @Test(arguments: 0...255)
    func lengthsThatLieAreRefused(_ count: Int) throws {
        var bytes = Wire.extendedReports([Wire.extendedReport()])
        bytes[28] = UInt8(count)
        switch count {
        case 28: #expect(try reports(bytes).first?.data == Samples.android)
        case ..<28: #expect(throws: HCIError(.trailingBytes)) { try reports(bytes) }
        case 230...: #expect(throws: HCIError(.dataLengthOutOfRange)) { try reports(bytes) }
        default: #expect(throws: HCIError(.truncated)) { try reports(bytes) }
        }
    }

    @Test func theLargestReportFillsTheEvent() throws {
        let bytes = Wire.extendedReports([Wire.extendedReport(data: [UInt8](repeating: 9, count: 229))])
        #expect(bytes.count == 258)
        #expect(try reports(bytes).first?.data.count == 229)
    }
}
