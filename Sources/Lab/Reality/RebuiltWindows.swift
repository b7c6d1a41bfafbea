// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN
import HCI
public import Matching
public import Vault

/// Exposure windows of one receiver, made from its capture by the firmware's own code: framing, events, radio, a scan's
/// collection, the log of a day (``BoardReplay``), calibration, and the grouping into scans and windows. Only the decryption of the metadata is left out, because no key of a
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

    /// Makes the windows of what `receiver` heard and `counts` lets count; it is given the time of a report in microseconds
    /// since 1970, and a function that returns the number of its sender, `nil` for an unknown one. `identifiers` has the
    /// number of the phone for each identifier that a phone sent; receptions of others, and those of `number`, the receiver
    /// itself, are in no window. Throws what ``BoardReplay`` throws.
    public init(
        of receiver: PhoneCapture, number: Int, identifiers: [RollingProximityIdentifier: Int],
        calibration: Calibration = .july2020, counts: (Int64, () -> Int?) -> Bool = { _, _ in true }
    ) throws {
        let outcome = try receiver.replay { packet, time in counts(time) { Self.sender(of: packet, identifiers) } }
        self.init(outcome.records, calibration: calibration) { identifier in
            identifiers[identifier].flatMap { $0 == number ? nil : $0 }
        }
    }

    /// Makes the windows of stored scans. `sender` returns the number of whoever sent an identifier; `nil` leaves it out.
    public init(
        _ records: [ScanRecord], calibration: Calibration = .july2020, sender: (RollingProximityIdentifier) -> Int?
    ) {
        var sightings: [Int: [MatchedSighting]] = [:]
        var position: UInt32 = 0
        for record in records {
            for heard in record.heard {
                guard let sender = sender(heard.payload.identifier) else { continue }
                let time = record.start &+ UInt32(heard.offset)
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
        }
        guard let key = DiagnosisKey(data: Block(), rollingStart: ENIN(0), reportType: .confirmedTest, daysSinceOnset: 0)
        else { preconditionFailure("a key of one day is a key") }
        senders = sightings.sorted { $0.key < $1.key }.map { sender, sightings in
            let match = Match(key: key, sightings: sightings.sorted { $0.time < $1.time })
            return FromSender(sender: sender, windows: match.exposureWindows(under: .standard))
        }
    }

    /// Who sent the first Exposure Notification of an event, if that is known.
    private static func sender(
        of packet: ArraySlice<UInt8>, _ identifiers: [RollingProximityIdentifier: Int]
    ) -> Int? {
        guard let packet = try? HCIPacket(datagram: packet), case .advertisingReports(let reports)? = try? HCIEvent(packet)
        else { return nil }
        for report in reports {
            if let payload = try? AdvertisingPayload(advertisingData: report.data) {
                return identifiers[payload.identifier]
            }
        }
        return nil
    }
}
