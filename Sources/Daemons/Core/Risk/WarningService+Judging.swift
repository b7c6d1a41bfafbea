// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Interfaces
import Ledger
import Logging
import Matching
import RiskConfiguration
import TimeTrust

/// Judges anew when something has changed, and tells what follows.
extension WarningService {
    /// A judgement is one piece: not begun when an identifier is due within this time, or within four times the longest so far.
    private static let judgementMargin = Duration.seconds(1)

    /// Judges anew what has changed, and tells what follows. Nothing at a place, which has no risk of its own.
    func advance(at now: BootInstant) {
        guard roles.isPerson else { return }
        let present = beacon.present(at: now)
        do throws(Refusal) {
            if let time = present.time, present.mayBroadcast {
                guard try judgeWhatIsDue(day: UInt32(clamping: time.day), time: time.seconds, at: now) else { return }
            }
            try tellRisk(at: now)
        } catch { log.error("\(error)", metadata: ["while": "judging encounters"]) }
    }

    /// Gives whether all of it could be done before an identifier is due: the person is told of all sources together.
    private func judgeWhatIsDue(day: UInt32, time: Int64, at now: BootInstant) throws(Refusal) -> Bool {
        let began = ContinuousClock.now
        var read: [Match]?
        for index in state.sources.indices {
            let riskSource = state.sources[index]
            let rules = judging(riskSource, at: time)
            // Nothing to count where everything waits for the rules of the only one.
            if rules == nil, state.isAlone { continue }
            if let rules, riskSource.judgement.map({ $0.day != day || $0.version != rules.version }) ?? true {
                state.sources[index].isDue = true
            }
            guard state.sources[index].isDue else { continue }
            guard mayJudge(at: now.advanced(by: ContinuousClock.now - began)) else { return false }
            let matches: [Match]
            if let read {
                matches = read
            } else {
                matches = try reading { try ledger.matches() }
                read = matches
                countStrangers(matches, oldest: beacon.oldestDay(at: now))
            }
            let owners = state.owners
            let own = matches.compactMap { match in
                match.stated { owners.owner(of: $0).flatMap { $0.index == index ? $0.id : nil } }
            }
            if let rules {
                try judge(index, own, by: rules, day: day, time: time, at: now)
            } else {
                let oldest = beacon.oldestDay(at: now)
                state.sources[index].heard = own.filter { $0.isStanding(since: oldest) }.count
                state.sources[index].isDue = false
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
        let owners = state.owners
        var strangers: [String: Int] = [:]
        for match in matches {
            // By name: what one that is not followed any more has said is judged by nobody.
            for name in Set(match.statements.compactMap { owners.stranger(of: $0.source) }) {
                let own = match.stated { owners.stranger(of: $0) == name ? $0 : nil }
                if own?.isStanding(since: oldest) == true { strangers[name, default: 0] += 1 }
            }
        }
        state.strangers = strangers
    }

    private func mayJudge(at now: BootInstant) -> Bool {
        beacon.workWindow.isOpen(for: max(Self.judgementMargin, state.longest * 4), at: now)
    }

    private func judge(
        _ index: Int, _ matches: [Match], by rules: RiskConfiguration, day: UInt32, time: Int64, at now: BootInstant
    ) throws(Refusal) {
        let began = ContinuousClock.now
        let oldest = beacon.oldestDay(at: now)
        guard let finding = rules.judge(matches, today: day, oldest: oldest, now: time) else { return }
        var verdicts = RiskRecord.Verdicts(
            increased: Self.increasedDays(finding.assessment), areCombined: finding.assessment.combined != nil)
        if matches.contains(where: { $0.hasRevocation(under: rules.mapping) }) {
            let before = rules.judge(matches.map(\.ignoringRevocations), today: day, oldest: oldest, now: time)
            verdicts.withoutRevocations = before.map { Self.increasedDays($0.assessment) }
        }
        var listenedHours: Int?
        if finding.judged(by: .cwaFirst) {
            listenedHours = try evidence.hours(since: Int64(oldest) * 86_400, at: now).count { $0.scans > 0 }
        }
        state.sources[index].judgement = RiskState.Judgement(
            finding: finding, version: rules.version, day: day, time: time, listenedHours: listenedHours,
            verdicts: verdicts)
        state.sources[index].isDue = false
        state.longest = max(state.longest, .zero + (ContinuousClock.now - began))
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
        var record = state.record
        var verdicts: [(name: String, verdicts: RiskRecord.Verdicts?)] = []
        for (index, riskSource) in state.sources.enumerated() {
            let isJudged = try isJudged(words[index], riskSource, at: now)
            verdicts.append((riskSource.source.name, isJudged ? riskSource.judgement?.verdicts : nil))
        }
        let transitions = record.note(
            word.state, of: verdicts, isUnjudged: word.isUnjudged, oldest: beacon.oldestDay(at: now),
            time: beacon.present(at: now).time?.seconds ?? 0)
        record.assessed = state.sources.compactMap { $0.judgement?.time }.max() ?? record.assessed
        guard record != state.record else { return }
        let hadNews = state.record.news
        if transitions.isEmpty, record.announced == state.record.announced,
            record.takenBack == state.record.takenBack, record.isUnjudged == state.record.isUnjudged,
            record.sources == state.record.sources
        {
            // Only the moment has moved on: not worth a write to flash.
            state.record = record
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

    func keep(_ record: RiskRecord) throws(Refusal) {
        let bytes = try reading { try record.bytes() }
        try ledger.record { try $0.set(RiskRecord.setting, bytes) }
        state.record = record
        announcer.step("risk.told")
    }
}

extension Match {
    /// Whether anything would be told of it by phones' own mapping, from the UTC day `oldest` on: for what is counted and not judged.
    fileprivate func isStanding(since oldest: UInt32) -> Bool {
        givesExposure(under: .standard) && sightings.contains { $0.time / 86_400 >= oldest }
    }
}
