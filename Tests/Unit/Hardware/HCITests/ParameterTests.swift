// SPDX-License-Identifier: Apache-2.0

import HCI
import Testing

/// Parameters at and beyond the ends of their ranges: refused, never trapped on.
@Suite struct ParameterTests {
    private func legacy(
        _ minimum: Duration, _ maximum: Duration, _ kind: LegacyAdvertisingParameters.Kind = .connectable,
        _ version: CoreVersion? = nil
    ) throws(HCIError) -> [UInt8] {
        let parameters = try LegacyAdvertisingParameters(
            minimumInterval: minimum, maximumInterval: maximum, kind: kind, controller: version)
        return Array(HCICommand.leSetAdvertisingParameters(parameters).parameters.prefix(4))
    }

    @Test func advertisingIntervals() throws {
        #expect(try legacy(.milliseconds(20), .milliseconds(10_240)) == hex("2000 0040"))
        // Rounded down to a unit, so that 20.6 ms is still 20 ms.
        #expect(try legacy(.microseconds(20_624), .microseconds(20_625)) == hex("2000 2100"))
        #expect(throws: HCIError(.parameterOutOfRange)) { try legacy(.microseconds(19_999), .seconds(1)) }
        #expect(throws: HCIError(.parameterOutOfRange)) { try legacy(.seconds(1), .microseconds(10_240_625)) }
        #expect(throws: HCIError(.minimumAboveMaximum)) { try legacy(.seconds(2), .seconds(1)) }
    }

    @Test(arguments: [
        Duration.zero, .seconds(-1), .seconds(Int64.max), .seconds(Int64.min), .nanoseconds(1), .milliseconds(Int64.max),
    ])
    func absurdDurationsAreRefusedWithoutOverflow(_ duration: Duration) throws {
        #expect(throws: HCIError(.parameterOutOfRange)) { try legacy(duration, .seconds(1)) }
        #expect(throws: HCIError(.parameterOutOfRange)) { try legacy(.seconds(1), duration) }
        #expect(throws: HCIError(.parameterOutOfRange)) {
            try ExtendedAdvertisingParameters(minimumInterval: duration, maximumInterval: .seconds(1))
        }
        #expect(throws: HCIError(.parameterOutOfRange)) { try LegacyScanParameters(interval: duration, window: duration) }
        #expect(throws: HCIError(.parameterOutOfRange)) {
            try ExtendedScanParameters.Timing(interval: duration, window: duration)
        }
        #expect(throws: HCIError(.parameterOutOfRange)) { try HCICommand.leEnableExtendedScan(duration: duration) }
        #expect(throws: HCIError(.parameterOutOfRange)) {
            try HCICommand.leEnableExtendedScan(duration: .seconds(1), period: duration)
        }
        #expect(throws: HCIError(.parameterOutOfRange)) { try HCICommand.AdvertisingSetEnable(duration: duration) }
    }

    /// 100 ms at least without connections, before Bluetooth 5.0 or when the version is not known.
    @Test(arguments: [nil, CoreVersion.v40, .v42, .v50, .v60])
    func oldControllersAreSlowWithoutConnections(_ version: CoreVersion?) throws {
        let isNew = version.map { $0 >= .v50 } ?? false
        for kind in LegacyAdvertisingParameters.Kind.allCases {
            #expect(try legacy(.milliseconds(100), .milliseconds(100), kind, version) == hex("a000 a000"))
            let fast = Result { () throws(HCIError) in
                try legacy(.microseconds(99_375), .milliseconds(100), kind, version)
            }
            if isNew || kind == .connectable {
                #expect(fast == .success(hex("9f00 a000")))
            } else {
                #expect(fast == .failure(HCIError(.tooFastForOldController)))
            }
        }
    }

    @Test(arguments: [UInt8(0), 8, 15, 0xFF])
    func channelMapsNameOneOfThree(_ map: UInt8) {
        #expect(throws: HCIError(.parameterOutOfRange)) {
            try LegacyAdvertisingParameters(
                minimumInterval: .seconds(1), maximumInterval: .seconds(1), channels: AdvertisingChannels(rawValue: map))
        }
        #expect(throws: HCIError(.parameterOutOfRange)) {
            try ExtendedAdvertisingParameters(
                minimumInterval: .seconds(1), maximumInterval: .seconds(1), channels: AdvertisingChannels(rawValue: map))
        }
    }

    @Test func scanWindowsFitIntoIntervals() throws {
        #expect(throws: HCIError(.windowAboveInterval)) {
            try LegacyScanParameters(interval: .milliseconds(30), window: .milliseconds(60))
        }
        #expect(throws: HCIError(.windowAboveInterval)) {
            try ExtendedScanParameters.Timing(interval: .milliseconds(30), window: .milliseconds(60))
        }
        #expect(throws: HCIError(.parameterOutOfRange)) {
            try LegacyScanParameters(interval: .milliseconds(60), window: .microseconds(2_499))
        }
        // Above 10.24 s only the new commands go.
        #expect(throws: HCIError(.parameterOutOfRange)) {
            try LegacyScanParameters(interval: .seconds(11), window: .seconds(1))
        }
        _ = try ExtendedScanParameters.Timing(interval: .seconds(11), window: .seconds(1))
        #expect(throws: HCIError(.parameterOutOfRange)) {
            try ExtendedScanParameters.Timing(interval: .seconds(41), window: .seconds(1))
        }
    }

    @Test func legacyScanningHasNoPeriod() {
        #expect(throws: HCIError(.contradictoryParameters)) {
            try HCICommand.leSetScan(enabled: true, duplicateFilter: .onResetEachPeriod)
        }
    }

    @Test func periodsAreLongerThanDurations() {
        #expect(throws: HCIError(.contradictoryParameters)) {
            try HCICommand.leEnableExtendedScan(duration: .milliseconds(1_280), period: .milliseconds(1_280))
        }
        #expect(throws: HCIError(.contradictoryParameters)) { try HCICommand.leEnableExtendedScan(period: .seconds(60)) }
        #expect(throws: HCIError(.contradictoryParameters)) {
            try HCICommand.leEnableExtendedScan(duplicateFilter: .onResetEachPeriod, duration: .seconds(1))
        }
        #expect(throws: HCIError(.parameterOutOfRange)) { try HCICommand.leEnableExtendedScan(duration: .seconds(656)) }
    }

    @Test(arguments: 32...300)
    func legacyDataIsAtMost31Bytes(_ count: Int) {
        #expect(throws: HCIError(.dataTooLong)) { try HCICommand.leSetAdvertisingData([UInt8](repeating: 1, count: count)) }
    }

    @Test func extendedParametersMustAgree() {
        func make(
            _ kind: ExtendedAdvertisingParameters.Kind, primary: PHY = .le1M, says: Bool = false, power: Int8? = nil,
            identifier: UInt8 = 0
        ) throws(HCIError) {
            _ = try ExtendedAdvertisingParameters(
                minimumInterval: .seconds(1), maximumInterval: .seconds(2), kind: kind, transmitPower: power,
                primary: primary, includesTransmitPower: says, setIdentifier: identifier)
        }
        let modern = ExtendedAdvertisingParameters.Kind.nonConnectable(secondary: .le1M, isAnonymous: false)
        #expect(throws: HCIError(.contradictoryParameters)) { try make(modern, primary: .le2M) }
        #expect(throws: HCIError(.contradictoryParameters)) { try make(.legacy(.nonConnectable), primary: .leCoded) }
        #expect(throws: HCIError(.contradictoryParameters)) { try make(.legacy(.nonConnectable), says: true) }
        #expect(throws: HCIError(.parameterOutOfRange)) { try make(modern, identifier: 16) }
        for power in [Int8.min, 21, 126, 127] {
            #expect(throws: HCIError(.parameterOutOfRange)) { try make(modern, power: power) }
        }
        for power in [Int8(-127), 0, 20] { #expect(throws: Never.self) { try make(modern, power: power) } }
        #expect(throws: HCIError(.minimumAboveMaximum)) {
            try ExtendedAdvertisingParameters(minimumInterval: .seconds(2), maximumInterval: .seconds(1))
        }
    }

    @Test func onlyUsableRandomAddressesAreSet() throws {
        let refused: [BluetoothAddress] = [
            .init(value: 0, type: .random), .init(value: 0x3FFF_FFFF_FFFF, type: .random),
            .init(value: 0xFFFF_FFFF_FFFF, type: .random), .init(value: 0xC000_0000_0000, type: .random),
            .init(value: 0x8011_2233_4455, type: .random), .init(value: 0x0011_2233_4455, type: .public),
        ]
        for address in refused {
            #expect(throws: HCIError(.addressNotUsable)) { try HCICommand.leSetRandomAddress(address) }
            #expect(throws: HCIError(.addressNotUsable)) { try HCICommand.leSetAdvertisingSetRandomAddress(address) }
        }
        for value: UInt64 in [0x0011_2233_4455, 0x4011_2233_4455, 0xC011_2233_4455] {
            _ = try HCICommand.leSetRandomAddress(BluetoothAddress(value: value, type: .random))
        }
    }
}
