// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import Glibc
import Interfaces
import JSON
import PluginKit
import PluginManifest
import PluginTestKit
import RandomValues
import Testing
import Varlink

@testable import EnrolmentPlugin

/// The plugin in this process, with a core that says the time. `Tools/test-enrolment.py` has the processes and a real authority behind TLS.
final class EnrolmentPluginTests {
    private static let claim = "7H2K9D3KHT6W4Q7P"
    /// Nobody listens there while the test runs.
    private let port: Int
    /// They answer as long as the test runs.
    private var cores: [ProviderStandIn] = []

    init() throws { port = Int(try Unique.port()) }

    private func settings() throws -> JSON {
        let authority = try CertificateSigner(
            key: P256.SigningKey.generate(), title: "Server", serial: [UInt8](repeating: 1, count: 16),
            validity: CertificateValidity(notBefore: 1_700_000_000, notAfter: 2_000_000_000))
        return [
            "board": "vg-7k3m-q0r1x", "address": .string("https://127.0.0.1:\(port)/.well-known/est"),
            "anchor": [.string(authority.certificate.pem)],
            "claimHash": .string(EnrolmentClaim(SecretBytes(copying: Self.claim.utf8))!.digest),
        ]
    }

    private func bench(_ settings: JSON, time: JSON) throws -> PluginBench<EnrolmentPlugin> {
        try PluginBench(name: "enrolment", settings: settings) { supervisor in
            let core = try supervisor.provide(InterfaceTexts.all[Device1.name] ?? "", granted: ["GetTime"])
            core.on("GetTime", reply: ["time": time])
            cores.append(core)
        }
    }

    private func place(claim: String, in bench: PluginBench<EnrolmentPlugin>) throws -> String {
        let path = "\(try #require(bench.host.state))/\(EnrolmentPlugin.claimFile)"
        let file = try #require(fopen(path, "w"))
        fputs(claim + "\n", file)
        fclose(file)
        return path
    }

    private func run(_ bench: PluginBench<EnrolmentPlugin>) throws {
        try bench.start()
        try bench.turn { bench.plugin.isResting }
    }

    @Test func withoutTheTimeNothingIsAskedAndTheClaimStays() throws {
        let bench = try bench(settings(), time: ["state": "untrusted", "sentence": "x"])
        let claim = try place(claim: Self.claim, in: bench)
        try run(bench)
        let wait = try #require(bench.host.startsAgainAfter)
        #expect(wait >= .seconds(30) && wait <= .seconds(60))
        #expect(access(claim, F_OK) == 0)
        #expect(access("\(try #require(bench.host.state))/\(EnrolmentPlugin.folder)/key.pem", F_OK) == 0)
    }

    @Test func anAuthorityThatIsDownIsAskedAgainLaterEachTime() throws {
        let now: Int64 = 1_795_000_000_000
        let bench = try bench(
            settings(), time: ["state": "plausible", "sentence": "x", "now": .int(now), "uncertainty": 1])
        let claim = try place(claim: Self.claim, in: bench)
        try run(bench)
        for failures in 2...4 {
            bench.plugin.run()
            try bench.turn { bench.plugin.isResting }
            let store = try bench.host.storage(limit: 4_096)
            #expect(store.value(EnrolmentPlugin.failuresKey) == failures)
        }
        #expect(try #require(bench.host.startsAgainAfter) >= .seconds(240))
        #expect(access(claim, F_OK) == 0)
    }

    @Test func whatIsNotThisCardsIsNotUsed() throws {
        for claim in ["0000000000000001", "no claim"] {
            let bench = try bench(
                settings(), time: ["state": "authenticated", "sentence": "x", "now": 1_795_000_000_000, "uncertainty": 1])
            _ = try place(claim: claim, in: bench)
            try run(bench)
            #expect(try #require(bench.host.startsAgainAfter) >= .seconds(86_400))
        }
        // No claim, no certificate; and an address that is none.
        var odd = try settings().object!
        try run(bench(.object(odd), time: ["state": "untrusted", "sentence": "x"]))
        odd["address"] = "http://ra.example"
        let bench = try bench(.object(odd), time: ["state": "untrusted", "sentence": "x"])
        try run(bench)
        #expect(bench.host.startsAgainAfter == .seconds(EnrolmentPace.longWait))
    }

    private func manifest() throws -> Manifest {
        let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
        let stream = try #require(fopen("/\(root)/Plugins/Enrolment/plugin.json", "r"))
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, stream)
        return try Manifest(parsing: Array(bytes[..<count]))
    }

    @Test func theManifestIsThePlugins() throws {
        let manifest = try manifest()
        #expect(manifest.id == "enrolment" && manifest.run == .role("enrolment") && manifest.start == .onDemand)
        let given = try #require(try settings().object)
        let settings = try manifest.settings.filled(.object(given)).decode(EnrolmentSettings.self)
        #expect(
            Set(manifest.settings.properties.map(\.name)) == Set(Mirror(reflecting: settings).children.compactMap(\.label)))
        #expect(manifest.settings.properties.allSatisfy { $0.isOperators })
        #expect(manifest.endpoints.map(\.name) == ["authority"] && manifest.provides == [])
        for want in manifest.wants {
            let interface = try InterfaceDescription(parsing: #require(InterfaceTexts.all[want.interface]))
            for method in want.methods { #expect(interface.method(named: method) != nil, "\(method)") }
        }
    }
}
