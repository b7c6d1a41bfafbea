// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// What is told, of one source or of all together, and how it came about.
struct RiskWord {
    let state: Risk1.State
    let sentence: String
    /// It follows from encounters that were judged, though perhaps not all of them could be.
    var isJudged: Bool
    /// The authority has switched itself off: nothing is missing that it could say.
    var isOff: Bool
    /// How many people were met whom nobody has judged; 0 where that changes nothing.
    var unjudged: Int
    /// Unknown, because somebody was met whom the rules cannot judge.
    var isUnjudged: Bool { unjudged > 0 && state == .unknown }

    init(_ state: Risk1.State, _ sentence: String, isJudged: Bool = false, isOff: Bool = false, unjudged: Int = 0) {
        self.state = state
        self.sentence = sentence
        self.isJudged = isJudged
        self.isOff = isOff
        self.unjudged = unjudged
    }

    /// As one source's word.
    var sourceState: Risk1.SourceState {
        if isOff { return .off }
        return switch state {
        case .low: .low
        case .increased: .increased
        case .unknown, .inactive: .unknown
        case .outdated: .outdated
        case .paused: .paused
        case .ended: .ended
        }
    }

    /// What several sources' words are together (docs/decisions/0033-a-source-is-a-whole.md). `words` has at least one; each with what
    /// people call its source.
    ///
    /// Increased if one says so. Somebody whom nobody has judged is never low. Low if one was judged, with what the others do not know.
    static func combined(_ words: [(who: String, word: RiskWord)]) -> RiskWord {
        let followed = words.filter { !$0.word.isOff }
        guard let first = followed.first else { return words[0].word }
        if let inactive = followed.first(where: { $0.word.state == .inactive }) { return inactive.word }
        if followed.count == 1 { return first.word }
        func rest(_ isToldAlready: (RiskWord) -> Bool) -> String {
            followed.filter { !isToldAlready($0.word) }.map { " Not known for \($0.who): \($0.word.sentence)" }.joined()
        }
        let increased = followed.filter { $0.word.state == .increased }
        if !increased.isEmpty {
            return RiskWord(
                .increased,
                increased.map(\.word.sentence).joined(separator: " ") + rest { $0.state == .increased || $0.state == .low },
                isJudged: true)
        }
        let unjudged = followed.filter { $0.word.unjudged > 0 }
        let low = followed.filter { $0.word.state == .low }
        if !unjudged.isEmpty {
            // The other sources' being low is said, so that nobody takes it for an answer to this.
            let calm = low.map(\.who).joined(separator: ", ")
            return RiskWord(
                .unknown,
                unjudged.map { "\($0.who): \($0.word.sentence)" }.joined(separator: " ")
                    + (calm.isEmpty ? "" : " What was published by \(calm) is judged as low.")
                    + rest { $0.unjudged > 0 || $0.state == .low },
                isJudged: unjudged.contains { $0.word.isJudged }, unjudged: unjudged[0].word.unjudged)
        }
        if let one = low.first {
            let isSame = low.allSatisfy { $0.word.sentence == one.word.sentence }
            return RiskWord(
                .low,
                (isSame ? one.word.sentence : low.map { "\($0.who): \($0.word.sentence)" }.joined(separator: " "))
                    + rest { $0.state == .low }, isJudged: true)
        }
        let states = Set(followed.map(\.word.state))
        let state: Risk1.State =
            states.count == 1
            ? first.word.state
            : states.contains(.outdated) ? .outdated : states.isSubset(of: [.paused, .ended]) ? .paused : .unknown
        let isSame = followed.allSatisfy { $0.word.sentence == first.word.sentence }
        return RiskWord(
            state, isSame ? first.word.sentence : followed.map { "\($0.who): \($0.word.sentence)" }.joined(separator: " "))
    }
}
