// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import Testing

@testable import FleetRegistry

/// The keys by which boards sign evidence: whose they are, and what the issuer of tokens is told of them.
struct EvidenceKeyTests {
    private let registry: Registry
    private let shown: DeviceCertificate
    private let request: EvidenceKeyRequest

    init() throws {
        registry = try Registry()
        shown = try registry.enrol(registry.request()).get()
        request = try EvidenceKeyRequest(key: .generate())
    }

    private func enter(
        _ request: EvidenceKeyRequest? = nil, by certificate: DeviceCertificate? = nil, at now: Int64 = Registry.now
    ) throws -> Result<DeviceCertificate, Registrar.Refusal> {
        try registry.registrar.enterEvidenceKey(
            by: (certificate ?? shown).encoded, request: request ?? self.request, now: now)
    }

    private func good() throws -> [[UInt8]] { try registry.store.deviceKeys().filter(\.isGood).map(\.key) }

    @Test func theIssuerIsToldOfTheKeyForEvidenceAndOfNoOther() throws {
        #expect(try registry.store.deviceKeys().isEmpty)
        let certificate = try enter().get()
        #expect(certificate.name == registry.name && certificate.key == request.key)
        #expect(certificate.isSigned(by: registry.registrar.authority))
        _ = try enter().get()
        #expect(try registry.count(.evidence) == 1 && registry.count(.evidenceAgain) == 1)
        #expect(try good() == [request.key.subjectPublicKeyInfo])
        // It says nothing in TLS.
        #expect(
            try registry.registrar.renew(by: certificate.encoded, request: registry.request(), now: Registry.now)
                == .failure(.unknownCertificate))
        #expect(try enter(by: certificate) == .failure(.unknownCertificate))
    }

    /// Whoever has taken over the plugin enters a key of their own: it gets no token, and the core's own is not barred at the issuer.
    @Test func aSecondKeyWithOneCardIsToldToTheOperatorAndNotToTheIssuer() throws {
        _ = try enter().get()
        #expect(try good() == [request.key.subjectPublicKeyInfo] && registry.store.contested() == [])
        let other = try EvidenceKeyRequest(key: .generate())
        _ = try enter(other).get()
        #expect(try registry.store.deviceKeys().isEmpty && registry.store.contested() == [registry.name])
        #expect(
            try registry.registrar.contests().map { $0.hasPrefix("\(registry.name) has entered another key") } == [true])
        _ = try enter().get()
        #expect(try registry.store.deviceKeys().isEmpty, "that the core's is the last one now is no proof")
        // A new card decides: the key that is entered by it is the board's, whether it is the one of before or another.
        let claim = Registry.claim("0000000000000004")
        try registry.take(claim)
        #expect(try registry.store.deviceKeys().isEmpty && registry.store.contested() == [])
        let anew = try registry.enrol(registry.request(.generate()), claim: claim).get()
        _ = try enter(by: anew).get()
        #expect(try good() == [request.key.subjectPublicKeyInfo] && registry.store.deviceKeys().count == 2)
        // The other one may come again; it is as a new one.
        _ = try enter(other, by: anew).get()
        #expect(try registry.store.deviceKeys().isEmpty && registry.store.contested() == [registry.name])
        // Of a lost board all keys are barred.
        try registry.store.revoke(registry.name)
        #expect(try registry.store.deviceKeys().map(\.isGood) == [false, false] && registry.store.contested() == [])
    }

    @Test func aCardEntersFewKeys() throws {
        _ = try enter().get()
        for _ in 1..<Registrar.mostEvidenceKeys { _ = try enter(EvidenceKeyRequest(key: .generate())).get() }
        #expect(try enter(EvidenceKeyRequest(key: .generate())) == .failure(.tooManyKeys))
        try registry.refusals.write(to: registry.store, now: Registry.now)
        #expect(try registry.store.deviceKeys().isEmpty && registry.count(.tooManyKeys) == 1)
        // With a new card there may be others.
        let claim = Registry.claim("0000000000000004")
        try registry.take(claim)
        let anew = try registry.enrol(registry.request(.generate()), claim: claim)
        let last = try EvidenceKeyRequest(key: .generate())
        #expect(throws: Never.self) { try enter(last, by: anew.get()).get() }
        #expect(try good() == [last.key.subjectPublicKeyInfo])
        #expect(try registry.store.deviceKeys().count == Int(Registrar.mostEvidenceKeys) + 1)
    }

    @Test func whoIsNotEnrolledEntersNothing() throws {
        let stranger = try Registry()
        #expect(try enter(by: stranger.enrol(stranger.request()).get()) == .failure(.unknownCertificate))
        #expect(try enter(at: shown.validity.notAfter + 1) == .failure(.expired))
        // The key of TLS is at the plugin's mercy.
        #expect(try enter(EvidenceKeyRequest(key: registry.key)) == .failure(.otherKey))
        _ = try enter().get()
        try registry.store.revoke(registry.name)
        #expect(try enter() == .failure(.revoked) && good() == [])
        try registry.store.retire(registry.name)
        #expect(try enter() == .failure(.retired) && good() == [])
    }

    /// The issuer bars a revoked key for good (`DeviceListTests`): a list that goes out before the new card is in the board must not call its key
    /// revoked.
    @Test func aNewCardOnItsWayBarsNoKey() throws {
        _ = try enter().get()
        let claim = Registry.claim("0000000000000004")
        try registry.take(claim)
        #expect(try registry.store.deviceKeys().isEmpty)
        let anew = try registry.enrol(registry.request(), claim: claim).get()
        // It is enrolled, and has not entered its key again.
        #expect(try registry.store.deviceKeys().isEmpty)
        _ = try enter(by: anew).get()
        #expect(try good() == [request.key.subjectPublicKeyInfo])
        try registry.store.revoke(registry.name)
        #expect(try registry.store.deviceKeys().map(\.isGood) == [false])
        // Whoever has the lost board has that key: the new card of a revoked one takes nothing back.
        let third = Registry.claim("0000000000000005")
        try registry.take(third, returning: true)
        #expect(try registry.store.deviceKeys().map(\.isGood) == [false])
        let key = try P256.SigningKey.generate()
        let board = try registry.enrol(registry.request(key), claim: third).get()
        let next = try EvidenceKeyRequest(key: .generate())
        _ = try enter(next, by: board).get()
        #expect(try good() == [next.key.subjectPublicKeyInfo] && registry.store.deviceKeys().count == 2)
    }
}
