// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The promise of a fleet's servers about requests that arrive more than once.
public enum ServerPromise: String, Sendable, Hashable, Codable, CaseIterable {
    /// A request with a name that was answered before is answered the same way, and counts once. Ours.
    case exactlyOnce
    /// What is given once (a registration, a TAN) or taken once (a TAN) is spent even if the answer gets lost, and even if storing the
    /// submission fails afterwards (cwa-protocols 5, status 500).
    case spendsFirst
}

extension TestRegistry {
    /// The work that the next slot is used for, with the number of the test.
    public enum Task: Sendable, Hashable {
        /// Register the test of this number, and ask for its result at once.
        case register(Int)
        /// Ask for the result of the test of this number.
        case ask(Int)
        /// Send the warning of the test of this number; `needsTAN` unless a TAN is at hand.
        case warn(Int, needsTAN: Bool)
        /// Send the rest of the day of a warning that is out, of the test of this number.
        case warnAgain(Int)

        /// The purpose of the slot's playbook for this work.
        public var occasion: Playbook.Occasion {
            switch self {
            case .register: .register
            case .ask: .askResult
            case .warn(_, let needsTAN): .submit(needsTAN: needsTAN)
            case .warnAgain: .submit(needsTAN: false)
            }
        }

        /// The number of the test that it is for.
        public var number: Int {
            switch self {
            case .register(let number), .ask(let number), .warn(let number, _), .warnAgain(let number): number
            }
        }
    }

    /// The outcome of one call to a server.
    public enum Outcome: Sendable, Hashable {
        /// The server has answered: the HTTP status, and the bytes of the body.
        case answered(status: Int, body: [UInt8])
        /// No answer that can be read: the request may have arrived.
        case lost
        /// The request never left: no connection was made, so it may be sent again.
        case unsent
        /// The server asks to come back in so many seconds, as it says; not checked.
        case busy(seconds: Int64)
        /// An answer that the authority has not signed. The request may have arrived.
        case notSigned

        /// What to say of it when nothing could be read.
        var trouble: ExchangeTrouble? {
            switch self {
            case .unsent, .lost: .noAnswer
            case .busy: .busy
            case .notSigned: .notSigned
            case .answered(let status, _): status == 429 || status >= 500 ? .serverFails : nil
            }
        }

        /// Whether the server has understood, and says no: the Corona-Warn-App's with 400 and 403, ours with 410, too.
        var isRefusal: Bool { status == 400 || status == 403 || status == 410 }

        var status: Int? {
            if case .answered(let status, _) = self { status } else { nil }
        }
    }

    /// The task of the slot at `now`: the warning first, because others wait for it without knowing; then a registration;
    /// then the result that is due for longest. `nil` for nothing, and as long as a server asked to wait (``wait(_:at:)``).
    /// With `way` only of tests that were entered for it: others wait until the device goes that way again. Without it of
    /// all tests.
    /// - Parameter now: Unix seconds.
    public func task(at now: Int64, _ way: WarningWay.Kind? = nil) -> Task? {
        if let waitUntil, now < waitUntil { return nil }
        if let way, tests.contains(where: { $0.way ?? .cwa != way }) {
            var own = self
            own.keep { $0.way ?? .cwa == way }
            return own.task(at: now)
        }
        for test in tests {
            switch test.warning {
            case .prepared, .askingTAN: return .warn(test.number, needsTAN: true)
            case .ready, .sending: return .warn(test.number, needsTAN: false)
            default: continue
            }
        }
        if let number = remainderTask { return .warnAgain(number) }
        for test in tests {
            guard case .wanted = test.registration else { continue }
            // Asked already, and the result is not there yet: again at the pace of asking.
            if test.way != nil, let asked = test.lastAsked,
                now.subtractingReportingOverflow(asked).partialValue < PollingRhythm.pcrSeconds
            {
                continue
            }
            return .register(test.number)
        }
        let due = tests.compactMap { test in test.nextPoll().map { (test.number, $0) } }.filter { $0.1 <= now }
        return due.min { ($0.1, $0.0) < ($1.1, $1.0) }.map { .ask($0.0) }
    }

    // MARK: A call

    /// Notes that `call` is about to be made for a test, and gives the request. To be written to disk before it is sent.
    ///
    /// - Throws: `DiagnosisPlanError`: `notWaiting` if there is no such test, it is at another point, or it was entered for another way than the
    ///   device now goes; `damagedBook` if what was kept cannot be read; and what the request's own function throws. Then the step is played as a
    ///   fake.
    public mutating func begin(
        _ call: Playbook.Call, _ number: Int, _ way: WarningWay = .cwa(.exactlyOnce),
        using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        guard let test = test(number), test.way ?? .cwa == way.kind else { throw DiagnosisPlanError(.notWaiting) }
        switch way {
        case .cwa(.exactlyOnce): return try beginCWA(call, test, using: &random)
        // The names are known to servers of ours only.
        case .cwa(.spendsFirst): return try beginCWA(call, test, using: &random).unnamed().asPhonesDo()
        case .ens(let authority): return try beginENS(call, test, authority, using: &random)
        case .nhs(let access): return try beginNHS(call, test, access, using: &random)
        }
    }

    private mutating func beginCWA(
        _ call: Playbook.Call, _ test: RegisteredTest, using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        let number = test.number
        switch call {
        case .registrationToken:
            guard case .wanted(let key, let request, let attempts) = test.registration else {
                throw DiagnosisPlanError(.notWaiting)
            }
            change(number) { $0.registration = .wanted(key, request: request, attempts: attempts + 1) }
            return try ExchangeRequest.registration(key, dateOfBirthKey: key.birthKey, using: &random).named(request)
        case .testResult:
            guard let token = test.token else { throw DiagnosisPlanError(.notWaiting) }
            return .testResult(token, using: &random).named(ExchangeRequest.requestName(using: &random))
        case .tan:
            guard let token = test.token else { throw DiagnosisPlanError(.notWaiting) }
            let submission: WarningStage.Submission
            switch test.warning {
            case .prepared(let prepared):
                submission = prepared
                change(number) { $0.warning = .askingTAN(prepared, attempts: 1) }
            case .askingTAN(let prepared, let attempts):
                submission = prepared
                change(number) { $0.warning = .askingTAN(prepared, attempts: attempts + 1) }
            default: throw DiagnosisPlanError(.notWaiting)
            }
            let remainder = test.remainder?.credential.flatMap { ServerToken($0) }
            return .tan(token, remainder: remainder, using: &random).named(submission.request)
        case .submission:
            if case .sent? = test.warning { return try beginRemainder(test, using: &random) }
            let (submission, tan, attempts): (WarningStage.Submission, String, Int)
            switch test.warning {
            case .ready(let prepared, let given): (submission, tan, attempts) = (prepared, given, 1)
            case .sending(let prepared, let given, let before): (submission, tan, attempts) = (prepared, given, before + 1)
            default: throw DiagnosisPlanError(.notWaiting)
            }
            guard let token = ServerToken(tan), let body = Base64.bytes(submission.body) else {
                throw DiagnosisPlanError(.damagedBook)
            }
            change(number) { $0.warning = .sending(submission, tan: tan, attempts: attempts) }
            return .submission(prepared: body, tan: token, using: &random).named(submission.request)
        }
    }

    /// Notes what came of a call that was begun. To be written to disk. Returns whether the playbook's next genuine step may follow; `false` too,
    /// and nothing is noted, if there is no such test or it was entered for another way.
    /// - Parameter now: Unix seconds.
    public mutating func finish(
        _ call: Playbook.Call, _ number: Int, _ outcome: Outcome, _ way: WarningWay, at now: Int64
    ) -> Bool {
        guard let test = test(number), test.way ?? .cwa == way.kind else { return false }
        if case .busy(let seconds) = outcome { wait(seconds, at: now) }
        return switch way {
        case .cwa(let promise): finish(call, number, outcome, promise, at: now)
        case .ens: finishENS(call, test, outcome, way, at: now)
        case .nhs: finishNHS(call, test, outcome, way, at: now)
        }
    }

    /// Notes the outcome of a call that was begun, by the rules of the Corona-Warn-App's servers or ours, whichever way the test was
    /// entered for. To be written to disk. Returns whether the playbook's next genuine step may follow; `false` too, and nothing is
    /// noted, if there is no such test. A server's wish to wait is not noted here.
    /// - Parameter now: Unix seconds.
    public mutating func finish(
        _ call: Playbook.Call, _ number: Int, _ outcome: Outcome, _ promise: ServerPromise, at now: Int64
    ) -> Bool {
        guard let test = test(number) else { return false }
        let isDone =
            switch call {
            case .registrationToken: registered(test, outcome, promise)
            case .testResult: reported(test, outcome, at: now)
            case .tan: permitted(test, outcome, promise)
            case .submission:
                if case .sent? = test.warning {
                    finishRemainder(test, outcome, at: now)
                } else {
                    submitted(test, outcome, promise, at: now)
                }
            }
        if isDone || outcome.isRefusal {
            change(number) { $0.trouble = nil }
        } else {
            note(outcome.trouble ?? .unreadable, number)
        }
        return isDone
    }

    private mutating func registered(_ test: RegisteredTest, _ outcome: Outcome, _ promise: ServerPromise) -> Bool {
        guard case .wanted(let key, let request, let attempts) = test.registration else { return false }
        switch outcome {
        case .unsent:
            change(test.number) { $0.registration = .wanted(key, request: request, attempts: max(0, attempts - 1)) }
        case .answered(201, let body):
            guard let token = try? VerificationAnswer.registrationToken(body) else { return false }
            change(test.number) { $0.registration = .made(token: token.text) }
            return true
        case .answered(400, _):
            // Refused because it is registered: perhaps by an attempt of ours whose answer never came.
            let isOurs = attempts > 1 && promise == .spendsFirst
            change(test.number) {
                $0.registration = .refused(isOurs ? .answerLost : .unknownOrUsed)
                $0.isSeen = false
            }
        // Ours says so when a hotline's number was good once (docs/verification.md).
        case .answered(410, _):
            change(test.number) {
                $0.registration = .refused(.expired)
                $0.isSeen = false
            }
        case .answered, .lost, .busy, .notSigned: break
        }
        return false
    }

    private mutating func reported(_ test: RegisteredTest, _ outcome: Outcome, at now: Int64) -> Bool {
        guard test.token != nil else { return false }
        switch outcome {
        case .unsent, .lost, .busy, .notSigned: return false
        case .answered(200, let body):
            guard let report = try? VerificationAnswer.report(body) else { return false }
            change(test.number) {
                $0.lastAsked = now
                $0.sampleCollected = report.sampleCollected ?? $0.sampleCollected
                // What was final stays: a server that has deleted a result says "pending" again, or "redeemed".
                guard $0.result?.isFinal != true else { return }
                $0.resultCode = report.result.code
                if report.result.isFinal { $0.isSeen = false }
            }
            return true
        case .answered(400, _), .answered(403, _):
            guard test.result?.isFinal != true else { return false }
            let isOtherBirth = test.isBoundToBirth == true && outcome.status == 403
            change(test.number) {
                $0.registration = .refused(isOtherBirth ? .otherBirth : .forgotten)
                $0.isSeen = false
            }
            return false
        case .answered:
            change(test.number) { $0.lastAsked = now }
            return false
        }
    }

    private mutating func permitted(_ test: RegisteredTest, _ outcome: Outcome, _ promise: ServerPromise) -> Bool {
        guard case .askingTAN(let submission, let attempts)? = test.warning else { return false }
        switch outcome {
        case .unsent:
            change(test.number) {
                $0.warning = attempts > 1 ? .askingTAN(submission, attempts: attempts - 1) : .prepared(submission)
            }
        case .answered(201, let body):
            guard let tan = try? VerificationAnswer.tan(body) else { return false }
            change(test.number) { $0.warning = .ready(submission, tan: tan.text) }
            return true
        case .answered(400, _):
            // It gives one TAN: to an attempt whose answer got lost, or for a warning that was withdrawn.
            let isSpent = attempts > 1 && promise == .spendsFirst || test.permissionIsSpent == true
            end(test.number, isSpent ? .tanLost : .notPositive)
        case .answered, .lost, .busy, .notSigned: break
        }
        return false
    }

    private mutating func submitted(
        _ test: RegisteredTest, _ outcome: Outcome, _ promise: ServerPromise, at now: Int64
    ) -> Bool {
        guard case .sending(let submission, let tan, let attempts)? = test.warning else { return false }
        switch outcome {
        case .unsent:
            change(test.number) {
                $0.warning =
                    attempts > 1 ? .sending(submission, tan: tan, attempts: attempts - 1) : .ready(submission, tan: tan)
            }
        case .answered(200, _):
            change(test.number) {
                $0.warning = .sent(now)
                $0.isSeen = false
            }
            return true
        case .answered(400, _): end(test.number, .refused)
        case .answered(403, _):
            // An attempt before may have been taken, which spends the TAN.
            end(test.number, attempts > 1 && promise == .spendsFirst ? .uncertain : .tanRefused)
        case .answered(429, _): break
        case .answered, .lost, .busy, .notSigned:
            // One more attempt, and then a person has to be told (cwa-protocols 5).
            if promise == .spendsFirst, attempts > 1 { end(test.number, .uncertain) }
        }
        return false
    }
}
