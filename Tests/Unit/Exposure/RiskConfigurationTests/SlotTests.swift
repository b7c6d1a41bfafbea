// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport
import RandomValues
import Testing
import Trust

@testable import RiskConfiguration

/// What a board takes, keeps and refuses.
@Suite struct SlotTests {
    private let key: P256.SigningKey
    private let trust: TrustStore
    private let noon: Int64 = 1_795_219_200

    init() throws {
        key = try P256.SigningKey.generate()
        trust = try Self.trust(key)
    }

    private static func trust(_ key: P256.SigningKey, _ role: KeyRole = .config, until: Int64? = nil) throws -> TrustStore {
        try TrustStore(keys: [
            TrustedKey(name: KeyName(id: "262", version: "v1"), role: role, key: key.verificationKey, validUntil: until)
        ])
    }

    private func signed(_ document: [UInt8], by signer: P256.SigningKey? = nil) throws -> [UInt8] {
        let info = ExportEncoder.signatureInfo(for: KeyName(id: "262", version: "v1"))
        let encoder = ExportEncoder(startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [info])
        return try encoder.exportSig(for: document, keys: [signer ?? key])
    }

    @discardableResult
    private func offer(
        _ configuration: RiskConfiguration, to slot: inout RiskConfigurationSlot, at time: Int64?
    ) throws -> Result<RiskConfigurationSlot.Outcome, RiskConfigurationError> {
        let document = configuration.document
        return slot.offer(document: document, signatures: try signed(document), trust: trust, time: time)
    }

    @Test func versionsOnlyRise() throws {
        var slot = RiskConfigurationSlot()
        #expect(slot.version == 0 && slot.configuration(at: noon) == nil)
        let five = try Samples.plain(version: 5)
        #expect(try offer(five, to: &slot, at: noon) == .success(.inForce))
        #expect(try offer(five, to: &slot, at: noon) == .success(.unchanged))
        var other = five
        other.service = .paused(words: nil)
        #expect(try offer(other, to: &slot, at: noon) == .failure(RiskConfigurationError(.contradiction)))
        #expect(try offer(Samples.plain(version: 4), to: &slot, at: noon) == .failure(RiskConfigurationError(.older)))
        #expect(slot.configuration(at: noon) == five)
        other.version = 6
        #expect(try offer(other, to: &slot, at: noon) == .success(.inForce))
        #expect(slot.configuration(at: nil) == other && slot.version == 6)
    }

    @Test func whatNobodySignedIsNotRead() throws {
        var slot = RiskConfigurationSlot()
        try offer(Samples.plain(version: 1), to: &slot, at: noon)
        let before = slot
        let document = try Samples.plain(version: 2).document
        let stranger = try P256.SigningKey.generate()
        for signatures in [try signed(document, by: stranger), [], [0xFF], try signed(document + [32])] {
            #expect(
                slot.offer(document: document, signatures: signatures, trust: trust, time: noon)
                    == .failure(RiskConfigurationError(.notSigned)))
        }
        // A key of another role, and one whose time is over.
        for trust in [try Self.trust(key, .export), try Self.trust(key, .operator), try Self.trust(key, until: noon)] {
            #expect(
                slot.offer(document: document, signatures: try signed(document), trust: trust, time: noon)
                    == .failure(RiskConfigurationError(.notSigned)))
        }
        let large = [UInt8](repeating: 32, count: RiskConfiguration.maximumByteCount + 1)
        #expect(
            slot.offer(document: large, signatures: [], trust: trust, time: noon)
                == .failure(RiskConfigurationError(.tooLarge)))
        #expect(slot == before)
    }

    @Test func anInvalidOneNeverTakesThePlaceOfAValidOne() throws {
        var slot = RiskConfigurationSlot()
        try offer(Samples.plain(version: 1), to: &slot, at: noon)
        let before = slot
        for text in ["", "{}", "{\"vigilRisk\":1,\"version\":2,\"models\":[]}"] {
            let document = Array(text.utf8)
            let result = slot.offer(document: document, signatures: try signed(document), trust: trust, time: noon)
            #expect(result == .failure(RiskConfigurationError(text.isEmpty ? .malformed : .invalid)))
            if case .failure(let error) = result { #expect(!error.problems.isEmpty) }
        }
        #expect(slot == before)
    }

    @Test func whatDoesNotHoldYetWaits() throws {
        var slot = RiskConfigurationSlot()
        let now = try Samples.plain(version: 1)
        let later = try Samples.plain(version: 2, validFrom: noon + 100)
        try offer(now, to: &slot, at: noon)
        #expect(try offer(later, to: &slot, at: noon) == .success(.inForceFrom(noon + 100)))
        #expect(try offer(later, to: &slot, at: noon) == .success(.unchanged))
        #expect(slot.configuration(at: noon + 99) == now && slot.configuration(at: nil) == now)
        #expect(slot.configuration(at: noon + 100) == later)
        // One between the two is older than what was taken already.
        #expect(
            try offer(Samples.plain(version: 2), to: &slot, at: noon) == .failure(RiskConfigurationError(.contradiction)))
        #expect(slot.advance(to: noon + 99) == false && slot.advance(to: nil) == false)
        var passed = slot
        #expect(passed.advance(to: noon + 100) && passed.coming == nil && passed.configuration(at: nil) == later)
        // The highest version counts: an emergency stop does not wait, and what was to come is gone.
        var stop = try Samples.plain(version: 3)
        stop.service = .paused(words: nil)
        #expect(try offer(stop, to: &slot, at: noon) == .success(.inForce))
        #expect(slot.coming == nil && slot.configuration(at: noon + 1_000) == stop)
    }

    @Test func whatIsStoredIsVerifiedAgain() throws {
        var slot = RiskConfigurationSlot()
        #expect(try RiskConfigurationSlot(encoded: slot.encoded, trust: trust) == slot)
        try offer(Samples.full(), to: &slot, at: nil)
        try offer(Samples.plain(version: 8), to: &slot, at: noon)
        try offer(Samples.plain(version: 9, validFrom: noon + 5), to: &slot, at: noon)
        #expect(slot.current != nil && slot.coming != nil)
        let bytes = slot.encoded
        #expect(try RiskConfigurationSlot(encoded: bytes, trust: trust) == slot)
        // A date that passed takes nothing away; a key that was withdrawn does.
        #expect(try RiskConfigurationSlot(encoded: bytes, trust: Self.trust(key, until: 1)) == slot)
        #expect(throws: RiskConfigurationError(.notSigned)) {
            try RiskConfigurationSlot(encoded: bytes, trust: Self.trust(P256.SigningKey.generate()))
        }
        for count in [0, 1, 15, 16, 17, 19, 20, 100, bytes.count - 1] {
            #expect(throws: RiskConfigurationError(.damaged)) {
                try RiskConfigurationSlot(encoded: Array(bytes.prefix(count)), trust: trust)
            }
        }
        #expect(throws: RiskConfigurationError(.damaged)) { try RiskConfigurationSlot(encoded: bytes + [0], trust: trust) }
    }

    @Test func noByteOfWhatIsStoredCanBeChanged() throws {
        var slot = RiskConfigurationSlot()
        try offer(Samples.plain(version: 1), to: &slot, at: noon)
        let bytes = slot.encoded
        var dice = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            var bad = bytes
            let index = Int.random(in: 0..<bad.count, using: &dice)
            bad[index] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
            if let read = try? RiskConfigurationSlot(encoded: bad, trust: trust) {
                // What is around the signature itself is not signed.
                #expect(read.current?.document == slot.current?.document)
            }
        }
    }
}
