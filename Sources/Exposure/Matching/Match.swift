// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN

/// One sighting that belongs to a matched key, decrypted.
public struct MatchedSighting: Hashable, Sendable {
    /// Position of the sighting in the input of the index, from 0. Means nothing with another index.
    public let position: UInt32
    /// Interval of the identifier that was heard.
    public let interval: ENIN
    /// The time when it was heard, Unix seconds.
    public let time: UInt32
    /// The time when the scan before stopped, Unix seconds; 0 when unknown.
    public let previousScan: UInt32
    /// The received signal strength, in dBm, calibrated; -128 to 127, unchecked.
    public let rssi: Int8
    /// The transmit power, in dBm, by the sender's metadata, which nothing authenticates; -128 to 127.
    public let transmitPower: Int8
    /// The sender's own word on how well it knows its transmit power, from its metadata.
    public let confidence: CalibrationConfidence

    /// A sighting of these parts, unchecked; times are in Unix seconds, `rssi` and `transmitPower` in dBm.
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

    /// Whether the transmit power can be real (``Attenuation/believableTransmitPower``); a sighting of which it cannot does
    /// not count.
    public var isBelievable: Bool { Attenuation.believableTransmitPower.contains(transmitPower) }
    /// Decibels lost on the way, 0 to 255 (``Attenuation/decibels(transmitPower:rssi:)``); what was heard louder than sent
    /// counts as 0.
    public var attenuation: Int { Attenuation.decibels(transmitPower: transmitPower, rssi: rssi) }
    /// Whole minutes this scan stands for, in seconds, 0 to 300: to the scan before, at most five minutes; 120 when that one is unknown, 0 when it
    /// lies after this one.
    public var secondsSinceLastScan: Int {
        guard previousScan != 0 else { return 60 * MatchingRules.defaultMinutesSinceLastScan }
        let minutes = Int(time / 60) - Int(previousScan / 60)
        // A scan "before" that lies after is a clock step; it stands for nothing rather than for a negative time.
        return 60 * min(MatchingRules.maximumMinutesSinceLastScan, max(minutes, 0))
    }
}

/// The statement of one source about a key that was met.
public struct KeyStatement: Hashable, Sendable {
    /// The source's name: the id of the key that signed the file, without its version, so that an authority stays the same when it changes its
    /// signing key. Empty where it is not known; nobody can revoke a statement of no source.
    public let source: String
    /// The key as this source published it first.
    public let key: DiagnosisKey
    /// Report types that this source published later, in order, empty if none; each unlike the one before if they came by merging; at most
    /// ``maximumLaterTypes``.
    public internal(set) var laterReportTypes: [ReportType]

    /// Most later types that are remembered: a source cannot change a type more often than this and be believed. Our own
    /// bound.
    public static let maximumLaterTypes = 8

    /// A statement of these parts; of `laterReportTypes` the first ``maximumLaterTypes`` are kept. Cannot fail.
    public init(source: String, key: DiagnosisKey, laterReportTypes: [ReportType] = []) {
        self.source = source
        self.key = key
        self.laterReportTypes = Array(laterReportTypes.prefix(Self.maximumLaterTypes))
    }

    /// The report type that the key counts as under `mapping`: the first type, moved once at most, by the first later type
    /// that is allowed (`allowedReportTypeTransitions` 1). Where types are codes they say nothing but a revocation, which
    /// is always believed.
    public func reportType(under mapping: DiagnosisKeyMapping) -> ReportType {
        let first = mapping.reportType(key.reportType)
        if mapping.codedSources.contains(source) { return laterReportTypes.contains(.revoked) ? .revoked : first }
        return laterReportTypes.lazy.map(mapping.reportType).first(where: first.mayBecome) ?? first
    }

    /// Whether anything may be told because of this statement under `mapping`: false if its report type is unknown, recursive or revoked.
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

/// A published key that was met: what was published about it, by source, and the sightings of it. What is kept; everything shown to anybody
/// is derived from it under the mapping and configuration of the day.
public struct Match: Hashable, Sendable {
    /// The statement of each source, in the order in which they were heard to publish the key; at least one, each source
    /// once. A source can move and revoke its own statement only.
    public private(set) var statements: [KeyStatement]
    /// The sightings of the key in time order; then by identifier's interval, then input order. In a match that a ``Matcher`` made at least one is
    /// believable; the others are kept because first-generation rules let the loudest sighting of a scan stand for it before they look at its
    /// power.
    public let sightings: [MatchedSighting]

    /// Most statements that are remembered: more sources than a board has. Our own bound.
    public static let maximumStatements = 16

    /// A match of one statement; `sightings` must be as ``sightings`` has it, which is not checked. Of `laterReportTypes` the first
    /// ``KeyStatement/maximumLaterTypes`` are kept.
    public init(key: DiagnosisKey, source: String = "", laterReportTypes: [ReportType] = [], sightings: [MatchedSighting]) {
        statements = [KeyStatement(source: source, key: key, laterReportTypes: laterReportTypes)]
        self.sightings = sightings
    }

    /// A match of these parts; `nil` without a statement, with more than ``maximumStatements``, with two of one source, or when they are about
    /// different keys. `sightings` must be as ``sightings`` has it, which is not checked.
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

    /// This match as published by `sources`, of which the first ``maximumStatements`` count; unchanged when there are none. Each gets the first
    /// statement's key and later types. `sources` must differ, which is not checked.
    public func attributed(to sources: [String]) -> Match {
        guard !sources.isEmpty else { return self }
        var match = self
        match.statements = sources.prefix(Self.maximumStatements).map {
            KeyStatement(source: $0, key: key, laterReportTypes: laterReportTypes)
        }
        return match
    }

    /// The match by some of its statements only: those for which `name`, asked with the name of the source, gives its name from now on; `nil` from
    /// `name` leaves a statement out. `nil` when none is left. Statements that get one name become one: the later adds its types to the earlier.
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

    /// The match as the first source that still warns under `mapping` published it; `nil` when none does. If that is the first statement, the
    /// others stay; otherwise it is the only one. Everything that is told of a match is told of this.
    public func standing(under mapping: DiagnosisKeyMapping) -> Match? {
        guard let index = statements.firstIndex(where: { $0.givesExposure(under: mapping) }) else { return nil }
        guard index > 0 else { return self }
        var match = self
        match.statements = [statements[index]]
        return match
    }

    /// The report type that the key counts as under `mapping`, by the first source that still warns, otherwise by the
    /// first. Cannot fail: a match has at least one statement.
    public func reportType(under mapping: DiagnosisKeyMapping) -> ReportType {
        (statements.first { $0.givesExposure(under: mapping) } ?? statements[0]).reportType(under: mapping)
    }

    /// Whether anything may be told about the match under `mapping`: true if one of its statements gives an exposure.
    public func givesExposure(under mapping: DiagnosisKeyMapping) -> Bool {
        statements.contains { $0.givesExposure(under: mapping) }
    }

    /// Whether the key counts as revoked under `mapping` by the statement of a source, whatever the others say.
    public func hasRevocation(under mapping: DiagnosisKeyMapping) -> Bool {
        statements.contains { $0.reportType(under: mapping) == .revoked }
    }

    /// This match without the later report types `revoked` of all sources: by comparison it shows what a revocation has changed.
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

/// Matches of several files and runs, one per key.
///
/// What a source said of a key stays as it first published it; only its report type may move. The same key with another start or
/// period is refused: those never change for an honest key.
public struct MatchSet: Sendable {
    /// The matches, one per key, in the order in which keys came first; empty if none came.
    public private(set) var matches: [Match]
    private var index: [Block: Int]
    /// The number of matches that were refused because start or period of their key differed, 0 or more.
    public private(set) var contradictions = 0

    /// A set of these matches, merged one after the other. Cannot fail.
    public init(_ matches: [Match] = []) {
        self.matches = []
        index = [:]
        for match in matches { merge(match) }
    }

    /// Adds a match. Of a key that is there already, sources and report types are added; its sightings stay as they are.
    /// One whose key has another start or period is only counted (``contradictions``). Cannot fail.
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

    /// Adds the matches that one verified file brought, one after the other. They must be in file order, revised keys last.
    /// Cannot fail.
    public mutating func merge(_ matches: [Match]) {
        for match in matches { merge(match) }
    }
}
