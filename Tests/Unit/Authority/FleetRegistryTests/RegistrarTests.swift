// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import Glibc
import RandomValues
import SQLiteFile
import SystemCalls
import TestKit
import Testing

@testable import FleetRegistry

/// A registration authority in a folder of its own.
struct Registry {
    static let now: Int64 = 1_795_000_000
    static let day: Int64 = 86_400
    let folder: TemporaryFolder
    let store: RegistryStore
    let registrar: Registrar
    let refusals = RefusalCounts()
    let name = BoardName("vg-7k3m-q0r1x")!
    let claim = EnrolmentClaim(SecretBytes(copying: "7H2K-9D3K-HT6W-4Q7P".utf8))!
    let key: P256.SigningKey

    init() throws {
        folder = try TemporaryFolder()
        let made = try RegistryFolder.make(
            "\(folder.path)/registry", title: "Fleet", settings: RegistrySettings(), now: Self.now)
        store = try RegistryStore(path: made.database)
        registrar = Registrar(store: store, signer: made.signer, settings: made.settings, refusals: refusals)
        key = try .generate()
        try take(claim)
    }

    @discardableResult func take(
        _ claim: EnrolmentClaim, held: Bool = false, returning: Bool = false
    ) throws -> RegistryStore.Taken {
        var random = SeededGenerator(seed: 24)
        return try store.take(
            [.init(name: name, digest: claim.digest)], held: held, returning: returning ? [name] : [], using: &random)
    }

    func request(_ key: P256.SigningKey? = nil, _ name: BoardName? = nil) throws -> CertificateRequest {
        try CertificateRequest(name ?? self.name, key: key ?? self.key)
    }

    func enrol(
        _ request: CertificateRequest, claim: EnrolmentClaim? = nil, at now: Int64 = now
    ) throws -> Result<DeviceCertificate, Registrar.Refusal> {
        try registrar.enrol(name, claimDigest: (claim ?? self.claim).digest, request: request, now: now)
    }

    func count(_ event: RegistryEvent) throws -> Int64 {
        try store.counts().first { $0.event == event.rawValue }?.count ?? 0
    }

    static func claim(_ text: String) -> EnrolmentClaim { EnrolmentClaim(SecretBytes(copying: text.utf8))! }
}

/// A key that does something else while it signs, as a token that takes its time.
private struct SlowKey: P256Signer {
    let key: P256.SigningKey
    let meanwhile: @Sendable () -> Void

    var verificationKey: P256.VerificationKey { key.verificationKey }

    func signature(of digest: [UInt8]) throws -> [UInt8] {
        meanwhile()
        return try key.signature(of: digest)
    }
}

struct RegistrarTests {
    /// A token that hangs keeps nobody from the database, and what the operator did meanwhile holds.
    @Test func whoIsRevokedWhileTheTokenSignsGetsNothing() throws {
        let registry = try Registry()
        let path = "\(registry.folder.path)/registry/registry.db"
        let first = try registry.enrol(registry.request()).get()
        let authority = try P256.SigningKey.generate()
        let own = try CertificateSigner(
            key: authority, title: "Fleet", serial: [UInt8](repeating: 1, count: 16),
            validity: registry.registrar.authority.validity)
        let name = registry.name
        let slow = Registrar(
            store: registry.store,
            signer: try CertificateSigner(
                key: SlowKey(key: authority) { #expect(throws: Never.self) { try RegistryStore(path: path).revoke(name) } },
                certificate: own.certificate), settings: try RegistrySettings())
        let late = Registry.now + 300 * Registry.day
        let wishes: [() throws -> Result<DeviceCertificate, Registrar.Refusal>] = [
            { try slow.renew(by: first.encoded, request: registry.request(), now: late) },
            { try slow.enterEvidenceKey(by: first.encoded, request: .init(key: .generate()), now: Registry.now) },
            {
                try slow.enrol(
                    name, claimDigest: registry.claim.digest, request: registry.request(), now: late + 900 * Registry.day)
            },
        ]
        for wish in wishes {
            #expect(try wish() == .failure(.revoked))
            #expect(try registry.store.board(name)?.notAfter == first.validity.notAfter, "nothing is in the database")
            #expect(try registry.store.restore(name, now: late) == .enrolled)
        }
        #expect(try registry.store.deviceKeys().isEmpty)
        // Nothing of one question is left for the next.
        #expect(try registry.registrar.renew(by: first.encoded, request: registry.request(), now: late).get() != first)
    }

    @Test func theSameQuestionHasTheSameAnswer() throws {
        let registry = try Registry()
        let first = try registry.enrol(registry.request()).get()
        #expect(first.isSigned(by: registry.registrar.authority) && first.name == registry.name)
        // Another signature of the same key is the same question.
        #expect(try registry.enrol(registry.request(), at: Registry.now + 100 * Registry.day).get() == first)
        // After a reopened database, too.
        let again = Registrar(
            store: try RegistryStore(path: "\(registry.folder.path)/registry/registry.db"),
            signer: try RegistryFolder("\(registry.folder.path)/registry").signer, settings: try RegistrySettings())
        #expect(
            try again.enrol(
                registry.name, claimDigest: registry.claim.digest, request: registry.request(), now: Registry.now
            )
            .get() == first)
        // Whoever was cut off before the certificate came, and lay in a drawer until it ended.
        let late = try registry.enrol(registry.request(), at: Registry.now + 500 * Registry.day).get()
        #expect(late != first && late.key == first.key)
    }

    @Test func aUsedClaimEnrolsNoOtherKey() throws {
        let registry = try Registry()
        _ = try registry.enrol(registry.request()).get()
        for _ in 0..<2 { #expect(try registry.enrol(registry.request(.generate())) == .failure(.usedClaim)) }
        try registry.refusals.write(to: registry.store, now: Registry.now)
        #expect(try registry.count(.usedClaim) == 2)
        #expect(try registry.store.board(registry.name)?.key == registry.key.verificationKey.subjectPublicKeyInfo)
    }

    /// Whoever copied a card and enrolled first holds the board's name; the board itself asks day after day.
    @Test func aCardThatWasCopiedIsNamedToTheOperator() throws {
        let registry = try Registry()
        let other = BoardName("vg-other")!
        var random = SeededGenerator(seed: 7)
        _ = try registry.store.take([.init(name: other, digest: registry.claim.digest)], held: false, using: &random)
        // A claim that enrolled nobody yet, and a wrong one, are none.
        _ = try registry.enrol(registry.request(), claim: Registry.claim("0000000000000000"))
        #expect(try registry.store.boards().allSatisfy { $0.usedClaim == nil } && registry.registrar.copies() == [])
        _ = try registry.enrol(registry.request()).get()
        _ = try registry.enrol(registry.request()).get()
        #expect(try registry.store.board(registry.name)?.usedClaim == nil, "asked again by its own key")
        for day in 1...3 {
            let now = Registry.now + Int64(day) * Registry.day
            #expect(try registry.enrol(registry.request(.generate()), at: now) == .failure(.usedClaim))
        }
        let last = Registry.now + 3 * Registry.day
        #expect(try registry.store.board(registry.name)?.usedClaim == .init(count: 3, last: last))
        #expect(try registry.store.board(other)?.usedClaim == nil)
        #expect(try registry.registrar.copies().map { $0.hasPrefix("\(registry.name) is enrolled") } == [true])
        // Within a minute it is in memory, and not lost.
        #expect(try registry.enrol(registry.request(.generate()), at: last + 1) == .failure(.usedClaim))
        #expect(try registry.store.board(registry.name)?.usedClaim?.count == 3)
        try registry.refusals.write(to: registry.store, now: last + 60)
        #expect(try registry.store.board(registry.name)?.usedClaim == .init(count: 4, last: last + 60))
        #expect(try registry.count(.usedClaim) == 4)
        // The operator has acted.
        try registry.store.revoke(registry.name)
        #expect(try registry.registrar.copies() == [] && registry.store.board(registry.name)?.usedClaim?.count == 4)
        try registry.take(Registry.claim("0000000000000003"), returning: true)
        #expect(try registry.store.board(registry.name)?.usedClaim == nil, "it has a new card")
    }

    @Test func strangersGetNothing() throws {
        let registry = try Registry()
        #expect(try registry.enrol(registry.request(), claim: Registry.claim("0000000000000000")) == .failure(.wrongClaim))
        let other = try #require(BoardName("vg-other"))
        #expect(try registry.enrol(registry.request(nil, other)) == .failure(.otherSubject))
        #expect(
            try registry.registrar.enrol(
                other, claimDigest: registry.claim.digest, request: registry.request(nil, other), now: Registry.now)
                == .failure(.wrongClaim))
        #expect(try registry.count(.issued) == 0 && registry.store.deviceKeys().isEmpty)
    }

    /// Each commit waits for the disk, and there is one thread.
    /// A registry that is killed while it moves its log into the file begins again with the whole of it: with 55 MB one that was killed every few
    /// seconds never came back.
    @Test func theLogStaysShort() throws {
        let registry = try Registry()
        var random = SeededGenerator(seed: 25)
        func size() -> Int {
            var status = stat()
            return stat("\(registry.folder.path)/registry/registry.db-wal", &status) == 0 ? Int(status.st_size) : 0
        }
        var longest = 0
        for number in 0..<900 {
            let name = try #require(BoardName("vg-\(number)"))
            let digest = "sha256:" + Hex.string(SHA256.digest(of: Array(name.text.utf8)))
            _ = try registry.store.take([.init(name: name, digest: digest)], held: false, returning: [], using: &random)
            longest = max(longest, size())
        }
        #expect((1...3 << 20).contains(longest), "\(longest) bytes")
    }

    @Test func refusalsCauseNoCommitEach() throws {
        let registry = try Registry()
        let (request, wrong) = (try registry.request(), Registry.claim("0000000000000000"))
        // Another connection sees by this number whether anything was committed.
        let other = try RegistryStore(path: "\(registry.folder.path)/registry/registry.db")
        var (version, commits) = (try other.database.first("PRAGMA data_version"), 0)
        func look() throws {
            let now = try other.database.first("PRAGMA data_version")
            if now != version { commits += 1 }
            version = now
        }
        for number in 0..<1_000 {
            // Ten in each second.
            let now = Registry.now + Int64(number) / 10
            #expect(try registry.enrol(request, claim: wrong, at: now) == .failure(.wrongClaim))
            try look()
        }
        #expect(commits == 2)
        #expect(try registry.count(.wrongClaim) == 601)
        // A grant takes the others along, and what is left at the end is written then.
        _ = try registry.enrol(request).get()
        #expect(try registry.count(.wrongClaim) == 1_000 && registry.count(.issued) == 1)
        #expect(try registry.enrol(request, claim: wrong) == .failure(.wrongClaim))
        #expect(try registry.count(.wrongClaim) == 1_001)
        #expect(try registry.enrol(request, claim: wrong) == .failure(.wrongClaim))
        #expect(try registry.count(.wrongClaim) == 1_001)
        try registry.refusals.write(to: registry.store, now: Registry.now)
        #expect(try registry.count(.wrongClaim) == 1_002)
    }

    @Test func oneKeyIsOneBoard() throws {
        let registry = try Registry()
        _ = try registry.enrol(registry.request()).get()
        let (other, claim) = (try #require(BoardName("vg-other")), Registry.claim("0000000000000001"))
        var random = SeededGenerator(seed: 24)
        _ = try registry.store.take([.init(name: other, digest: claim.digest)], held: false, using: &random)
        #expect(
            try registry.registrar.enrol(
                other, claimDigest: claim.digest, request: registry.request(nil, other), now: Registry.now)
                == .failure(.keyOfAnotherBoard))
    }

    @Test func aHeldBoardWaits() throws {
        let registry = try Registry()
        let claim = Registry.claim("0000000000000002")
        #expect(try registry.take(claim, held: true) == .init(added: 0, replaced: 1, unchanged: 0))
        #expect(try registry.enrol(registry.request(), claim: claim) == .failure(.pending))
        try registry.store.approve(registry.name)
        #expect(throws: RegistryError(.wrongState)) { try registry.store.approve(registry.name) }
        _ = try registry.enrol(registry.request(), claim: claim).get()
    }

    @Test func aCertificateIsRenewedFromTwoThirdsOn() throws {
        let registry = try Registry()
        let first = try registry.enrol(registry.request()).get()
        func renew(_ by: DeviceCertificate, at now: Int64) throws -> Result<DeviceCertificate, Registrar.Refusal> {
            try registry.registrar.renew(by: by.encoded, request: registry.request(), now: now)
        }
        let earliest = RenewalRule.earliest(first.validity)
        #expect(try renew(first, at: earliest - 1).get() == first)
        let second = try renew(first, at: earliest).get()
        #expect(second.validity.notAfter == earliest + 397 * Registry.day)
        // The answer was lost: the old certificate brings the new one again.
        #expect(try renew(first, at: earliest + 60).get() == second)
        // In a drawer until the time of grace is over.
        let end = second.validity.notAfter
        #expect(try renew(second, at: end + 90 * Registry.day + 1) == .failure(.expired))
        let third = try renew(second, at: end + 90 * Registry.day).get()
        #expect(third.validity.notAfter == end + 487 * Registry.day)
        #expect(try registry.count(.renewed) == 2)
    }

    @Test func whoIsNotTheBoardRenewsNothing() throws {
        let registry = try Registry()
        let first = try registry.enrol(registry.request()).get()
        let later = RenewalRule.earliest(first.validity)
        let stranger = try Registry()
        let foreign = try stranger.enrol(stranger.request()).get()
        func renew(_ by: [UInt8], _ request: CertificateRequest) throws -> Result<DeviceCertificate, Registrar.Refusal> {
            try registry.registrar.renew(by: by, request: request, now: later)
        }
        #expect(try renew(foreign.encoded, registry.request()) == .failure(.unknownCertificate))
        #expect(try renew([], registry.request()) == .failure(.unknownCertificate))
        #expect(try renew(first.encoded, registry.request(.generate())) == .failure(.otherKey))
        #expect(try renew(first.encoded, registry.request(nil, BoardName("vg-other"))) == .failure(.otherSubject))
        try registry.store.revoke(registry.name)
        #expect(try renew(first.encoded, registry.request()) == .failure(.revoked))
        #expect(try registry.enrol(registry.request()) == .failure(.revoked))
        try registry.store.retire(registry.name)
        #expect(throws: RegistryError(.wrongState)) { try registry.store.revoke(registry.name) }
        #expect(try renew(first.encoded, registry.request()) == .failure(.retired))
        #expect(try registry.enrol(registry.request()) == .failure(.retired))
    }

    @Test func aRevocationByMistakeIsTakenBack() throws {
        let registry = try Registry()
        #expect(throws: RegistryError(.wrongState)) { try registry.store.restore(registry.name, now: Registry.now) }
        try registry.store.revoke(registry.name)
        // One that had not enrolled may have been held.
        #expect(try registry.store.restore(registry.name, now: Registry.now) == .held)
        #expect(try registry.enrol(registry.request()) == .failure(.pending))
        try registry.store.approve(registry.name)
        let first = try registry.enrol(registry.request()).get()
        try registry.store.revoke(registry.name)
        #expect(try registry.store.restore(registry.name, now: Registry.now) == .enrolled)
        let later = RenewalRule.earliest(first.validity)
        let renewed = try registry.registrar.renew(by: first.encoded, request: registry.request(), now: later)
        #expect(try renewed.get().key == first.key && registry.count(.restored) == 2)
        // A void card stays void.
        try registry.store.revoke(registry.name)
        try registry.take(Registry.claim("0000000000000003"), returning: true)
        #expect(throws: RegistryError(.wrongState)) { try registry.store.restore(registry.name, now: Registry.now) }
        try registry.store.revoke(registry.name)
        #expect(try registry.store.restore(registry.name, now: Registry.now) == .held)
        #expect(try registry.enrol(registry.request()) == .failure(.wrongClaim))
        try registry.store.retire(registry.name)
        #expect(throws: RegistryError(.wrongState)) { try registry.store.restore(registry.name, now: Registry.now) }
    }

    @Test func aNewCardEndsTheOldKey() throws {
        let registry = try Registry()
        let first = try registry.enrol(registry.request()).get()
        try registry.store.retire(registry.name)
        #expect(try registry.take(registry.claim) == .init(added: 0, replaced: 0, unchanged: 1))
        #expect(try registry.enrol(registry.request()) == .failure(.retired))
        let (claim, key) = (Registry.claim("0000000000000003"), try P256.SigningKey.generate())
        // What was taken out of use on purpose comes back on purpose.
        #expect(throws: RegistryError(.wrongState)) { try registry.take(claim) }
        #expect(try registry.enrol(registry.request(key), claim: claim) == .failure(.wrongClaim))
        #expect(try registry.take(claim, returning: true).replaced == 1)
        #expect(try registry.enrol(registry.request()) == .failure(.wrongClaim))
        _ = try registry.enrol(registry.request(key), claim: claim).get()
        #expect(
            try registry.registrar.renew(by: first.encoded, request: registry.request(), now: Registry.now)
                == .failure(.revoked))
    }

    /// A list from before the new card would revive a void card, and end the key of the board that has the new one.
    @Test func anOlderListIsRefused() throws {
        let registry = try Registry()
        _ = try registry.enrol(registry.request()).get()
        try registry.store.revoke(registry.name)
        let (claim, key) = (Registry.claim("0000000000000003"), try P256.SigningKey.generate())
        try registry.take(claim, returning: true)
        let second = try registry.enrol(registry.request(key), claim: claim).get()
        for returning in [false, true] {
            #expect(throws: RegistryError(.invalidList)) { try registry.take(registry.claim, returning: returning) }
        }
        // All of it or nothing.
        var random = SeededGenerator(seed: 24)
        let other = try #require(BoardName("vg-other"))
        let list = [other, registry.name].map { ClaimList.Entry(name: $0, digest: registry.claim.digest) }
        #expect(throws: RegistryError(.invalidList)) { try registry.store.take(list, held: false, using: &random) }
        #expect(try registry.store.board(other) == nil)
        #expect(try registry.enrol(registry.request(.generate())) == .failure(.wrongClaim))
        let later = RenewalRule.earliest(second.validity)
        #expect(
            try registry.registrar.renew(by: second.encoded, request: registry.request(key), now: later).get() != second)
    }

    /// What was issued while the clock was ahead is good for nobody yet: it is not given again.
    @Test func aClockThatWasAheadLocksNobodyOut() throws {
        let registry = try Registry()
        let ahead = try registry.enrol(registry.request(), at: Registry.now + 1_500 * Registry.day).get()
        let first = try registry.enrol(registry.request()).get()
        #expect(first.validity.notBefore <= Registry.now && Registry.now <= first.validity.notAfter && first != ahead)
        #expect(try registry.enrol(registry.request()).get() == first)

        let later = RenewalRule.earliest(first.validity)
        func renew(at now: Int64) throws -> DeviceCertificate {
            try registry.registrar.renew(by: first.encoded, request: registry.request(), now: now).get()
        }
        #expect(try renew(at: first.validity.notAfter + 80 * Registry.day).validity.notBefore > later)
        let second = try renew(at: later)
        #expect(second.validity.notBefore <= later && later <= second.validity.notAfter)
        #expect(try renew(at: later) == second)
    }

    /// A clock that falls back gives a certificate of the past, which the board refuses.
    @Test func aClockThatWasBehindLocksNobodyOut() throws {
        let registry = try Registry()
        let start = Registry.now + 800 * Registry.day
        let first = try registry.enrol(registry.request(), at: start).get()
        func renew(at now: Int64) throws -> DeviceCertificate {
            try registry.registrar.renew(by: first.encoded, request: registry.request(), now: now).get()
        }
        #expect(try renew(at: start - 700 * Registry.day) == first)
        // By its claim a board gets one of that time, and has another one already.
        let past = try registry.enrol(registry.request(), at: start - 700 * Registry.day).get()
        #expect(past.validity.notAfter < start)
        for now in [start, start + Registry.day] { #expect(try renew(at: now) == first) }
        let later = RenewalRule.earliest(first.validity)
        let second = try renew(at: later)
        #expect(second.validity.notBefore <= later && later <= second.validity.notAfter)
        #expect(try renew(at: later) == second)
        // In the time of grace, too.
        let other = try Registry()
        let shown = try other.enrol(other.request(), at: start).get()
        _ = try other.enrol(other.request(), at: start - 700 * Registry.day).get()
        let late = shown.validity.notAfter + Registry.day
        #expect(
            try other.registrar.renew(by: shown.encoded, request: other.request(), now: late).get().validity.notAfter > late
        )
    }

    /// Near the end of the authority's own certificate boards get one that ends then, and not one after the other; and then nothing, until the
    /// authority has a new one.
    @Test func theEndOfTheAuthorityIsSaidAndSurvived() throws {
        let registry = try Registry()
        let end = registry.registrar.authority.validity.notAfter
        #expect(try registry.registrar.ending(end - 800 * Registry.day) == nil)
        #expect(try registry.registrar.ending(end - 700 * Registry.day) != nil)
        for wrong in [end + 1, Registry.now - 400] {
            #expect(throws: RegistryError(.authorityEnded)) { try registry.registrar.ending(wrong) }
        }
        var shown = try registry.enrol(registry.request(), at: end - 500 * Registry.day).get()
        var given: Set<DeviceCertificate> = []
        // A board asks once a day from two thirds on.
        for now in stride(from: end - 499 * Registry.day, through: end, by: Int(Registry.day)) {
            guard now >= RenewalRule.earliest(shown.validity) else { continue }
            shown = try registry.registrar.renew(by: shown.encoded, request: registry.request(), now: now).get()
            given.insert(shown)
        }
        #expect(given.count == 1 && shown.validity.notAfter == end)
        #expect(throws: RegistryError(.authorityEnded)) {
            _ = try registry.registrar.renew(by: shown.encoded, request: registry.request(), now: end + 1)
        }
        // The same key, a new certificate: boards' certificates are its own, and are renewed beyond the former end.
        let folder = try RegistryFolder("\(registry.folder.path)/registry").renewAuthority(now: end - Registry.day)
        let again = try Registrar(
            store: registry.store, signer: RegistryFolder(folder.path).signer, settings: folder.settings)
        #expect(shown.isSigned(by: again.authority) && again.authority.key == registry.registrar.authority.key)
        let renewed = try again.renew(by: shown.encoded, request: registry.request(), now: end + 1).get()
        #expect(renewed.validity.notAfter == end + 1 + 397 * Registry.day)
    }

    /// What was given after a copy of the folder was made is not in it.
    @Test func aCopyThatIsTakenBackKnowsItsBoards() throws {
        let registry = try Registry()
        let (path, copy) = ("\(registry.folder.path)/registry", "\(registry.folder.path)/copy")
        let (late, lateClaim) = (try #require(BoardName("vg-late")), Registry.claim("0000000000000001"))
        var random = SeededGenerator(seed: 24)
        _ = try registry.store.take([.init(name: late, digest: lateClaim.digest)], held: false, using: &random)
        let first = try registry.enrol(registry.request()).get()
        let evidence = try EvidenceKeyRequest(key: .generate())
        let entered = try registry.registrar.enterEvidenceKey(by: first.encoded, request: evidence, now: Registry.now).get()
        // The service has it open.
        try RegistryFolder(path).backUp(to: copy)
        #expect(throws: RegistryError(.wrongFolder)) { try RegistryFolder(path).backUp(to: copy) }
        var status = stat()
        #expect(stat("\(copy)/registry.db", &status) == 0 && status.st_mode & 0o777 == 0o600)
        let later = RenewalRule.earliest(first.validity)
        let second = try registry.registrar.renew(by: first.encoded, request: registry.request(), now: later).get()
        let key = try P256.SigningKey.generate()
        let lateRequest = try registry.request(key, late)
        let lateOne = try registry.registrar.enrol(late, claimDigest: lateClaim.digest, request: lateRequest, now: later)
            .get()

        let folder = try RegistryFolder(copy)
        let store = try RegistryStore(path: folder.database)
        let again = Registrar(store: store, signer: folder.signer, settings: folder.settings)
        func renew(
            _ shown: DeviceCertificate, _ request: CertificateRequest
        ) throws -> Result<DeviceCertificate, Registrar.Refusal> {
            try again.renew(by: shown.encoded, request: request, now: RenewalRule.earliest(second.validity))
        }
        let third = try renew(second, registry.request()).get()
        #expect(third != second && third.key == first.key)
        #expect(try renew(second, registry.request()).get() == third)
        // Neither a key for evidence, nor another's certificate, nor one of a board that had not enrolled.
        #expect(try renew(entered, registry.request()) == .failure(.unknownCertificate))
        let stranger = try Registry()
        #expect(try renew(stranger.enrol(stranger.request()).get(), registry.request()) == .failure(.unknownCertificate))
        #expect(try renew(lateOne, lateRequest) == .failure(.unknownCertificate))
        // Who is revoked stays revoked, whatever it shows.
        try store.revoke(registry.name)
        #expect(try renew(third, registry.request()) == .failure(.revoked))
        let fresh = try registry.registrar.renew(
            by: second.encoded, request: registry.request(), now: RenewalRule.earliest(second.validity)
        ).get()
        #expect(try renew(fresh, registry.request()) == .failure(.unknownCertificate))
    }

    /// The operator is told of a clock that does not fit what was given last.
    @Test func aClockThatDoesNotFitIsSaid() throws {
        let registry = try Registry()
        #expect(try registry.registrar.doubt(of: 0) == nil)
        _ = try registry.enrol(registry.request()).get()
        for (days, isDoubted) in [(-1, true), (0, false), (396, false), (398, true)] as [(Int64, Bool)] {
            #expect(try (registry.registrar.doubt(of: Registry.now + days * Registry.day) != nil) == isDoubted, "\(days)")
        }
    }

    /// The database of a registration authority of before.
    @Test func aDatabaseOfTheSecondSchemaIsBroughtToTheLast() throws {
        let registry = try Registry()
        let first = try registry.enrol(registry.request()).get()
        let evidence = try EvidenceKeyRequest(key: .generate())
        _ = try registry.registrar.enterEvidenceKey(by: first.encoded, request: evidence, now: Registry.now).get()
        for statement in [
            "DROP TABLE used_claim", "DROP TABLE former_claim", "ALTER TABLE evidence DROP COLUMN revoked",
            "PRAGMA user_version = 2",
        ] { try registry.store.database.run(statement) }
        let store = try RegistryStore(path: "\(registry.folder.path)/registry/registry.db")
        #expect(try store.board(registry.name)?.state == .enrolled)
        #expect(try store.deviceKeys().map(\.isGood) == [true])
        var random = SeededGenerator(seed: 24)
        func take(_ claim: EnrolmentClaim) throws -> RegistryStore.Taken {
            try store.take([.init(name: registry.name, digest: claim.digest)], held: false, using: &random)
        }
        #expect(try take(Registry.claim("0000000000000003")).replaced == 1)
        #expect(throws: RegistryError(.invalidList)) { try take(registry.claim) }
    }

    @Test func aDatabaseOfTheThirdSchemaIsBroughtToTheLast() throws {
        let registry = try Registry()
        let first = try registry.enrol(registry.request()).get()
        for statement in ["DROP TABLE used_claim", "PRAGMA user_version = 3"] { try registry.store.database.run(statement) }
        let folder = try RegistryFolder("\(registry.folder.path)/registry")
        let store = try RegistryStore(path: folder.database)
        let again = Registrar(store: store, signer: folder.signer, settings: folder.settings)
        func enrol(_ request: CertificateRequest) throws -> Result<DeviceCertificate, Registrar.Refusal> {
            try again.enrol(registry.name, claimDigest: registry.claim.digest, request: request, now: Registry.now)
        }
        #expect(try enrol(registry.request()).get() == first && store.board(registry.name)?.usedClaim == nil)
        #expect(try enrol(registry.request(.generate())) == .failure(.usedClaim))
        #expect(try store.board(registry.name)?.usedClaim == .init(count: 1, last: Registry.now))
    }

    @Test func listsAreTakenWholeOrNotAtAll() throws {
        let digest = "sha256:" + String(repeating: "0a", count: 32)
        let good = try ClaimList.parse(Array("# boards\nvg-1 \(digest)\r\n\nvg-2 \(digest)\n".utf8))
        #expect(good.map(\.name.text) == ["vg-1", "vg-2"])
        for text in [
            "", "# none\n", "vg-1\n", "vg-1  \(digest)\n", "vg-1 \(digest) x\n", "VG-1 \(digest)\n", "vg-1 sha256:00\n",
            "vg-1 \(digest.uppercased())\n", "vg-1 \(digest)\nvg-1 \(digest)\n", "\u{0}\n",
        ] {
            #expect(throws: RegistryError(.invalidList)) { try ClaimList.parse(Array(text.utf8)) }
        }
    }

    @Test func aFolderIsMadeOnceAndAgainAfterACut() throws {
        let folder = try TemporaryFolder()
        func make(_ title: String = "Fleet") throws {
            _ = try RegistryFolder.make(folder.path + "/r", title: title, settings: RegistrySettings(), now: Registry.now)
        }
        #expect(throws: RegistryError(.invalidSettings)) { try make("") }
        try make()
        #expect(throws: RegistryError(.wrongFolder)) { try make() }
        // The settings are written last: without them a run was cut off.
        #expect(unlink(folder.path + "/r/settings.json") == 0)
        #expect(throws: RegistryError(.wrongFolder)) { try RegistryFolder(folder.path + "/r") }
        try make()
        _ = try RegistryFolder(folder.path + "/r")
        // Cut off after the key, and after the certificate.
        for lost in [["settings.json", "registry.db", "authority.pem"], ["settings.json", "registry.db"]] {
            let key = try WholeFile.read(folder.path + "/r/authority.key", limit: 4_096)
            for name in lost { #expect(unlink(folder.path + "/r/" + name) == 0) }
            try make()
            #expect(try WholeFile.read(folder.path + "/r/authority.key", limit: 4_096) == key)
        }
        #expect(throws: RegistryError(.invalidSettings)) { try RegistrySettings(lifetime: 1) }
        #expect(throws: RegistryError(.invalidSettings)) { try RegistrySettings(grace: -1) }
    }

    /// A used folder that has lost a file: nothing is made in its place, and nothing else changed.
    @Test func whatIsMissingIsNotMadeAnew() throws {
        for lost in ["settings.json", "authority.key", "authority.pem", "registry.db"] {
            let registry = try Registry()
            let path = "\(registry.folder.path)/registry"
            let first = try registry.enrol(registry.request()).get()
            func file(_ name: String) -> [UInt8]? { try? WholeFile.read("\(path)/\(name)", limit: 65_536) }
            let before = ["authority.key", "authority.pem"].map(file)
            #expect(unlink("\(path)/\(lost)") == 0)
            func make() throws -> RegistryFolder {
                try .make(path, title: "New", settings: RegistrySettings(), now: Registry.now)
            }
            guard lost == "settings.json" else {
                #expect(throws: RegistryError(.wrongFolder)) { try make() }
                if lost == "registry.db" {
                    #expect(throws: RegistryError(.storageUnusable)) { try RegistryStore(path: "\(path)/registry.db") }
                    close(creat("\(path)/registry.db", 0o600))
                    #expect(unlink("\(path)/registry.db-wal") == 0)
                    #expect(throws: RegistryError(.storageUnusable)) { try RegistryStore(path: "\(path)/registry.db") }
                    #expect(unlink("\(path)/registry.db") == 0)
                } else {
                    #expect(throws: RegistryError(.wrongFolder)) { try RegistryFolder(path) }
                }
                #expect(file(lost) == nil)
                // Without its settings it looks like one that was begun.
                #expect(unlink("\(path)/settings.json") == 0)
                if lost != "registry.db" { #expect(throws: RegistryError(.wrongFolder)) { try make() } }
                #expect(file(lost) == nil)
                continue
            }
            // As after an interrupted run: key and certificate stay, and what they have certified is known.
            let made = try make()
            #expect(["authority.key", "authority.pem"].map(file) == before)
            let again = try Registrar(
                store: RegistryStore(path: made.database), signer: made.signer, settings: made.settings)
            let request = try registry.request()
            #expect(try again.renew(by: first.encoded, request: request, now: Registry.now).get() == first)
        }
    }
}
