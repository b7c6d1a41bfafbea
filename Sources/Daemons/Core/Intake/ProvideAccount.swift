// SPDX-License-Identifier: Apache-2.0

import Interfaces
import KeyExport
import Ledger
import TimeTrust

/// How often each caller has provided files on each UTC day, and whether it may again (``ProvideLimit``). On disk, so that a restart forgets nothing.
struct ProvideAccount {
    private static let attempt = "provide"
    private static let refused = "refused"

    private let ledger: Ledger

    init(_ ledger: Ledger) { self.ledger = ledger }

    /// What `caller` may still provide. Nothing is known of it at a `time` (Unix seconds) that is `nil`.
    func limit(for caller: Caller, at time: Int64?) throws(Refusal) -> Exposure1.Limit {
        let rule = ProvideLimit(caller.reading)
        guard let time else { return Exposure1.Limit(perDay: rule.perDay, used: 0, nextPermitted: nil) }
        let day = Self.day(time)
        let (used, refused) = try reading {
            (
                try ledger.attempts(by: caller.name, kind: Self.attempt, day: day),
                try ledger.attempts(by: caller.name, kind: Self.refused, day: day)
            )
        }
        return Exposure1.Limit(
            perDay: rule.perDay, used: used, nextPermitted: rule.nextPermitted(used: used, refused: refused, day: day))
    }

    /// Refuses when `caller` has provided as often as it may; otherwise the attempt is on record when this returns.
    func recordAttempt(by caller: Caller, at time: Int64) throws(Refusal) {
        let limit = try limit(for: caller, at: time)
        if let next = limit.nextPermitted {
            throw .limitReached(
                nextPermitted: next,
                "Files were provided \(limit.used) times this UTC day, which is all there is. The next time is \(UnixTime(seconds: next).inWords)."
            )
        }
        // Before the run: a run that fails, or a program that ends, counts all the same.
        try ledger.record { try $0.recordAttempt(by: caller.name, kind: Self.attempt, day: Self.day(time)) }
    }

    /// One more file of `caller` that was refused. Throws what the ledger says.
    func recordRefused(by caller: Caller, at time: Int64) throws {
        try ledger.write { _ = try $0.recordAttempt(by: caller.name, kind: Self.refused, day: Self.day(time)) }
    }

    private static func day(_ time: Int64) -> UInt32 { UInt32(clamping: time / 86_400) }
}
