// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
public import Matching

/// The result of merging matches into the ledger, in counts of matches.
public struct MergeOutcome: Sendable, Hashable {
    /// The number of keys that were new, 0 or more.
    public var new = 0
    /// The number of known keys that changed, because a report type changed or another source published the key; 0 or
    /// more.
    public var changed = 0
    /// The number of matches that were refused because the key is known with another start or period, 0 or more.
    public var contradictions = 0

    /// Creates an outcome from these counts, 0 or more each. Cannot fail.
    public init(new: Int = 0, changed: Int = 0, contradictions: Int = 0) {
        self.new = new
        self.changed = changed
        self.contradictions = contradictions
    }
}

extension Ledger {
    /// Returns every readable match, in the order in which their keys were first merged. Throws ``LedgerFailure``
    /// when the database cannot be read.
    public func matches() throws -> [Match] { try rows(.match).compactMap { MatchCoding.read($0.content) } }

    /// Interval numbers fit 32 bits, days times 144 do not.
    static func isEnded(_ row: Row, before day: UInt32) -> Bool {
        guard let match = MatchCoding.read(row.content) else { return true }
        return UInt64(match.key.end.number) <= UInt64(day) * UInt64(ENIN.perDay)
    }

    func forgetMatches(endedBefore day: UInt32) throws {
        try delete(.match) { Self.isEnded($0, before: day) }
    }
}

extension LedgerTransaction {
    /// Adds the matches of one verified file by the rules of `MatchSet`: a known key keeps its start, period and
    /// sightings; its report type may change, and sources are added. The matches must be in file order, with revised
    /// keys last.
    ///
    /// Throws ``LedgerFailure``: `invalid` for a match that ``MatchCoding/encode(_:)`` refuses or with a key
    /// outside the limits of `DiagnosisKey`, or what the disk refuses.
    @discardableResult
    public func merge(_ matches: [Match]) throws -> MergeOutcome {
        let ledger = try ledger
        var outcome = MergeOutcome()
        for match in matches {
            let name = match.key.data.bytes
            let known = try ledger.row(.match, name).flatMap(MatchCoding.read)
            var set = MatchSet(known.map { [$0] } ?? [])
            set.merge(match)
            outcome.contradictions += set.contradictions
            guard let merged = set.matches.first, merged != known else { continue }
            guard let bytes = MatchCoding.encode(merged), MatchCoding.decode(bytes) == merged else {
                throw LedgerFailure(.invalid, "a match with \(merged.sightings.count) sightings")
            }
            try ledger.put(.match, name, bytes, keepsPlace: true)
            if known == nil { outcome.new += 1 } else { outcome.changed += 1 }
        }
        return outcome
    }

    /// Removes the matches whose key ended before the UTC day `day` (since 1970) or with its beginning, and those
    /// that cannot be read. Throws ``LedgerFailure`` when the disk refuses.
    public func forgetMatches(endedBefore day: UInt32) throws { try ledger.forgetMatches(endedBefore: day) }
}
