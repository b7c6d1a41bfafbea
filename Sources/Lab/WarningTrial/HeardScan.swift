// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Vault

/// One scan of a receiver, as somebody imagines it.
struct HeardScan {
    /// Somebody who was heard in it.
    struct Sender {
        /// The secret, and the interval by the sender's own clock, of the identifier that was on air.
        let key: Block
        let interval: ENIN
        /// dB: the mean over the scan, and of its loudest packet.
        let typicalAttenuation: Int
        let minimumAttenuation: Int
    }

    /// Unix seconds.
    let time: Int64
    /// Seconds back to the end of the scan before; `nil` is unknown.
    let secondsSinceLastScan: Int64?
    let senders: [Sender]

    /// What the receiver keeps of it. `correction` is its own, in dB, and is taken off: the attenuation is what was asked for.
    func record(correction: Int) throws -> ScanRecord {
        ScanRecord(
            start: UInt32(time), previousScan: secondsSinceLastScan.map { UInt32(time - $0) } ?? 0, profileRevision: 0,
            heard: try senders.map { try $0.heard(correction: correction) })
    }
}

extension HeardScan.Sender {
    /// dBm: a board's own, and the loudest that receivers believe, for losses that would bring the former below what can be heard.
    private static let power: (usual: Int8, loudest: Int8) = (-10, 20)
    private static let mostUsualAttenuation = 110
    private static let mostReadings = ScanRecord.Readings.maximumCount

    fileprivate func heard(correction: Int) throws -> ScanRecord.Heard {
        let attenuations = try attenuations()
        let power = (attenuations.max() ?? 0) > Self.mostUsualAttenuation ? Self.power.loudest : Self.power.usual
        let keys = try IdentifierKeys(SecretBytes(copying: key.bytes))
        let identifier = keys.identifier(for: interval)
        let payload = AdvertisingPayload(
            identifier: identifier,
            metadata: keys.encrypt(.version11(transmitPower: power, confidence: .high), with: identifier))
        guard
            let readings = ScanRecord.Readings(
                attenuations.map { Int8(clamping: Int(power) - $0 - correction) })
        else { throw WarningFailure("a scan without readings") }
        return ScanRecord.Heard(payload: payload, offset: 0, readings: readings)
    }

    /// Packets of one loudness; or a loudest one, and as few others as bring the mean to what is typical and can still be heard.
    private func attenuations() throws -> [Int] {
        let difference = typicalAttenuation - minimumAttenuation
        guard difference >= 0 else { throw WarningFailure("a scan whose mean is louder than its loudest packet") }
        if difference == 0 { return [typicalAttenuation] }
        let divisors = (1..<Self.mostReadings).filter { difference.isMultiple(of: $0) }
        let others =
            divisors.first { typicalAttenuation + difference / $0 <= Self.mostUsualAttenuation } ?? divisors.last ?? 1
        return [minimumAttenuation] + Array(repeating: typicalAttenuation + difference / others, count: others)
    }
}
