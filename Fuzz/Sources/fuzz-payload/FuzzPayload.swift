// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import GAEN

/// Advertising data of anybody: what is accepted can be sent again, and it does not matter where in memory it lies.
@_cdecl("LLVMFuzzerTestOneInput")
public func testPayload(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let reading = Reading(bytes)
    claim(Reading(([1, 2, 3] + bytes + [4, 5]).dropFirst(3).dropLast(2)) == reading, "a slice reads differently")
    switch reading {
    case .refused(.truncated(let offset)):
        claim(bytes.indices.contains(offset) && offset + Int(bytes[offset]) >= count, "nothing is cut off at \(offset)")
    case .refused(.wrongLength(let offset, let length)):
        claim(bytes.indices.contains(offset) && Int(bytes[offset]) == length + 3, "another length at \(offset)")
        claim(length != AdvertisingPayload.serviceDataByteCount, "the right length was refused")
    case .refused(.notExposureNotification): break
    case .accepted(let payload):
        for form in [AdvertisingPayload.Form.withFlags, .withoutFlags] {
            let data = payload.advertisingData(form)
            claim(data.count == (form == .withFlags ? 31 : 28), "\(data.count) bytes of advertising data")
            claim(Reading(data) == reading, "what is sent reads differently")
        }
        checkMetadata(payload.metadata.bytes)
    }
    return 0
}

private enum Reading: Equatable {
    case accepted(AdvertisingPayload)
    case refused(AdvertisingPayload.Refusal)

    init(_ bytes: some RandomAccessCollection<UInt8>) {
        do {
            self = .accepted(try AdvertisingPayload(advertisingData: bytes))
        } catch {
            self = .refused(error)
        }
    }
}

/// Any four bytes are metadata; the accessors must stand them.
private func checkMetadata(_ bytes: [UInt8]) {
    guard let metadata = BluetoothMetadata(bytes) else { fatalError("property violated: four bytes are not metadata") }
    claim(metadata.bytes == bytes, "metadata has other bytes")
    let version = BluetoothMetadata.version11(
        transmitPower: metadata.transmitPower, confidence: metadata.calibrationConfidence)
    claim(
        version.transmitPower == metadata.transmitPower
            && version.calibrationConfidence == metadata.calibrationConfidence && version.majorVersion == 1
            && version.minorVersion == 1, "metadata made again differs")
}
