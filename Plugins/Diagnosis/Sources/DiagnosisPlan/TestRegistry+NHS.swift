// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HTTPFields

/// Tests and warnings at NHS COVID-19's servers (specification rules-and-nhs 2 and 3): a code gives the result, when it is there, and a token;
/// with the token the keys are submitted. A code may be exchanged twice, so that one lost answer does no harm; a token is good for one submission
/// that is stored, so that repeating does none.
extension TestRegistry {
    mutating func beginNHS(
        _ call: Playbook.Call, _ test: RegisteredTest, _ access: NHSAccess, using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        switch call {
        // The first of a slot's calls, whichever of them it is for.
        case .registrationToken, .testResult:
            guard case .wanted(let key, let request, let attempts) = test.registration else {
                throw DiagnosisPlanError(.notWaiting)
            }
            change(test.number) { $0.registration = .wanted(key, request: request, attempts: attempts + 1) }
            return key.form == .pollingToken
                ? NHSRequest.results(key.text, access, using: &random)
                : NHSRequest.exchange(key.text, access, using: &random)
        case .tan: throw DiagnosisPlanError(.notWaiting)
        case .submission:
            guard let (submission, token, attempts) = test.warning?.submitting else {
                throw DiagnosisPlanError(.notWaiting)
            }
            guard let body = submission.bytes else { throw DiagnosisPlanError(.damagedBook) }
            change(test.number) { $0.warning = .sending(submission, tan: token, attempts: attempts + 1) }
            return NHSRequest.submission(prepared: body, access, using: &random)
        }
    }

    mutating func finishNHS(
        _ call: Playbook.Call, _ test: RegisteredTest, _ outcome: Outcome, _ way: WarningWay, at now: Int64
    ) -> Bool {
        switch call {
        case .registrationToken, .testResult: exchanged(test, outcome, way, at: now)
        case .tan: false
        case .submission: submittedNHS(test, outcome, at: now)
        }
    }

    private mutating func exchanged(
        _ test: RegisteredTest, _ outcome: Outcome, _ way: WarningWay, at now: Int64
    ) -> Bool {
        guard case .wanted(let key, let request, let attempts) = test.registration else { return false }
        let wasNotCounted = RegisteredTest.Registration.wanted(key, request: request, attempts: max(0, attempts - 1))
        guard case .answered(let status, let body) = outcome else {
            if outcome == .unsent { change(test.number) { $0.registration = wasNotCounted } }
            note(outcome.trouble, test.number)
            return false
        }
        switch NHSResult.Reaction.of(status: status, isExchange: key.form != .pollingToken) {
        case .read: return read(body, key, test, way, at: now)
        case .askAgain:
            // Nothing was spent.
            change(test.number) {
                $0.registration = wasNotCounted
                $0.lastAsked = now
                $0.trouble = nil
            }
        case .invalidCode: refuse(test.number, attempts > 1 ? .answerLost : .unknownOrUsed)
        case .configuration, .fault: refuse(test.number, .misconfigured)
        case .retry:
            change(test.number) { $0.registration = wasNotCounted }
            note(.serverFails, test.number)
        }
        return false
    }

    private mutating func read(
        _ body: [UInt8], _ key: RegistrationKey, _ test: RegisteredTest, _ way: WarningWay, at now: Int64
    ) -> Bool {
        let result: NHSResult
        do throws(DiagnosisPlanError) { result = try NHSResult(body) } catch {
            if error.code == .unknownResult { refuse(test.number, .unsupported) } else { note(.unreadable, test.number) }
            return false
        }
        // With a polling token the submission's came with the order.
        let token = result.submissionToken ?? key.birthKey
        change(test.number) {
            $0.registration = .made(token: result.allowsSubmission ? token ?? "" : "")
            $0.resultCode = result.verdict.result.code
            $0.lastAsked = now
            $0.isSeen = false
            $0.tokenUntil = way.tokenSeconds.map { now + $0 }
            $0.testDay = result.end?.dayNumber
            $0.kit = result.kit
            $0.trouble = nil
        }
        return true
    }

    private mutating func submittedNHS(_ test: RegisteredTest, _ outcome: Outcome, at now: Int64) -> Bool {
        guard case .sending(let submission, let token, let attempts)? = test.warning else { return false }
        switch outcome {
        case .unsent:
            change(test.number) {
                $0.warning =
                    attempts > 1 ? .sending(submission, tan: token, attempts: attempts - 1) : .ready(submission, tan: token)
            }
        // Whatever the server thinks of it; what it would drop was found before it was prepared.
        case .answered(200, _):
            sent(test.number, at: now)
            return true
        case .answered(401, _), .answered(403, _): end(test.number, .misconfigured)
        case .answered(400, _), .answered(404, _), .answered(405, _), .answered(422, _): end(test.number, .refused)
        default: break
        }
        note(outcome.trouble, test.number)
        return false
    }
}
