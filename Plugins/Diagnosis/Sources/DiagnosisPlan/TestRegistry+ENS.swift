// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// Tests and warnings at Google's servers (specification ens): a code gives the result at once, and a token; the token and a code over the keys give
/// a certificate; with it the keys are published, within a quarter of an hour. Codes and tokens are spent before the answer is on its way.
extension TestRegistry {
    mutating func beginENS(
        _ call: Playbook.Call, _ test: RegisteredTest, _ authority: ENSAuthority,
        using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        switch call {
        case .registrationToken:
            guard case .wanted(let key, let request, let attempts) = test.registration else {
                throw DiagnosisPlanError(.notWaiting)
            }
            change(test.number) { $0.registration = .wanted(key, request: request, attempts: attempts + 1) }
            return try ENSRequest.verify(key.text, apiKey: authority.apiKey, using: &random)
        // The result came with the token.
        case .testResult: throw DiagnosisPlanError(.notWaiting)
        case .tan:
            guard let token = test.givenToken, let (prepared, attempts) = test.warning?.asking,
                let frozen = prepared.frozen
            else { throw DiagnosisPlanError(.notWaiting) }
            let proof = try frozen.proof()
            change(test.number) { $0.warning = .askingTAN(prepared, attempts: attempts + 1) }
            return try ENSRequest.certificate(token: token, proof: proof, apiKey: authority.apiKey, using: &random)
        case .submission:
            guard let (submission, certificate, attempts) = test.warning?.submitting else {
                throw DiagnosisPlanError(.notWaiting)
            }
            var whole = submission
            // Composed once: every attempt is the same to the byte.
            if whole.body.isEmpty {
                guard let frozen = submission.frozen else { throw DiagnosisPlanError(.damagedBook) }
                whole = submission.with(
                    body: try frozen.body(
                        certificate: certificate, authority: authority.healthAuthority, revisionToken: revisionToken,
                        using: &random))
            }
            guard let body = whole.bytes else { throw DiagnosisPlanError(.damagedBook) }
            uploader = uploader ?? test.number == test.number ? test.number : 0
            change(test.number) { $0.warning = .sending(whole, tan: certificate, attempts: attempts + 1) }
            return ENSRequest.publish(body: body)
        }
    }

    mutating func finishENS(
        _ call: Playbook.Call, _ test: RegisteredTest, _ outcome: Outcome, _ way: WarningWay, at now: Int64
    ) -> Bool {
        switch call {
        case .registrationToken: verified(test, outcome, way, at: now)
        case .testResult: false
        case .tan: certified(test, outcome, at: now)
        case .submission: published(test, outcome, at: now)
        }
    }

    private mutating func verified(
        _ test: RegisteredTest, _ outcome: Outcome, _ way: WarningWay, at now: Int64
    ) -> Bool {
        guard case .wanted(let key, let request, let attempts) = test.registration else { return false }
        // Whoever was told to wait has spent no code: the next refusal is about the code itself.
        if outcome.wasTurnedAway {
            change(test.number) { $0.registration = .wanted(key, request: request, attempts: max(0, attempts - 1)) }
        }
        guard let answer = outcome.read(.verify) else {
            note(outcome.trouble, test.number)
            return false
        }
        switch answer.action {
        case .proceed:
            guard let token = answer.token, let type = answer.type else { return false }
            func day(_ text: String?) -> Int64? { text.flatMap { CivilDate(isoText: $0)?.dayNumber } }
            change(test.number) {
                $0.registration = .made(token: token)
                $0.resultCode = TestResult(type == .negative ? .negative : .positive).code
                $0.lastAsked = now
                $0.isSeen = false
                $0.tokenUntil = way.tokenSeconds.map { now + $0 }
                $0.onsetDay = day(answer.symptomDate)
                $0.testDay = day(answer.testDate)
                $0.trouble = nil
            }
            return true
        // Used, perhaps by an attempt of ours whose answer never came.
        case .checkCode: refuse(test.number, attempts > 1 ? .answerLost : .unknownOrUsed)
        // Its own word for a code whose time is over; another one means that the server failed after it took the code.
        case .newCode: refuse(test.number, answer.code == "code_expired" ? .expired : .spent)
        case .updateSoftware: refuse(test.number, .unsupported)
        case .fixRequest, .configuration, .askDate, .askPhone: refuse(test.number, .misconfigured)
        default: note(outcome.trouble ?? .unreadable, test.number)
        }
        return false
    }

    private mutating func certified(_ test: RegisteredTest, _ outcome: Outcome, at now: Int64) -> Bool {
        guard case .askingTAN(let submission, let attempts)? = test.warning else { return false }
        guard let answer = outcome.read(.certificate) else {
            if outcome == .unsent {
                change(test.number) {
                    $0.warning = attempts > 1 ? .askingTAN(submission, attempts: attempts - 1) : .prepared(submission)
                }
            }
            note(outcome.trouble, test.number)
            return false
        }
        switch answer.action {
        case .proceed:
            guard let text = answer.certificate else { return false }
            // One for other keys would be refused, and its token is spent.
            guard let certificate = ENSCertificate(text), let frozen = submission.frozen,
                certificate.code == (try? frozen.proof())
            else {
                end(test.number, .tanRefused)
                return false
            }
            change(test.number) {
                $0.warning = .ready(submission.with(until: now + ENSCertificate.lifeSeconds), tan: text)
                $0.trouble = nil
            }
            return true
        case .newCode: end(test.number, attempts > 1 || test.permissionIsSpent == true ? .tanLost : .tanRefused)
        case .fixRequest, .configuration, .askDate, .askPhone, .updateSoftware: end(test.number, .misconfigured)
        case .checkCode: end(test.number, .tanRefused)
        default: note(outcome.trouble ?? .unreadable, test.number)
        }
        return false
    }

    /// Gives whether the next step may follow, which repeats the publication.
    private mutating func published(_ test: RegisteredTest, _ outcome: Outcome, at now: Int64) -> Bool {
        guard case .sending(let submission, let certificate, let attempts)? = test.warning else { return false }
        guard let answer = outcome.read(.publish) else {
            if outcome == .unsent {
                change(test.number) {
                    $0.warning =
                        attempts > 1
                        ? .sending(submission, tan: certificate, attempts: attempts - 1)
                        : .ready(submission, tan: certificate)
                }
            }
            note(outcome.trouble, test.number)
            return true
        }
        switch answer.action {
        case .published:
            if let token = answer.revisionToken { revisionToken = token }
            sent(test.number, at: now)
        // It has them. Nobody but this device can have sent them: an attempt whose answer got lost. Of this warning, if there never was another one:
        // of one before, it may have some of the keys and refuse all of these.
        case .keysAlreadyThere where attempts > 1 && uploader == test.number: sent(test.number, at: now)
        case .keysAlreadyThere where attempts > 1: end(test.number, .uncertain)
        case .keysAlreadyThere: end(test.number, .alreadyThere)
        // So it also answers a repetition whose first attempt it has taken, when the token is of an upload before.
        case .newKeysOnly where attempts > 1 && answer.code == "invalid_revision_token": end(test.number, .uncertain)
        case .newKeysOnly:
            // A token that is not taken once is not taken again.
            if answer.code == "invalid_revision_token" { revisionToken = nil }
            end(test.number, .alreadyThere)
        case .nothingPublished: end(test.number, .nothingTaken)
        case .newCode: end(test.number, attempts > 1 ? .uncertain : .tanRefused)
        case .configuration: end(test.number, .misconfigured)
        case .fixRequest, .checkCode, .updateSoftware, .askDate, .askPhone: end(test.number, .refused)
        default:
            note(outcome.trouble ?? .unreadable, test.number)
            return true
        }
        return false
    }
}

extension TestRegistry.Outcome {
    /// What was answered, read; `nil` when nothing was.
    fileprivate func read(_ endpoint: ENSAnswer.Endpoint) -> ENSAnswer? {
        guard case .answered(let status, let body) = self else { return nil }
        return ENSAnswer.read(endpoint, status: status, body: body)
    }
}
