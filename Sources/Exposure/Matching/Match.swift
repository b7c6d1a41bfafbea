// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN

/// A sighting of a matched key, with its metadata decrypted.
public struct MatchedSighting: Hashable, Sendable {
    /// The position of the sighting in the input of its ``SightingIndex``, from 0. It means nothing for another
    /// index.
    public let position: UInt32
    /// The interval for which the received identifier was derived.
    public let interval: ENIN
    /// The time when it was heard, Unix seconds.
    public let time: UInt32
    /// The time when the scan before stopped, Unix seconds; 0 when unknown.
    public let previousScan: UInt32
    /// The received signal strength, in dBm, calibrated; -128 to 127, unchecked.
    public let rssi: Int8
    /// The transmit power in dBm, -128 to 127, from the sender's metadata, which nothing authenticates.
    public let transmitPower: Int8
    /// The confidence with which the sender knows its transmit power, by its own statement in the metadata.
    public let confidence: CalibrationConfidence

    /// Creates a sighting from these parts, which are not checked; times are in Unix seconds, `rssi` and
    /// `transmitPower` in dBm.
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

    /// Whether the transmit power is possible (``Attenuation/believableTransmitPower``). A sighting with an
    /// impossible one does not count.
    public var isBelievable: Bool { Attenuation.believableTransmitPower.contains(transmitPower) }
    /// The attenuation in dB, 0 to 255 (``Attenuation/decibels(transmitPower:rssi:)``); a signal that was received
    /// louder than it was sent counts as 0.
    public var attenuation: Int { Attenuation.decibels(transmitPower: transmitPower, rssi: rssi) }
    /// The time that this scan stands for, in seconds: the whole minutes since the scan before, 0 to 5 minutes; 120 s
    /// when the scan before is unknown, and 0 when it lies after this one.
    public var secondsSinceLastScan: Int {
        guard previousScan != 0 else { return 60 * MatchingRules.defaultMinutesSinceLastScan }
        let minutes = Int(time / 60) - Int(previousScan / 60)
        // A scan "before" that lies after is a clock step; it stands for nothing rather than for a negative time.
        return 60 * min(MatchingRules.maximumMinutesSinceLastScan, max(minutes, 0))
    }
}

/// The statements of one source about a key that was met: the key as first published, and later report types.
public struct KeyStatement: Hashable, Sendable {
    /// The name of the source: the id of the key that signed the file, preceded by the authority's name and a slash
    /// where it has a name. The version of the key is left out, so that an authority stays the same when it changes
    /// its signing key. Empty when the source is not known; only another statement without a source can then change
    /// or revoke this one.
    public let source: String
    /// The key as this source first published it.
    public let key: DiagnosisKey
    /// The report types that this source published later, in order; empty if there are none, at most
    /// ``maximumLaterTypes``. Merging adds a type only when it differs from the one before.
    public internal(set) var laterReportTypes: [ReportType]

    /// The maximum number of later types that are kept. A source that changes a type more often is not believable.
    /// The number is this project's own.
    public static let maximumLaterTypes = 8

    /// Creates a statement from these parts; only the first ``maximumLaterTypes`` of `laterReportTypes` are kept.
    /// Cannot fail.
    public init(source: String, key: DiagnosisKey, laterReportTypes: [ReportType] = []) {
        self.source = source
        self.key = key
        self.laterReportTypes = Array(laterReportTypes.prefix(Self.maximumLaterTypes))
    }

    /// Returns the report type that the key counts as under `mapping`: the first type, changed at most once, by the
    /// first later type to which a change is allowed (`allowedReportTypeTransitions` 1). If the source's types are
    /// codes (``DiagnosisKeyMapping/codedSources``), only a revocation changes the type, and always does.
    public func reportType(under mapping: DiagnosisKeyMapping) -> ReportType {
        let first = mapping.reportType(key.reportType)
        if mapping.codedSources.contains(source) { return laterReportTypes.contains(.revoked) ? .revoked : first }
        return laterReportTypes.lazy.map(mapping.reportType).first(where: first.mayBecome) ?? first
    }

    /// Whether this statement makes the key count as an exposure under `mapping`; `false` if its report type is
    /// unknown, recursive or revoked.
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

/// A published key that was met: what each source published about it, and the sightings of it. This is what is
/// stored; everything shown to anybody is derived from it under the mapping and configuration of the day.
public struct Match: Hashable, Sendable {
    /// The statement of each source, in the order in which they were found to publish the key; 1 to
    /// ``maximumStatements``, one per source. A source can change and revoke only its own statement.
    public private(set) var statements: [KeyStatement]
    /// The sightings of the key, sorted by time, then by the interval of the identifier, then by input order. In a
    /// match that a ``Matcher`` made, at least one is believable. The others are kept because the first-generation
    /// rules choose the loudest sighting of a scan before they look at its transmit power.
    public let sightings: [MatchedSighting]

    /// The maximum number of statements that are kept, which is more than the sources of any board. The number is
    /// this project's own.
    public static let maximumStatements = 16

    /// Creates a match with one statement. `sightings` must be sorted as ``sightings`` says, which is not checked.
    /// Only the first ``KeyStatement/maximumLaterTypes`` of `laterReportTypes` are kept.
    public init(key: DiagnosisKey, source: String = "", laterReportTypes: [ReportType] = [], sightings: [MatchedSighting]) {
        statements = [KeyStatement(source: source, key: key, laterReportTypes: laterReportTypes)]
        self.sightings = sightings
    }

    /// Creates a match from these parts. Returns `nil` when there is no statement, more than ``maximumStatements``,
    /// two statements of one source, or statements about different keys. `sightings` must be sorted as ``sightings``
    /// says, which is not checked.
    public init?(statements: [KeyStatement], sightings: [MatchedSighting]) {
        guard let first = statements.first, statements.count <= Self.maximumStatements,
            Set(statements.map(\.source)).count == statements.count,
            statements.allSatisfy({ $0.key.isSameKey(as: first.key) })
        else { return nil }
        self.statements = statements
        self.sightings = sightings
    }

    /// The key as the first source published it.
    public var key: DiagnosisKey { statements[0].key }
    /// The report types that the first source published later, in order; empty if none.
    public var laterReportTypes: [ReportType] { statements[0].laterReportTypes }

    /// Returns this match with `sources`, names as in ``KeyStatement/source``, in place of its own; only the first
    /// ``maximumStatements`` count. Each source gets the key and later types of the first statement. Returns the
    /// match unchanged when `sources` is empty. The sources must differ, which is not checked.
    public func attributed(to sources: [String]) -> Match {
        guard !sources.isEmpty else { return self }
        var match = self
        match.statements = sources.prefix(Self.maximumStatements).map {
            KeyStatement(source: $0, key: key, laterReportTypes: laterReportTypes)
        }
        return match
    }

    /// Returns this match with renamed and filtered sources: `name` is called with the name of each source and
    /// returns its new name, or `nil` to leave the statement out. Statements with the same new name are joined: the
    /// types of the later one are added to the earlier one. Returns `nil` when no statement is left.
    public func stated(_ name: (String) -> String?) -> Match? {
        var match: Match?
        for statement in statements {
            guard let source = name(statement.source) else { continue }
            let renamed = KeyStatement(
                source: source, key: statement.key, laterReportTypes: statement.laterReportTypes)
            if match == nil {
                match = Match(statements: [renamed], sightings: sightings)
            } else {
                match?.add(renamed)
            }
        }
        return match
    }

    /// Returns this match as published by the first source whose statement gives an exposure under `mapping`; `nil`
    /// when none does. If that is the first statement, the other statements stay; otherwise it is the only one.
    /// Everything shown about a match is derived from this result.
    public func standing(under mapping: DiagnosisKeyMapping) -> Match? {
        guard let index = statements.firstIndex(where: { $0.givesExposure(under: mapping) }) else { return nil }
        guard index > 0 else { return self }
        var match = self
        match.statements = [statements[index]]
        return match
    }

    /// Returns the report type that the key counts as under `mapping`: that of the first statement that gives an
    /// exposure, or of the first statement when none does. Cannot fail.
    public func reportType(under mapping: DiagnosisKeyMapping) -> ReportType {
        (statements.first { $0.givesExposure(under: mapping) } ?? statements[0]).reportType(under: mapping)
    }

    /// Whether the match counts as an exposure under `mapping`, which it does if one of its statements gives an
    /// exposure.
    public func givesExposure(under mapping: DiagnosisKeyMapping) -> Bool {
        statements.contains { $0.givesExposure(under: mapping) }
    }

    /// Whether the statement of at least one source is revoked under `mapping`, whatever the other sources state.
    public func hasRevocation(under mapping: DiagnosisKeyMapping) -> Bool {
        statements.contains { $0.reportType(under: mapping) == .revoked }
    }

    /// This match without the later report type `revoked` of any source. Compared with the match it shows what a
    /// revocation has changed.
    public var ignoringRevocations: Match {
        var match = self
        for index in match.statements.indices { match.statements[index].laterReportTypes.removeAll { $0 == .revoked } }
        return match
    }

    mutating func add(_ statement: KeyStatement) {
        if let index = statements.firstIndex(where: { $0.source == statement.source }) {
            for type in [statement.key.reportType] + statement.laterReportTypes { statements[index].add(type) }
        } else if statements.count < Self.maximumStatements {
            statements.append(statement)
        }
    }
}

extension DiagnosisKey {
    /// Start and period never change for an honest key.
    fileprivate func isSameKey(as other: DiagnosisKey) -> Bool {
        data == other.data && rollingStart == other.rollingStart && rollingPeriod == other.rollingPeriod
    }
}

/// The matches of several files and runs, one per key.
///
/// What a source first published about a key stays; only the report type may change. A match of the same key with
/// another start or period is refused, since an honest key never changes these.
public struct MatchSet: Sendable {
    /// The matches, one per key, in the order in which their keys were first merged; empty if there are none.
    public private(set) var matches: [Match]
    private var index: [Block: Int]
    /// The number of matches that were refused because their key has another start or period than the same key
    /// before, 0 or more.
    public private(set) var contradictions = 0

    /// Creates a set and merges `matches` into it in order. Cannot fail.
    public init(_ matches: [Match] = []) {
        self.matches = []
        index = [:]
        for match in matches { merge(match) }
    }

    /// Adds a match. If its key is in the set already, its sources and report types are added to that match, up to
    /// ``Match/maximumStatements`` and ``KeyStatement/maximumLaterTypes``; further ones are dropped. The sightings
    /// of that match do not change. A match whose key has another start or period is only counted in
    /// ``contradictions``. Cannot fail.
    public mutating func merge(_ match: Match) {
        guard let position = index[match.key.data] else {
            index[match.key.data] = matches.count
            matches.append(match)
            return
        }
        guard matches[position].key.isSameKey(as: match.key) else {
            contradictions += 1
            return
        }
        for statement in match.statements { matches[position].add(statement) }
    }

    /// Adds the matches of one verified file in order. They must be in the order of the file, with revised keys last.
    /// Cannot fail.
    public mutating func merge(_ matches: [Match]) {
        for match in matches { merge(match) }
    }
}
