// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import PrivacyPass

private func day(_ what: String, _ value: VectorValue) throws -> UTCDay {
    let text = try require(what, value.string)
    return UTCDay(number: try require(what, CivilDate(isoText: text)).dayNumber)
}

private func time(_ what: String, _ value: VectorValue) throws -> Int64 { Int64(try require(what, value.int)) }

/// Random numbers of tokens out of a seed, and the tokens.
enum TokenDerivations: VectorFamily {
    static let name = "token-derivation"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let key = try TokenKey(decoding: vector["tokenKey"].hex("tokenKey"))
                let digest = SHA256.digest(of: try vector["tokenChallenge"].hex("tokenChallenge"))
                let index = UInt32(try require("index", vector["index"].int))
                let seed = try TokenSeed(SecretBytes(copying: vector["seed"].hex("seed")))
                let secrets = try seed.secrets(key: key, challengeDigest: digest, index: index)
                try expect("nonce", Hex.string(secrets.nonce.withBytes { Array($0) }), vector["expNonce"].string)
                try expect("salt", Hex.string(secrets.salt.withBytes { Array($0) }), vector["expSalt"].string)
                try expect("blind", Hex.string(secrets.blind.withBytes { Array($0) }), vector["expBlind"].string)
                let pending = try seed.pendingToken(key: key, challengeDigest: digest, index: index)
                try expect("request", Hex.string(pending.request.encoded), vector["expTokenRequest"].string)
                let token = try pending.finished(by: vector["tokenResponse"].hex("tokenResponse"))
                try expect("token", Hex.string(token.bytes), vector["expToken"].string)
            }
        }
    }
}

/// Challenges that nobody hands out.
enum DonationChallenges: VectorFamily {
    static let name = "donation-challenge"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let text = try require("epoch", vector["epoch"].string)
                let isMonth = text.utf8.count == 7
                let day = UTCDay(number: try require("epoch", CivilDate(isoText: isMonth ? "\(text)-01" : text)).dayNumber)
                let epoch: DonationEpoch = isMonth ? .month(of: day) : .day(day)
                let origin = try require("originInfo", vector["originInfo"].string)
                try expect(
                    "context", Hex.string(epoch.redemptionContext(origin: origin)), vector["expRedemptionContext"].string)
                let challenge = try epoch.challenge(
                    issuerName: require("issuerName", vector["issuerName"].string), origin: origin)
                try expect("challenge", Hex.string(challenge.encoded), vector["expTokenChallenge"].string)
                try expect("digest", Hex.string(challenge.digest), vector["expChallengeDigest"].string)
            }
        }
    }
}

/// An issuer's answers, request by request.
enum IssuanceLedgers: VectorFamily {
    static let name = "issuance-ledger"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let rule = IssuanceRule(quota: try require("quota", vector["quota"].int))
                var ledger: [[String]: [[UInt8]]] = [:]
                for (step, expected) in try vector.steps() {
                    let place = [try require("device", step["device"].string), try require("keyId", step["keyId"].string)]
                    let message = Array(try require("blinded", step["blinded"].string).utf8)
                    let answer = rule.answer(
                        to: message, earlier: ledger[place] ?? [], isRevoked: step["revoked"].bool ?? false)
                    if answer == .issue { ledger[place, default: []].append(message) }
                    let found =
                        switch answer {
                        case .issue: "issue"
                        case .issueAgain: "issue-again"
                        case .refuseRevoked: "refuse-revoked"
                        case .refuseQuota: "refuse-quota"
                        }
                    try expect("answer", found, expected.string)
                }
            }
        }
    }
}

/// A donation server's answers, donation by donation.
enum TokenRedemptions: VectorFamily {
    static let name = "token-redemption"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                var spent: [[String]: [UInt8]] = [:]
                for (step, expected) in try vector.steps() {
                    let place = [try require("keyDay", step["keyDay"].string), try require("nonce", step["nonce"].string)]
                    let body = Array(try require("body", step["body"].string).utf8)
                    let answer = RedemptionRule.answer(
                        keyDay: try day("keyDay", step["keyDay"]), today: try day("today", step["today"]),
                        contentIsValid: step["payloadOk"].bool ?? true, bodyDigest: body, spentFor: spent[place])
                    if answer == .stored { spent[place] = body }
                    let words = answer.errorCode ?? (answer == .stored ? "stored" : "duplicate")
                    try expect("answer", "\(answer.status) \(words)", expected.string)
                }
            }
        }
    }
}

/// What a survey service is told about passwords.
enum SurveyPasswords: VectorFamily {
    static let name = "edus-otp"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                var known: [String: (expires: Int64, isRedeemed: Bool)] = [:]
                for (step, expected) in try vector.steps() {
                    let now = try time("t", step["t"])
                    let text = try require("otp", step["otp"].string)
                    if step["op"].string == "create" {
                        let password = try require("password", SurveyPassword.canonical(text))
                        let isNew = known[password] == nil
                        if isNew { known[password] = (now + SurveyPassword.validitySeconds, false) }
                        try expect("status", isNew ? 200 : 500, expected["status"].int)
                        if isNew { try expect("end", Int(now + SurveyPassword.validitySeconds), expected["expiresAt"].int) }
                        continue
                    }
                    let answer = SurveyPassword.redemption(of: text, at: now) { known[$0] }
                    if answer == .valid, let password = SurveyPassword.canonical(text) {
                        known[password]?.isRedeemed = true
                    }
                    let (status, state): (Int, String?) =
                        switch answer {
                        case .valid: (200, "valid")
                        case .redeemed: (400, "redeemed")
                        case .expired: (400, "expired")
                        case .unknown: (404, nil)
                        case .malformed: (400, nil)
                        }
                    try expect("status", status, expected["status"].int)
                    try expect("state", state, expected["state"].string)
                }
            }
        }
    }
}

/// Probabilities and estimates of randomised response.
enum RandomisedResponses: VectorFamily {
    static let name = "randomised-response"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let categories = try require("categories", vector["categories"].int)
                let epsilon = try require("epsilon", vector["epsilon"].double)
                let rule = try require("rule", RandomisedResponse(categories: categories, epsilon: epsilon))
                let reports = try require("reports", vector["reports"].int)
                try near("keep", rule.keepProbability, vector["expKeepProbability"], 1e-11)
                try near("other", rule.otherProbability, vector["expOtherProbability"], 1e-11)
                let error = rule.standardErrorOfRareCategory(reports: reports)
                try near("error", error, vector["expStdErrRareCategory"], 1e-5)
                let observed = vector["observed"].array.compactMap(\.int)
                try expect("number of reports", observed.reduce(0, +), reports)
                let estimate = rule.estimate(observed)
                try expect("categories", estimate.count, vector["expEstimate"].array.count)
                for (found, expected) in zip(estimate, vector["expEstimate"].array) {
                    try near("estimate", found, expected, 1e-5)
                }
            }
        }
    }

    private static func near(_ what: String, _ found: Double, _ expected: VectorValue, _ tolerance: Double) throws {
        let wanted = try require(what, expected.double)
        guard (found - wanted).magnitude <= tolerance else {
            throw Mismatch(description: "\(what): \(found) where \(wanted) is expected")
        }
    }
}

/// When the two apps donate.
enum AppDonationGates: VectorFamily {
    static let name = "ppa-gate"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let gate = AppDonationGate(rules: vector["platform"].string == "ios" ? .iOS : .android)
                let state = AppDonationGate.State(
                    isEnabled: try require("enabled", vector["enabled"].bool),
                    hasConsent: try require("consent", vector["consent"].bool),
                    roll: try require("roll", vector["roll"].double),
                    probability: try require("probability", vector["probability"].double),
                    lastSubmission: vector["last"].int.map(Int64.init), onboarded: vector["onboarded"].int.map(Int64.init),
                    lastReset: vector["reset"].int.map(Int64.init))
                let answer = gate.answer(state, at: try time("now", vector["now"]))
                let word =
                    switch answer {
                    case .submit: "submit"
                    case .disabled: "disabled"
                    case .noConsent: "no-consent"
                    case .probability: "probability"
                    case .tooSoon: "too-soon"
                    case .onboarding: "onboarding"
                    case .reset: "reset"
                    }
                try expect("answer", word, vector["expect"].string)
            }
        }
    }
}

/// What of tests and warnings goes into a donation.
enum DonationMetadata: VectorFamily {
    static let name = "ppa-metadata"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") { try compare(vector) }
        }
    }

    private static func compare(_ vector: VectorValue) throws {
        switch try require("kind", vector["kind"].string) {
        case "testResult":
            let result: DonationCounters.TestResult? = vector["result"].string.map {
                $0.hasSuffix("PENDING") ? .pending : .final
            }
            let hours = DonationCounters.hoursSinceRegistration(
                registered: vector["registeredAt"].int.map(Int64.init), result: result,
                finalResultReceived: vector["finalResultReceivedAt"].int.map(Int64.init),
                now: try time("now", vector["now"]))
            try expect("in the donation", hours != nil, vector["expIncluded"].bool)
            try expect("hours", hours.map { Int($0) }, vector["expHoursSinceTestRegistration"].int)
        case "keySubmission":
            let isTold = DonationCounters.tellsOfSubmission(
                isPositive: try require("positive", vector["positive"].bool),
                wasSubmitted: try require("submitted", vector["submitted"].bool),
                resultReceived: vector["testResultReceivedAt"].int.map(Int64.init), now: try time("now", vector["now"]))
            try expect("in the donation", isTold, vector["expIncluded"].bool)
        case "hoursSince":
            let hours = DonationCounters.hours(
                from: try time("since", vector["since"]), to: try time("submittedAt", vector["submittedAt"]))
            try expect("hours", Int(hours), vector["expHours"].int)
        case "daysSinceRisk":
            let days = DonationCounters.daysSinceRisk(
                mostRecent: try vector["mostRecentDateAtRiskLevel"].isNull
                    ? nil : day("mostRecentDateAtRiskLevel", vector["mostRecentDateAtRiskLevel"]),
                registered: try day("testRegisteredOn", vector["testRegisteredOn"]))
            try expect("days", Int(days), vector["expDays"].int)
        case "hoursSinceHighRiskWarning":
            let hours = DonationCounters.hoursSinceHighRisk(
                calculations: try vector["riskHistory"].array.map { entry in
                    DonationCounters.RiskCalculation(
                        time: try time("t", entry["t"]), isHigh: entry["level"].string == "HIGH")
                }, wasHighAtRegistration: vector["levelAtRegistration"].string == "HIGH",
                registered: try time("testRegisteredAt", vector["testRegisteredAt"]))
            try expect("hours", Int(hours), vector["expHours"].int)
        case let kind: throw Mismatch(description: "there is no kind \(kind)")
        }
    }
}
