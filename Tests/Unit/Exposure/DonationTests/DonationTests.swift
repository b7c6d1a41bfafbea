// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import KeyExport
import PrivacyPass
import RandomValues
import Testing

@Suite struct TokenSeedTests {
    /// Primes, which are as good as moduli for asking: 2^2048 - 1557 and 2^2048 - 2543. Anybody could sign with them.
    private func key(_ end: [UInt8]) throws -> TokenKey {
        try TokenKey(BlindRSA.PublicKey(modulus: [UInt8](repeating: 0xFF, count: 254) + end))
    }
    private let ends: [[UInt8]] = [[0xF9, 0xEB], [0xF6, 0x11]]

    private func seed(_ byte: UInt8) throws -> TokenSeed {
        try TokenSeed(SecretBytes(copying: [UInt8](repeating: byte, count: 32)))
    }

    @Test func aRequestIsMadeAgainAndIsLikeNoOther() throws {
        let digests = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)]
        var requests: Set<TokenRequest> = []
        var count = 0
        for seed in [try seed(1), try seed(2)] {
            for key in try ends.map(key) {
                for digest in digests {
                    for index: UInt32 in [0, 1, .max] {
                        let request = try seed.pendingToken(key: key, challengeDigest: digest, index: index).request
                        #expect(try seed.pendingToken(key: key, challengeDigest: digest, index: index).request == request)
                        requests.insert(request)
                        count += 1
                    }
                }
            }
        }
        #expect(requests.count == count)
        #expect(Set(requests.map(\.blindedMessage)).count == count)
    }

    @Test func lengthsAreChecked() throws {
        for count in [0, 31, 33] {
            #expect(throws: PrivacyPassError(.unusableSecret)) {
                try TokenSeed(SecretBytes(copying: [UInt8](repeating: 1, count: count)))
            }
        }
        #expect(throws: PrivacyPassError(.unusableSecret)) {
            try seed(1).pendingToken(key: key(ends[0]), challengeDigest: [1], index: 0)
        }
    }
}

@Suite struct EpochTests {
    private let day = UTCDay(number: 20_778)

    @Test func daysAndMonthsHaveTheirOwnChallenge() throws {
        #expect(DonationEpoch.day(day).text == "2026-11-21")
        #expect(DonationEpoch.month(of: day).text == "2026-11")
        let next = UTCDay(number: day.number + 1)
        #expect(DonationEpoch.month(of: next).text == DonationEpoch.month(of: day).text)
        var challenges: Set<[UInt8]> = []
        for epoch in [DonationEpoch.day(day), .day(next), .month(of: day)] {
            for origin in ["a.example", "b.example"] {
                let challenge = try epoch.challenge(issuerName: "issuer.example", origin: origin)
                #expect(challenge.redemptionContext.count == 32)
                #expect(challenge.origins == [origin])
                challenges.insert(challenge.digest)
            }
        }
        #expect(challenges.count == 6)
        #expect(throws: PrivacyPassError(.malformedChallenge)) {
            try DonationEpoch.day(day).challenge(issuerName: "a b", origin: "a.example")
        }
        #expect(throws: PrivacyPassError(.malformedChallenge)) {
            try DonationEpoch.day(day).challenge(issuerName: "a", origin: "a.example,b.example")
        }
    }
}

@Suite struct ServerRuleTests {
    @Test func oneTokenForEachKey() {
        let rule = IssuanceRule()
        #expect(rule.answer(to: [1], earlier: [], isRevoked: false) == .issue)
        #expect(rule.answer(to: [1], earlier: [[1]], isRevoked: false) == .issueAgain)
        #expect(rule.answer(to: [2], earlier: [[1]], isRevoked: false) == .refuseQuota)
        #expect(rule.answer(to: [1], earlier: [[1]], isRevoked: true) == .refuseRevoked)
        #expect(IssuanceRule(quota: 2).answer(to: [2], earlier: [[1]], isRevoked: false) == .issue)
        #expect(IssuanceRule(quota: 2).answer(to: [3], earlier: [[1], [2]], isRevoked: false) == .refuseQuota)
        #expect(IssuanceRule(quota: -5).quota == 1)
    }

    @Test func aTokenIsSpentOnce() {
        func answer(_ today: Int, valid: Bool = true, spentFor: [UInt8]? = nil) -> RedemptionRule.Answer {
            RedemptionRule.answer(
                keyDay: UTCDay(number: 100), today: UTCDay(number: today), contentIsValid: valid, bodyDigest: [7],
                spentFor: spentFor)
        }
        #expect(answer(99) == .tokenNotYetValid)
        #expect(answer(100) == .stored)
        #expect(answer(101) == .stored)
        #expect(answer(102) == .tokenExpired)
        #expect(answer(100, valid: false) == .contentNotValid)
        #expect(answer(100, spentFor: [7]) == .storedBefore)
        #expect(answer(101, spentFor: [8]) == .tokenRedeemed)
        #expect(answer(102, spentFor: [7]) == .tokenExpired)
        #expect(RedemptionRule.days(ofKey: UTCDay(number: 100)) == 100...101)
        for answer in RedemptionRule.Answer.allCases { #expect((answer.status == 200) == (answer.errorCode == nil)) }
    }

    @Test func surveyPasswords() {
        let password = "b3c0bcec-d6ab-41a7-b2f6-b005cfaa76cb"
        #expect(SurveyPassword.canonical(password.uppercased()) == password)
        for bad in [
            "", "x", password + "0", "b3c0bcecd6ab41a7b2f6b005cfaa76cb", "g3c0bcec-d6ab-41a7-b2f6-b005cfaa76cb", "-----",
        ] {
            #expect(SurveyPassword.canonical(bad) == nil, "\(bad)")
            #expect(SurveyPassword.redemption(of: bad, at: 0) { _ in (10, false) } == .malformed)
        }
        func answer(_ now: Int64, _ known: (expires: Int64, isRedeemed: Bool)?) -> SurveyPassword.Redemption {
            SurveyPassword.redemption(of: password, at: now) { $0 == password ? known : nil }
        }
        #expect(answer(10, (10, false)) == .valid)
        #expect(answer(11, (10, false)) == .expired)
        #expect(answer(11, (10, true)) == .redeemed)
        #expect(answer(0, nil) == .unknown)
    }
}

@Suite struct PaddingTests {
    /// A message of `count` bytes, none or more than 130.
    private func content(_ count: Int) -> [UInt8] {
        var writer = ProtobufWriter()
        if count > 0 { writer.data(3, [UInt8](repeating: 5, count: count - 3)) }
        return writer.bytes
    }

    @Test func everyDonationHasTheSameSize() throws {
        let largest = DonationPadding.maximumContentByteCount
        let free = [2, 3, 4, 127, 128, 129, 130, 131, 132, 133, 257, 258, 1_000, DonationPadding.byteCount]
        for count in free.map({ DonationPadding.byteCount - $0 }) {
            let content = content(count)
            #expect(content.count == count)
            let padded = try #require(DonationPadding.padded(content))
            #expect(padded.count == DonationPadding.byteCount)
            // Whoever reads it finds the content and the padding.
            var fields: [UInt32] = []
            let isWhole = padded.withUnsafeBytes { message in
                ProtobufCursor.forEachField(of: message) { field, value in
                    fields.append(field)
                    return value.bytes != nil
                }
            }
            #expect(isWhole)
            #expect(fields.filter { $0 == 3 }.count == (content.isEmpty ? 0 : 1))
            #expect(fields.filter { $0 != 3 }.allSatisfy { $0 == 1 })
            #expect(Array(padded.suffix(content.count)) == content)
        }
        #expect(DonationPadding.padded([UInt8](repeating: 0, count: largest)) != nil)
        #expect(DonationPadding.padded([UInt8](repeating: 0, count: largest + 1)) == nil)
        #expect(DonationPadding.padded([UInt8](repeating: 0, count: 100_000)) == nil)
    }
}

@Suite struct RandomisedResponseTests {
    @Test func answersFollowTheProbabilities() throws {
        var random = SeededGenerator(seed: 9_701)
        let rule = try #require(RandomisedResponse(categories: 4, epsilon: 1))
        var observed = [0, 0, 0, 0]
        for _ in 0..<40_000 { observed[rule.answer(for: 2, using: &random)] += 1 }
        let estimate = rule.estimate(observed)
        // Six times the standard error: the seed is fixed, another one fails once in a thousand million.
        let error = 6 * rule.standardErrorOfRareCategory(reports: 40_000)
        #expect((estimate[2] - 40_000).magnitude < error)
        for other in [0, 1, 3] { #expect(estimate[other].magnitude < error) }
        #expect((rule.keepProbability + 3 * rule.otherProbability - 1).magnitude < 1e-12)
    }

    @Test func rulesThatProtectNobodyAreRefused() {
        #expect(RandomisedResponse(categories: 1, epsilon: 1) == nil)
        for epsilon in [0, -1, 31, Double.nan, .infinity] {
            #expect(RandomisedResponse(categories: 2, epsilon: epsilon) == nil)
        }
        #expect(RandomisedResponse(categories: 2, epsilon: 30) != nil)
    }
}

@Suite struct CounterTests {
    @Test func countersNeverTellMoreThanHours() {
        #expect(DonationCounters.hours(from: 10, to: 3_609) == 0)
        #expect(DonationCounters.hours(from: 10, to: 3_610) == 1)
        #expect(DonationCounters.hours(from: 10, to: 9) == -1)
        #expect(DonationCounters.hours(from: 0, to: 9) == -1)
        #expect(DonationCounters.hours(from: -5, to: 9) == -1)
    }

    @Test func calculationsInAnyOrder() {
        let calculations: [DonationCounters.RiskCalculation] = [
            .init(time: 100_000, isHigh: true), .init(time: 10_000, isHigh: true), .init(time: 50_000, isHigh: false),
            .init(time: 103_600, isHigh: true),
        ]
        func hours(_ registered: Int64, _ calculations: [DonationCounters.RiskCalculation]) -> Int64 {
            DonationCounters.hoursSinceHighRisk(
                calculations: calculations, wasHighAtRegistration: true, registered: registered)
        }
        for order in [calculations, calculations.reversed()] {
            #expect(hours(107_200, order) == 2)
            #expect(hours(20_000, order) == 2)
            #expect(hours(60_000, order) == -1)
            #expect(hours(9_999, order) == -1)
        }
    }
}
