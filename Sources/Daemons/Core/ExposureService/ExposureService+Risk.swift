// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import ExposureRisk
import GAEN
import HTTPFields
public import Interfaces
import KeyExport
import Ledger
import Logging
import Matching
import RiskConfiguration
public import TimeTrust

extension ExposureService {
    /// Without keys compared for so long a result says nothing about today (spec cwa-protocols 7.1).
    static let outdatedAfter = RiskPrecondition.oldestCheck
    /// Bytes of a document and of its signatures that are looked at; the ledger keeps two documents.
    static let mostRules = (document: 24 << 10, approvals: 4 << 10)
    /// A judgement is one piece: not begun when an identifier is due within this time, or within four times the longest so far.
    private static let judgementMargin = Duration.seconds(1)

    /// What to tell the person.
    public func risk(at now: BootInstant) throws(Refusal) -> Risk1.Risk {
        try requirePerson()
        let words = try riskWords(at: now)
        let word = combined(words)
        var risk = Risk1.Risk(
            state: word.state, sentence: word.sentence, news: riskState.record.news, lastMatched: try lastMatched(),
            eraseFrom: eraseFrom(at: now))
        risk.unjudged = word.unjudged > 0 ? word.unjudged : nil
        if !riskState.isAlone, word.state != .inactive { risk.sources = try sourceWords(words, at: now) }
        guard word.isJudged || word.state == .outdated, let shown = shown(words, word),
            let judgement = riskState.sources[shown].judgement
        else { return risk }
        let assessment = judgement.assessment
        risk.unjudged = risk.unjudged ?? (judgement.finding.unjudged > 0 ? judgement.finding.unjudged : nil)
        risk.rules = Risk1.Rules(judgement)
        risk.mostRelevantDay = assessment.mostRelevantDay.map { Int($0) }
        risk.combined = assessment.combined.map { Risk1.Verdict($0) }
        risk.days = assessment.days.map(Risk1.Day.init)
        risk.assessed = judgement.time
        risk.takenBack = Risk1.TakenBack.list(riskState.record.takenBack)
        return risk
    }

    /// What the verdicts are made of, day by day, the oldest first: of one source, by default of that whose numbers are shown.
    public func contributions(day: Int?, source: String? = nil, at now: BootInstant) throws(Refusal) -> [Risk1.Contribution]
    {
        try requirePerson()
        _ = try requireTime(at: now)
        var index: Int?
        if let source {
            index = riskState.index(named: source)
        } else {
            let words = try riskWords(at: now)
            index = shown(words, combined(words)) ?? riskState.sources.firstIndex { $0.judgement != nil }
        }
        let days = index.flatMap { riskState.sources[$0].judgement }?.assessment.days ?? []
        return days.filter { day == nil || Int($0.day) == day }.flatMap { day in
            day.contributions.map { Risk1.Contribution($0, day: day.day) }
        }
    }

    /// Whether something about risk has changed that the person has not seen; never at a place.
    public var hasRiskNews: Bool { role == .person && riskState.record.news }

    /// The person has seen it.
    public func acknowledgeRisk() throws(Refusal) {
        try requirePerson()
        guard riskState.record.news else { return }
        var record = riskState.record
        record.news = false
        try keep(record)
        announcer.tell(.risk)
    }

    /// The rules of a source that hold, as Vigil's own document.
    public func riskRules(of source: String? = nil, at now: BootInstant) -> Risk1.ConfigurationReply {
        // Those that mean to judge: a profile that cannot be read says nothing of rules, and somebody has to mend it.
        let judged = riskState.sources.filter {
            !$0.source.isSwitchedOff && ($0.source.rules != .none || $0.source.isUnreadable)
        }
        let missing = source == nil ? judged.filter { $0.version == 0 }.map(\.source.name) : []
        guard let riskSource = rulesIndex(source).map({ riskState.sources[$0] }) else {
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
        riskState.index(named: source ?? AuthoritySource.standardName)
            ?? (source == nil && riskState.sources.count == 1 ? 0 : nil)
    }

    /// Takes rules that a source's authority signed. Durable before they hold; whatever is wrong with them changes nothing, and no other
    /// source hears of them.
    public func takeRiskRules(
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
            let names = riskState.sources.map(\.source.name).joined(separator: ", ")
            throw .rulesRefused("unknownSource", "This device follows no source of that name; it follows \(names).")
        }
        let riskSource = riskState.sources[index]
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
        let certain = beacon.present(at: now).earliest?.seconds
        switch slot.offer(document: document, signatures: approvals, authority: authority, time: certain) {
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
            riskState.sources[index].slot = slot
            return Risk1.TakeConfigurationReply(version: slot.version, changed: false)
        case .success:
            var details = ["version": "\(slot.version)"]
            if !riskSource.source.isStandard { details["source"] = riskSource.source.name }
            try ledger.record {
                try riskSource.store(slot, $0)
                try $0.audit(auditWriter.entry(.rulesTaken, caller, at: now, details))
            }
            step("rules.taken")
            riskState.sources[index].slot = slot
            riskState.sources[index].isDue = true
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
        riskState.sources.enumerated().first { other, riskSource in
            guard other != index, case .signed(let authority) = riskSource.source.rules else { return false }
            return SignedRiskConfiguration.isSigned(
                document: document, signatures: approvals, by: authority, time: time)
        }?.element.source
    }

    // MARK: Judging

    /// Judges anew when something has changed, tells what follows, and does what the authorities have decided about the service.
    func advanceRisk(at now: BootInstant) {
        guard !wasReset, role == .person else { return }
        let present = beacon.present(at: now)
        if endOfService(at: present.time?.seconds) != nil { endService(at: now) }
        guard !wasReset else { return }
        do throws(Refusal) {
            if let time = present.time, present.mayBroadcast {
                guard try judgeWhatIsDue(day: UInt32(clamping: time.day), time: time.seconds, at: now) else { return }
            }
            try tellRisk(at: now)
        } catch { complain(error, doing: "judging encounters") }
    }

    /// Gives whether all of it could be done before an identifier is due: the person is told of all sources together.
    private func judgeWhatIsDue(day: UInt32, time: Int64, at now: BootInstant) throws(Refusal) -> Bool {
        let began = ContinuousClock.now
        var read: [Match]?
        for index in riskState.sources.indices {
            let riskSource = riskState.sources[index]
            let rules = judging(riskSource, at: time)
            // Nothing to count where everything waits for the rules of the only one.
            if rules == nil, riskState.isAlone { continue }
            if let rules, riskSource.judgement.map({ $0.day != day || $0.version != rules.version }) ?? true {
                riskState.sources[index].isDue = true
            }
            guard riskState.sources[index].isDue else { continue }
            guard mayJudge(at: now.advanced(by: ContinuousClock.now - began)) else { return false }
            let matches: [Match]
            if let read {
                matches = read
            } else {
                matches = try reading { try ledger.matches() }
                read = matches
                countStrangers(matches, oldest: oldestDay(at: now))
            }
            let owners = riskState.owners
            let own = matches.compactMap { match in
                match.stated { owners.owner(of: $0).flatMap { $0.index == index ? $0.id : nil } }
            }
            if let rules {
                try judge(index, own, by: rules, day: day, time: time, at: now)
            } else {
                let oldest = oldestDay(at: now)
                riskState.sources[index].heard = own.filter { $0.isStanding(since: oldest) }.count
                riskState.sources[index].isDue = false
            }
        }
        return true
    }

    /// The rules by which a source's warnings are judged now; `nil` while they are not.
    private func judging(_ riskSource: RiskSource, at time: Int64) -> RiskConfiguration? {
        guard !riskSource.source.isSwitchedOff, !riskSource.isSwitchedOff(at: time),
            let rules = riskSource.configuration(at: time),
            case .running = rules.service
        else { return nil }
        return rules
    }

    private func countStrangers(_ matches: [Match], oldest: UInt32) {
        let owners = riskState.owners
        var strangers: [String: Int] = [:]
        for match in matches {
            // By name: what one that is not followed any more has said is judged by nobody.
            for name in Set(match.statements.compactMap { owners.stranger(of: $0.source) }) {
                let own = match.stated { owners.stranger(of: $0) == name ? $0 : nil }
                if own?.isStanding(since: oldest) == true { strangers[name, default: 0] += 1 }
            }
        }
        riskState.strangers = strangers
    }

    private func mayJudge(at now: BootInstant) -> Bool {
        beacon.workWindow.isOpen(for: max(Self.judgementMargin, riskState.longest * 4), at: now)
    }

    private func judge(
        _ index: Int, _ matches: [Match], by rules: RiskConfiguration, day: UInt32, time: Int64, at now: BootInstant
    ) throws(Refusal) {
        let began = ContinuousClock.now
        let oldest = oldestDay(at: now)
        guard let finding = rules.judge(matches, today: day, oldest: oldest, now: time) else { return }
        var verdicts = RiskRecord.Verdicts(
            increased: Self.increasedDays(finding.assessment), areCombined: finding.assessment.combined != nil)
        if matches.contains(where: { $0.hasRevocation(under: rules.mapping) }) {
            let before = rules.judge(matches.map(\.ignoringRevocations), today: day, oldest: oldest, now: time)
            verdicts.withoutRevocations = before.map { Self.increasedDays($0.assessment) }
        }
        var listenedHours: Int?
        if finding.judged(by: .cwaFirst) {
            listenedHours = try self.evidence(since: Int64(oldest) * 86_400, at: now).filter { $0.scanCount > 0 }.count
        }
        riskState.sources[index].judgement = RiskState.Judgement(
            finding: finding, version: rules.version, day: day, time: time, listenedHours: listenedHours,
            verdicts: verdicts)
        riskState.sources[index].isDue = false
        riskState.longest = max(riskState.longest, .zero + (ContinuousClock.now - began))
    }

    /// Days that the person is warned of. Models that judge all days together warn of the one that counts.
    private static func increasedDays(_ assessment: RiskAssessment) -> Set<UInt32> {
        guard assessment.level == .increased else { return [] }
        if assessment.combined != nil { return Set([assessment.mostRelevantDay].compactMap { $0 }) }
        return Set(assessment.days.filter { $0.verdict.level == .increased }.map(\.day))
    }

    /// What the person is told now, against what they were told before.
    private func tellRisk(at now: BootInstant) throws(Refusal) {
        let words = try riskWords(at: now)
        let word = combined(words)
        var record = riskState.record
        var verdicts: [(name: String, verdicts: RiskRecord.Verdicts?)] = []
        for (index, riskSource) in riskState.sources.enumerated() {
            let isJudged = try isJudged(words[index], riskSource, at: now)
            verdicts.append((riskSource.source.name, isJudged ? riskSource.judgement?.verdicts : nil))
        }
        let transitions = record.note(
            word.state, of: verdicts, isUnjudged: word.isUnjudged, oldest: oldestDay(at: now),
            time: beacon.present(at: now).time?.seconds ?? 0)
        record.assessed = riskState.sources.compactMap { $0.judgement?.time }.max() ?? record.assessed
        guard record != riskState.record else { return }
        let hadNews = riskState.record.news
        if transitions.isEmpty, record.announced == riskState.record.announced,
            record.takenBack == riskState.record.takenBack, record.isUnjudged == riskState.record.isUnjudged,
            record.sources == riskState.record.sources
        {
            // Only the moment has moved on: not worth a write to flash.
            riskState.record = record
            return
        }
        try keep(record)
        // Nothing of it is logged, not even that there is something: the log is read by technicians.
        if record.news != hadNews || transitions.contains(.increased) || transitions.contains(.withdrawn) {
            announcer.tell(.risk)
        }
    }

    /// Whether the last judgement says something about today. A model that calls nothing low in its first day of listening does take back
    /// what it called increased.
    private func isJudged(_ word: RiskWord, _ riskSource: RiskSource, at now: BootInstant) throws(Refusal) -> Bool {
        if word.isJudged { return true }
        let present = beacon.present(at: now)
        guard word.state == .unknown, riskSource.judgement?.isInitial == true, present.mayBroadcast,
            let time = present.time,
            riskSource.configuration(at: time.seconds) != nil, let lastMatched = try lastMatched(riskSource.source)
        else { return false }
        return time.seconds - lastMatched < Self.outdatedAfter
    }

    private func keep(_ record: RiskRecord) throws(Refusal) {
        let bytes = try reading { try record.bytes() }
        try ledger.record { try $0.set(RiskRecord.setting, bytes) }
        riskState.record = record
        step("risk.told")
    }

    // MARK: The end of the service

    /// When every authority that is followed has ended it: what the first says, and the last day on which something is to be erased. `nil`
    /// while the service of one goes on.
    private func endOfService(at time: Int64?) -> (sentence: String?, eraseOn: Int64)? {
        let services = riskState.sources.filter { !$0.source.isSwitchedOff }.map { $0.configuration(at: time)?.service }
        var end: (sentence: String?, eraseOn: Int64)?
        for service in services {
            guard case .ended(let day, _)? = service else { return nil }
            end = (end?.sentence ?? service?.sentence, max(end?.eraseOn ?? 0, day.dayNumber))
        }
        return end
    }

    /// What the authority says about it; `nil` while the service goes on.
    func serviceHasEnded(at now: BootInstant) -> String? {
        endOfService(at: beacon.present(at: now).time?.seconds)?.sentence
    }

    private func eraseFrom(at now: BootInstant) -> Int64? {
        endOfService(at: beacon.present(at: now).time?.seconds).map { $0.eraseOn * 86_400 }
    }

    /// The authority has ended it: silence at once; everything is erased on the day it says, if that day is certain.
    private func endService(at now: BootInstant) {
        let authority = Caller(name: "authority", reading: .nothing, spool: nil, presence: "signed document")
        if beacon.isEnabled {
            do throws(Refusal) { try disable(by: authority, at: now) } catch {
                complain(error, doing: "ending the service")
            }
        }
        let present = beacon.present(at: now)
        guard let from = eraseFrom(at: now), present.mayDelete, let earliest = present.earliest, earliest.seconds >= from
        else { return }
        do throws(Refusal) { try erase(by: authority, at: now) } catch { complain(error, doing: "erasing everything") }
    }
}

extension Match {
    /// Whether anything would be told of it by phones' own mapping, from the UTC day `oldest` on: for what is counted and not judged.
    fileprivate func isStanding(since oldest: UInt32) -> Bool {
        givesExposure(under: .standard) && sightings.contains { $0.time / 86_400 >= oldest }
    }
}
