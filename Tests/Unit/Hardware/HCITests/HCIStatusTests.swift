// SPDX-License-Identifier: Apache-2.0

import CBluetooth
import HCI
import Testing

@Suite struct HCIStatusTests {
    /// Numbers against the constants of <bluetooth/hci.h>, which end at 0x38.
    @Test func numbersAreThoseOfLibbluetooth() {
        let pairs: [(HCIStatus, Int32)] = [
            (.unknownCommand, HCI_UNKNOWN_COMMAND), (.hardwareFailure, HCI_HARDWARE_FAILURE),
            (.memoryCapacityExceeded, HCI_MEMORY_FULL), (.connectionLimitExceeded, HCI_MAX_NUMBER_OF_CONNECTIONS),
            (.commandDisallowed, HCI_COMMAND_DISALLOWED), (.limitedResources, HCI_REJECTED_LIMITED_RESOURCES),
            (.unsupportedFeatureOrParameter, HCI_UNSUPPORTED_FEATURE), (.invalidParameters, HCI_INVALID_PARAMETERS),
            (.unspecifiedError, HCI_UNSPECIFIED_ERROR), (.parameterOutOfRange, HCI_PARAMETER_OUT_OF_RANGE),
        ]
        for (status, number) in pairs { #expect(Int32(status.rawValue) == number) }
    }

    /// Names have to stand at their number: a few from everywhere in the list.
    @Test(arguments: [
        (HCI_NO_CONNECTION, "unknown connection identifier"), (HCI_CONNECTION_TIMEOUT, "connection timeout"),
        (HCI_HOST_TIMEOUT, "connection accept timeout exceeded"),
        (HCI_CONNECTION_TERMINATED, "connection terminated by local host"),
        (HCI_UNSPECIFIED_ERROR, "unspecified error"), (HCI_LMP_RESPONSE_TIMEOUT, "LMP/LL response timeout"),
        (HCI_INSTANT_PASSED, "instant passed"), (HCI_TRANSACTION_COLLISION, "different transaction collision"),
        (HCI_QOS_UNACCEPTABLE_PARAMETER, "QoS unacceptable parameter"),
        (HCI_INSUFFICIENT_SECURITY, "insufficient security"),
        (HCI_ROLE_SWITCH_PENDING, "role switch pending"), (HCI_SLOT_VIOLATION, "reserved slot violation"),
        (HCI_HOST_BUSY_PAIRING, "host busy - pairing"), (0x3C, "advertising timeout"),
        (0x42, "unknown advertising identifier"), (0x45, "packet too long"),
    ])
    func namesStandAtTheirNumber(number: Int32, name: String) {
        #expect(HCIStatus(rawValue: UInt8(number)).name == name)
    }

    @Test func everyNumberPrints() {
        for number in UInt8.min...UInt8.max {
            let status = HCIStatus(rawValue: number)
            #expect(status.description.hasSuffix(")"))
            #expect(status.name?.isEmpty != true)
        }
        #expect("\(HCIStatus.commandDisallowed)" == "command disallowed (0x0c)")
        #expect("\(HCIStatus(rawValue: 0xEE))" == "unnamed status (0xee)")
        for gap: UInt8 in [0x2B, 0x31, 0x33, 0x49] { #expect(HCIStatus(rawValue: gap).name == nil) }
    }

    /// The ones the virtual controller of bench-notes.md answers, and the ends of advertising sets.
    @Test(arguments: [
        HCIStatus.success, .unknownCommand, .commandDisallowed, .unsupportedFeatureOrParameter,
        .invalidParameters, .advertisingTimeout, .limitReached, .unknownAdvertisingIdentifier,
    ])
    func whatATechnicianMeetsHasASentence(_ status: HCIStatus) throws {
        let sentence = try #require(status.sentence)
        #expect(sentence.hasSuffix("."))
        #expect(!sentence.contains("\n"))
    }
}
