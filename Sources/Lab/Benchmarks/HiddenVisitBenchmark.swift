// SPDX-License-Identifier: Apache-2.0

import AppConfig
import BLS12381
import CivilTime
import CrowdNotifier
import Cryptography
import JSON
import SyncKillTrial
import Trust
import VenuePlan
import VirtualAir

/// Measures hidden visits: 1,000 warnings of a fortnight against 42 stored hours, by the functions that the plugin calls, and what it takes to hide one.
public enum HiddenVisitBenchmark {
    private static let hourCount = 42
    private static let warningCount = 1_000

    /// Tries `count` keys on one hour of a hidden visit, which takes as many pairings, on the calling thread. Throws what the cryptographic library refuses.
    public static func tryWarnings(_ count: Int) throws {
        var random = SplitMix64(seed: 24)
        let secret = Scalar.random(using: &random)
        let key = try MasterPublicKey(secret: secret)
        let venue = try CrowdNotifierVenue(
            name: "Place", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
            seed: [UInt8](repeating: 1, count: 32), countryData: [])
        let arrival: Int64 = 1_614_848_400
        var diary = VisitDiary()
        let visit = try diary.checkInHidden(
            venue, at: arrival, keys: VisitDiary.HidingKeys(authority: key, wearer: key), using: &random)
        try diary.checkOut(visit, at: arrival + 600, using: &random)
        let matcher = HiddenMatcher(diary.hiddenStays(at: arrival + 3_600))
        let identity = SHA256.digest(of: Array("another".utf8))
        let warning = TraceKey(
            identity: identity, secretKey: try IdentityKey(identity: identity, secret: secret).bytes,
            day: UTCDay(containing: arrival).start, encryptedData: [UInt8](repeating: 0, count: 32),
            nonce: [UInt8](repeating: 4, count: 24))
        for _ in 0..<count {
            guard try matcher.matches(warning).isEmpty else { throw TrialFailure("a stranger's warning is one") }
        }
    }

    /// The list of one run is verified, read and compared as the plugin does it. Throws if nothing was found, or what the cryptographic library refuses.
    static func figures(now: Int64) throws -> [Figure] {
        var random = SplitMix64(seed: 23)
        let (secret, wearer) = (Scalar.random(using: &random), Scalar.random(using: &random))
        let keys = VisitDiary.HidingKeys(
            authority: try MasterPublicKey(secret: secret), wearer: try MasterPublicKey(secret: wearer))
        let venues = try (0..<hourCount).map { number in
            try CrowdNotifierVenue(
                name: "Place \(number)", address: "", start: 0, end: 2_000_000_000,
                publicKey: [UInt8](repeating: 1, count: 96), seed: [UInt8](repeating: UInt8(number), count: 32),
                countryData: [])
        }
        var diary = VisitDiary()
        var checkIns: [Double] = []
        let clock = ContinuousClock()
        // Three on each of fourteen days, each within one hour.
        for (number, venue) in venues.enumerated() {
            let arrival = VisitHours.start(now) - Int64(number / 3) * 86_400 - Int64(number % 3 + 1) * 7_200
            let begin = clock.now
            let visit = try diary.checkInHidden(venue, at: arrival, keys: keys, using: &random)
            checkIns.append((clock.now - begin) / .milliseconds(1))
            try diary.checkOut(visit, at: arrival + 2_400, using: &random)
        }
        let stored = Double(diary.json.bytes.count) / Double(hourCount) / 1_024
        let nonce = [UInt8](repeating: 4, count: 24)
        let warnings = try (0..<warningCount).map { number in
            let start = number == 0 ? VisitHours.start(now) - 7_200 : VisitHours.start(now) - Int64(number) * 1_209
            let hour = VisitHours.start(start)
            let venue = venues[0]
            let identity =
                number == 0 ? venue.keys.identity(start: hour) : SHA256.digest(of: Array("another \(number)".utf8))
            return TraceKey(
                identity: identity, secretKey: try IdentityKey(identity: identity, secret: secret).bytes,
                day: UTCDay(containing: hour).start,
                encryptedData: try AssociatedData(message: "Stay at home", start: hour, end: hour + 3_600).sealed(
                    notificationKey: venue.keys.notificationKey, nonce: nonce), nonce: nonce)
        }
        let signer = try P256.SigningKey.generate()
        let trust = try TrustStore(
            keys: [TrustedKey(name: KeyName(id: "262", version: "v1"), role: .config, key: signer.verificationKey)])
        let body = TraceKeyList.encoded(warnings)
        guard
            let token = try ContentToken.text(body: body, issued: now, expires: now + 86_400, sign: { try signer.sign($0) })
        else { throw TrialFailure("the list cannot be signed") }
        var told = 0
        var trials = 0
        var failure: (any Error)?
        let begin = clock.now
        let matcher = HiddenMatcher(diary.hiddenStays(at: now))
        _ = try TraceKeyList(body: body, token: token, trust: trust, time: now) { key in
            trials += matcher.trialCount(day: key.day)
            do { told += try matcher.matches(key).count } catch { failure = error }
            return false
        }
        let time = (clock.now - begin) / .seconds(1)
        if let failure { throw failure }
        guard told == 1, trials > 2_500 else {
            throw TrialFailure("a comparison that was measured found \(told) of 1, in \(trials) trials")
        }
        return [
            Figure("1,000 trace keys against 42 hidden hours", time, "s"), Figure("trials of these", Double(trials), ""),
            Figure("check-in that is hidden, worst of 42", checkIns.max() ?? .nan, "ms"),
            Figure("a hidden visit of an hour on the disk", stored, "KiB"),
        ]
    }
}
