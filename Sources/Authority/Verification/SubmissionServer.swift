// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport

/// Takes submissions: judges them, uses up the TAN, and hands keys and check-ins to the publisher, in this order
/// (`cwa-protocols` section 5).
///
/// A TAN is confirmed for exactly the bytes of one body. So after a crash between confirming and storing, the same
/// body can be sent again, and a second warning with the same TAN is refused. The server stores nothing itself, and
/// sees only the body and TAN of a request. Not thread-safe.
public final class SubmissionServer {
    /// Counts of what the server has done and refused since its start.
    public struct Counters: Hashable, Sendable {
        /// The number of accepted submissions, repeated ones included; 0 or more.
        public var submissions = 0
        /// The number of keys that the publisher called new, 0 or more.
        public var keys = 0
        /// The number of check-ins since the start that were taken and new, as the publisher says; 0 or more.
        public var checkIns = 0
        /// The number of keys since the start that were left out of submissions that were taken, because of their age;
        /// 0 or more.
        public var droppedKeys = 0
        /// The number of submissions that broke a rule, by rule. Each number is 1 or more; a rule that was never broken is
        /// absent.
        public var flaws: [SubmissionRules.Flaw: Int] = [:]
        /// The number of refused submissions by code, those of ``flaws`` included. Each number is 1 or more; a code that
        /// did not occur is absent.
        public var refused: [VerificationError.Code: Int] = [:]
    }

    /// The rules by which submissions are judged.
    public let rules: SubmissionRules
    /// The counts since this object was created. Read them on the thread that uses the server.
    public private(set) var counters = Counters()
    private let tans: any TANConfirming
    private let taker: any KeyTaking

    /// Creates a server that confirms TANs with `tans` and hands keys to `taker`. Both may be elsewhere, and only this
    /// server may use them. Neither is asked yet.
    public init(rules: SubmissionRules, tans: any TANConfirming, taker: any KeyTaking) {
        self.rules = rules
        self.tans = tans
        self.taker = taker
    }

    /// Takes a body (protobuf, ``SubmissionPayload``) with a TAN (a UUID in any case) at `now` (Unix seconds), and
    /// returns how many keys and check-ins the publisher called new; they are durable when this returns. A TAN for
    /// the rest of a day counts only for a body that ``SubmissionRules/isRemainder(_:now:)`` allows. Blocks for as
    /// long as its partners do.
    ///
    /// Throws `invalidSubmission` with the flaw as detail (nothing happened), `invalidTAN`, and what
    /// ``TANConfirming`` and ``KeyTaking`` throw; after those the same body may be sent again.
    public func submit(_ body: [UInt8], tan: String, now: Int64) throws(VerificationError) -> TakenSubmission {
        do throws(VerificationError) {
            let accepted: SubmissionRules.Accepted
            switch rules.judge(body, now: now) {
            case .success(let value): accepted = value
            case .failure(let found):
                counters.flaws[found.flaw, default: 0] += 1
                throw VerificationError(.invalidSubmission, found.flaw.rawValue)
            }
            let warning = try confirm(tan, accepted, request: SHA256.digest(of: body), now: now)
            let taken = try taker.take(accepted, warning: warning, now: now)
            counters.keys += taken.keys
            counters.checkIns += taken.checkIns
            counters.submissions += 1
            counters.droppedKeys += accepted.droppedCount
            return taken
        } catch {
            counters.refused[error.code, default: 0] += 1
            throw error
        }
    }

    /// A TAN for a whole warning, or one for the rest of a day with nothing but that.
    private func confirm(
        _ tan: String, _ accepted: SubmissionRules.Accepted, request: [UInt8], now: Int64
    ) throws(VerificationError) -> WarningHandle? {
        do throws(VerificationError) { return try tans.confirm(tan, type: .test, request: request, now: now) } catch {
            guard error.code == .invalidTAN, SubmissionRules.isRemainder(accepted, now: now) else { throw error }
            return try tans.confirm(tan, type: .remainder, request: request, now: now)
        }
    }
}
