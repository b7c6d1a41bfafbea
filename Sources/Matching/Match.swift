// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN

/// One sighting that belongs to a matched key, decrypted.
public struct MatchedSighting: Hashable, Sendable {
    /// Position of the sighting in the input of the index.
    public let position: UInt32
    /// Interval of the identifier that was heard.
    public let interval: ENIN
    /// Unix seconds.
    public let time: UInt32
    /// Unix seconds; 0 when unknown.
    public let previousScan: UInt32
    /// dBm.
    public let rssi: Int8
    /// dBm, from the metadata.
    public let transmitPower: Int8
    public let confidence: CalibrationConfidence

    public init(
        position: UInt32, interval: ENIN, time: UInt32, previousScan: UInt32, rssi: Int8, transmitPower: Int8,
        confidence: CalibrationConfidence
    ) {
        self.position = position
        self.interval = interval
        self.time = time
        self.previousScan = previousScan
        self.rssi = rssi
        self.transmitPower = transmitPower
        self.confidence = confidence
    }

    /// Whether the transmit power can be real; a sighting of which it cannot does not count.
    public var isBelievable: Bool { Attenuation.believableTransmitPower.contains(transmitPower) }
    /// Decibels lost on the way.
    public var attenuation: Int { Attenuation.decibels(transmitPower: transmitPower, rssi: rssi) }
    /// Whole minutes this scan stands for, in seconds: to the scan before, at most five minutes, two when it is unknown.
    public var secondsSinceLastScan: Int {
        guard previousScan != 0 else { return 60 * MatchingRules.defaultMinutesSinceLastScan }
        let minutes = Int(time / 60) - Int(previousScan / 60)
        // A scan "before" that lies after is a clock step; it stands for nothing rather than for a negative time.
        return 60 * min(MatchingRules.maximumMinutesSinceLastScan, max(minutes, 0))
    }
}

/// A published key that was met: its attributes as published and the sightings of it. What is kept; everything shown to anybody
/// is derived from it under the mapping and configuration of the day.
public struct Match: Hashable, Sendable {
    /// The key as first published.
    public let key: DiagnosisKey
    /// Report types published later for the same key, in order, repetitions left out.
    public internal(set) var laterReportTypes: [ReportType]
    /// In time order; then by identifier's interval, then input order. At least one is believable; the others are kept
    /// because first-generation rules let the loudest sighting of a scan stand for it before they look at its power.
    public let sightings: [MatchedSighting]

    /// A key cannot change its type more often than this and be believed; more is not remembered.
    static let maximumLaterTypes = 8

    public init(key: DiagnosisKey, laterReportTypes: [ReportType] = [], sightings: [MatchedSighting]) {
        self.key = key
        self.laterReportTypes = Array(laterReportTypes.prefix(Self.maximumLaterTypes))
        self.sightings = sightings
    }

    /// What the key counts as under `mapping`: the first type, moved once at most, by the first later type that is allowed
    /// (`allowedReportTypeTransitions` 1).
    public func reportType(under mapping: DiagnosisKeyMapping) -> ReportType {
        let first = mapping.reportType(key.reportType)
        return laterReportTypes.lazy.map(mapping.reportType).first(where: first.mayBecome) ?? first
    }

    /// Whether anything may be told about the match under `mapping`: recursive and revoked keys give no exposure.
    public func givesExposure(under mapping: DiagnosisKeyMapping) -> Bool {
        switch reportType(under: mapping) {
        case .unknown, .recursive, .revoked: return false
        case .confirmedTest, .clinicalDiagnosis, .selfReport: return true
        }
    }

    mutating func add(_ type: ReportType) {
        guard type != (laterReportTypes.last ?? key.reportType), laterReportTypes.count < Self.maximumLaterTypes else {
            return
        }
        laterReportTypes.append(type)
    }
}

/// Matches of several files and runs, one per key.
///
/// A key that was matched stays as it was first published; only its report type may move. The same key with another start or
/// period is refused: those never change for an honest key.
public struct MatchSet: Sendable {
    public private(set) var matches: [Match]
    private var index: [Block: Int]
    /// Keys refused because start or period had changed.
    public private(set) var contradictions = 0

    public init(_ matches: [Match] = []) {
        self.matches = []
        index = [:]
        for match in matches { merge(match) }
    }

    /// Adds a match, or the news it brings about a key that is there already.
    public mutating func merge(_ match: Match) {
        guard let position = index[match.key.data] else {
            index[match.key.data] = matches.count
            matches.append(match)
            return
        }
        let known = matches[position].key
        guard known.rollingStart == match.key.rollingStart, known.rollingPeriod == match.key.rollingPeriod else {
            contradictions += 1
            return
        }
        for type in [match.key.reportType] + match.laterReportTypes { matches[position].add(type) }
    }

    /// Adds what one verified file brought. The file's matches must be in file order, revised keys last.
    public mutating func merge(_ matches: [Match]) {
        for match in matches { merge(match) }
    }
}
