// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import Interfaces
import Testing

@testable import Core

/// The key for evidence on its way to the fleet's registration authority.
extension DonatingTests {
    private func requested() throws -> EvidenceKeyRequest? {
        try bench.service.donorKeyRequest().request.map { try EvidenceKeyRequest(der: Base64.bytes($0) ?? []) }
    }

    /// Whoever keeps the list of keys learns that a person's device takes part, which it says on air anyway, and nothing of donations.
    @Test func theRequestIsTheSameWithAndWithoutAConsentToDonate() throws {
        publish()
        // Whoever does not take part is not asked for.
        #expect(try requested() == nil)
        try bench.service.enable(by: caller, at: bench.now)
        let key = try #require(try requested()).key
        #expect(try Base64.string(key.subjectPublicKeyInfo) == bench.service.donor().publicHalf)
        try agree()
        #expect(try requested()?.key == key)
        try bench.service.withdrawDonation(by: caller, at: bench.now)
        #expect(try requested()?.key == key)
        try bench.service.disable(by: caller, at: bench.now)
        #expect(try requested() == nil)
    }

    @Test func aPlaceHasNoKeyAndTheNextPersonAnother() throws {
        try bench.service.enable(by: caller, at: bench.now)
        // Nor has a fleet without donations.
        #expect(try requested() == nil)
        publish()
        let key = try #require(try requested()).key
        try bench.service.setRole(.place, by: caller, at: bench.now)
        #expect(try bench.again().donorKeyRequest() == .init(request: nil))
        try bench.again().setRole(.person, by: caller, at: bench.now)
        let service = bench.again()
        try service.enable(by: caller, at: bench.now)
        let next = try #require(try service.donorKeyRequest().request)
        #expect(try EvidenceKeyRequest(der: Base64.bytes(next) ?? []).key != key)
    }
}
