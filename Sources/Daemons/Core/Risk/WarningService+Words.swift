// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ExposureRisk
import Interfaces
import KeyExport
import Ledger
import RiskConfiguration
import TimeTrust

/// What is told of each source, and of all of them together.
extension WarningService {
    /// One for each source, in their order; behind them one for each that is not followed any more and has left something unjudged.
    func riskWords(at now: BootInstant) throws(Refusal) -> [RiskWord] {
        var words: [RiskWord] = []
        for riskSource in state.sources { words.append(try word(of: riskSource, at: now)) }
        for (name, count) in strangers {
            words.append(
                RiskWord(
                    .unknown,
                    "This device was near somebody of whom \(name) has warned, which it does not follow any more, so nobody judges the encounter. It may be harmless or not: ask the health authority or a doctor whether to be tested.",
                    unjudged: count))
        }
        return words
    }

    private var strangers: [(name: String, count: Int)] {
        state.strangers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// What the person is told; `words` is what ``riskWords(at:)`` gave.
    func combined(_ words: [RiskWord]) -> RiskWord {
        let names = state.sources.map(\.source.words) + strangers.map(\.name)
        return words.count == 1 ? words[0] : RiskWord.combined(zip(names, words).map { ($0, $1) })
    }

    /// Whose numbers are shown: of several that say increased, the one whose last day is latest, because advice counts from it.
    func shown(_ words: [RiskWord], _ word: RiskWord) -> Int? {
        let sources = state.sources.indices
        func judged(_ isMeant: (RiskWord) -> Bool) -> Int? {
            sources.first { isMeant(words[$0]) && state.sources[$0].judgement != nil }
        }
        switch word.state {
        case .increased:
            let increased = sources.filter { words[$0].state == .increased }
            func day(_ index: Int) -> UInt32 { state.sources[index].judgement?.assessment.mostRelevantDay ?? 0 }
            return increased.reduce(nil) { best, index in best.map { day(index) > day($0) ? index : $0 } ?? index }
        case .outdated: return judged { $0.state == .outdated }
        default: return judged { $0.isUnjudged } ?? judged { $0.isJudged }
        }
    }

    /// The same for callers.
    func sourceWords(_ words: [RiskWord], at now: BootInstant) throws(Refusal) -> [Risk1.SourceWord] {
        var told: [Risk1.SourceWord] = []
        for (riskSource, word) in zip(state.sources, words) {
            var source = Risk1.SourceWord(
                name: riskSource.source.name, title: riskSource.source.titles, state: word.sourceState,
                sentence: word.sentence)
            source.lastMatched = try lastMatched(riskSource.source)
            source.unjudged = word.unjudged > 0 ? word.unjudged : nil
            source.takenBack = Risk1.TakenBack.list(state.record.sources?[riskSource.source.name]?.takenBack)
            if word.isJudged || word.state == .outdated, let judgement = riskSource.judgement {
                source.rules = Risk1.Rules(judgement)
                source.mostRelevantDay = judgement.assessment.mostRelevantDay.map { Int($0) }
                source.combined = judgement.assessment.combined.map { Risk1.Verdict($0) }
                source.days = judgement.assessment.days.map(Risk1.Day.init)
                source.unjudged = judgement.finding.unjudged > 0 ? judgement.finding.unjudged : nil
                source.assessed = judgement.time
            }
            told.append(source)
        }
        for ((name, count), word) in zip(strangers, words.dropFirst(state.sources.count)) {
            var source = Risk1.SourceWord(name: name, title: [:], state: .unknown, sentence: word.sentence)
            source.unjudged = count
            told.append(source)
        }
        return told
    }

    // MARK: One source

    func lastMatched(_ source: AuthoritySource) throws(Refusal) -> Int64? {
        try reading { try ledger.setting(RiskSource.lastMatchedSetting(source)) }.flatMap(Int64.init(bytes:))
    }

    /// When files of any source were compared last, Unix seconds.
    func lastMatched() throws(Refusal) -> Int64? {
        var last: Int64?
        for riskSource in state.sources {
            if let time = try lastMatched(riskSource.source) { last = max(last ?? time, time) }
        }
        return last
    }

    private func word(of riskSource: RiskSource, at now: BootInstant) throws(Refusal) -> RiskWord {
        let isAlone = state.isAlone
        let source = riskSource.source
        let rulesInWords = isAlone ? "the health authority's rules" : source.rulesInWords
        let isNamed = !isAlone && !source.isStandard
        if source.isSwitchedOff {
            return RiskWord(
                .paused,
                "\(isAlone ? "The health authority" : source.words.capitalizedFirst) has ended its service, as this device was told when it was set up. Nothing of it is compared or judged.",
                isOff: true)
        }
        let present = beacon.present(at: now)
        if riskSource.isSwitchedOff(at: present.time?.seconds) {
            return RiskWord(
                .paused,
                "\(isAlone ? "The health authority" : source.words.capitalizedFirst) has switched off the detection of exposures in its own configuration, so nothing of it is judged.",
                isOff: true)
        }
        guard let rules = riskSource.configuration(at: present.time?.seconds) else {
            return RiskWord(
                .unknown,
                isNamed
                    ? "\(source.words) has not told this device its rules yet, so nothing of it is judged. They come with its published keys."
                    : "No health authority has told this device its rules yet, so nothing is judged. They come with the published keys.",
                unjudged: riskSource.heard)
        }
        if let sentence = rules.service.sentence {
            if case .ended = rules.service { return RiskWord(.ended, sentence) }
            return RiskWord(.paused, sentence)
        }
        guard beacon.isEnabled else {
            return RiskWord(
                .inactive, "This device does not take part, so nothing is judged. `vigil ctl enable` switches it on.")
        }
        guard present.mayBroadcast, let time = present.time else { return RiskWord(.unknown, present.sentence) }
        let judgement = riskSource.judgement
        guard let lastMatched = try lastMatched(source) else {
            return RiskWord(
                .unknown,
                "No published keys\(isNamed ? " of \(source.words)" : "") have been compared on this device yet. See whether it reaches the network (vigil plugin list)."
            )
        }
        // Beside others, a warning of this source that is known holds, whatever is missing: it would otherwise be low by the others.
        let holds = !isAlone && judgement?.assessment.level == .increased
        // What could not be judged before stays so while its source is late.
        let left = isAlone || judgement?.finding.level != nil ? 0 : judgement?.finding.unjudged ?? 0
        guard holds || time.seconds - lastMatched < Self.outdatedAfter else {
            return RiskWord(
                .outdated,
                "Published keys\(isNamed ? " of \(source.words)" : "") were compared last on \(UnixTime(seconds: lastMatched).inWords): what has been published since is not known here. See whether this device reaches the network (vigil plugin list).",
                unjudged: left)
        }
        // A warning that is known holds, whatever else is missing.
        if judgement?.assessment.level != .increased, let told = try lateness(of: source, at: time.seconds) {
            return RiskWord(told.state, told.sentence, unjudged: left)
        }
        guard let judgement else { return RiskWord(.unknown, "Encounters are being judged; ask again in a minute.") }
        return word(of: judgement, takenBack: takenBack(of: source), by: rulesInWords, isNamed ? source.words : nil)
    }

    /// Days of which a warning of this source was taken back, in words.
    private func takenBack(of source: AuthoritySource) -> String {
        let record = state.record
        let taken = state.isAlone ? record.takenBack : record.sources?[source.name]?.takenBack
        return (taken ?? []).map { UTCDay.text(day: $0.day) }.joined(separator: ", ")
    }

    /// What encounters amount to that were judged by the rules called `rules`; `name` is whose they are where there are others.
    private func word(
        of judgement: RiskState.Judgement, takenBack days: String, by rules: String, _ name: String?
    ) -> RiskWord {
        let assessment = judgement.assessment
        let takenBack =
            days.isEmpty
            ? ""
            : "\(name ?? "The health authority") has taken back a warning that this device had given you (for \(days), UTC): the report of an infection behind it was withdrawn. "
        if judgement.finding.level == nil {
            let unjudged = judgement.finding.unjudged
            return RiskWord(
                .unknown,
                takenBack
                    + "This device was near somebody who has reported an infection since, but \(unjudged == 1 ? "one warning does" : "\(unjudged) warnings do") not say what \(rules) need to judge the encounter. It may be harmless or not: ask the health authority or a doctor whether to be tested.",
                isJudged: true, unjudged: unjudged)
        }
        if judgement.isInitial, judgement.finding.level != .increased {
            return RiskWord(
                .unknown,
                takenBack
                    + "This device has listened in \(judgement.listenedHours ?? 0) hours so far; by \(rules) a risk is called low after 24."
            )
        }
        let limits = "Low is not none: only reports of people who take part are known."
        guard judgement.finding.level == .increased else {
            guard takenBack.isEmpty else {
                return RiskWord(
                    .low, "\(takenBack)By \(rules) your risk is low now. \(limits)", isJudged: true)
            }
            return RiskWord(
                .low,
                assessment.days.isEmpty
                    ? "Nobody this device was near has reported an infection that is known here. \(limits)"
                    : "This device was near somebody who has reported an infection since; by \(rules) the risk is low. \(limits)",
                isJudged: true)
        }
        let day = assessment.mostRelevantDay.map { "On \(UTCDay.text(day: $0)) (UTC) this" } ?? "This"
        return RiskWord(
            .increased,
            "\(day) device was near somebody who has reported an infection since, and by \(rules) your risk is increased. It does not mean that you are infected. Follow the health authority's advice.\(days.isEmpty ? "" : " Another warning (for \(days), UTC) was taken back; this one stands.")",
            isJudged: true)
    }

    /// What follows from the signed periods of the files that were compared; `nil` while nothing is missing for too long.
    private func lateness(of authority: AuthoritySource, at time: Int64) throws(Refusal) -> RiskWord? {
        let account = try reading { try freshness.read() }
        switch account.verdict(at: time, of: authority.export.name) {
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
}

extension String {
    /// For the beginning of a sentence.
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
