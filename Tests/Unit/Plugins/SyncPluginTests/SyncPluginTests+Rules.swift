// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import ExposureRisk
import FoundationEssentials
import Interfaces
import JSON
import PluginTestKit
import RiskConfiguration
import SyncPlan
import Synchronization
import Testing
import Trust

/// A core as far as rules go: each source has its own form and keys, as profiles give them.
private final class RuleKeepingCore: Sendable {
    struct Kept {
        var slots: [String: RiskConfigurationSlot] = [:]
        /// Whose rules came, in order.
        var calls: [String] = []
        var refusals: [String] = []
    }

    private let authorities: [String: RuleAuthority]
    private let kept = Mutex(Kept())

    init(_ authorities: [String: RuleAuthority]) { self.authorities = authorities }

    var state: Kept { kept.withLock { $0 } }

    func take(_ parameters: JSON) -> ProviderStandIn.Answer {
        func refused(_ rule: String, _ reason: String) -> ProviderStandIn.Answer {
            .failure("\(Risk1.name).ConfigurationRefused", ["rule": .string(rule), "reason": .string(reason)])
        }
        guard let call = try? parameters.decode(Risk1.TakeConfigurationCall.self),
            let document = Base64.bytes(call.document), let proof = Base64.bytes(call.approvals)
        else { return .silence }
        let name = call.source ?? "authority"
        guard let authority = authorities[name] else { return refused("unknownSource", "There is no \(name).") }
        return kept.withLock { kept in
            kept.calls.append(name)
            switch kept.slots[name, default: RiskConfigurationSlot()]
                .offer(document: document, signatures: proof, authority: authority, time: nil)
            {
            case .success:
                return .reply(["version": .int(kept.slots[name]?.version ?? 0), "changed": true])
            case .failure(let error):
                kept.refusals.append("\(name) \(error.code.rawValue)")
                return refused(error.code.rawValue, "\(error)")
            }
        }
    }
}

/// Rules as four authorities publish them, from a real server over TLS to a core that verifies each by its own form and keys.
extension SyncPluginTests {
    private static let swissPath = "alpine/v1/config?appversion=ios-2.0&osversion=ios14&buildnr=1"
    private static let nhsPath = "albion/distribution/exposure-configuration"
    private static let swissRules = Array(#"{"forceUpdate":false,"androidGaenSdkConfig":{"triggerThreshold":12}}"#.utf8)

    private struct Four {
        let scene: Scene
        let core: RuleKeepingCore
        let keys: [String: P256.SigningKey]
        let provider: ProviderStandIn
    }

    private static func vector(_ name: String) throws -> JSON {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appending(path: "Vectors/risk-configuration/\(name).json")
        return try JSON(parsing: [UInt8](Data(contentsOf: path)))
    }

    /// `broken` says what is wrong with the NHS's and SwissCovid's answers.
    private func four(nhsHeaders: Bool = true, swissSigner: P256.SigningKey? = nil) throws -> Four {
        let keys = try ["authority", "region", "albion", "alpine"].reduce(into: [String: P256.SigningKey]()) {
            $0[$1] = try P256.SigningKey.generate()
        }
        func trust(_ key: P256.SigningKey) throws -> TrustStore {
            try TrustStore(keys: [TrustedKey(name: Publisher.name, role: .config, key: key.verificationKey)])
        }
        var core: RuleKeepingCore?
        var provider: ProviderStandIn?
        let scene = try self.scene(
            { settings in
                let base = settings["sources"]?.array?.first?["base"]?.string ?? ""
                func source(_ name: String, _ more: [String: JSON]) -> JSON {
                    var object: JSON.Object = ["name": .string(name), "base": .string(base), "kind": "index"]
                    object["index"] = .string("\(name)/index.txt")
                    for (key, value) in more { object[key] = value }
                    return .object(object)
                }
                settings["sources"] = .array([
                    source("alpine", ["rules": .string(Self.swissPath), "rulesForm": "swissCovid"]),
                    source("albion", ["rules": .string(Self.nhsPath), "rulesForm": "nhs"]),
                    source(
                        "region",
                        [
                            "kind": "cwa", "config": "version/v2/app_config_android",
                            "rules": "version/v2/app_config_android", "rulesForm": "cwa",
                        ]),
                    source("own", ["rules": "version/v1/risk_config"]),
                ])
            },
            more: { supervisor, publisher in
                let made = RuleKeepingCore([
                    "authority": RuleAuthority(form: .vigil, trust: try trust(#require(keys["authority"]))),
                    "region": RuleAuthority(form: .cwa, trust: try trust(publisher.key), country: "DE"),
                    "albion": RuleAuthority(form: .nhs, trust: try trust(#require(keys["albion"]))),
                    "alpine": RuleAuthority(form: .swissCovid, trust: try trust(#require(keys["alpine"]))),
                ])
                let standIn = try supervisor.provide(
                    InterfaceTexts.all[Risk1.name] ?? "", granted: ["TakeConfiguration"])
                standIn.on("TakeConfiguration") { made.take($0) }
                core = made
                provider = standIn
            })
        let publisher = scene.publisher
        try publisher.publish()
        for name in ["alpine", "albion", "own"] { try publisher.put("/\(name)/index.txt", []) }
        // Its own rules, in an archive.
        let app = try #require(
            try Self.vector("cwa-configurations")["cases"]?.array?.first?["bytes"]?.string.flatMap(Base64.bytes))
        try publisher.put(CWAPath.appConfiguration, try publisher.signed(app, with: publisher.key))
        let own = try RiskConfiguration(cwaConfiguration: app, version: 7).document
        try publisher.put("/version/v1/risk_config", try publisher.signed(own, with: #require(keys["authority"])))
        // The body, and what proves it in headers.
        let nhs = try #require(try Self.vector("nhs-exposure-configuration")["document"]).bytes
        let date = "Fri, 20 Nov 2026 12:00:00 UTC"
        let signature = try #require(keys["albion"]).sign(
            SHA256.digest(of: NHSSignature.content(date: date, body: nhs)))
        try publisher.put(
            "/\(Self.nhsPath)", nhs,
            headers: nhsHeaders
                ? [
                    "X-Amz-Meta-Signature: \(NHSSignature.header(keyID: Publisher.name.id, signature: signature))",
                    "x-amz-meta-signature-date: \(date)",
                ] : [])
        let signer = try swissSigner ?? #require(keys["alpine"])
        let token = try #require(
            try ContentToken.text(body: Self.swissRules, issued: 1_700_000_000, expires: 4_000_000_000) {
                try signer.sign($0)
            })
        try publisher.put(
            "/\(Self.swissPath)", Self.swissRules,
            headers: ["Signature: \(String(decoding: token, as: UTF8.self))", "X-Public-Key: AAAA"])
        return Four(scene: scene, core: try #require(core), keys: keys, provider: try #require(provider))
    }

    private func run(_ four: Four) throws -> [String: Sync1.Source] {
        _ = try run(four.scene)
        let reply = try four.scene.bench.call("\(Sync1.name).GetFreshness").decode(Sync1.FreshnessReply.self)
        #expect(four.provider.faults == [])
        #expect(try spool(four.scene) == [])
        return Dictionary(uniqueKeysWithValues: reply.freshness.sources.map { ($0.name, $0) })
    }

    @Test func rulesOfEveryFormReachTheCoreInTheOperatorsOrder() throws {
        let four = try four()
        let sources = try run(four)
        for (name, source) in sources { #expect(source.faults == [:] && source.problem == nil, "\(name)") }
        let state = four.core.state
        #expect(state.calls == ["alpine", "albion", "region", "authority"] && state.refusals == [])
        let models = state.slots.mapValues { $0.configuration(at: nil)?.models.map(\.name) ?? [] }
        #expect(
            models == [
                "alpine": [.swissCovid], "albion": [.nhsSecond, .nhsFirst], "region": [.cwaSecond],
                "authority": [.cwaSecond],
            ])
        #expect(state.slots["authority"]?.version == 7)
        // What is configuration and rules at once is asked for once.
        let requests = four.scene.publisher.requests
        #expect(requests.filter { $0.hasSuffix("app_config_android") }.count == 1)
        #expect(requests.filter { $0.contains("v1/config?appversion=ios-2.0&") }.count == 1)
        #expect(Set(requests).count == requests.count)
    }

    /// One source's rules come without a proof, another's signed by a stranger: each is said of its source, and all others are followed.
    @Test func brokenRulesOfOneSourceAreNothingToTheOthers() throws {
        let four = try four(nhsHeaders: false, swissSigner: P256.SigningKey.generate())
        let sources = try run(four)
        #expect(four.core.state.calls == ["alpine", "region", "authority"])
        #expect(four.core.state.refusals == ["alpine notSigned"])
        #expect(Set(four.core.state.slots.filter { $0.value.current != nil }.keys) == ["region", "authority"])
        #expect(sources["alpine"]?.faults == ["rules": 1] && sources["albion"]?.faults == ["rules": 1])
        #expect(sources["alpine"]?.problem?.contains("no key that may sign configurations") == true)
        #expect(sources["albion"]?.problem?.contains("without what proves whose they are") == true)
        #expect(sources["region"]?.faults == [:] && sources["own"]?.faults == [:])
        // Its keys came all the same.
        #expect(four.scene.core.state.keys.count == four.scene.publisher.published)
    }

    /// A board that follows two authorities: the key of the other one signs no configuration of this one, though both keys have one name.
    @Test(arguments: [nil, "region", "other"]) func aConfigurationKeyIsItsOwnSources(_ owner: String?) throws {
        let scene = try scene { settings in
            guard case .object(var key)? = settings["configKeys"]?.array?.first,
                case .object(let region)? = settings["sources"]?.array?.first
            else { return }
            key["source"] = owner.map(JSON.string)
            var other = region
            other["name"] = "other"
            other["kind"] = "index"
            other["config"] = nil
            let base = region["base"]?.string ?? ""
            other["base"] = .string("\(base)/other")
            settings["configKeys"] = [.object(key)]
            settings["sources"] = [.object(region), .object(other)]
        }
        try scene.publisher.publish()
        try scene.publisher.put("/other/index.txt", [])
        _ = try run(scene)
        let reply = try scene.bench.call("\(Sync1.name).GetFreshness").decode(Sync1.FreshnessReply.self)
        let region = try #require(reply.freshness.sources.first { $0.name == "region" })
        #expect(region.faults == (owner == "other" ? ["configuration": 1] : [:]))
        #expect(region.problem?.contains("not signed by a key we trust") ?? false == (owner == "other"))
        // Its key files are the core's business, and came.
        #expect(scene.core.state.keys.count == scene.publisher.published)
    }

    /// The names in settings are those of profiles.
    @Test func theFormsAreTheCores() {
        #expect(RulesForm.allCases.map(\.rawValue) == RuleForm.allCases.map(\.rawValue).filter { $0 != "profile" })
    }
}
