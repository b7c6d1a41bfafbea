// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
public import Matching

/// A match as bytes, inside a sealed row only.
///
/// Version (2), key (16), start (4), period (4), number of statements (1), per statement source (counted text), transmission risk (1),
/// report type (1), onset there (1), onset (4), variant there (1), variant (1), later types (1), each of them (1); sightings (4), then per
/// sighting position (4), interval (4), time (4), previous scan (4), RSSI (1), transmit power (1), confidence (1). Little-endian; what is
/// not there is zero. Version 1, of the ledger's first form, had one statement of an unknown source and no text and number for it.
public enum MatchCoding {
    private static let version: UInt8 = 2
    private static let firstVersion: UInt8 = 1
    /// The maximum number of sightings of a match, inclusive; a sender that is received all day has 4,000. The number
    /// is this project's own.
    public static let maximumSightings = 65_536
    /// Ids of signing keys are provisioned, and some characters long.
    private static let maximumSourceBytes = 1_024

    /// Returns the bytes of a match, which are secret until they are sealed; `nil` for a match with more sightings
    /// than ``maximumSightings``, or with a source whose name has more than 1,024 bytes.
    public static func encode(_ match: Match) -> [UInt8]? {
        guard match.sightings.count <= maximumSightings,
            match.statements.allSatisfy({ $0.source.utf8.count <= maximumSourceBytes })
        else { return nil }
        var writer = LedgerWriter()
        writer.write(version)
        writer.write(raw: match.key.data.bytes)
        writer.write(match.key.rollingStart.number)
        writer.write(match.key.rollingPeriod)
        writer.write(UInt8(clamping: match.statements.count))
        for statement in match.statements {
            let key = statement.key
            writer.write(statement.source)
            writer.write(key.transmissionRiskLevel)
            writer.write(key.reportType.rawValue)
            writer.write(UInt8(key.daysSinceOnset == nil ? 0 : 1))
            writer.write(key.daysSinceOnset ?? 0)
            writer.write(UInt8(key.variantOfConcern == nil ? 0 : 1))
            writer.write(key.variantOfConcern ?? 0)
            writer.write(UInt8(clamping: statement.laterReportTypes.count))
            for type in statement.laterReportTypes { writer.write(type.rawValue) }
        }
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

    /// Returns the match; `nil` for anything that ``encode(_:)`` cannot have made. Safe for any bytes; uses memory in
    /// proportion to their number.
    public static func decode(_ bytes: [UInt8]) -> Match? { decode(bytes, version: version) }

    /// What the ledger's first form held.
    static func decodeFirstForm(_ bytes: [UInt8]) -> Match? { decode(bytes, version: firstVersion) }

    /// Of any form: a ledger on a disk that cannot be written stays in the form it has.
    static func read(_ bytes: [UInt8]) -> Match? { decode(bytes) ?? decodeFirstForm(bytes) }

    private static func decode(_ bytes: [UInt8], version: UInt8) -> Match? {
        var reader = LedgerReader(bytes)
        guard reader.integer(UInt8.self) == version, let data = reader.raw(16).flatMap(Block.init),
            let start = reader.integer(UInt32.self), let period = reader.integer(UInt32.self)
        else { return nil }
        var count = 1
        if version != firstVersion {
            guard let number = reader.integer(UInt8.self), Int(number) <= Match.maximumStatements else { return nil }
            count = Int(number)
        }
        var statements: [KeyStatement] = []
        for _ in 0..<count {
            guard let source = version == firstVersion ? "" : reader.string(), source.utf8.count <= maximumSourceBytes,
                let statement = statement(&reader, source, data, ENIN(start), period)
            else { return nil }
            statements.append(statement)
        }
        guard let sightings = sightings(&reader), reader.isAtEnd else { return nil }
        return Match(statements: statements, sightings: sightings)
    }

    private static func statement(
        _ reader: inout LedgerReader, _ source: String, _ data: Block, _ start: ENIN, _ period: UInt32
    ) -> KeyStatement? {
        guard let risk = reader.integer(UInt8.self), let type = reader.integer(UInt8.self).flatMap(ReportType.init),
            let hasOnset = reader.integer(UInt8.self), let onset = reader.integer(Int32.self), hasOnset <= 1,
            hasOnset == 1 || onset == 0, let hasVariant = reader.integer(UInt8.self),
            let variant = reader.integer(UInt8.self), hasVariant <= 1, hasVariant == 1 || variant == 0,
            let key = DiagnosisKey(
                data: data, rollingStart: start, rollingPeriod: period, transmissionRiskLevel: risk, reportType: type,
                daysSinceOnset: hasOnset == 1 ? onset : nil, variantOfConcern: hasVariant == 1 ? variant : nil),
            let laterCount = reader.integer(UInt8.self), laterCount <= KeyStatement.maximumLaterTypes
        else { return nil }
        var later: [ReportType] = []
        for _ in 0..<laterCount {
            guard let type = reader.integer(UInt8.self).flatMap(ReportType.init) else { return nil }
            later.append(type)
        }
        return KeyStatement(source: source, key: key, laterReportTypes: later)
    }

    private static func sightings(_ reader: inout LedgerReader) -> [MatchedSighting]? {
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
        return sightings
    }
}
