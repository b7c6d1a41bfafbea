// SPDX-License-Identifier: Apache-2.0

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

extension BlackBox {
    /// Without keys compared for so long a result says nothing about today (spec cwa-protocols 7.1).
    static let outdatedAfter = RiskPrecondition.oldestCheck
    /// Bytes of a document and of its signatures that are looked at; the ledger keeps two documents.
    static let mostRules = (document: 24 << 10, approvals: 4 << 10)
    /// A judgement is one piece: not begun when an identifier is due within this time, or within four times the longest so far.
    private static let judgementMargin = Duration.seconds(1)

    /// What to tell the person.
    public func risk(at now: BootInstant) throws(Refusal) -> Risk1.Risk {
        try requirePerson()
        let word = try riskWord(at: now)
        let lastMatched = try lastMatched()
        var risk = Risk1.Risk(
            state: word.state, sentence: word.sentence, news: riskKeeper.record.news, lastMatched: lastMatched,
            eraseFrom: eraseFrom(at: now))
        guard word.isJudged || word.state == .outdated, let judgement = riskKeeper.judgement else { return risk }
        let assessment = judgement.assessment
        risk.unjudged = judgement.finding.unjudged > 0 ? judgement.finding.unjudged : nil
        risk.rules = Risk1.Rules(
            model: Risk1.Model(assessment.model), unit: Risk1.Unit(assessment.unit), fallback: judgement.finding.sentence,
            version: judgement.version)
        risk.mostRelevantDay = assessment.mostRelevantDay.map { Int($0) }
        risk.combined = assessment.combined.map { Risk1.Verdict($0) }
        risk.days = assessment.days.map(Risk1.Day.init)
        risk.assessed = judgement.time
        risk.takenBack = riskKeeper.record.takenBack?.map { Risk1.TakenBack(day: Int($0.day), learned: $0.time) }
        return risk
    }

    /// What the verdicts are made of, day by day, the oldest first.
    public func contributions(day: Int?, at now: BootInstant) throws(Refusal) -> [Risk1.Contribution] {
        try requirePerson()
        _ = try requireTime(at: now)
        let days = riskKeeper.judgement?.assessment.days ?? []
        return days.filter { day == nil || Int($0.day) == day }.flatMap { day in
            day.contributions.map { Risk1.Contribution($0, day: day.day) }
        }
    }

    public var hasRiskNews: Bool { role == .person && riskKeeper.record.news }

    /// The person has seen it.
    public func acknowledgeRisk() throws(Refusal) {
        try requirePerson()
        guard riskKeeper.record.news else { return }
        var record = riskKeeper.record
        record.news = false
        try keep(record)
        onRiskNews?()
    }

    /// The rules that hold, as the authority's document.
    public func riskRules(at now: BootInstant) -> Risk1.ConfigurationReply {
        let configuration = riskKeeper.slot.configuration(at: appliance.present(at: now).time?.seconds)
        return Risk1.ConfigurationReply(
            version: riskKeeper.slot.version,
            configuration: configuration.map { String(decoding: $0.document, as: UTF8.self) })
    }

    /// Takes rules that an authority signed. Durable before they hold; whatever is wrong with them changes nothing.
    public func takeRiskRules(
        _ document: String, approvals: String, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> Risk1.TakeConfigurationReply {
        guard let document = Base64.bytes(document), let approvals = Base64.bytes(approvals) else {
            throw .rulesRefused("notBase64", "The document or its signatures are not Base64.")
        }
        guard document.count <= Self.mostRules.document, approvals.count <= Self.mostRules.approvals else {
            throw .rulesRefused(
                "tooLarge",
                "The document may have \(Self.mostRules.document) bytes and its signatures \(Self.mostRules.approvals).")
        }
        var slot = riskKeeper.slot
        // The validity of keys is judged by what is certain; without that, as of always.
        let certain = appliance.present(at: now).earliest?.seconds
        switch slot.offer(document: document, signatures: approvals, trust: trust, time: certain) {
        case .failure(let error): throw .rulesRefused(error.code.rawValue, "\(error)")
        case .success(.unchanged): return Risk1.TakeConfigurationReply(version: slot.version, changed: false)
        case .success:
            try record {
                try RiskKeeper.store(slot, $0)
                try $0.audit(entry(.rulesTaken, caller, at: now, ["version": "\(slot.version)"]))
            }
            step("rules.taken")
            riskKeeper.slot = slot
            riskKeeper.isDue = true
            log.notice("the health authority's rules were taken", metadata: ["version": "\(slot.version)"])
            return Risk1.TakeConfigurationReply(version: slot.version, changed: true)
        }
    }

    // MARK: Judging

    /// Judges anew when something has changed, tells what follows, and does what the authority has decided about the service.
    func advanceRisk(at now: BootInstant) {
        guard !wasReset, role == .person else { return }
        let present = appliance.present(at: now)
        let rules = riskKeeper.slot.configuration(at: present.time?.seconds)
        if case .ended? = rules?.service { endService(at: now) }
        guard !wasReset else { return }
        do throws(Refusal) {
            if let rules, case .running = rules.service, let time = present.time, present.mayBroadcast {
                let day = UInt32(clamping: time.day)
                if riskKeeper.judgement.map({ $0.day != day || $0.version != rules.version }) ?? true {
                    riskKeeper.isDue = true
                }
                if riskKeeper.isDue {
                    guard mayJudge(at: now) else { return }
                    try judge(by: rules, day: day, time: time.seconds, at: now)
                }
            }
            try tellRisk(at: now)
        } catch { complain(error, doing: "judging encounters") }
    }

    private func mayJudge(at now: BootInstant) -> Bool {
        guard let due = appliance.rotationDue else { return true }
        return due - now.duration > max(Self.judgementMargin, riskKeeper.longest * 4)
    }

    private func judge(
        by rules: RiskConfiguration, day: UInt32, time: Int64, at now: BootInstant
    ) throws(Refusal) {
        let began = ContinuousClock.now
        let oldest = oldestDay(at: now)
        let matches = try reading { try ledger.matches() }
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
        riskKeeper.judgement = RiskKeeper.Judgement(
            finding: finding, version: rules.version, day: day, time: time, listenedHours: listenedHours,
            verdicts: verdicts)
        riskKeeper.isDue = false
        riskKeeper.longest = max(riskKeeper.longest, .zero + (ContinuousClock.now - began))
    }

    /// Days that the person is warned of. Models that judge all days together warn of the one that counts.
    private static func increasedDays(_ assessment: RiskAssessment) -> Set<UInt32> {
        guard assessment.level == .increased else { return [] }
        if assessment.combined != nil { return Set([assessment.mostRelevantDay].compactMap { $0 }) }
        return Set(assessment.days.filter { $0.verdict.level == .increased }.map(\.day))
    }

    /// What the person is told now, against what they were told before.
    private func tellRisk(at now: BootInstant) throws(Refusal) {
        let word = try riskWord(at: now)
        var record = riskKeeper.record
        let transitions = record.note(
            word.state, try isJudged(word, at: now) ? riskKeeper.judgement?.verdicts : nil, isUnjudged: word.isUnjudged,
            oldest: oldestDay(at: now), time: appliance.present(at: now).time?.seconds ?? 0)
        record.assessed = riskKeeper.judgement?.time ?? record.assessed
        guard record != riskKeeper.record else { return }
        let hadNews = riskKeeper.record.news
        if transitions.isEmpty, record.announced == riskKeeper.record.announced,
            record.takenBack == riskKeeper.record.takenBack, record.isUnjudged == riskKeeper.record.isUnjudged
        {
            // Only the moment has moved on: not worth a write to flash.
            riskKeeper.record = record
            return
        }
        try keep(record)
        // Neither the day nor the state: the log is read by technicians.
        if record.news, !hadNews { log.notice("there is news for the wearer") }
        if record.news != hadNews || transitions.contains(.increased) || transitions.contains(.withdrawn) { onRiskNews?() }
    }

    /// Whether the last judgement says something about today. A model that calls nothing low in its first day of listening does take back
    /// what it called increased.
    private func isJudged(_ word: RiskWord, at now: BootInstant) throws(Refusal) -> Bool {
        if word.isJudged { return true }
        let present = appliance.present(at: now)
        guard word.state == .unknown, riskKeeper.judgement?.isInitial == true, present.mayBroadcast,
            let time = present.time,
            riskKeeper.slot.configuration(at: time.seconds) != nil, let lastMatched = try lastMatched()
        else { return false }
        return time.seconds - lastMatched < Self.outdatedAfter
    }

    private func keep(_ record: RiskRecord) throws(Refusal) {
        let bytes = try reading { try record.bytes() }
        try self.record { try $0.set(RiskRecord.setting, bytes) }
        riskKeeper.record = record
        step("risk.told")
    }

    // MARK: The state

    private func lastMatched() throws(Refusal) -> Int64? {
        try reading { try ledger.setting(Self.lastMatchedSetting) }.flatMap(Int64.init(bytes:))
    }

    /// What is told, and how it came about.
    private struct RiskWord {
        let state: Risk1.State
        let sentence: String
        /// It follows from encounters that were judged, though perhaps not all of them could be.
        var isJudged = false
        /// Unknown, because somebody was met whom the rules cannot judge.
        var isUnjudged: Bool { isJudged && state == .unknown }

        init(_ state: Risk1.State, _ sentence: String, isJudged: Bool = false) {
            self.state = state
            self.sentence = sentence
            self.isJudged = isJudged
        }
    }

    private func riskWord(at now: BootInstant) throws(Refusal) -> RiskWord {
        let present = appliance.present(at: now)
        guard let rules = riskKeeper.slot.configuration(at: present.time?.seconds) else {
            return RiskWord(
                .unknown,
                "No health authority has told this device its rules yet, so nothing is judged. They come with the published keys."
            )
        }
        if let sentence = rules.service.sentence {
            if case .ended = rules.service { return RiskWord(.ended, sentence) }
            return RiskWord(.paused, sentence)
        }
        guard appliance.isEnabled else {
            return RiskWord(
                .inactive, "This device does not take part, so nothing is judged. `vigil ctl enable` switches it on.")
        }
        guard present.mayBroadcast, let time = present.time else { return RiskWord(.unknown, present.sentence) }
        guard let lastMatched = try lastMatched() else {
            return RiskWord(
                .unknown,
                "No published keys have been compared on this device yet. See whether it reaches the network (vigil plugin list)."
            )
        }
        guard time.seconds - lastMatched < Self.outdatedAfter else {
            return RiskWord(
                .outdated,
                "Published keys were compared last on \(UnixTime(seconds: lastMatched).inWords): what has been published since is not known here. See whether this device reaches the network (vigil plugin list)."
            )
        }
        // A warning that is known holds, whatever else is missing.
        if riskKeeper.judgement?.assessment.level != .increased, let told = try lateness(at: time.seconds) { return told }
        guard let judgement = riskKeeper.judgement else {
            return RiskWord(.unknown, "Encounters are being judged; ask again in a minute.")
        }
        let assessment = judgement.assessment
        let days = (riskKeeper.record.takenBack ?? []).map { CalendarDay.text(day: $0.day) }.joined(separator: ", ")
        let takenBack =
            days.isEmpty
            ? ""
            : "The health authority has taken back a warning that this device had given you (for \(days), UTC): the report of an infection behind it was withdrawn. "
        if judgement.finding.level == nil {
            let unjudged = judgement.finding.unjudged
            return RiskWord(
                .unknown,
                takenBack
                    + "This device was near somebody who has reported an infection since, but \(unjudged == 1 ? "one warning does" : "\(unjudged) warnings do") not say what the health authority's rules need to judge the encounter. It may be harmless or not: ask the health authority or a doctor whether to be tested.",
                isJudged: true)
        }
        if judgement.isInitial, judgement.finding.level != .increased {
            return RiskWord(
                .unknown,
                takenBack
                    + "This device has listened in \(judgement.listenedHours ?? 0) hours so far; by the health authority's rules a risk is called low after 24."
            )
        }
        let limits = "Low is not none: only reports of people who take part are known."
        guard judgement.finding.level == .increased else {
            guard takenBack.isEmpty else {
                return RiskWord(
                    .low, "\(takenBack)By the health authority's rules your risk is low now. \(limits)", isJudged: true)
            }
            return RiskWord(
                .low,
                assessment.days.isEmpty
                    ? "Nobody this device was near has reported an infection that is known here. \(limits)"
                    : "This device was near somebody who has reported an infection since; by the health authority's rules the risk is low. \(limits)",
                isJudged: true)
        }
        let day = assessment.mostRelevantDay.map { "On \(CalendarDay.text(day: $0)) (UTC) this" } ?? "This"
        return RiskWord(
            .increased,
            "\(day) device was near somebody who has reported an infection since, and by the health authority's rules your risk is increased. It does not mean that you are infected. Follow the health authority's advice.\(days.isEmpty ? "" : " Another warning (for \(days), UTC) was taken back; this one stands.")",
            isJudged: true)
    }

    /// What follows from the signed periods of the files that were compared; `nil` while nothing is missing for too long.
    private func lateness(at time: Int64) throws(Refusal) -> RiskWord? {
        let freshness = try reading { try readFreshness() }
        switch freshness.verdict(at: time) {
        case .never, .current: return nil
        case .fetching:
            return RiskWord(
                .unknown,
                "The keys published in the last days are on their way; nothing is judged before they have been compared."
            )
        case .behind(let until, let source):
            let known = until.map { "known here up to \(UnixTime(seconds: $0).inWords) and no further" } ?? "not known here"
            return RiskWord(
                .outdated,
                "The keys published\(source.isEmpty ? "" : " by the source \(source)") are \(known), as their signatures tell. The server holds back newer ones, or gives old ones in their place, or cannot be reached. `vigil ctl health` says more."
            )
        }
    }

    // MARK: The end of the service

    /// What the authority says about it; `nil` while the service goes on.
    func serviceHasEnded(at now: BootInstant) -> String? {
        let rules = riskKeeper.slot.configuration(at: appliance.present(at: now).time?.seconds)
        guard case .ended? = rules?.service else { return nil }
        return rules?.service.sentence
    }

    private func eraseFrom(at now: BootInstant) -> Int64? {
        let rules = riskKeeper.slot.configuration(at: appliance.present(at: now).time?.seconds)
        guard case .ended(let day, _)? = rules?.service else { return nil }
        return Int64(day.dayNumber) * 86_400
    }

    /// The authority has ended it: silence at once; everything is erased on the day it says, if that day is certain.
    private func endService(at now: BootInstant) {
        let authority = Caller(name: "authority", reading: .nothing, spool: nil, presence: "signed document")
        if appliance.isEnabled {
            do throws(Refusal) { try disable(by: authority, at: now) } catch {
                complain(error, doing: "ending the service")
            }
        }
        let present = appliance.present(at: now)
        guard let from = eraseFrom(at: now), present.mayDelete, let earliest = present.earliest, earliest.seconds >= from
        else { return }
        do throws(Refusal) { try erase(by: authority, at: now) } catch { complain(error, doing: "erasing everything") }
    }
}
