// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The promises of a fleet's servers about requests that arrive more than once.
public enum ServerPromise: String, Sendable, Hashable, Codable, CaseIterable {
    /// A request with a name that was answered before gets the same answer again, and counts once. This project's servers
    /// promise it.
    case exactlyOnce
    /// What a server gives once (a registration, a TAN) or takes once (a TAN) is used up even if its answer is lost, and
    /// even if the server then fails to store the submission (cwa-protocols 5, status 500).
    case spendsFirst
}

extension TestRegistry {
    /// The work that the next slot is used for, with the number of its test.
    public enum Task: Sendable, Hashable {
        /// Register the test with this number, and ask for its result at once.
        case register(Int)
        /// Ask for the result of the test with this number.
        case ask(Int)
        /// Send the warning of the test with this number; `needsTAN` is `false` if its TAN is here already.
        case warn(Int, needsTAN: Bool)
        /// Send the keys for the rest of the day, for the test with this number, whose warning was sent.
        case warnAgain(Int)

        /// The purpose of the playbook that does this work.
        public var occasion: Playbook.Occasion {
            switch self {
            case .register: .register
            case .ask: .askResult
            case .warn(_, let needsTAN): .submit(needsTAN: needsTAN)
            case .warnAgain: .submit(needsTAN: false)
            }
        }

        /// The number of the test that the work is for.
        public var number: Int {
            switch self {
            case .register(let number), .ask(let number), .warn(let number, _), .warnAgain(let number): number
            }
        }
    }

    /// The outcome of one call to a server.
    public enum Outcome: Sendable, Hashable {
        /// The server has answered, with this HTTP status and these bytes as the body.
        case answered(status: Int, body: [UInt8])
        /// No readable answer came: the request may have arrived.
        case lost
        /// The request was not sent, because no connection was made: it may be sent again.
        case unsent
        /// The server asks for a wait of this many seconds, as it says; not checked.
        case busy(seconds: Int64)
        /// The answer carries no valid signature of the authority. The request may have arrived.
        case notSigned

        /// Whether the server has done nothing with the request: it did not arrive, or the server has told this device to wait (429, specification ens 2).
        var wasTurnedAway: Bool {
            switch self {
            case .unsent, .busy, .answered(status: 429, _): true
            case .answered, .lost, .notSigned: false
            }
        }

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

    /// Returns the task for the slot at `now`: first a warning, because people who do not know of it wait for it;
    /// then the keys for the rest of a day whose warning was sent; then a registration; then the question for the
    /// result that has been due longest. An NHS test without a result yet is registered again at the earliest
    /// ``PollingRhythm/pcrSeconds`` after the last answer. `nil` if there is nothing to do, and while a server's
    /// wish to wait lasts (``wait(_:at:)``).
    /// - Parameters:
    ///   - now: The time of the slot in Unix seconds.
    ///   - way: The device's way: only tests that were entered for it count, and others wait until the device uses
    ///     their way again. `nil` for all tests.
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

    /// Notes that `call` is about to be made for the test with this number, and returns the request. Write the
    /// registry to disk before you send the request.
    ///
    /// - Parameters:
    ///   - call: The call of the playbook's step.
    ///   - number: The test's number.
    ///   - way: The device's way; this project's servers by default.
    /// - Throws: `DiagnosisPlanError.notWaiting` if there is no such test, it does not wait for this call, or it
    ///   was entered for a way other than `way`; `damagedBook` if what is stored of its warning cannot be read; and
    ///   the errors of the function that makes the request. After an error, play the step as a fake.
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

    /// Notes the outcome of a call that was begun. Write the registry to disk afterwards. Returns whether the playbook's
    /// next genuine step may follow; if there is no such test, or it was entered for another way, it returns `false` and
    /// notes nothing.
    /// - Parameters:
    ///   - call: The call that ``begin(_:_:_:using:)`` was told.
    ///   - number: The test's number.
    ///   - outcome: What came of the call.
    ///   - way: The device's way.
    ///   - now: The time in Unix seconds.
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

    /// Notes the outcome of a call that was begun, by the rules of the Corona-Warn-App's servers or this project's, for
    /// whichever way the test was entered. Write the registry to disk afterwards. Returns whether the playbook's next
    /// genuine step may follow; if there is no such test, it returns `false` and notes nothing. A server's wish to wait is
    /// not noted here.
    /// - Parameter now: The time in Unix seconds.
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
            sent(test.number, at: now)
            return true
        case .answered(400, _): end(test.number, .refused)
        case .answered(403, _):
            // An attempt before may have been taken, which spends the TAN.
            if attempts > 1, promise == .spendsFirst {
                endUncertain(test.number, at: now)
            } else {
                end(test.number, .tanRefused)
            }
        case .answered(429, _): break
        case .answered, .lost, .busy, .notSigned:
            // One more attempt, and then a person has to be told (cwa-protocols 5).
            if promise == .spendsFirst, attempts > 1 { endUncertain(test.number, at: now) }
        }
        return false
    }
}
