// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import ExposureRisk
import HTTPFields
public import Interfaces
import Ledger
import Logging
import RiskConfiguration
public import TimeTrust
import Trust

/// Decides whether the person is to be warned: takes the rules of each authority, judges encounters by them, and says in
/// words what follows.
///
/// Like ``Beacon`` it is told the time, and is used on the thread that owns the beacon. It throws ``Refusal`` for what the
/// caller should know.
public final class WarningService {
    /// Without keys compared for so long a result says nothing about today (spec cwa-protocols 7.1).
    static let outdatedAfter = RiskPrecondition.oldestCheck
    /// Bytes of a document and of its signatures that are looked at; the ledger keeps two documents.
    static let mostRules = (document: 24 << 10, approvals: 4 << 10)

    /// Each source's rules and last judgement, and what the person was told.
    var state: RiskState
    let beacon: Beacon
    let ledger: Ledger
    let roles: RoleState
    let freshness: FreshnessAccount
    let evidence: EvidenceAccount
    let announcer: Announcer
    let log: Logger
    private let audit: AuditWriter

    init(
        _ state: RiskState, beacon: Beacon, ledger: Ledger, roles: RoleState, freshness: FreshnessAccount,
        evidence: EvidenceAccount, audit: AuditWriter, announcer: Announcer, log: Logger
    ) {
        self.state = state
        self.beacon = beacon
        self.ledger = ledger
        self.roles = roles
        self.freshness = freshness
        self.evidence = evidence
        self.audit = audit
        self.announcer = announcer
        self.log = log
    }

    // MARK: What to tell

    /// Returns the message for the person at `now`: the state, a sentence, and the days, as far as they were judged.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, or the disk cannot be read.
    public func risk(at now: BootInstant) throws(Refusal) -> Risk1.Risk {
        try roles.requirePerson()
        let words = try riskWords(at: now)
        let word = combined(words)
        var risk = Risk1.Risk(
            state: word.state, sentence: word.sentence, news: state.record.news, lastMatched: try lastMatched(),
            eraseFrom: eraseFrom(at: now))
        risk.unjudged = word.unjudged > 0 ? word.unjudged : nil
        if word.state != .increased {
            risk.told = state.record.stillTold(oldest: beacon.oldestDay(at: now)).map { Int($0) }
        }
        if !state.isAlone, word.state != .inactive { risk.sources = try sourceWords(words, at: now) }
        guard word.isJudged || word.state == .outdated, let shown = shown(words, word),
            let judgement = state.sources[shown].judgement
        else { return risk }
        let assessment = judgement.assessment
        risk.unjudged = risk.unjudged ?? (judgement.finding.unjudged > 0 ? judgement.finding.unjudged : nil)
        risk.rules = Risk1.Rules(judgement)
        risk.mostRelevantDay = assessment.mostRelevantDay.map { Int($0) }
        risk.combined = assessment.combined.map { Risk1.Verdict($0) }
        risk.days = assessment.days.map(Risk1.Day.init)
        risk.assessed = judgement.time
        risk.takenBack = Risk1.TakenBack.list(state.record.takenBack)
        return risk
    }

    /// Returns the contributions to the verdicts, oldest day first. `day` is in days since 1970, `nil` for all days;
    /// `source` is by default the one whose numbers are shown. Empty for a source that is not followed or was not judged,
    /// and for a day without encounters.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, the time is not known, or the disk cannot be read.
    public func contributions(day: Int?, source: String? = nil, at now: BootInstant) throws(Refusal) -> [Risk1.Contribution]
    {
        try roles.requirePerson()
        _ = try beacon.requireTime(at: now)
        var index: Int?
        if let source {
            index = state.index(named: source)
        } else {
            let words = try riskWords(at: now)
            index = shown(words, combined(words)) ?? state.sources.firstIndex { $0.judgement != nil }
        }
        let days = index.flatMap { state.sources[$0].judgement }?.assessment.days ?? []
        return days.filter { day == nil || Int($0.day) == day }.flatMap { day in
            day.contributions.map { Risk1.Contribution($0, day: day.day) }
        }
    }

    /// Whether there is a change of the risk that the person has not seen; always `false` in a place.
    public var hasNews: Bool { roles.isPerson && state.record.news }

    /// Notes that the person has seen the news about risk.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, or the disk refuses.
    public func acknowledge() throws(Refusal) {
        try roles.requirePerson()
        guard state.record.news else { return }
        var record = state.record
        record.news = false
        try keep(record)
        announcer.tell(.risk)
    }

    /// Returns the rules of `source` in force, as Vigil's own document and its version; `nil` means the standard source, or
    /// the only one. If there is no such source, there is no document; the version is then 0 for a name, and for `nil` the
    /// lowest of all sources, 0 if one has no rules. Cannot fail.
    public func rules(of source: String? = nil, at now: BootInstant) -> Risk1.ConfigurationReply {
        // Those that mean to judge: a profile that cannot be read says nothing of rules, and somebody has to mend it.
        let judged = state.sources.filter {
            !$0.source.isSwitchedOff && ($0.source.rules != .none || $0.source.isUnreadable)
        }
        let missing = source == nil ? judged.filter { $0.version == 0 }.map(\.source.name) : []
        guard let riskSource = rulesIndex(source).map({ state.sources[$0] }) else {
            return Risk1.ConfigurationReply(
                version: source == nil ? judged.map(\.version).min() ?? 0 : 0, configuration: nil,
                missing: missing.isEmpty ? nil : missing)
        }
        let configuration = riskSource.configuration(at: beacon.present(at: now).time?.seconds)
        return Risk1.ConfigurationReply(
            version: riskSource.version, configuration: configuration.map { String(decoding: $0.document, as: UTF8.self) },
            missing: missing.isEmpty ? nil : missing)
    }

    /// Which source is meant: one of that name; without a name the standard one, or the only one.
    private func rulesIndex(_ source: String?) -> Int? {
        state.index(named: source ?? AuthoritySource.standardName)
            ?? (source == nil && state.sources.count == 1 ? 0 : nil)
    }

    /// Takes rules that a source's authority signed; document and signatures are in Base64, and `source` is `nil` for the
    /// standard source, or the only one. The rules are on disk before they take effect; rules with any fault change
    /// nothing, and other sources are not affected.
    ///
    /// - Throws: ``Refusal`` if the document is not Base64 or too large, there is no such source, the source has ended its
    ///   service or accepts no rules from callers, the signatures or the rules are not valid, they are older than the stored
    ///   ones, or the disk refuses.
    public func takeRules(
        _ document: String, approvals: String, source: String? = nil, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> Risk1.TakeConfigurationReply {
        guard let document = Base64.bytes(document), let approvals = Base64.bytes(approvals) else {
            throw .rulesRefused("notBase64", "The document or its signatures are not Base64.")
        }
        guard document.count <= Self.mostRules.document, approvals.count <= Self.mostRules.approvals else {
            throw .rulesRefused(
                "tooLarge",
                "The document may have \(Self.mostRules.document) bytes and its signatures \(Self.mostRules.approvals).")
        }
        guard let index = rulesIndex(source) else {
            let names = state.sources.map(\.source.name).joined(separator: ", ")
            throw .rulesRefused("unknownSource", "This device follows no source of that name; it follows \(names).")
        }
        let riskSource = state.sources[index]
        guard !riskSource.source.isSwitchedOff else {
            throw .rulesRefused(
                "switchedOff", "The profile of \(riskSource.source.name) says that it has ended its service.")
        }
        guard case .signed(let authority) = riskSource.source.rules else {
            throw .rulesRefused(
                "notFetched",
                "The rules of \(riskSource.source.name) are in its profile, or it has none: nobody brings them.")
        }
        var slot = riskSource.slot
        // The validity of keys is judged by what is certain; without that, as of always.
        let present = beacon.present(at: now)
        let certain = present.earliest?.seconds
        switch slot.offer(
            document: document, signatures: approvals, authority: authority, time: certain, present: present.time?.seconds)
        {
        case .failure(let error):
            if error.code.isOfProof, let other = signer(of: document, approvals, except: index, time: certain) {
                throw .rulesRefused(
                    "anotherSource",
                    "A key of \(other.name) signed these rules, which came for \(riskSource.source.name). Check the addresses of both."
                )
            }
            throw .rulesRefused(error.code.rawValue, "\(error)")
        case .success(.unchanged): return Risk1.TakeConfigurationReply(version: slot.version, changed: false)
        case .success(.renewed):
            try ledger.record { try riskSource.store(slot, $0) }
            state.sources[index].slot = slot
            return Risk1.TakeConfigurationReply(version: slot.version, changed: false)
        case .success:
            var details = ["version": "\(slot.version)"]
            if !riskSource.source.isStandard { details["source"] = riskSource.source.name }
            try ledger.record {
                try riskSource.store(slot, $0)
                try $0.audit(audit.entry(.rulesTaken, caller, at: now, details))
            }
            announcer.step("rules.taken")
            state.sources[index].slot = slot
            state.sources[index].isDue = true
            log.notice(
                "the health authority's rules were taken",
                metadata: ["version": "\(slot.version)", "source": "\(riskSource.source.name)"])
            return Risk1.TakeConfigurationReply(version: slot.version, changed: true)
        }
    }

    /// Whose rules these are instead: only who signed them is named, not whose form they merely have.
    private func signer(
        of document: [UInt8], _ approvals: [UInt8], except index: Int, time: Int64?
    ) -> AuthoritySource? {
        var trials = SignatureTrials()
        return state.sources.enumerated().first { other, riskSource in
            guard other != index, case .signed(let authority) = riskSource.source.rules else { return false }
            return SignedRiskConfiguration.isSigned(
                document: document, signatures: approvals, by: authority, time: time, trials: &trials)
        }?.element.source
    }

    // MARK: The end of the service

    /// When every authority that is followed has ended it: what the first says, and the last day on which something is to be erased. `nil`
    /// while the service of one goes on.
    private func endOfService(at time: Int64?) -> (sentence: String?, eraseOn: Int64)? {
        let services = state.sources.filter { !$0.source.isSwitchedOff }.map { $0.configuration(at: time)?.service }
        var end: (sentence: String?, eraseOn: Int64)?
        for service in services {
            guard case .ended(let day, _)? = service else { return nil }
            end = (end?.sentence ?? service?.sentence, max(end?.eraseOn ?? 0, day.dayNumber))
        }
        return end
    }

    /// Whether every authority that is followed has ended the service.
    func isServiceOver(at now: BootInstant) -> Bool { endOfService(at: beacon.present(at: now).time?.seconds) != nil }

    /// What the authority says about it; `nil` while the service goes on.
    func serviceHasEnded(at now: BootInstant) -> String? {
        endOfService(at: beacon.present(at: now).time?.seconds)?.sentence
    }

    func eraseFrom(at now: BootInstant) -> Int64? {
        endOfService(at: beacon.present(at: now).time?.seconds).map { $0.eraseOn * 86_400 }
    }
}
