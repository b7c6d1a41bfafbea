// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Donation
import DonationService
import PrivacyPass
import SyncKillTrial
import VirtualAir

/// Measures data donation: what an issuer and a donation server with their real files answer in a second of one processor, what a board needs for a token
/// and for a donation of as many encounters as there can be, and the real process of the plugin.
///
/// The times are those of the processor alone, so the disk is in none of them but the two that say so.
public enum DonationBenchmark {
    private static let repetitions = 20
    private static let encounters = DonationBook.maximumMarks

    /// Measures, and returns the figures; blocks for half a minute. The least time of `rounds` turns (1 to 200, not checked) counts. `plugins` is the
    /// path of `vigil-plugins`, by default that beside this program. Throws when something that was measured did not succeed, when a process cannot be
    /// started or hangs, and what the file system and the libraries refuse.
    public static func run(rounds: Int = 9, plugins: String? = nil) throws -> BenchmarkResult {
        let servers = try DonationServers()
        let figures = try authority(servers, rounds) + board(servers, rounds)
        let process = try DonationProcess.figures(
            servers, body: donation(servers).body, program: plugins ?? ChildProcess.siblingPath("vigil-plugins"))
        return BenchmarkResult("donation", figures + process)
    }

    // MARK: The authority

    private static func authority(_ servers: DonationServers, _ rounds: Int) throws -> [Figure] {
        var random = SystemRandomNumberGenerator()
        let now = DonationServers.now
        let requests = try servers.requests(rounds * repetitions)
        let tokens = try (0..<rounds * repetitions).map { _ in try servers.token() }
        let donations = tokens.map { PrivateTokenScheme.authorization($0) }
        let body = try donation(servers).body
        let key = try servers.key(of: DonationServers.today)
        let message = try servers.pendingToken().request.blindedMessage
        let challenge = try servers.terms.challenge(of: DonationServers.today).digest
        let coverRequest = DonationCover.request(key.publicKey, using: &random)
        let coverDonation = DonationCover.authorization(using: &random)
        let device = try P256.SigningKey.generate()
        let digest = SHA256.digest(of: message)
        let evidence = try device.sign(digest)
        let deviceKey = device.verificationKey

        var done = 0
        let clock = ContinuousClock()
        var waits: [[Double]] = [[], []]
        func repeated(_ work: @escaping (Int) -> Bool) -> () -> Void {
            var next = 0
            return {
                for _ in 0..<repetitions {
                    if work(next) { done += 1 }
                    next += 1
                }
            }
        }
        func timed(_ index: Int, _ work: @escaping () -> Void) -> () -> Void {
            {
                let start = clock.now
                work()
                waits[index].append((clock.now - start) / .milliseconds(1))
            }
        }
        func isSigned(_ body: [UInt8], _ authorization: String) -> Bool {
            let answer = try? servers.issuer.answer(body: body, authorization: authorization, now: now)
            return (try? answer?.result.get()) != nil
        }
        func isTaken(_ body: [UInt8], _ authorization: String) -> Bool {
            servers.server.answer(body: body, authorization: authorization, now: now).refusal == nil
        }
        let works = [
            timed(0, repeated { isSigned(requests[$0].body, requests[$0].authorization) }),
            repeated { _ in (try? key.sign(message)) != nil && deviceKey.isValid(signature: evidence, over: digest) },
            repeated { isSigned(coverRequest, requests[$0].authorization) },
            timed(1, repeated { isTaken(body, donations[$0]) }),
            repeated { (try? tokens[$0].verify(by: key.publicKey, challengeDigest: challenge)) != nil },
            repeated { _ in isTaken(DonationCover.body, coverDonation) },
        ]
        let least = Measurement.least(rounds: rounds, works).map { $0 / Double(repetitions) }
        guard done == rounds * repetitions * works.count else {
            throw TrialFailure("an answer that was measured was a refusal")
        }
        let whole = waits.map { Double(repetitions) / Statistics.median($0) * 1_000 }
        return [
            Figure("tokens issued on one core", 1e9 / least[0], "/s"),
            Figure("tokens issued on one core, waiting for the disk, median", whole[0], "/s"),
            Figure("issuing / RSA signature and evidence's signature alone", least[0] / least[1], "ratio"),
            Figure("requests of cover answered on one core", 1e9 / least[2], "/s"),
            Figure("donations taken on one core", 1e9 / least[3], "/s"),
            Figure("donations taken on one core, waiting for the disk, median", whole[1], "/s"),
            Figure("taking a donation / verifying its token alone", least[3] / least[4], "ratio"),
            Figure("donations of cover answered on one core", 1e9 / least[5], "/s"),
        ]
    }

    // MARK: The board

    private static func board(_ servers: DonationServers, _ rounds: Int) throws -> [Figure] {
        var generator = SplitMix64(seed: 11)
        let secret = SecretBytes(copying: (0..<TokenSeed.byteCount).map { _ in .random(in: 0...255, using: &generator) })
        let seed = try TokenSeed(secret)
        let key = try servers.key(of: DonationServers.today)
        let challenge = try servers.terms.challenge(of: DonationServers.today).digest
        let pending = try servers.pendingToken()
        let signature = try key.sign(pending.request.blindedMessage)
        let token = try pending.finished(by: signature)
        var number: UInt32 = 0
        var done = 0
        func repeated(_ work: @escaping () throws -> Bool) -> () -> Void {
            { for _ in 0..<repetitions where (try? work()) == true { done += 1 } }
        }
        let before = try donation(servers)
        let works = [
            repeated {
                number += 1
                _ = try seed.pendingToken(key: key.publicKey, challengeDigest: challenge, index: number)
                return true
            },
            repeated { try pending.finished(by: signature) == token },
            repeated {
                try token.verify(by: key.publicKey, challengeDigest: challenge)
                return true
            },
            repeated { before.compose()?.count == DonationPadding.byteCount },
        ]
        let least = Measurement.least(rounds: rounds, works).map { $0 / Double(repetitions) }
        guard done == rounds * repetitions * works.count else {
            throw TrialFailure("a token or a donation that was measured did not come about")
        }
        return [
            Figure("board blinds a request", least[0] / 1e6, "ms"),
            Figure("board finishes a token", least[1] / 1e6, "ms"),
            Figure("board blinds and finishes", (least[0] + least[1]) / 1e6, "ms"),
            Figure("blinding and finishing / verifying a token", (least[0] + least[1]) / least[2], "ratio"),
            Figure("board composes a donation of 400 encounters", least[3] / 1e6, "ms"),
        ]
    }

    /// A donation of as many encounters as there can be: how it is composed, and the body that is sent.
    private static func donation(_ servers: DonationServers) throws -> (compose: () -> [UInt8]?, body: [UInt8]) {
        let (book, day, now) = try servers.bookBeforeDonation()
        // Short ones, so that all of them fit.
        let windows = (0..<encounters).map { number in
            let scans = [number % 20, number / 20].map {
                DonatedWindow.Scan(typical: 30 + 3 * $0, least: 30 + 2 * $0, seconds: 60 * ($0 % 6))
            }
            return DonatedWindow(
                day: day - 1 - Int64(number % 2), report: .confirmedTest, isHighlyInfectious: true, confidence: 3,
                scans: scans)
        }
        let facts = DonationFacts(isIncreased: true, windows: windows)
        let compose: () -> [UInt8]? = {
            var copy = book
            var generator = SplitMix64(seed: 13)
            return copy.freeze(day, facts, servers.terms, at: now, using: &generator).flatMap { DonationPadding.padded($0) }
        }
        guard let body = compose(), let content = DonationBody.content(of: body),
            PPADataDevice(decoding: content)?.newExposureWindows.count == encounters
        else { throw TrialFailure("a donation of the benchmark does not have its encounters") }
        return (compose, body)
    }
}
