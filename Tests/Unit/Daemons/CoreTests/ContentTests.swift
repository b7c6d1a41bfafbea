// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import Interfaces
import KeyExport
import KeyIntake
import Logging
import Testing
import TimeTrust
import Trust

/// What people are to read, by whom it must be signed, and what is kept of it.
@Suite struct ContentTests {
    private let caller = ExposureServiceBench.caller()
    private let signer: P256.SigningKey
    private let trust: TrustStore
    private static let name = KeyName(id: "262", version: "v1")

    init() throws {
        signer = try P256.SigningKey.generate()
        trust = try Self.trust(signer)
    }

    private static func trust(
        _ key: P256.SigningKey, _ role: KeyRole = .config, from: Int64? = nil, until: Int64? = nil
    ) throws -> TrustStore {
        try TrustStore(keys: [
            TrustedKey(name: name, role: role, key: key.verificationKey, validFrom: from, validUntil: until)
        ])
    }

    private static func document(_ version: Int64, _ title: String = "Today") -> [UInt8] {
        Array(#"{"version":\#(version),"languages":{"en":{"texts":{"home.title":"\#(title)"}}}}"#.utf8)
    }

    private func signatures(_ document: [UInt8], by key: P256.SigningKey? = nil) throws -> [UInt8] {
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        return try encoder.exportSig(for: document, keys: [key ?? signer])
    }

    /// The rule that refused it; `nil` when it was taken.
    private func rule(_ bench: ExposureServiceBench, _ document: [UInt8], _ signatures: [UInt8]) -> String? {
        do throws(Refusal) {
            _ = try bench.service.takeContent(
                Base64.string(document), approvals: Base64.string(signatures), by: caller, at: bench.now)
            return nil
        } catch {
            #expect(error.name == "ContentRefused" && !error.parameters.reason.isEmpty)
            return error.parameters.rule
        }
    }

    @Test func versionsOnlyRise() throws {
        let bench = try ExposureServiceBench(trust: trust)
        #expect(bench.service.presentContent().version == 0 && bench.service.presentContent().content == nil)
        let five = Self.document(5)
        #expect(try rule(bench, five, signatures(five)) == nil)
        // The same again, signed again: nothing is new, and nothing is wrong.
        let again = try bench.service.takeContent(
            Base64.string(five), approvals: Base64.string(signatures(five)), by: caller, at: bench.now)
        #expect(again.version == 5 && !again.changed)
        for (other, word) in [(Self.document(4), "older"), (Self.document(5, "Tomorrow"), "contradiction")] {
            #expect(try rule(bench, other, signatures(other)) == word)
            #expect(bench.service.presentContent().content == String(decoding: five, as: UTF8.self))
        }
        let six = Self.document(6, "Tomorrow")
        #expect(try rule(bench, six, signatures(six)) == nil)
        #expect(bench.service.presentContent().version == 6)
        let entries = try bench.service.audit(after: nil).records.filter { $0.kind == "contentTaken" }
        #expect(entries.map { $0.details["version"] } == ["5", "6"])
    }

    @Test func whatNobodySignedIsNotTaken() throws {
        let bench = try ExposureServiceBench(trust: trust)
        let document = Self.document(1)
        let good = try signatures(document)
        let stranger = try P256.SigningKey.generate()
        #expect(try rule(bench, document, signatures(document, by: stranger)) == "notSigned")
        #expect(rule(bench, document, []) == "notSigned")
        #expect(try rule(bench, document, signatures(Self.document(2))) == "notSigned")
        // A bit of every byte of the document, wherever it leads.
        for index in document.indices {
            var changed = document
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(rule(bench, changed, good) == "notSigned")
        }
        // And of the signatures: names of keys and algorithms are not signed, so that some of these are still good.
        var goodOnes = 0
        for index in good.indices {
            var changed = good
            changed[index] ^= 1
            let rule = rule(bench, document, changed)
            if rule == nil { goodOnes += 1 } else { #expect(rule == "notSigned") }
        }
        #expect(goodOnes < good.count / 2)
        #expect(bench.service.presentContent().version == (goodOnes > 0 ? 1 : 0))
    }

    /// Of another role, not yet or no longer in force: no key for content.
    @Test func aKeyOutOfForceIsNone() throws {
        let document = Self.document(1)
        let good = try signatures(document)
        for role in [KeyRole.export, .time] {
            #expect(
                rule(try ExposureServiceBench(trust: Self.trust(signer, role)), document, good) == "notSigned", "\(role)")
        }
        let noon = ExposureServiceBench.noon
        for (store, word) in [
            (try Self.trust(signer, until: noon - 60), "notSigned"), (try Self.trust(signer, from: noon + 60), "notSigned"),
            (try Self.trust(signer, from: noon - 60, until: noon + 3_600), nil),
        ] { #expect(rule(try ExposureServiceBench(trust: store), document, good) == word) }
        // Without a known time dates cannot be judged: content is for a board without a clock, too.
        let bench = try ExposureServiceBench(hasTime: false, trust: Self.trust(signer, until: noon - 60))
        #expect(rule(bench, document, good) == nil)
    }

    /// Whoever signs may also be wrong: what the reader finds is told with its path, and what was there holds.
    @Test func faultsAreToldAndNothingIsTaken() throws {
        let bench = try ExposureServiceBench(trust: trust)
        let first = Self.document(1)
        #expect(try rule(bench, first, signatures(first)) == nil)
        let quotes = String(repeating: #"\""#, count: 490)
        let lines = Array(repeating: "\"\(quotes)\"", count: 16).joined(separator: ",")
        let untellable =
            #"{"version":2,"languages":{"en":{"publication":[\#(lines)],"recommendations":{"low":[\#(lines)]}}}}"#
        for (text, word) in [
            (#"{"version":2,"languages":{"en":{"links":[{"title":"t","url":"javascript:x"}]}}}"#, "invalid"),
            (#"{"vigilRisk":1,"version":2,"models":[]}"#, "invalid"), (#"{"vigilConfig":1,"version":2}"#, "invalid"),
            ("", "invalid"), ("{", "invalid"), (untellable, "invalid"),
            (String(repeating: " ", count: 40 << 10) + "{}", "tooLarge"),
        ] {
            let document = Array(text.utf8)
            #expect(try rule(bench, document, signatures(document)) == word, "\(text.prefix(80))")
        }
        let second = Self.document(2)
        #expect(rule(bench, second, [UInt8](repeating: 0, count: 4_097)) == "tooLarge")
        let refusal = #expect(throws: Refusal.self) {
            try bench.service.takeContent("no Base64!", approvals: "", by: caller, at: bench.now)
        }
        #expect(refusal?.parameters.rule == "notBase64")
        #expect(bench.service.presentContent().version == 1)
    }

    /// The same ledger under a core that starts anew: what it kept is verified again, and dates of validity do not count.
    @Test func whatWasTakenSurvivesARestart() throws {
        let bench = try ExposureServiceBench(trust: trust)
        let document = Self.document(3)
        #expect(try rule(bench, document, signatures(document)) == nil)
        func next(_ trust: TrustStore) -> ExposureService {
            ExposureService(
                bench.beacon, vault: bench.vault, ledger: bench.ledger, trust: trust, policy: .namedKeys,
                program: .failure(IntakeFailure(.programMissing)),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        #expect(next(trust).presentContent().version == 3)
        #expect(try next(Self.trust(signer, until: ExposureServiceBench.noon - 60)).presentContent().version == 3)
        // A key that is no longer among the trusted ones is believed no more.
        #expect(try next(Self.trust(P256.SigningKey.generate())).presentContent().version == 0)
    }
}
