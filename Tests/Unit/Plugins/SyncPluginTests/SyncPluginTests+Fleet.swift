// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginTestKit
import SyncPlan
import Testing

/// The configuration of the board's fleet: brought to the core as it was published; whatever becomes of it, the keys are fetched.
extension SyncPluginTests {
    private static let place = "/fleet/v1/configuration"

    /// A board of a fleet, and the part of its core that a configuration is given to, which answers so; `nil` if that was not granted.
    private func fleet(
        _ answer: ProviderStandIn.Answer, isGranted: Bool = true
    ) throws -> (scene: Scene, provider: ProviderStandIn?) {
        var provider: ProviderStandIn?
        let scene = try self.scene(
            { settings in
                guard case .object(var source)? = settings["sources"]?.array?.first else { return }
                source["fleetConfiguration"] = .string(String(Self.place.dropFirst()))
                settings["sources"] = [.object(source)]
            },
            more: { supervisor, _ in
                guard isGranted else { return }
                let core = try supervisor.provide(
                    InterfaceTexts.all[Trust1.name] ?? "", granted: ["TakeConfiguration", "GetSigners"])
                core.on("TakeConfiguration") { _ in answer }
                core.on("GetSigners") { _ in .reply(["successions": 0, "signers": []]) }
                provider = core
            })
        return (scene, provider)
    }

    private func documents(_ provider: ProviderStandIn?) -> [String] {
        provider?.calls.compactMap { $0.parameters["document"]?.string } ?? []
    }

    /// A run against a core that answers a configuration so.
    private func bring(
        _ answer: ProviderStandIn.Answer, isGranted: Bool = true, publish: (Publisher) throws -> Void
    ) throws -> (source: Sync1.Source, given: [String]) {
        let (scene, provider) = try fleet(answer, isGranted: isGranted)
        try scene.publisher.publish()
        try publish(scene.publisher)
        let source = try run(scene)
        #expect(scene.core.state.keys.count == scene.publisher.published && source.missingCount == 0)
        return (source, documents(provider))
    }

    /// No keys are fetched for it, and what its fleet says is for it, too.
    @Test func aBoardInAPlaceIsConfiguredToo() throws {
        let (scene, provider) = try fleet(.reply(["onTrial": false]))
        let status = Exposure1.Status(
            enabled: true, state: .active, sentence: "It works.", role: .place, timeState: .plausible, matchCount: nil,
            matchedFileCount: 0, lastMatched: nil, matching: false, limit: .init(perDay: nil, used: 0, nextPermitted: nil))
        scene.provider.on("GetStatus", reply: try JSON(encoding: Exposure1.StatusReply(status: status)))
        try scene.publisher.publish()
        try scene.publisher.put(Self.place, Array("for all".utf8))
        let source = try run(scene)
        #expect(documents(provider) == ["for all"] && scene.core.state.keys.isEmpty && source.lastSuccess == nil)
    }

    @Test func theFleetsConfigurationReachesTheCoreAsItIs() throws {
        let file = "{\"any\": \"ü\"}\n"
        let (source, given) = try bring(.reply(["onTrial": false])) { try $0.put(Self.place, Array(file.utf8)) }
        #expect(given == [file] && source.problem == nil && source.faults == [:] && source.lastSuccess != nil)
    }

    /// While it is on trial it is fetched again within eight minutes, however the run ended; and a run in which all was well counts as one.
    @Test(arguments: [true, false]) func whatIsOnTrialIsFetchedAgainSoon(isWell: Bool) throws {
        let pending = ProviderStandIn.Answer.failure(
            "\(Trust1.name).ConfigurationRefused", ["rule": "stillOnTrial", "reason": "The core does not run."])
        for (isOnTrial, answer) in [
            (true, .reply(["onTrial": true])), (true, pending), (false, .reply(["onTrial": false])),
        ] as [(Bool, ProviderStandIn.Answer)] {
            let (scene, provider) = try fleet(answer)
            try scene.publisher.publish()
            try scene.publisher.put(Self.place, Array("for all".utf8))
            if !isWell { try scene.publisher.answer(CWAPath.days("EUR"), status: 500) }
            let source = try run(scene)
            let next = try #require(try freshness(scene).secondsToNext)
            #expect(documents(provider) == ["for all"] && (source.lastSuccess != nil) == isWell, "\(source)")
            #expect((next <= 480) == isOnTrial || !isOnTrial && !isWell, "\(isOnTrial) \(next)")
        }
    }

    @Test func aFleetWithoutAConfigurationIsNothingWrong() throws {
        let (source, given) = try bring(.reply(["onTrial": false])) { _ in }
        #expect(given == [] && source.problem == nil && source.faults == [:])
    }

    @Test func aConfigurationThatIsRefusedIsSaid() throws {
        let refusal = ProviderStandIn.Answer.failure(
            "\(Trust1.name).ConfigurationRefused", ["rule": "notSigned", "reason": "No key signed it."])
        let (source, given) = try bring(refusal) { try $0.put(Self.place, Array("x".utf8)) }
        #expect(given == ["x"] && source.faults == ["fleet": 1] && source.problem == "No key signed it.")
        for bytes in [[0xFF], [UInt8](repeating: 0x20, count: 50_000)] {
            let (source, given) = try bring(refusal) { try $0.put(Self.place, bytes) }
            #expect(given == [] && source.problem != nil && source.faults.count == 1)
        }
    }

    @Test func withoutTheGrantNobodyLooksForAConfiguration() throws {
        let (source, given) = try bring(.reply(["onTrial": false]), isGranted: false) {
            try $0.put(Self.place, Array("x".utf8))
        }
        #expect(given == [] && source.faults == ["fleet": 1] && source.problem?.contains("was not granted") == true)
    }
}
