// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The warnings for the rest of a day, from the core's first keys to the second submission (``RemainderStage``).
extension TestRegistry {
    /// Returns the claims whose keys the core hands out at `machineNow` (in Unix seconds of the machine), with the numbers
    /// of their tests; empty if there are none.
    public func remaindersDue(at machineNow: Int64) -> [(number: Int, claim: RemainderStage.Claim)] {
        tests.compactMap { test in
            guard case .waiting(let claim)? = test.remainder, (claim.after..<claim.until).contains(machineNow) else {
                return nil
            }
            return (test.number, claim)
        }
    }

    /// The time from which the first waiting claim is due, in Unix seconds of the machine, which may be past; `nil` if no
    /// claim waits.
    public var nextRemainder: Int64? {
        tests.compactMap { test in
            guard case .waiting(let claim)? = test.remainder else { return nil }
            return claim.after
        }.min()
    }

    /// Notes that the core has handed out the keys of a claim. Has no effect unless a claim of the test with this number
    /// waits for them.
    /// - Parameters:
    ///   - number: The test's number.
    ///   - body: The whole body of the submission, as it will be sent.
    ///   - request: The request's name, a random UUID.
    ///   - now: The time in Unix seconds.
    public mutating func prepareRemainder(_ number: Int, _ body: [UInt8], request: String, at now: Int64) {
        guard case .waiting(let claim)? = test(number)?.remainder else { return }
        change(number) {
            $0.remainder = .prepared(
                .init(body: Base64.string(body), request: request), credential: claim.credential, since: now)
        }
    }

    /// Notes that the core will not hand out the keys of a claim: the rest of the day ends for `reason`. Has no effect
    /// unless a claim of the test with this number waits for keys.
    public mutating func loseRemainder(_ number: Int, because reason: RemainderStage.Reason) {
        guard case .waiting? = test(number)?.remainder else { return }
        endRemainder(number, reason)
    }

    /// Ends the claims for which the core hands out no more keys at `machineNow`, in Unix seconds of the machine. Cannot
    /// fail.
    public mutating func dropRemainders(at machineNow: Int64) {
        for test in tests {
            guard case .waiting(let claim)? = test.remainder, machineNow >= claim.until else { continue }
            endRemainder(test.number, .tooLate)
        }
    }

    /// Ends what was not sent in time at `now`.
    mutating func forgetRemainders(before now: Int64) {
        for test in tests {
            switch test.remainder {
            case .prepared(_, _, let since), .sending(_, _, let since, _):
                guard now.subtractingReportingOverflow(since).partialValue >= RemainderStage.sendingSeconds else {
                    continue
                }
                endRemainder(test.number, .tooLate)
            default: continue
            }
        }
    }

    mutating func endRemainder(_ number: Int, _ reason: RemainderStage.Reason) {
        change(number) {
            $0.remainder = .ended(reason)
            if reason.isLoss { $0.isSeen = false }
        }
    }

    /// The test whose remainder the next slot sends: one whose warning is out.
    var remainderTask: Int? {
        tests.first { test in
            guard case .sent? = test.warning else { return false }
            switch test.remainder {
            case .prepared, .sending: return true
            default: return false
            }
        }?.number
    }

    /// Notes that it is about to be sent, and gives the request.
    mutating func beginRemainder(
        _ test: RegisteredTest, using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        let (submission, credential, since, attempts): (WarningStage.Submission, String, Int64, Int)
        switch test.remainder {
        case .prepared(let prepared, let given, let time):
            (submission, credential, since, attempts) = (prepared, given, time, 1)
        case .sending(let prepared, let given, let time, let before):
            (submission, credential, since, attempts) = (prepared, given, time, before + 1)
        default: throw DiagnosisPlanError(.notWaiting)
        }
        guard let token = ServerToken(credential), let body = Base64.bytes(submission.body) else {
            throw DiagnosisPlanError(.damagedBook)
        }
        change(test.number) {
            $0.remainder = .sending(submission, credential: credential, since: since, attempts: attempts)
        }
        return .submission(prepared: body, tan: token, using: &random).named(submission.request)
    }

    /// Notes what came of it. It is offered by servers alone that answer a repetition as they answered the first time, so it is sent until it
    /// was taken, refused, or too late.
    mutating func finishRemainder(_ test: RegisteredTest, _ outcome: Outcome, at now: Int64) -> Bool {
        guard case .sending(let submission, let credential, let since, let attempts)? = test.remainder else { return false }
        switch outcome {
        case .unsent:
            change(test.number) {
                $0.remainder =
                    attempts > 1
                    ? .sending(submission, credential: credential, since: since, attempts: attempts - 1)
                    : .prepared(submission, credential: credential, since: since)
            }
        case .answered(200, _):
            change(test.number) { $0.remainder = .sent(now) }
            return true
        case .answered(400, _), .answered(403, _): endRemainder(test.number, .refused)
        case .answered, .lost, .busy, .notSigned: break
        }
        return false
    }
}
