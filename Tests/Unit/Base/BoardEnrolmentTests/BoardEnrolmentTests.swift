// SPDX-License-Identifier: Apache-2.0

import BoardEnrolment
import Cryptography
import Enrolment
import FleetRegistry
import Glibc
import RandomValues
import Testing

/// Boards on a disk, against the real registration authority over HTTP.
struct BoardEnrolmentTests {
    private let world: World
    init() throws { world = try World() }

    private func board(_ folder: String = "state") throws -> BoardEnrolment { try world.board(folder) }

    @Test func aBoardEnrolsAndRests() throws {
        #expect(try board().run(now: nil, carrier: world.carrier) == .waitsForTime)
        #expect(access(world.claim, F_OK) == 0)
        let outcome = try board().run(now: World.now, carrier: world.carrier)
        guard case .enrolled(let until) = outcome else { Issue.record("\(outcome)"); return }
        #expect(until > World.now + 264 * World.day)
        #expect(access(world.claim, F_OK) != 0)
        // Nobody is asked again.
        #expect(try board().run(now: World.now + 60, carrier: Silent()) == .enrolled(until: until))
        // Its time has come.
        world.clock.now = until
        #expect(try board().run(now: until, carrier: world.carrier) != outcome)
        #expect(try world.count(.renewed) == 1)
    }

    /// The board is made anew after each single step; the answer of the first request is lost besides.
    @Test func aCutBetweenAnyTwoStepsLosesNothing() throws {
        #expect(try board().step(now: World.now, carrier: world.carrier) == nil)
        let key = try #require(world.file("state/key.pem"))
        #expect(throws: EnrolmentError(.unreachable)) {
            try board().step(now: World.now, carrier: Deaf(other: world.carrier))
        }
        #expect(try world.count(.issued) == 1)
        #expect(access(world.path("state/certificate.pem"), F_OK) != 0)
        #expect(try board().step(now: World.now, carrier: world.carrier) == nil)
        #expect(try world.count(.issued) == 1 && world.count(.issuedAgain) == 1)
        // A draft that a cut has left is no certificate.
        try world.write("state/certificate.pem.new", Array("half".utf8))
        #expect(access(world.claim, F_OK) == 0)
        #expect(try board().step(now: World.now, carrier: Silent()) == nil)
        #expect(access(world.claim, F_OK) != 0)
        // Overwritten, but not deleted yet.
        try world.write("claim", [UInt8](repeating: 0, count: 20))
        #expect(try board().run(now: World.now, carrier: Silent()) != .waitsForTime)
        #expect(world.file("state/key.pem") == key)
    }

    @Test func eachFaultOfTheServerHasItsSentenceAndLosesNothing() throws {
        let foreign = try World()
        _ = try foreign.board().run(now: World.now, carrier: foreign.carrier)
        let text = String(decoding: try #require(foreign.file("state/certificate.pem")), as: UTF8.self)
        let other = Array(ESTText.encoded(CertificateBag.encoded([try DeviceCertificate(pem: text)])).utf8)
        for (status, body, code) in [
            (202, [], EnrolmentError.Code.pending), (401, [], .refused), (500, [], .serverFailed), (503, [], .serverFailed),
            (404, [], .badRequest), (410, [], .retired), (200, Array("<html>".utf8), .badAnswer), (200, other, .otherKey),
        ] {
            #expect(throws: EnrolmentError(code)) {
                try board().run(now: World.now, carrier: Fixed(answer: ESTAnswer(status: status, body: body)))
            }
            #expect(access(world.claim, F_OK) == 0 && access(world.path("state/certificate.pem"), F_OK) != 0)
        }
        // A clock far off: what comes is not kept.
        #expect(throws: EnrolmentError(.notValidNow)) {
            try board().run(now: World.now - 3 * World.day, carrier: world.carrier)
        }
        #expect(throws: EnrolmentError(.notValidNow)) {
            try board().run(now: World.now + 900 * World.day, carrier: world.carrier)
        }
        #expect(access(world.claim, F_OK) == 0)
        #expect(try board().run(now: World.now, carrier: world.carrier) != .waitsForTime)
    }

    @Test func aRefusedRenewalKeepsTheCertificate() throws {
        guard case .enrolled(let until) = try board().run(now: World.now, carrier: world.carrier) else { return }
        let before = world.file("state/certificate.pem")
        world.clock.now = until
        try world.store().revoke(world.name)
        #expect(throws: EnrolmentError(.refused)) { try board().run(now: until, carrier: world.carrier) }
        try world.store().retire(world.name)
        #expect(throws: EnrolmentError(.retired)) { try board().run(now: until, carrier: world.carrier) }
        #expect(world.file("state/certificate.pem") == before)
    }

    @Test func aCopiedCardEnrolsOnce() throws {
        let claim = try #require(world.file("claim"))
        _ = try board().run(now: World.now, carrier: world.carrier)
        try world.write("claim", claim)
        #expect(throws: EnrolmentError(.refused)) { try board("copy").run(now: World.now, carrier: world.carrier) }
        #expect(try world.count(.usedClaim) == 1)
        // The board itself burns the claim that came back, and goes on.
        _ = try board().run(now: World.now, carrier: Silent())
        #expect(access(world.claim, F_OK) != 0)
    }

    @Test func theCardOfAnotherBoardIsRefused() throws {
        _ = try board().run(now: World.now, carrier: world.carrier)
        try world.makeCard(BoardName("vg-other")!, claim: "0000000000000001")
        #expect(throws: EnrolmentError(.otherBoard)) { try board() }
        // The right file with another board's claim.
        let second = try World()
        try second.write("claim", Array("0000000000000002\n".utf8))
        #expect(throws: EnrolmentError(.otherBoard)) { try second.board() }
        try second.write("claim", Array("no claim".utf8))
        #expect(throws: EnrolmentError(.otherBoard)) { try second.board() }
        try second.write("device.json", Array("{}".utf8))
        #expect(throws: EnrolmentError(.changedDeviceFile)) { try second.board() }
        #expect(unlink(second.path("device.sig")) == 0)
        #expect(throws: EnrolmentError(.noDeviceFile)) { try second.board() }
    }

    /// With a seal the key is on the disk for whoever has the seal, and for nobody else.
    @Test func aSealedKeyOpensByItsSealAlone() throws {
        let seal = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        let outcome = try world.sealedBoard(seal: seal).run(now: World.now, carrier: world.carrier)
        guard case .enrolled(let until) = outcome else { Issue.record("\(outcome)"); return }
        #expect(!String(decoding: try #require(world.file("sealed/key.pem")), as: UTF8.self).contains("BEGIN"))
        let identity = try #require(try world.sealedBoard(seal: seal).identity())
        #expect(try P256.SigningKey(pemOrDER: identity.key).verificationKey == identity.certificate.key)
        world.clock.now = until
        #expect(try world.sealedBoard(seal: seal).run(now: until, carrier: world.carrier) != outcome)
        let other = SecretBytes(copying: [UInt8](repeating: 8, count: 32))
        #expect(throws: EnrolmentError(.storage)) { try world.sealedBoard(seal: other).run(now: until, carrier: Silent()) }
        // The order of another card with this board's claim.
        try world.write("claim", Array("7H2K9D3KHT6W4Q7P\n".utf8))
        #expect(throws: EnrolmentError(.otherBoard)) {
            try world.sealedBoard("new", seal: seal, claim: "0000000000000003")
        }
    }

    /// By the board's certificate, as often as is wanted; and a server without that label is no reason to lose anything.
    @Test func theKeyForEvidenceIsEnteredByTheCertificate() throws {
        let request = try EvidenceKeyRequest(key: .generate())
        #expect(throws: EnrolmentError(.noClaim)) {
            try board().enter(request, now: World.now, carrier: world.carrier)
        }
        _ = try board().run(now: World.now, carrier: world.carrier)
        let before = world.file("state/certificate.pem")
        for _ in 0..<2 { try board().enter(request, now: World.now, carrier: world.carrier) }
        let keys = try world.store().deviceKeys()
        #expect(keys.map(\.key) == [request.key.subjectPublicKeyInfo] && keys.map(\.isGood) == [true])
        #expect(throws: EnrolmentError(.badRequest)) {
            try board().enter(request, now: World.now, carrier: Fixed(answer: ESTAnswer(status: 404, body: [])))
        }
        #expect(world.file("state/certificate.pem") == before)
    }

    /// The authority takes another key by another claim, so a new card helps; also one whose key the board's seal does not open any more.
    @Test func aNewCardHelpsABoardWhoseKeyIsDamaged() throws {
        func newCard(_ claim: String) throws {
            try world.makeCard(world.name, claim: claim)
            var random = SeededGenerator(seed: 24)
            let digest = EnrolmentClaim(SecretBytes(copying: claim.utf8))!.digest
            let list = try ClaimList.parse(Array("\(world.name) \(digest)\n".utf8))
            #expect(try world.store().take(list, held: false, using: &random).replaced == 1)
        }
        _ = try board().run(now: World.now, carrier: world.carrier)
        let first = try #require(try board().certificate())
        try world.write("state/key.pem", Array("damaged".utf8))
        try newCard("0000000000000001")
        #expect(try board().run(now: World.now, carrier: world.carrier) != .waitsForTime)
        let second = try #require(try board().identity()).certificate
        #expect(second.key != first.key && access(world.claim, F_OK) != 0)
        #expect(world.file("state/key.pem.unusable") == Array("damaged".utf8))
        // The same with a seal: what another has sealed cannot be opened.
        let seals = [7, 8].map { SecretBytes(copying: [UInt8](repeating: $0, count: 32)) }
        let claim = "0000000000000002"
        try newCard(claim)
        _ = try world.sealedBoard(seal: seals[0], claim: claim).run(now: World.now, carrier: world.carrier)
        #expect(throws: EnrolmentError(.storage)) {
            try world.sealedBoard(seal: seals[1], claim: claim).run(now: World.now, carrier: Silent())
        }
        try newCard("0000000000000003")
        let anew = try world.sealedBoard(seal: seals[1], claim: "0000000000000003")
        #expect(try anew.run(now: World.now, carrier: world.carrier) != .waitsForTime)
        #expect(try anew.identity() != nil)
    }

    @Test func aDamagedKeyIsNotReplaced() throws {
        _ = try board().run(now: World.now, carrier: world.carrier)
        try world.write("state/key.pem", Array("damaged".utf8))
        #expect(throws: EnrolmentError(.storage)) { try board().run(now: World.now, carrier: world.carrier) }
        #expect(world.file("state/key.pem") == Array("damaged".utf8))
        // Without its claim a lost certificate cannot come back either.
        let second = try World()
        _ = try second.board().run(now: World.now, carrier: second.carrier)
        #expect(unlink(second.path("state/certificate.pem")) == 0)
        #expect(throws: EnrolmentError(.noClaim)) { try second.board().run(now: World.now, carrier: second.carrier) }
    }
}
