// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// The state of the authority's service.
public enum RiskService: Hashable, Sendable {
    /// The authority warns people as its rules say.
    case running
    /// The authority has stopped its service for now: nothing is scored, and people are told only this. `words` is
    /// the authority's own text, 1 to 500 characters in a document; `nil` if it has none.
    case paused(words: String?)
    /// The authority has ended its service: boards stop, say so, and erase their data about encounters on the day
    /// `eraseOn` (from its start, UTC; 2020 to 2099 in a document). `words` is as for ``paused(words:)``.
    case ended(eraseOn: CivilDate, words: String?)

    /// The text that is shown instead of a result: the authority's own (foreign text on one line of up to 500
    /// characters), or an English sentence; `nil` while the service runs.
    public var sentence: String? {
        switch self {
        case .running: nil
        case .paused(let words):
            words
                ?? "The health authority has paused warnings. Encounters are still noted; nothing is judged until it goes on."
        case .ended(let day, let words):
            words
                ?? "The health authority has ended warnings. Nothing is judged any more, and what was noted is erased on \(day.isoText)."
        }
    }
}
