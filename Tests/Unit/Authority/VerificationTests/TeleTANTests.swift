// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing
import Verification

@Suite struct TeleTANTests {
    /// Vectors of **ver** and the phone apps (`cwa/teletan`).
    @Test(arguments: [("FE9A5MAK6", "C"), ("WPHSATMHD", "4"), ("S3HHJJYJD", "3"), ("W3M75DUD7", "C"), ("MNSHDZAEJ", "2")])
    func checkCharactersAreThoseOfTheVectors(body: String, expected: String) {
        #expect(TeleTANIssuing.checkCharacter(of: Array(body.utf8)) == expected.utf8.first)
        // Ours are longer: these are not good here.
        #expect(!TeleTANIssuing.isValid(body + expected))
        let longer = body + "234"
        let check = String(decoding: [TeleTANIssuing.checkCharacter(of: Array(longer.utf8))], as: UTF8.self)
        #expect(TeleTANIssuing.isValid(longer + check))
        #expect(!TeleTANIssuing.isValid(longer + (check == "2" ? "3" : "2")))
        #expect(!TeleTANIssuing.isValid((longer + check).lowercased()))
    }

    @Test func madeOnesAreValidDifferentAndUseTheWholeAlphabet() {
        var generator = SeededGenerator(seed: 1)
        let made = (0..<2_000).map { _ in TeleTANIssuing.make(using: &generator) }
        #expect(made.allSatisfy(TeleTANIssuing.isValid) && Set(made).count == made.count)
        #expect(Set(made.flatMap { $0.utf8.prefix(12) }) == Set(TeleTANIssuing.alphabet))
        #expect(TeleTANIssuing.alphabet.count == 31)
        #expect(Set(made.compactMap { $0.utf8.last }) == Set("GH23456789ABCDEF".utf8))
    }

    private func register(
        _ teleTAN: String, _ server: VerificationServer, request: String? = nil, now: Int64
    ) throws -> String {
        try server.register(VerificationServer.key(teleTAN, type: "TELETAN", birth: nil), request: request, now: now)
    }

    @Test func aTeleTANIsGoodForOneRegistrationThatIsPositive() throws {
        let scene = try VerificationScene()
        let teleTAN = try scene.server.issueTeleTAN(.test, now: scene.now)
        let token = try register(teleTAN, scene.server, request: VerificationScene.name(0), now: scene.now + 60)
        #expect(code { _ = try register(teleTAN, scene.server, now: scene.now + 60) } == .keyAlreadyUsed)
        // A lost answer can be asked for again, even when the teleTAN's time is over.
        #expect(
            try register(teleTAN, scene.server, request: VerificationScene.name(0), now: scene.now + 2 * 86_400) == token)
        let result = try scene.server.result(token: token, now: scene.now + 60)
        #expect(result.finding == .positive && !result.isRapid)
        let tan = try scene.server.tan(token: token, now: scene.now + 60)
        #expect(try scene.server.confirmTAN(tan, now: scene.now + 60) == .test)
    }

    @Test(arguments: [(WarningType.test, Int64(86_400)), (.event, 2 * 86_400)])
    func itsTimeIsOver(type: WarningType, seconds: Int64) throws {
        let scene = try VerificationScene()
        let (first, second) = (
            try scene.server.issueTeleTAN(type, now: scene.now), try scene.server.issueTeleTAN(type, now: scene.now)
        )
        #expect(code { _ = try register(second, scene.server, now: scene.now + seconds) } == .teleTANExpired)
        let token = try register(first, scene.server, now: scene.now + seconds - 1)
        let tan = try scene.server.tan(token: token, now: scene.now + seconds)
        #expect(try scene.server.confirmTAN(tan, type: type, now: scene.now + seconds) == type)
        // Used and unused ones say the same from now on, and in the end nothing is known of either.
        let late = scene.now + seconds + scene.rules.expiredTeleTANSeconds
        for teleTAN in [first, second] {
            #expect(code { _ = try register(teleTAN, scene.server, now: scene.now + seconds) } == .teleTANExpired)
            #expect(code { _ = try register(teleTAN, scene.server, now: late - 1) } == .teleTANExpired)
        }
        #expect(try scene.server.clean(now: late - 1).teleTANs == 0)
        #expect(try scene.server.clean(now: late).teleTANs == 2)
        for teleTAN in [first, second] {
            #expect(code { _ = try register(teleTAN, scene.server, now: late) } == .unknownTeleTAN)
        }
        // Each of them is a guess.
        #expect(scene.server.counters.wrongTeleTANs == 7)
    }

    /// What somebody finds who keeps every connection of the server busy for a year, while as many teleTANs as may be are good: less than one
    /// time in a hundred.
    @Test func guessingForAYearFindsNothing() {
        let rules = VerificationRules()
        let good = Double(rules.teleTANLimit) * Double(rules.teleTANSeconds / rules.teleTANWindowSeconds)
        let possible = 787_662_783_788_549_761.0  // 31¹²
        var generator = SeededGenerator(seed: 3)
        let length = TeleTANIssuing.make(using: &generator).utf8.count
        #expect((1..<length).reduce(1.0) { product, _ in product * 31 } == possible)
        // 256 connections, and no answer before its slot of 100 ms is over.
        let guesses = 256.0 * 10 * 3_600
        let inAnHour = guesses * good / possible
        #expect(inAnHour < 1e-6)
        #expect(inAnHour * 24 * 365 < 0.01)
    }

    /// 1,000 in 3,600 seconds, counted in the storage: by whichever process.
    @Test func anHourHasAThousand() throws {
        let scene = try VerificationScene { $0.teleTANLimit = 20 }
        #expect(VerificationRules().teleTANLimit == 1_000 && VerificationRules().teleTANWindowSeconds == 3_600)
        let other = try scene.another()
        for index in 0..<20 {
            _ = try (index % 2 == 0 ? scene.server : other).issueTeleTAN(.test, now: scene.now + Int64(index))
        }
        #expect(code { _ = try scene.server.issueTeleTAN(.test, now: scene.now + 30) } == .teleTANRateExceeded)
        #expect(code { _ = try scene.another().issueTeleTAN(.event, now: scene.now + 3_599) } == .teleTANRateExceeded)
        _ = try scene.server.clean(now: scene.now + 3_599)
        #expect(code { _ = try scene.server.issueTeleTAN(.test, now: scene.now + 3_599) } == .teleTANRateExceeded)
        _ = try scene.server.issueTeleTAN(.test, now: scene.now + 3_600)
        #expect(code { _ = try scene.server.issueTeleTAN(.test, now: scene.now + 3_600) } == .teleTANRateExceeded)
        #expect(scene.server.counters.refused[.teleTANRateExceeded] == 3)
    }

    /// However many others are wrong, with made-up numbers, used ones and expired ones: a genuine teleTAN is taken.
    @Test func strangersMissesKeepNobodyOut() throws {
        let scene = try VerificationScene()
        for _ in 0..<50 { _ = try scene.server.issueTeleTAN(.test, now: scene.now) }
        let (used, real) = (
            try scene.server.issueTeleTAN(.test, now: scene.now), try scene.server.issueTeleTAN(.test, now: scene.now)
        )
        _ = try register(used, scene.server, now: scene.now)
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<10_080 {
            let guess = TeleTANIssuing.make(using: &generator)
            #expect(code { _ = try register(guess, scene.server, now: scene.now) } == .unknownTeleTAN)
        }
        for _ in 0..<1_100 { #expect(code { _ = try register(used, scene.server, now: scene.now) } == .keyAlreadyUsed) }
        #expect(scene.server.counters.wrongTeleTANs == 11_180 && scene.server.counters.registrations == 1)
        _ = try register(real, scene.server, now: scene.now)
        #expect(code { _ = try register(real, scene.server, now: scene.now) } == .keyAlreadyUsed)
        #expect(scene.server.counters.wrongTeleTANs == 11_181)
    }
}
