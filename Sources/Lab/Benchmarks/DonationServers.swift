// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DeviceEvidence
import Donation
import DonationService
import PluginTestKit
import PrivacyPass
import SyncKillTrial
import VirtualAir

/// An issuer and a donation server on real files, at noon of one day, with a fleet that has been large enough for two days.
final class DonationServers {
    /// Noon of 2026-11-27, in Unix seconds.
    static let now: Int64 = 1_795_780_800
    static let today = UTCDay(containing: now)
    private static let fleet = 500
    private static let origin = "donation.example"

    private let folder: TemporaryFolder
    private let devices: [P256.SigningKey]
    private let store: IssuerStore
    let keys: IssuerKeys
    let issuer: TokenIssuer
    let server: DonationServer
    let terms: DonationTerms
    private var generator = SplitMix64(seed: 7)
    private var requestCount = 0

    /// Makes files, ten keys and 500 devices, which takes seconds. Throws what the file system and the libraries refuse.
    init() throws {
        folder = try TemporaryFolder()
        let settings = try IssuerSettings(name: "issuer.example", address: "https://issuer.example", minimumFleet: 50)
        store = try IssuerStore(path: "\(folder.path)/issuer.db")
        devices = try (0..<Self.fleet).map { _ in try P256.SigningKey.generate() }
        for device in devices {
            guard try store.add(device.verificationKey) else { throw TrialFailure("a device is there already") }
            try store.saw(keyID: DeviceEvidence.keyID(of: device.verificationKey), on: Self.today)
        }
        _ = try store.noteFleet(
            isLarge: true, today: UTCDay(number: Self.today.number - IssuerSettings.waitingDays))
        keys = try IssuerKeys(path: "\(folder.path)/keys.db")
        try keys.keep(today: Self.today, count: settings.daysAhead)
        issuer = TokenIssuer(settings: settings, keys: keys, store: store)
        guard
            let terms = DonationTerms(
                version: 1, issuerName: settings.name, issuerAddress: settings.address, origin: Self.origin,
                serverAddress: "https://\(Self.origin)",
                keys: keys.live.map { DonationTerms.Key(day: $0.day, key: $0.key.publicKey) })
        else { throw TrialFailure("the terms of the benchmark are none") }
        self.terms = terms
        server = DonationServer(store: try DonationStore(path: "\(folder.path)/donations.db")) { terms }
    }

    /// The issuer's key of a day that it has one for.
    func key(of day: UTCDay) throws -> DayKey {
        guard let entry = keys.live.first(where: { $0.day == day }) else { throw TrialFailure("no key of that day") }
        return entry.key
    }

    /// A token of `day` that a board has asked for and does not have yet; each time another one.
    func pendingToken(of day: UTCDay = today) throws -> PendingToken {
        let seed = try TokenSeed(SecretBytes(copying: (0..<32).map { _ in .random(in: 0...255, using: &generator) }))
        return try seed.pendingToken(
            key: key(of: day).publicKey, challengeDigest: terms.challenge(of: day).digest, index: 0)
    }

    /// A token of today that the issuer's key has signed.
    func token() throws -> Token {
        let pending = try pendingToken()
        return try pending.finished(by: key(of: Self.today).sign(pending.request.blindedMessage))
    }

    /// Requests of devices, each for a token that the device has not asked for, with evidence: what the issuer is told.
    func requests(_ count: Int) throws -> [(body: [UInt8], authorization: String)] {
        // All for one nonce, which is bound to the request of each.
        let nonce = try issuer.answer(body: [], authorization: nil, now: Self.now).nonce
        return try (0..<count).map { _ in
            guard requestCount < devices.count * keys.live.count else { throw TrialFailure("too few devices") }
            let device = devices[requestCount / keys.live.count]
            let body = try pendingToken(of: keys.live[requestCount % keys.live.count].day).request.encoded
            requestCount += 1
            let evidence = DeviceEvidence(
                issuedAt: Self.now,
                nonce: DeviceEvidence.nonce(issuerNonce: nonce, requestDigest: SHA256.digest(of: body)),
                ueid: [1] + [UInt8](repeating: 7, count: 16), hardwareModel: Array("benchmark".utf8),
                softwareVersion: "1", bootWasVerified: false, debugStatus: .disabledPermanently, tier: .software)
            return (body, EvidenceScheme.authorization(try evidence.token(signedBy: device)))
        }
    }

    /// A board's book at the moment at which a donation is to be composed, and the day of that.
    func bookBeforeDonation() throws -> (book: DonationBook, day: Int64, now: Int64) {
        var book = DonationBook()
        var now = Self.now - 10 * UTCDay.seconds
        book.agree(text: 1, terms, at: now)
        for _ in 0..<1_000 {
            switch try book.step(terms, at: now, using: &generator) {
            case .wait(let until?): now = until
            case .request(let day, let request):
                let answer = try key(of: UTCDay(number: day)).sign(request.blindedMessage)
                guard try book.take(answer, day: day, terms, at: now, using: &generator) else {
                    throw TrialFailure("a token of the benchmark is not taken")
                }
            case .compose(let day): return (book, day, now)
            default: throw TrialFailure("a board of the benchmark has cover to send")
            }
        }
        throw TrialFailure("a board of the benchmark never donates")
    }
}
