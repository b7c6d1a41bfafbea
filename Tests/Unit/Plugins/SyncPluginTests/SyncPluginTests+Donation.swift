// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import Interfaces
import JSON
import KeyExport
import PluginTestKit
import RandomValues
import SyncPlan
import Testing
import Trust

/// The document about data donation: brought as it was published, whether anybody donates or not.
extension SyncPluginTests {
    private static let path = "/version/v1/donation"
    /// As long as one with the keys of a month: for whoever carries it, it is bytes.
    private static let document: [UInt8] = {
        var generator = SeededGenerator(seed: 26)
        return Array(#"{"donation":1,"x":""#.utf8) + Array(Base64.string(generator.bytes(9_000)).utf8) + Array(#""}"#.utf8)
    }()

    /// A run against a core that takes what is signed and answers with `refusal`, if there is one.
    private func carry(
        refusal: String? = nil, isGranted: Bool = true, publish: (Publisher) throws -> Void
    ) throws -> (source: Sync1.Source, calls: [JSON], requests: Int) {
        var provider: ProviderStandIn?
        let scene = try self.scene(
            { settings in
                guard case .object(var source)? = settings["sources"]?.array?.first else { return }
                source["donation"] = .string(String(Self.path.dropFirst()))
                settings["sources"] = [.object(source)]
            },
            more: { supervisor, publisher in
                guard isGranted else { return }
                let core = try supervisor.provide(InterfaceTexts.all[Donation1.name] ?? "", granted: ["TakeTerms"])
                let trust = try TrustStore(keys: [
                    TrustedKey(name: Publisher.name, role: .config, key: publisher.key.verificationKey)
                ])
                core.on("TakeTerms") { Self.take($0, trust, refusal) }
                provider = core
            })
        try scene.publisher.publish()
        try publish(scene.publisher)
        let source = try run(scene)
        // Whatever became of the document: the keys are here.
        #expect(scene.core.state.keys.count == scene.publisher.published && source.missingCount == 0)
        #expect(try spool(scene) == [] && provider?.faults ?? [] == [])
        return (
            source, provider?.calls.map(\.parameters) ?? [],
            scene.publisher.requests.count { "/\($0)".hasSuffix(Self.path) }
        )
    }

    private static func take(_ parameters: JSON, _ trust: TrustStore, _ refusal: String?) -> ProviderStandIn.Answer {
        guard let document = parameters["document"]?.string.flatMap(Base64.bytes),
            let signatures = parameters["approvals"]?.string.flatMap(Base64.bytes),
            SignedConfiguration.isSigned(exportBin: document, exportSig: signatures, trust: trust, time: nil)
        else {
            return .failure("\(Donation1.name).TermsRefused", ["rule": "notSigned", "reason": "Nobody signed it."])
        }
        if let refusal {
            return .failure(
                "\(Donation1.name).TermsRefused", ["rule": .string(refusal), "reason": .string("It is \(refusal).")])
        }
        return .reply(["version": 3, "changed": true])
    }

    @Test func termsReachTheCoreAsTheyWerePublished() throws {
        let (source, calls, requests) = try carry { try $0.put(Self.path, try $0.signed(Self.document, with: $0.key)) }
        #expect(calls.count == 1 && requests == 1)
        #expect(calls.first?["document"]?.string.flatMap(Base64.bytes) == Self.document && calls.first?["source"] == nil)
        #expect(source.problem == nil && source.faults == [:])
    }

    @Test func anAuthorityWithoutDonationsIsNothingWrong() throws {
        let (source, calls, _) = try carry { _ in }
        #expect(calls == [] && source.problem == nil && source.faults == [:])
    }

    @Test func termsThatAreRefusedAreSaidAndOlderOnesAreNot() throws {
        let publish = { (publisher: Publisher) in
            try publisher.put(Self.path, try publisher.signed(Self.document, with: publisher.key))
        }
        let older = try carry(refusal: "older", publish: publish)
        #expect(older.calls.count == 1 && older.source.problem == nil && older.source.faults == [:])
        let invalid = try carry(refusal: "invalid", publish: publish)
        #expect(invalid.source.faults == ["donation": 1] && invalid.source.problem?.contains("It is invalid.") == true)
        let stranger = try carry { try $0.put(Self.path, try $0.signed(Self.document, with: P256.SigningKey.generate())) }
        #expect(stranger.source.faults == ["donation": 1])
        #expect(stranger.source.problem?.contains("Nobody signed it.") == true)
        let page = try carry { try $0.put(Self.path, Array("<html>back soon</html>".utf8)) }
        #expect(page.calls == [] && page.source.faults == ["donation": 1])
    }

    @Test func withoutTheGrantTermsAreNotAskedFor() throws {
        let (source, _, requests) = try carry(isGranted: false) {
            try $0.put(Self.path, try $0.signed(Self.document, with: $0.key))
        }
        #expect(source.faults == ["donation": 1] && source.problem?.contains("was not granted") == true && requests == 0)
    }
}
