// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Interfaces
import KeyExport
import Ledger
import Matching
import RiskConfiguration
import Trust

/// What the core keeps about risk: each source's rules and last judgement, and what the person was told. In memory; what must last is in
/// the ledger.
struct RiskState {
    /// Days judged, and how.
    struct Judgement {
        let finding: RiskFinding
        let version: Int64
        /// The UTC day it was made on.
        let day: UInt32
        let time: Int64
        /// Hours of the last 14 days in which the radio listened; `nil` for models that say something from the first minute on.
        let listenedHours: Int?
        /// What the person is to be told of days.
        let verdicts: RiskRecord.Verdicts

        var assessment: RiskAssessment { finding.assessment }
        /// Too early for a model of the first generation to call a risk low (spec cwa-protocols 7.1, 7.3).
        var isInitial: Bool { listenedHours.map { Int64($0) * 3_600 < RiskPrecondition.leastTracing } ?? false }
    }

    /// At least one.
    var sources: [RiskSource]
    private(set) var owners: StatementOwners
    var record = RiskRecord()
    /// How many people that were heard only sources have warned of that are not followed any more, by the source.
    var strangers: [String: Int] = [:]
    /// The longest a judgement has taken.
    var longest = Duration.zero

    /// Whether there is one source and nothing of another: then everything reads as if there could be no other.
    var isAlone: Bool { sources.count == 1 && strangers.isEmpty }

    func index(named name: String) -> Int? { sources.firstIndex { $0.source.name == name } }

    /// Something has happened that may change every judgement.
    mutating func makeDue() { for index in sources.indices { sources[index].isDue = true } }

    /// Another hour of listening is over: what was too early to say may be said now.
    mutating func hourIsOver() {
        for index in sources.indices where sources[index].judgement?.isInitial == true { sources[index].isDue = true }
    }

    /// Nothing was judged.
    mutating func forgetJudgements() {
        for index in sources.indices { sources[index].judgement = nil }
        strangers = [:]
    }

    /// Reads what was kept; what cannot be used is said in the sentences that come back, and is as if it had never been. What one source's
    /// rules have come to is nothing to another's.
    static func load(_ ledger: Ledger, _ sources: [AuthoritySource]) -> (RiskState, findings: [String]) {
        var findings: [String] = []
        let riskSources = sources.map { source in
            let (riskSource, finding) = RiskSource.load(ledger, source)
            if let finding { findings.append(finding) }
            return riskSource
        }
        var riskSource = RiskState(sources: riskSources, owners: StatementOwners(sources))
        if let bytes = try? ledger.setting(RiskRecord.setting), let record = RiskRecord(bytes) {
            riskSource.record = record
        }
        return (riskSource, findings)
    }

    /// Believes other keys: rules whose signers are withdrawn are gone. Gives what is lost, in sentences.
    mutating func follow(_ ring: KeyRing, _ ledger: Ledger) -> [String] {
        var findings: [String] = []
        for index in sources.indices {
            let followed = ring.following(sources[index].source)
            guard followed != sources[index].source else { continue }
            let (riskSource, finding) = RiskSource.load(ledger, followed)
            if let finding { findings.append(finding) }
            (sources[index].source, sources[index].slot) = (followed, riskSource.slot)
        }
        owners = StatementOwners(sources.map(\.source))
        return findings
    }
}

/// What is kept about one source.
struct RiskSource {
    fileprivate(set) var source: AuthoritySource
    /// The rules; empty until the first are taken, and for sources whose rules do not come.
    var slot = RiskConfigurationSlot()
    var judgement: RiskState.Judgement?
    /// Whether something has happened since that may change it.
    var isDue = true
    /// How many people were heard of whom it warns, counted while nothing of it can be judged.
    var heard = 0

    /// The rules that hold at `time`, Unix seconds.
    func configuration(at time: Int64?) -> RiskConfiguration? {
        let found: RiskConfiguration?
        switch source.rules {
        case .signed: found = slot.configuration(at: time)
        case .fixed(let rules): found = rules
        case .none: found = nil
        }
        guard var found, !source.isStandard, found.reportTypes == .codes else { return found }
        // All keys of a source are one authority's.
        found.mapping.codedSources.formUnion(source.statements)
        return found
    }

    /// Of the newest rules that were taken; 0 without any.
    var version: Int64 {
        if case .fixed(let rules) = source.rules { return rules.version }
        return slot.version
    }

    /// Whether another system's own document says that nothing is to be judged at `time`, Unix seconds. Vigil's documents say more: whether it is a
    /// pause or the end.
    func isSwitchedOff(at time: Int64?) -> Bool {
        guard case .signed(let authority) = source.rules, authority.form != .vigil else { return false }
        return slot.isSwitchedOff(at: time)
    }

    /// The rules are longer than one setting may be. Those of the standard source have the names they had when there was no other.
    private var parts: [String] {
        let base = source.isStandard ? "risk.rules" : "risk.rules.\(source.name)"
        return ["\(base).0", "\(base).1"]
    }
    private static let partByteCount = 32_000

    private static let lastMatchedBase = "lastMatched"

    /// The setting that says when files of it were compared last.
    static func lastMatchedSetting(_ source: AuthoritySource) -> String {
        source.isStandard ? lastMatchedBase : "\(lastMatchedBase).\(source.name)"
    }

    fileprivate static func load(_ ledger: Ledger, _ source: AuthoritySource) -> (RiskSource, finding: String?) {
        var riskSource = RiskSource(source: source)
        guard case .signed(let authority) = source.rules else { return (riskSource, nil) }
        let bytes = riskSource.parts.flatMap { (try? ledger.setting($0)) ?? [] }
        guard !bytes.isEmpty else { return (riskSource, nil) }
        do throws(RiskConfigurationError) {
            riskSource.slot = try RiskConfigurationSlot(encoded: bytes, authority: authority)
            return (riskSource, nil)
        } catch {
            return (riskSource, source.isStandard ? "\(error)" : "\(source.name): \(error)")
        }
    }

    func store(_ slot: RiskConfigurationSlot, _ transaction: LedgerTransaction) throws {
        let bytes = slot.encoded
        for (index, name) in parts.enumerated() {
            let part = bytes.dropFirst(index * Self.partByteCount).prefix(Self.partByteCount)
            try transaction.set(name, part.isEmpty ? nil : Array(part))
        }
    }
}
