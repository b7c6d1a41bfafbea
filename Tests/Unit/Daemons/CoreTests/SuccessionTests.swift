// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import Core
import Cryptography
import Interfaces
import KeyExport
import KeyIntake
import Ledger
import Logging
import Testing
import TimeTrust
import Trust

/// Changes of signing keys on a device: whose count, what is kept, and what they cannot do.
@Suite struct SuccessionTests {
    private let caller = ExposureServiceBench.caller()
    private static let fleet = KeyName(id: "fleet", version: "1")
    private static let first = KeyName(id: "262", version: "v1")
    private static let second = KeyName(id: "262", version: "v2")
    private let operatorKey: P256.SigningKey
    private let exportKey: P256.SigningKey
    private let configKey: P256.SigningKey
    private let trust: TrustStore

    init() throws {
        operatorKey = try .generate()
        exportKey = try .generate()
        configKey = try .generate()
        trust = try TrustStore(keys: [
            TrustedKey(name: Self.fleet, role: .operator, key: operatorKey.verificationKey),
            TrustedKey(name: Self.first, role: .export, key: exportKey.verificationKey),
            TrustedKey(name: Self.first, role: .config, key: configKey.verificationKey),
        ])
    }

    private typealias Signer = (role: KeyRole, name: KeyName, key: P256.SigningKey)
    private var fleet: Signer { (.operator, Self.fleet, operatorKey) }
    private var export: Signer { (.export, Self.first, exportKey) }

    /// A change of `role` to one new key.
    private func succession(
        _ role: KeyRole, to key: P256.SigningKey, _ name: KeyName = Self.second, number: UInt64 = 1, source: String? = nil,
        others: [TrustedKey] = [], by signer: Signer
    ) throws -> String {
        let new = TrustedKey(name: name, role: role, key: key.verificationKey)
        let document = try SuccessionContent(
            sequence: number, roles: [role: [new] + others], source: source,
            proofs: [new: KeyProof.make(with: key, role: role, name: name)]
        ).document()
        let signature = try signer.key.sign(Succession.digest(of: document))
        return String(
            decoding: try Succession(
                document: document, signatures: [.init(role: signer.role, name: signer.name, signature: signature)]
            ).file(), as: UTF8.self)
    }

    /// The rule that refused it; "taken" or "known" otherwise.
    private func rule(_ service: ExposureService, _ file: String, source: String? = nil, at now: BootInstant) -> String {
        do throws(Refusal) {
            return try service.takeSuccession(file, source: source, by: caller, at: now) ? "taken" : "known"
        } catch {
            #expect(error.name == "SuccessionRefused" && !error.parameters.reason.isEmpty)
            return error.parameters.rule ?? ""
        }
    }

    private func inForce(
        _ service: ExposureService, _ role: Trust1.Role, source: String? = nil, at now: BootInstant
    ) -> [String] {
        (service.signers(of: source, at: now)?.signers ?? []).filter { $0.role == role && $0.inForce }.map(\.publicHalf)
    }

    private func half(_ key: P256.SigningKey) -> String { Base64.string(key.verificationKey.subjectPublicKeyInfo) }

    private static let content = Array(#"{"version":1,"languages":{"en":{"texts":{"home.title":"Today"}}}}"#.utf8)

    private func takeContent(
        _ service: ExposureService, _ key: P256.SigningKey, _ name: KeyName, at now: BootInstant
    ) -> String? {
        do {
            let signed = try ExportEncoder(
                startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: name)]
            ).exportSig(for: Self.content, keys: [key])
            _ = try service.takeContent(
                Base64.string(Self.content), approvals: Base64.string(signed), by: caller, at: now)
            return nil
        } catch { return (error as? Refusal)?.parameters.rule ?? "\(error)" }
    }

    @Test func aTakenSuccessionHoldsAfterARestart() throws {
        let bench = try ExposureServiceBench(trust: trust)
        let (next, third) = (try P256.SigningKey.generate(), try P256.SigningKey.generate())
        // The first key ends in an hour; what it signed counts afterwards all the same.
        let ending = TrustedKey(
            name: Self.first, role: .export, key: exportKey.verificationKey, validUntil: ExposureServiceBench.noon + 3_600)
        let file = try succession(.export, to: next, others: [ending], by: export)
        let last = try succession(
            .export, to: third, .init(id: "262", version: "v3"), number: 2, by: (.export, Self.first, exportKey))
        #expect(rule(bench.service, file, at: bench.now) == "taken")
        #expect(Set(inForce(bench.service, .export, at: bench.now)) == [half(next), half(exportKey)])
        #expect(rule(bench.service, file, at: bench.now) == "known")
        #expect(rule(bench.service, last, at: bench.now) == "taken")
        #expect(inForce(bench.service, .export, at: bench.now) == [half(third)])
        bench.pass(.seconds(7_200))
        let again = bench.again()
        #expect(inForce(again, .export, at: bench.now) == [half(third)])
        #expect(again.signers(of: nil, at: bench.now)?.successions == 2)
        #expect(rule(again, last, at: bench.now) == "known" && rule(again, file, at: bench.now) == "known")
        let audit = try again.audit(after: nil).records.filter { $0.kind == "keysChanged" }
        #expect(audit.map { $0.details } == Array(repeating: ["signer": "export"], count: 2))
    }

    /// The thief uses up the export role's numbers and its room; rules stay the authority's, and the operator's word counts.
    @Test func aThiefOfOneRoleBlocksNobody() throws {
        let bench = try ExposureServiceBench(trust: trust)
        let (thief, next) = (try P256.SigningKey.generate(), try P256.SigningKey.generate())
        #expect(try rule(bench.service, succession(.config, to: thief, by: export), at: bench.now) == "notSigned")
        #expect(try rule(bench.service, succession(.operator, to: thief, by: export), at: bench.now) == "notSigned")
        #expect(
            try rule(bench.service, succession(.export, to: thief, number: 1_001, by: export), at: bench.now)
                == "stepTooLarge")
        var signer = export
        var answers: [String] = []
        for number in 1...200 where answers.last != "tooMany" {
            let name = KeyName(id: "262", version: "t\(number)")
            answers.append(
                try rule(
                    bench.service, succession(.export, to: thief, name, number: UInt64(number) * 1_000, by: signer),
                    at: bench.now))
            signer = (.export, name, thief)
        }
        #expect(answers.last == "tooMany" && answers.dropLast().allSatisfy { $0 == "taken" } && answers.count > 10)
        #expect(inForce(bench.service, .export, at: bench.now) == [half(thief)])
        let mended = try succession(.export, to: next, by: fleet)
        #expect(rule(bench.service, mended, at: bench.now) == "taken")
        for service in [bench.service, bench.again()] {
            #expect(inForce(service, .export, at: bench.now) == [half(next)])
            #expect(inForce(service, .config, at: bench.now) == [half(configKey)])
            #expect(
                try rule(service, succession(.export, to: thief, number: 300_000, by: signer), at: bench.now) == "notSigned"
            )
        }
        #expect(try rule(bench.again(), succession(.config, to: next, by: fleet), at: bench.now) == "notNewer")
        #expect(try rule(bench.again(), succession(.config, to: next, number: 2, by: fleet), at: bench.now) == "taken")
    }

    /// What was signed by a key that is withdrawn is gone at once, and is not taken again.
    @Test func whatAWithdrawnKeySignedCountsNoMore() throws {
        let bench = try ExposureServiceBench(trust: trust)
        let next = try P256.SigningKey.generate()
        #expect(takeContent(bench.service, configKey, Self.first, at: bench.now) == nil)
        #expect(takeContent(bench.service, next, Self.second, at: bench.now) == "notSigned")
        #expect(try rule(bench.service, succession(.config, to: next, by: fleet), at: bench.now) == "taken")
        #expect(bench.service.presentContent().version == 0)
        #expect(takeContent(bench.service, configKey, Self.first, at: bench.now) == "notSigned")
        #expect(takeContent(bench.service, next, Self.second, at: bench.now) == nil)
        #expect(bench.again().presentContent().version == 1)
    }

    @Test func whatIsNoSuccessionChangesNothing() throws {
        let bench = try ExposureServiceBench(trust: trust)
        let next = try P256.SigningKey.generate()
        let good = try succession(.export, to: next, by: fleet)
        for (file, word) in [
            ("", "malformedDocument"), ("{}", "malformedDocument"), (String(good.dropLast(9)), "malformedDocument"),
            (good + String(repeating: " ", count: Succession.maximumDeviceByteCount), "tooLarge"),
            (try succession(.export, to: next, by: (.operator, Self.fleet, next)), "notSigned"),
            (try succession(.export, to: next, source: "other", by: fleet), "wrongSource"),
        ] { #expect(rule(bench.service, file, at: bench.now) == word) }
        #expect(rule(bench.service, good, source: "nobody", at: bench.now) == "unknownSource")
        #expect(bench.service.signers(of: "nobody", at: bench.now) == nil)
        #expect(inForce(bench.service, .export, at: bench.now) == [half(exportKey)])
        #expect(bench.again().signers(of: nil, at: bench.now)?.successions == 0)
    }

    /// A device that was provisioned with the newest key meets the change that brought it.
    @Test func aChangeToKeysInForceIsNoFault() throws {
        let bench = try ExposureServiceBench(trust: trust)
        let former = try P256.SigningKey.generate()
        let known = try succession(
            .export, to: exportKey, Self.first, by: (.export, .init(id: "262", version: "v0"), former))
        #expect(rule(bench.service, known, at: bench.now) == "known")
        #expect(bench.again().signers(of: nil, at: bench.now)?.successions == 0)
    }

    /// What the disk did to one is found and set aside; the other roles' stay, and the lost one is taken again.
    @Test func aDamagedDocumentIsSetAside() throws {
        let bench = try ExposureServiceBench(trust: trust)
        let (next, other) = (try P256.SigningKey.generate(), try P256.SigningKey.generate())
        let file = try succession(.export, to: next, by: export)
        #expect(rule(bench.service, file, at: bench.now) == "taken")
        #expect(try rule(bench.service, succession(.config, to: other, by: fleet), at: bench.now) == "taken")
        let setting = "succession.authority.export.0"
        let kept = try #require(try bench.ledger.setting(setting))
        for damaged in [Array(kept.dropLast(1)), [1], kept + [0], [UInt8](repeating: 0xFF, count: 300)] {
            try bench.ledger.write { try $0.set(setting, damaged) }
            let again = bench.again()
            #expect(inForce(again, .export, at: bench.now) == [half(exportKey)])
            #expect(inForce(again, .config, at: bench.now) == [half(other)])
            #expect(try bench.ledger.setting(setting) == nil && bench.ledger.setting("succession.aside") == damaged)
            #expect(rule(again, file, at: bench.now) == "taken")
        }
        #expect(inForce(bench.again(), .export, at: bench.now) == [half(next)])
    }

    /// A board that was started without the operator's key by mistake loses nothing that the operator signed.
    @Test func whatCannotBeVerifiedNowIsKept() throws {
        let bench = try ExposureServiceBench(trust: trust)
        let next = try P256.SigningKey.generate()
        #expect(try rule(bench.service, succession(.export, to: next, by: fleet), at: bench.now) == "taken")
        func service(_ keys: [TrustedKey]) throws -> ExposureService {
            ExposureService(
                bench.beacon, vault: bench.vault, ledger: bench.ledger, trust: try TrustStore(keys: keys),
                policy: .namedKeys, program: .failure(IntakeFailure(.programMissing)),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        let without = try service(trust.keys.filter { $0.role != .operator })
        #expect(inForce(without, .export, at: bench.now) == [half(exportKey)])
        #expect(inForce(try service(trust.keys), .export, at: bench.now) == [half(next)])
    }

    /// Each source has keys of its own; the operator changes those of all, each by a document that names it, and their own for all at once.
    @Test func sourcesAreApart() throws {
        let foreign = try P256.SigningKey.generate()
        let profile = AuthorityProfile(
            name: "other", title: ["en": "Other"],
            keys: [.init(id: "262", version: "v1", role: .export, key: foreign.verificationKey)])
        let bench = try ExposureServiceBench(trust: trust, authorities: [AuthoritySource(profile)])
        let (next, chief) = (try P256.SigningKey.generate(), try P256.SigningKey.generate())
        let named = try succession(.export, to: next, source: "other", by: fleet)
        #expect(rule(bench.service, named, at: bench.now) == "wrongSource")
        #expect(
            try rule(bench.service, succession(.export, to: next, by: fleet), source: "other", at: bench.now)
                == "wrongSource")
        // The own authority's key signs nothing for another.
        #expect(
            try rule(bench.service, succession(.export, to: next, by: export), source: "other", at: bench.now)
                == "notSigned")
        #expect(rule(bench.service, named, source: "other", at: bench.now) == "taken")
        #expect(inForce(bench.service, .export, source: "other", at: bench.now) == [half(next)])
        #expect(inForce(bench.service, .export, at: bench.now) == [half(exportKey)])
        let second = KeyName(id: "fleet", version: "2")
        #expect(try rule(bench.service, succession(.operator, to: chief, second, by: fleet), at: bench.now) == "taken")
        let third = try succession(
            .export, to: foreign, number: 2, source: "other", by: (.operator, second, chief))
        #expect(
            try rule(
                bench.service, succession(.export, to: foreign, number: 2, source: "other", by: fleet), source: "other",
                at: bench.now) == "notSigned")
        #expect(rule(bench.service, third, source: "other", at: bench.now) == "taken")
        let again = bench.again(authorities: [AuthoritySource(profile)])
        #expect(inForce(again, .export, source: "other", at: bench.now) == [half(foreign)])
        #expect(inForce(again, .operator, source: "other", at: bench.now) == [half(chief)])
    }
}
