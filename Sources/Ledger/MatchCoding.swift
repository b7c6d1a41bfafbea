// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
public import Matching

/// A match as bytes, inside a sealed row only.
///
/// Version (1), key (16), start (4), period (4), transmission risk (1), report type (1), onset there (1), onset (4), variant there
/// (1), variant (1), later types (1), each of them (1), sightings (4), then per sighting position (4), interval (4), time (4), previous
/// scan (4), RSSI (1), transmit power (1), confidence (1). Little-endian; what is not there is zero.
public enum MatchCoding {
    private static let version: UInt8 = 1
    private static let sightingByteCount = 19
    /// A sender heard without pause for a day has 4,000.
    public static let maximumSightings = 65_536
    private static let maximumLaterTypes = 8

    /// `nil` for a match with more sightings than ``maximumSightings``.
    public static func encode(_ match: Match) -> [UInt8]? {
        guard match.sightings.count <= maximumSightings, match.laterReportTypes.count <= maximumLaterTypes else {
            return nil
        }
        var writer = LedgerWriter()
        let key = match.key
        writer.write(version)
        writer.write(raw: key.data.bytes)
        writer.write(key.rollingStart.number)
        writer.write(key.rollingPeriod)
        writer.write(key.transmissionRiskLevel)
        writer.write(key.reportType.rawValue)
        writer.write(UInt8(key.daysSinceOnset == nil ? 0 : 1))
        writer.write(key.daysSinceOnset ?? 0)
        writer.write(UInt8(key.variantOfConcern == nil ? 0 : 1))
        writer.write(key.variantOfConcern ?? 0)
        writer.write(UInt8(match.laterReportTypes.count))
        for type in match.laterReportTypes { writer.write(type.rawValue) }
        writer.write(UInt32(match.sightings.count))
        for sighting in match.sightings {
            writer.write(sighting.position)
            writer.write(sighting.interval.number)
            writer.write(sighting.time)
            writer.write(sighting.previousScan)
            writer.write(sighting.rssi)
            writer.write(sighting.transmitPower)
            writer.write(sighting.confidence.rawValue)
        }
        return writer.bytes
    }

    /// `nil` for anything ``encode(_:)`` cannot have made. Safe for any bytes; takes memory in proportion to their number.
    public static func decode(_ bytes: [UInt8]) -> Match? {
        var reader = LedgerReader(bytes)
        guard reader.integer(UInt8.self) == version, let data = reader.raw(16).flatMap(Block.init),
            let start = reader.integer(UInt32.self), let period = reader.integer(UInt32.self),
            let risk = reader.integer(UInt8.self), let type = reader.integer(UInt8.self).flatMap(ReportType.init),
            let hasOnset = reader.integer(UInt8.self), let onset = reader.integer(Int32.self), hasOnset <= 1,
            hasOnset == 1 || onset == 0, let hasVariant = reader.integer(UInt8.self),
            let variant = reader.integer(UInt8.self), hasVariant <= 1, hasVariant == 1 || variant == 0,
            let key = DiagnosisKey(
                data: data, rollingStart: ENIN(start), rollingPeriod: period, transmissionRiskLevel: risk, reportType: type,
                daysSinceOnset: hasOnset == 1 ? onset : nil, variantOfConcern: hasVariant == 1 ? variant : nil),
            let laterCount = reader.integer(UInt8.self), laterCount <= maximumLaterTypes
        else { return nil }
        var later: [ReportType] = []
        for _ in 0..<laterCount {
            guard let type = reader.integer(UInt8.self).flatMap(ReportType.init) else { return nil }
            later.append(type)
        }
        guard let count = reader.integer(UInt32.self), count <= maximumSightings else { return nil }
        var sightings: [MatchedSighting] = []
        for _ in 0..<count {
            guard let position = reader.integer(UInt32.self), let interval = reader.integer(UInt32.self),
                let time = reader.integer(UInt32.self), let previous = reader.integer(UInt32.self),
                let rssi = reader.integer(Int8.self), let power = reader.integer(Int8.self),
                let confidence = reader.integer(UInt8.self).flatMap(CalibrationConfidence.init)
            else { return nil }
            sightings.append(
                MatchedSighting(
                    position: position, interval: ENIN(interval), time: time, previousScan: previous, rssi: rssi,
                    transmitPower: power, confidence: confidence))
        }
        return reader.isAtEnd ? Match(key: key, laterReportTypes: later, sightings: sightings) : nil
    }
}
