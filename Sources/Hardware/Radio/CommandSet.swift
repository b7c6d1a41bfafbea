// SPDX-License-Identifier: Apache-2.0

import HCI

/// The commands of a board profile that never change, in both generations, made once.
struct CommandSet: Sendable {
    struct Dialect: Sendable {
        let identityParameters, doorParameters, advertisingOn, advertisingOff: HCICommand
        let scanParameters, scanOn, scanOff: HCICommand

        func advertisingParameters(_ kind: Sending.Kind) -> HCICommand {
            kind == .door ? doorParameters : identityParameters
        }
    }

    let legacy: Dialect
    let extended: Dialect

    init(_ profile: BoardProfile) throws(HCIError) {
        let interval = profile.beacon.interval
        let door = DoorIdentity.interval
        // The receiver changes its channel once per scan interval; a third of the scan covers all three (gaen-core section 3).
        let channel = profile.scan.duration / 3
        legacy = Dialect(
            identityParameters: .leSetAdvertisingParameters(
                try LegacyAdvertisingParameters(minimumInterval: interval.lowerBound, maximumInterval: interval.upperBound)),
            doorParameters: .leSetAdvertisingParameters(
                try LegacyAdvertisingParameters(minimumInterval: door, maximumInterval: door)),
            advertisingOn: .leSetAdvertising(enabled: true), advertisingOff: .leSetAdvertising(enabled: false),
            scanParameters: .leSetScanParameters(try LegacyScanParameters(interval: channel, window: channel)),
            scanOn: try .leSetScan(enabled: true), scanOff: try .leSetScan(enabled: false))
        extended = Dialect(
            identityParameters: .leSetExtendedAdvertisingParameters(
                try ExtendedAdvertisingParameters(
                    minimumInterval: interval.lowerBound, maximumInterval: interval.upperBound)),
            doorParameters: .leSetExtendedAdvertisingParameters(
                try ExtendedAdvertisingParameters(
                    minimumInterval: door, maximumInterval: door, transmitPower: DoorIdentity.transmitPower)),
            advertisingOn: try .leEnableExtendedAdvertising([.init()]), advertisingOff: try .leDisableExtendedAdvertising(),
            scanParameters: .leSetExtendedScanParameters(
                try ExtendedScanParameters(le1M: .init(interval: channel, window: channel))),
            scanOn: try .leEnableExtendedScan(), scanOff: .leDisableExtendedScan)
    }
}
