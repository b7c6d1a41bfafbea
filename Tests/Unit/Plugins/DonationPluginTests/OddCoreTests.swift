// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import HTTPClient
import Interfaces
import JSON
import PluginKit
import PluginManifest
import PluginTestKit
import PrivacyPass
import Testing
import Varlink

@testable import DonationPlugin

/// A core that says what this plugin does not expect, and the plugin's manifest.
@Suite struct OddCoreTests {
    private let scene: Scene
    private var bench: PluginBench<DonationPlugin> { scene.bench }

    init() throws { scene = try Scene() }

    private func run() throws {
        try bench.start()
        try bench.turn { bench.plugin.isResting }
    }

    @Test func oneThatSaysTheSameAgainAndAgainIsLeftAlone() throws {
        scene.core.with {
            $0.steps = [scene.donation(1)]
            $0.isStuck = true
        }
        try run()
        #expect(scene.server.requests.count == DonationPlugin.mostSteps)
        #expect(bench.host.startsAgainAfter == DonationPlugin.pause)
        bench.advance(by: .seconds(4))
        #expect(scene.server.requests.count == DonationPlugin.mostSteps)
    }

    @Test(arguments: ["body", "kind", "authorization"])
    func aStepThatIsNotUnderstoodEndsTheRun(_ part: String) throws {
        var step = scene.donation(1).object ?? JSON.Object()
        step[part] = part == "authorization" ? nil : "?"
        scene.core.with { $0.steps = [.object(step)] }
        try run()
        #expect(scene.told == [] && scene.server.connections == 0)
        #expect(scene.provider.calls.count == 1)
    }

    @Test func aBodyThatIsEmptyIsNotSent() throws {
        scene.core.with { $0.steps = [scene.request(1, body: [])] }
        try run()
        #expect(scene.told == [] && scene.issuer.connections == 0 && bench.host.startsAgainAfter == DonationPlugin.pause)
    }

    /// The consent was taken back while the issuer was asked.
    @Test func aStepThatIsNoMoreIsNotCarriedOn() throws {
        scene.core.with { $0.onEvidence = { $0.steps = [] } }
        try scene.carry([scene.request(1), scene.request(2)])
        #expect(scene.outcomes == [] && scene.issuer.requests.count == 1)
        #expect(bench.host.startsAgainAfter == .seconds(7_200))
    }

    @Test(arguments: ["SignEvidence", "TakeToken", "EndDonation"])
    func aCoreThatCannotGoOnIsAskedLater(_ method: String) throws {
        scene.core.with {
            $0.steps = [method == "EndDonation" ? scene.donation(1) : scene.request(1)]
            $0.errors[method] = "\(Donation1.name).TimeUnknown"
        }
        try run()
        #expect(scene.told.last?.method == method && bench.host.startsAgainAfter == nil)
        #expect(scene.provider.calls.filter { $0.method == "GetStep" }.count == 1)
    }

    @Test func withoutACoreItSaysSoAndEnds() throws {
        scene.core.with { $0.errors["GetStep"] = "org.varlink.service.PermissionDenied" }
        try run()
        #expect(bench.log.contains { $0.contains("the core does not say what is to be done") })
        bench.advance(by: .seconds(6))
        #expect(bench.host.isStopping && bench.host.startsAgainAfter == nil)
    }

    // MARK: Settings and manifest

    @Test func settingsThatCannotBeUsedAreSaidAtTheStart() throws {
        #expect(throws: HTTPError(.badConfiguration)) { try Scene(settings: ["pins": ["x"]]) }
        #expect(throws: HTTPError(.badConfiguration)) {
            try Scene(settings: ["pins": .array(Array(repeating: "x", count: 17))])
        }
    }

    private func manifest() throws -> Manifest {
        let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
        let stream = try #require(fopen("/\(root)/Plugins/Donation/plugin.json", "r"))
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, stream)
        return try Manifest(parsing: Array(bytes[..<count]))
    }

    @Test func eachSettingIsOneOfThePlugins() throws {
        let manifest = try manifest()
        let settings = try manifest.settings.filled([:]).decode(DonationSettings.self)
        #expect(
            Set(manifest.settings.properties.map(\.name)) == Set(Mirror(reflecting: settings).children.compactMap(\.label)))
        #expect(manifest.settings.properties.allSatisfy { $0.isOperators })
        #expect(settings.plainHTTP == false)
    }

    @Test func whatItWantsIsThere() throws {
        let manifest = try manifest()
        #expect(manifest.id == "donation" && manifest.run == .role("donation") && manifest.start == .onDemand)
        #expect(manifest.wants.map(\.interface) == [Donation1.name] && manifest.provides == [])
        let interface = try InterfaceDescription(parsing: #require(InterfaceTexts.all[Donation1.name]))
        for method in manifest.wants[0].methods { #expect(interface.method(named: method) != nil, "\(method)") }
        // It carries, and neither agrees nor reads.
        #expect(Set(manifest.wants[0].methods) == ["GetStep", "SignEvidence", "TakeToken", "EndDonation"])
        #expect(manifest.endpoints.map(\.name) == ["issuer", "server"])
    }
}
