// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import RandomValues
import Testing

@Suite struct AdvertisingPayloadTests {
    private let payload = AdvertisingPayload(
        identifier: RollingProximityIdentifier(Block(low: 0x0123_4567_89ab_cdef, high: 0xfedc_ba98_7654_3210)),
        metadata: AssociatedEncryptedMetadata(word: 0xdead_beef))

    @Test func bothFormsHaveTheirLengthAndComeBack() throws {
        #expect(payload.advertisingData(.withFlags).count == 31)
        #expect(payload.advertisingData(.withoutFlags).count == 28)
        for form in [AdvertisingPayload.Form.withFlags, .withoutFlags] {
            #expect(try AdvertisingPayload(advertisingData: payload.advertisingData(form)) == payload)
        }
    }

    @Test func aSliceIsReadFromItsOwnStart() throws {
        let framed = [9, 9, 9] + payload.advertisingData() + [9]
        #expect(try AdvertisingPayload(advertisingData: framed[3..<34]) == payload)
    }

    @Test func everyCutIsRefused() {
        let data = payload.advertisingData()
        for length in data.indices {
            #expect(throws: AdvertisingPayload.Refusal.self) {
                try AdvertisingPayload(advertisingData: data[..<length])
            }
        }
    }

    @Test(arguments: 0...40)
    func onlyTwentyBytesOfServiceDataCount(_ count: Int) {
        let data = [UInt8(3 + count), 0x16, 0x6f, 0xfd] + [UInt8](repeating: 7, count: count)
        let isAccepted = (try? AdvertisingPayload(advertisingData: data)) != nil
        #expect(isAccepted == (count == 20))
    }

    @Test func refusalsSayWhere() {
        #expect(throws: AdvertisingPayload.Refusal.truncated(offset: 3)) {
            try AdvertisingPayload(advertisingData: [2, 1, 0x1a, 9, 0x16])
        }
        #expect(throws: AdvertisingPayload.Refusal.wrongLength(offset: 0, length: 1)) {
            try AdvertisingPayload(advertisingData: [4, 0x16, 0x6f, 0xfd, 1])
        }
        #expect(throws: AdvertisingPayload.Refusal.notExposureNotification) {
            try AdvertisingPayload(advertisingData: [])
        }
    }

    @Test func noiseIsRefusedWithoutHarm() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let data = generator.bytes(.random(in: 0...64, using: &generator))
            _ = try? AdvertisingPayload(advertisingData: data)
        }
    }

    @Test func identifiersAreNotPrinted() {
        var dumped = ""
        dump(payload, to: &dumped)
        for text in ["\(payload)", dumped] {
            #expect(!text.contains(Hex.string(payload.identifier.bytes)))
            #expect(!text.contains("81985529216486895"))
        }
    }
}

@Suite struct BluetoothMetadataTests {
    @Test func versionsHaveTheirBits() {
        #expect(BluetoothMetadata.version10(transmitPower: 8).bytes == [0x40, 0x08, 0, 0])
        #expect(BluetoothMetadata.version11(transmitPower: -15, confidence: .high).bytes == [0x5c, 0xf1, 0, 0])
        #expect(BluetoothMetadata.version11(transmitPower: 0, confidence: .medium).bytes[0] == 0x58)
    }

    @Test(arguments: CalibrationConfidence.allCases)
    func everythingComesBack(_ confidence: CalibrationConfidence) {
        for power in Int8.min...Int8.max {
            let metadata = BluetoothMetadata.version11(transmitPower: power, confidence: confidence)
            #expect(metadata.transmitPower == power)
            #expect(metadata.calibrationConfidence == confidence)
            #expect(metadata.majorVersion == 1)
            #expect(metadata.minorVersion == 1)
        }
    }
}

@Suite struct AttenuationTests {
    @Test func calibrationNeverLeavesTheRangeOfMeasurements() {
        for rssi in Int8.min...Int8.max {
            for correction in [-400, -20, 0, 20, 400, .max, .min] {
                #expect((-127...126).contains(Attenuation.calibrated(rssi: rssi, correction: correction)))
            }
        }
    }
}
