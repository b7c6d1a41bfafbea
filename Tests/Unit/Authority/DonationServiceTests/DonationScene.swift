// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DeviceEvidence
import Donation
import PrivacyPass
import RandomValues
import TestKit
import Testing

@testable import DonationService

/// A board: a key, and a seed for its tokens.
struct Board {
    let key: P256.SigningKey
    let seed: TokenSeed

    init(seed number: Int) throws {
        key = try P256.SigningKey.generate()
        var generator = SeededGenerator(seed: number)
        seed = try TokenSeed(SecretBytes(copying: generator.bytes(32)))
    }

    var keyID: [UInt8] { DeviceEvidence.keyID(of: key.verificationKey) }

    /// The header field with evidence for a request; for cover as the core makes it, which has forgotten the request.
    func evidence(
        nonce: [UInt8], body: [UInt8], now: Int64, debug: DeviceEvidence.DebugStatus = .disabledPermanently
    ) throws -> String {
        let body = DonationCover.truncatedKeyID(ofRequest: body) == nil ? body : DonationCover.provenRequest
        let evidence = DeviceEvidence(
            issuedAt: now,
            nonce: DeviceEvidence.nonce(issuerNonce: nonce, requestDigest: SHA256.digest(of: body)),
            ueid: [1] + [UInt8](repeating: 7, count: 16), hardwareModel: Array("test".utf8), softwareVersion: "1",
            bootWasVerified: false, debugStatus: debug, tier: .software)
        return EvidenceScheme.authorization(try evidence.token(signedBy: key))
    }
}

/// An issuer and a donation server with folders of their own, at one time.
final class DonationScene {
    static let issuerName = "issuer.example"
    static let origin = "donation.example"
    /// Noon of 2026-11-27.
    static let noon: Int64 = 1_795_780_800
    static let today = UTCDay(containing: noon)
    /// Making keys takes time, so the tests share these.
    static let keys: [DayKey] = {
        var made: [DayKey] = []
        while made.count < 4 {
            guard let key = try? DayKey.generate() else { return made }
            if !made.contains(where: { $0.publicKey.truncatedID == key.publicKey.truncatedID }) { made.append(key) }
        }
        return made
    }()

    let folder: TemporaryFolder
    var boards: [Board]
    let store: IssuerStore
    let keys: IssuerKeys
    var settings: IssuerSettings
    let donations: DonationStore

    /// With `fleet` boards, of which all but the first have shown evidence.
    init(fleet: Int = 3, minimumFleet: Int = 2) throws {
        folder = try TemporaryFolder()
        boards = try (0..<fleet).map { try Board(seed: $0) }
        store = try IssuerStore(path: folder.file("issuer.db"))
        keys = try Self.issuerKeys(folder.file("keys.db"))
        settings = try IssuerSettings(
            name: Self.issuerName, address: "https://issuer.example", minimumFleet: minimumFleet)
        settings.daysAhead = 3
        donations = try DonationStore(path: folder.file("server.db"))
        for board in boards { #expect(try store.add(board.key.verificationKey)) }
        for board in boards.dropFirst() { try store.saw(keyID: board.keyID, on: Self.today) }
        // It has been large enough for two days.
        _ = try store.noteFleet(isLarge: true, today: UTCDay(number: Self.today.number - 2))
        try keys.keep(today: Self.today, count: settings.daysAhead)
    }

    static func issuerKeys(_ path: String) throws -> IssuerKeys {
        var next = 0
        return try IssuerKeys(path: path) {
            next += 1
            return keys[next % keys.count]
        }
    }

    func issuer(_ store: (any IssuerStoring)? = nil) -> TokenIssuer {
        TokenIssuer(settings: settings, keys: keys, store: store ?? self.store, using: SeededGenerator(seed: 3))
    }

    func terms(version: Int64 = 1, dropping day: UTCDay? = nil) throws -> DonationTerms {
        try #require(
            DonationTerms(
                version: version, issuerName: Self.issuerName, issuerAddress: "https://issuer.example", origin: Self.origin,
                serverAddress: "https://donation.example",
                keys: keys.live.filter { $0.day != day }.map { .init(day: $0.day, key: $0.key.publicKey) }))
    }

    func server() throws -> DonationServer {
        let terms = try terms()
        return DonationServer(store: donations) { terms }
    }

    func key(_ day: UTCDay = today) throws -> DayKey { try #require(keys.live.first { $0.day == day }).key }

    /// The request of a board for a day's token.
    func pending(_ board: Board, day: UTCDay = today, index: UInt32 = 0) throws -> PendingToken {
        let challenge = try DonationEpoch.day(day).challenge(issuerName: Self.issuerName, origin: Self.origin)
        return try board.seed.pendingToken(key: key(day).publicKey, challengeDigest: challenge.digest, index: index)
    }

    /// A token that the key signed without an issuer.
    func token(_ board: Board, day: UTCDay = today, index: UInt32 = 0) throws -> Token {
        let pending = try pending(board, day: day, index: index)
        return try pending.finished(by: key(day).sign(pending.request.blindedMessage))
    }

    static func donation(_ risk: PPARiskLevel, board: BoardClass = .wearable, windows: Int = 0) throws -> [UInt8] {
        var donation = PPADataDevice()
        var metadata = ExposureRiskMetadata()
        metadata.riskLevel = risk
        donation.exposureRiskMetadataSet = [metadata]
        var window = PPAExposureWindow()
        window.scanInstances = [PPAExposureWindowScanInstance()]
        var new = PPANewExposureWindow()
        new.exposureWindow = window
        donation.newExposureWindows = Array(repeating: new, count: windows)
        var client = PPAClientMetadataDevice()
        client.boardClass = board
        donation.clientMetadata = client
        return try #require(DonationPadding.padded(donation.encoded))
    }
}

extension TokenIssuer {
    /// The answer to a request with evidence for `nonce`, or for the one that a first request was given.
    func ask(
        _ board: Board, _ body: [UInt8], nonce: [UInt8]? = nil, now: Int64 = DonationScene.noon
    ) throws -> Answer {
        func answer(with nonce: [UInt8]) throws -> Answer {
            try self.answer(body: body, authorization: board.evidence(nonce: nonce, body: body, now: now), now: now)
        }
        if let nonce { return try answer(with: nonce) }
        let first = try answer(with: self.answer(body: body, authorization: nil, now: now).nonce)
        // One time in 16 the nonce is the one that this device has used for this request: then, as boards do, with the next.
        return first.refusal == .nonceMismatch ? try answer(with: first.nonce) : first
    }
}

extension TokenIssuer.Answer {
    var refusal: TokenIssuer.Refusal? { if case .failure(let error) = result { error.reason } else { nil } }
    var signature: [UInt8]? { try? result.get() }
}
