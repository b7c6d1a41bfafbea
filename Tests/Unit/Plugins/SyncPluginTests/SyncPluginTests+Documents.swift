// SPDX-License-Identifier: Apache-2.0

import AppConfig
import ContentBundle
import Cryptography
import Interfaces
import JSON
import KeyArchive
import KeyExport
import PluginTestKit
import RandomValues
import SyncPlan
import Testing
import Trust

/// What a health authority signs for the core: brought as it was published, and nothing else is kept from working by it.
extension SyncPluginTests {
    private static let path = "/version/v1/content_bundle"

    private static func document(_ version: Int) -> [UInt8] {
        Array(#"{"version":\#(version),"languages":{"de":{"texts":{"home.title":"Heute"}}}}"#.utf8)
    }

    /// A run against a core that takes content as the real one does, and has version `known` already. Without a grant it cannot be asked.
    private func carry(
        known: Int64 = 0, isGranted: Bool = true, publish: (Publisher) throws -> Void
    ) throws -> (source: Sync1.Source, taken: [[UInt8]], calls: Int, scene: Scene) {
        var provider: ProviderStandIn?
        let scene = try self.scene(
            { settings in
                guard case .object(var source)? = settings["sources"]?.array?.first else { return }
                source["content"] = .string(String(Self.path.dropFirst()))
                settings["sources"] = [.object(source)]
            },
            more: { supervisor, publisher in
                guard isGranted else { return }
                let core = try supervisor.provide(InterfaceTexts.all[Content1.name] ?? "", granted: ["TakeContent"])
                let trust = try TrustStore(keys: [
                    TrustedKey(name: Publisher.name, role: .config, key: publisher.key.verificationKey)
                ])
                core.on("TakeContent") { Self.take($0, trust, known) }
                provider = core
            })
        try scene.publisher.publish()
        try publish(scene.publisher)
        let source = try run(scene)
        // Whatever became of the document: the keys are here.
        #expect(scene.core.state.keys.count == scene.publisher.published && source.missingCount == 0)
        #expect(source.lastSuccess != nil)
        #expect(try spool(scene) == [])
        let calls = provider?.calls ?? []
        let taken = calls.compactMap { call -> [UInt8]? in
            guard case .reply = Self.take(call.parameters, nil, known) else { return nil }
            return call.parameters["document"]?.string.flatMap(Base64.bytes)
        }
        #expect(provider?.faults ?? [] == [])
        return (source, taken, calls.count, scene)
    }

    private static func take(_ parameters: JSON, _ trust: TrustStore?, _ known: Int64) -> ProviderStandIn.Answer {
        func refused(_ rule: String, _ reason: String) -> ProviderStandIn.Answer {
            .failure("\(Content1.name).ContentRefused", ["rule": .string(rule), "reason": .string(reason)])
        }
        guard let document = parameters["document"]?.string.flatMap(Base64.bytes),
            let signatures = parameters["approvals"]?.string.flatMap(Base64.bytes)
        else { return refused("notBase64", "It is not Base64.") }
        if let trust,
            !SignedConfiguration.isSigned(exportBin: document, exportSig: signatures, trust: trust, time: nil)
        {
            return refused("notSigned", "No key that may sign configurations signed the content.")
        }
        do throws(ContentProblems) {
            let bundle = try ContentBundle(parsing: document)
            guard bundle.version >= known else { return refused("older", "The content is older than the one in force.") }
            return .reply(["version": .int(bundle.version), "changed": .bool(bundle.version > known)])
        } catch { return refused("invalid", "\(error)") }
    }

    @Test func contentReachesTheCoreAsItWasPublished() throws {
        let document = Self.document(1)
        let (source, taken, calls, scene) = try carry {
            try $0.put(Self.path, try $0.signed(document, with: $0.key))
        }
        #expect(taken == [document] && calls == 1)
        #expect(source.problem == nil && source.faults == [:])
        #expect(scene.publisher.requests.filter { "/\($0)".hasSuffix(Self.path) }.count == 1)
    }

    @Test func anAuthorityWithoutContentIsNothingWrong() throws {
        let (source, _, calls, _) = try carry { _ in }
        #expect(calls == 0 && source.problem == nil && source.faults == [:])
    }

    @Test func olderContentIsNothingToDo() throws {
        let (source, taken, calls, _) = try carry(known: 9) {
            try $0.put(Self.path, try $0.signed(Self.document(8), with: $0.key))
        }
        #expect(calls == 1 && taken == [] && source.problem == nil && source.faults == [:])
    }

    @Test func whatTheCoreRefusesIsSaid() throws {
        for (bytes, isStranger, words) in [
            (
                #"{"version":1,"languages":{"de":{"links":[{"title":"t","url":"http://x"}]}}}"#, false,
                "languages.de.links[0].url"
            ),
            (String(decoding: Self.document(1), as: UTF8.self), true, "signed the content"),
        ] {
            let (source, _, calls, _) = try carry {
                let key = isStranger ? try P256.SigningKey.generate() : $0.key
                try $0.put(Self.path, try $0.signed(Array(bytes.utf8), with: key))
            }
            #expect(calls == 1 && source.faults == ["content": 1])
            #expect(source.problem?.contains(words) == true, "\(source.problem ?? "")")
        }
    }

    /// Whoever may not give it to the core does not ask for it either.
    @Test func withoutTheGrantKeysComeAllTheSame() throws {
        let (source, _, _, scene) = try carry(isGranted: false) {
            try $0.put(Self.path, try $0.signed(Self.document(1), with: $0.key))
        }
        #expect(source.faults == ["content": 1] && source.problem?.contains("was not granted") == true)
        #expect(!scene.publisher.requests.contains { "/\($0)".hasSuffix(Self.path) })
    }

    /// None of this gets as far as the core.
    @Test func whatIsNoDocumentIsNotBrought() throws {
        func refused(_ fault: String, _ make: (Publisher) throws -> [UInt8]) throws {
            let (source, _, calls, _) = try carry { try $0.put(Self.path, try make($0)) }
            #expect(calls == 0 && source.problem != nil)
            #expect(source.faults == [fault: 1])
        }
        try refused("content") { _ in Array("<html>back soon</html>".utf8) }
        try refused("content") { Array(try $0.signed(Self.document(1), with: $0.key).dropLast(30)) }
        // A small archive, and too long for a message to the core.
        let long = (0...CarriedDocument.maximumByteCount).map { UInt8(truncatingIfNeeded: $0 / 64) }
        try refused("content") { try $0.signed(long, with: $0.key) }
        let signatures = [UInt8](repeating: 0, count: CarriedDocument.maximumSignatureByteCount + 1)
        try refused("content") { _ in
            try KeyArchiveWriter.archive(exportBin: Self.document(1), exportSig: signatures)
        }
        var generator = SeededGenerator(seed: 1)
        let noise = generator.bytes(CarriedDocument.maximumArchiveByteCount + 1)
        try refused("bodyTooLarge") { _ in noise }
    }
}
