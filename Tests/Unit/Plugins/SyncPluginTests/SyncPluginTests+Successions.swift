// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Interfaces
import JSON
import PluginTestKit
import SyncPlan
import Testing
import Trust

/// Changes of signing keys: brought to the core as they were published, and followed here as the core says.
extension SyncPluginTests {
    private static let path = "/version/v1/successions"
    private static let names = ["GetSigners", "TakeSuccession"]

    /// A run against a core that answers each succession by `answers`, and has these keys for configurations.
    private func carry(
        answers: [String: ProviderStandIn.Answer] = [:], signers: [Trust1.Signer] = [], isGranted: Bool = true,
        publish: (Publisher) throws -> Void
    ) throws -> (source: Sync1.Source, given: [String], requests: Int) {
        var provider: ProviderStandIn?
        let scene = try self.scene(
            { settings in
                guard case .object(var source)? = settings["sources"]?.array?.first else { return }
                source["successions"] = .string(String(Self.path.dropFirst()))
                settings["sources"] = [.object(source)]
            },
            more: { supervisor, _ in
                guard isGranted else { return }
                let core = try supervisor.provide(InterfaceTexts.all[Trust1.name] ?? "", granted: Self.names)
                core.on("TakeSuccession") { answers[$0["document"]?.string ?? ""] ?? .reply(["changed": true]) }
                let reply = try JSON(encoding: Trust1.SignersReply(successions: signers.isEmpty ? 0 : 1, signers: signers))
                core.on("GetSigners") { _ in .reply(reply) }
                provider = core
            })
        try scene.publisher.publish()
        try publish(scene.publisher)
        let source = try run(scene)
        // Whatever became of them: the keys are here.
        #expect(scene.core.state.keys.count == scene.publisher.published && source.missingCount == 0)
        #expect(source.lastSuccess != nil && provider?.faults ?? [] == [])
        return (
            source, provider?.calls.compactMap { $0.parameters["document"]?.string } ?? [],
            scene.publisher.requests.filter { "/\($0)".hasSuffix(Self.path) }.count
        )
    }

    private static func refusal(_ rule: String) -> ProviderStandIn.Answer {
        .failure("\(Trust1.name).SuccessionRefused", ["rule": .string(rule), "reason": .string("No key signed \(rule).")])
    }

    @Test func successionsReachTheCoreInTheirOrder() throws {
        let files = ["{\"one\": 1}\n", "{\"two\": \"ü\"}", "{\"three\": 3}"]
        let (source, given, requests) = try carry(
            answers: [files[0]: Self.refusal("notSigned"), files[2]: Self.refusal("notNewer")]
        ) { try $0.put(Self.path, SuccessionList(files: files).bytes()) }
        #expect(given == files && requests == 1)
        // The first is of before this device; the last one is known.
        #expect(source.problem == nil && source.faults == [:])
    }

    @Test func anAuthorityThatNeverChangedItsKeysIsNothingWrong() throws {
        let (source, given, _) = try carry { _ in }
        #expect(given == [] && source.problem == nil && source.faults == [:], "\(source)")
    }

    @Test func aChangeThatTheCoreRefusesIsSaid() throws {
        let (source, given, _) = try carry(answers: ["b": Self.refusal("notSigned")]) {
            try $0.put(Self.path, SuccessionList(files: ["a", "b"]).bytes())
        }
        #expect(given == ["a", "b"] && source.faults == ["successions": 1])
        #expect(source.problem?.contains("notSigned") == true)
    }

    @Test func aBrokenListOfSuccessionsKeepsNoKeysAway() throws {
        for bytes in [[], Array("<html>".utf8), [UInt8](repeating: 0x20, count: SuccessionList.maximumByteCount + 1)] {
            let (source, given, requests) = try carry { try $0.put(Self.path, bytes) }
            #expect(given == [] && requests == 1 && source.problem != nil)
            #expect(source.faults.keys.allSatisfy { $0.hasPrefix("successions") } && source.faults.count == 1)
        }
    }

    @Test func withoutTheGrantNobodyAsksForSuccessions() throws {
        let (source, _, requests) = try carry(isGranted: false) {
            try $0.put(Self.path, SuccessionList(files: ["a"]).bytes())
        }
        #expect(requests == 0 && source.faults == ["successions": 1] && source.problem?.contains("was not granted") == true)
    }

    /// The configuration that this plugin reads itself is believed of whom the core believes.
    @Test func configurationsAreBelievedOfTheNewKey() throws {
        let next = try P256.SigningKey.generate()
        func signer(_ key: P256.SigningKey, inForce: Bool) -> Trust1.Signer {
            Trust1.Signer(
                role: .config, name: "262-v1", publicHalf: Base64.string(key.verificationKey.subjectPublicKeyInfo),
                validUntil: nil, spare: false, inForce: inForce)
        }
        for (isNew, isGood) in [(true, true), (false, false)] {
            let (source, _, _) = try carry(signers: [signer(next, inForce: isNew)]) {
                try $0.put(CWAPath.appConfiguration, try $0.signed([], with: next))
            }
            #expect((source.faults["configuration"] == nil) == isGood, "\(source)")
        }
    }
}
