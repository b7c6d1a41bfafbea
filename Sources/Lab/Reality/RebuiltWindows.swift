// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN
public import Matching
import Vault

/// Exposure windows of one receiver, made from its capture by the firmware's own code: a scan's collection, calibration,
/// and the grouping into scans and windows. Only the decryption of the metadata is left out, because no key of a
/// phone is known: the identifiers that phones sent, by their own captures, stand for keys that matched.
public struct RebuiltWindows: Sendable {
    /// The windows of one sender.
    public struct FromSender: Sendable {
        /// The number of the phone that was heard.
        public let sender: Int
        /// The windows in time order.
        public let windows: [ExposureWindow]
    }

    /// By sender, in the order of their numbers; senders that were not heard are absent.
    public let senders: [FromSender]
    /// The number of receptions that lie in no scan of the receiver, and are left out.
    public let outsideScans: Int
    /// All windows.
    public var windows: [ExposureWindow] { senders.flatMap(\.windows) }

    /// What turns a signal strength into an attenuation.
    public struct Calibration: Sendable, Hashable {
        /// The transmit power that the metadata of all phones has, in dBm.
        public var transmitPower: Int8
        /// What is added to the receiver's signal strengths, in dB.
        public var correction: Int

        /// Creates a calibration of these numbers, which are not checked.
        public init(transmitPower: Int8, correction: Int) {
            self.transmitPower = transmitPower
            self.correction = correction
        }

        /// That of the phones on the day of the captures: -24 dBm and -3 dB (spec reality, section 3).
        public static let july2020 = Calibration(transmitPower: -24, correction: -3)
        /// That of Google's later tables, 8 dB off: -29 - RSSI. A control: few windows may match with it.
        public static let august2020 = Calibration(transmitPower: -29, correction: 0)
    }

    /// Receptions outside of a scan by this much still belong to it, in microseconds: reports come a little late.
    private static let slack: Int64 = 200_000

    /// Makes the windows of what `receiver` heard and `counts` lets count; it is given a reception and the number of its sender.
    /// `identifiers` has the number of the phone for each identifier that a phone sent; receptions of others, and those of
    /// `number`, the receiver itself, are left out.
    public init(
        of receiver: PhoneCapture, number: Int, identifiers: [RollingProximityIdentifier: Int],
        calibration: Calibration = .july2020, counts: (PhoneCapture.Reception, Int) -> Bool = { _, _ in true }
    ) {
        var sightings: [Int: [MatchedSighting]] = [:]
        var next = receiver.receptions.startIndex
        var left = 0
        var previousEnd: UInt32 = 0
        var position: UInt32 = 0
        for scan in receiver.scans {
            var collector = ScanCollector()
            while next < receiver.receptions.endIndex, receiver.receptions[next].time <= scan.end + Self.slack {
                let heard = receiver.receptions[next]
                next += 1
                guard heard.time >= scan.start - Self.slack else {
                    left += 1
                    continue
                }
                guard let rssi = heard.rssi, let sender = identifiers[heard.payload.identifier], sender != number,
                    counts(heard, sender)
                else { continue }
                let offset = max(0, heard.time / 1_000_000 - scan.start / 1_000_000)
                collector.add(payload: heard.payload, rssi: rssi, offset: UInt8(clamping: offset))
            }
            let record = collector.finish(
                start: UInt32(clamping: scan.start / 1_000_000), previousScan: previousEnd, profileRevision: 0)
            for heard in record.heard {
                guard let sender = identifiers[heard.payload.identifier] else { continue }
                let time = record.start + UInt32(heard.offset)
                for reading in heard.readings {
                    sightings[sender, default: []].append(
                        MatchedSighting(
                            position: position, interval: ENIN(time / UInt32(ENIN.seconds)), time: time,
                            previousScan: record.previousScan,
                            rssi: Attenuation.calibrated(rssi: reading, correction: calibration.correction),
                            transmitPower: calibration.transmitPower, confidence: .high))
                    position += 1
                }
            }
            previousEnd = UInt32(clamping: scan.end / 1_000_000)
        }
        outsideScans = left + receiver.receptions.endIndex - next
        guard let key = DiagnosisKey(data: Block(), rollingStart: ENIN(0), reportType: .confirmedTest, daysSinceOnset: 0)
        else { preconditionFailure("a key of one day is a key") }
        senders = sightings.sorted { $0.key < $1.key }.map { sender, sightings in
            let match = Match(key: key, sightings: sightings.sorted { $0.time < $1.time })
            return FromSender(sender: sender, windows: match.exposureWindows(under: .standard))
        }
    }
}
