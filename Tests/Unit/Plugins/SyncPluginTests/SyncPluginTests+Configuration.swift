// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import FaultServer
import FoundationEssentials
import Interfaces
import JSON
import KeyExport
import PluginKit
import PluginManifest
import PluginTestKit
import SyncPlan
import SyncPlugin
import Testing

/// A server that plays configurations that the authority has signed, in whatever order it likes, to one board that is started again and again.
extension SyncPluginTests {
    private final class Board {
        let publisher: Publisher
        let server: FaultServer
        private let tests: SyncPluginTests
        private var former: Scene?

        init(_ tests: SyncPluginTests) throws {
            publisher = try Publisher()
            server = try FaultServer(files: publisher.folder)
            self.tests = tests
            try publisher.publish(days: 1)
        }

        /// One run of a process that goes on from what the one before has on the disk.
        func run(config path: String = "version/v2/app_config_android") throws -> Sync1.Source {
            let core = VerifyingCore(try publisher.trust)
            let publicKey = Base64.string(publisher.key.verificationKey.subjectPublicKeyInfo)
            let settings = try tests.manifest().settings.filled([
                "sources": [
                    [
                        "name": "region", "kind": "cwa", "config": .string(path),
                        "base": .string("https://localhost:\(server.ports.good)/file"),
                    ]
                ],
                "configKeys": [["name": "262-v1", "key": .string(publicKey)]],
                "authorities": .string(try String(contentsOf: URL(filePath: server.authority), encoding: .utf8)),
            ])
            var provider: ProviderStandIn?
            let bench = try PluginBench<SyncPlugin>(name: "sync", settings: settings) { supervisor in
                provider = try core.serve(supervisor)
                guard let former else { return }
                for name in ["sync.journal", "region.config"] {
                    let bytes = try Data(contentsOf: URL(filePath: "\(former.bench.supervisor.folder.path)/state/\(name)"))
                    try bytes.write(to: URL(filePath: "\(supervisor.folder.path)/state/\(name)"))
                }
            }
            let scene = Scene(
                publisher: publisher, server: server, core: core, bench: bench, provider: try #require(provider))
            former = scene
            return try tests.run(scene)
        }

        /// The configuration that is followed.
        var followed: AppConfiguration? {
            let path = (former?.bench.supervisor.folder.path ?? "") + "/state/region.config"
            return (try? Data(contentsOf: URL(filePath: path))).flatMap { AppConfiguration([UInt8]($0)) }
        }

        /// `country` tells one from another.
        func play(
            _ number: Int64?, country: String, with key: P256.SigningKey? = nil, at path: String = CWAPath.appConfiguration
        ) throws {
            var writer = ProtobufWriter()
            if let number {
                writer.message(3) { features in
                    features.message(1) { feature in
                        feature.text(1, ConfigurationNumber.label)
                        feature.number(2, UInt64(number))
                    }
                }
            }
            writer.text(4, country)
            try publisher.put(path, try publisher.signed(writer.bytes, with: key ?? publisher.key))
        }
    }

    @Test func anOlderSignedConfigurationIsNotBelieved() throws {
        let board = try Board(self)
        let number = board.publisher.now / 60
        try board.play(number, country: "AA")
        var source = try board.run()
        #expect(source.faults == [:] && source.problem == nil && board.followed?.number?.value == number)
        var faults: [String: Int] = [:]
        // The last is of the future for any clock of this test's.
        for (other, fault, words) in [
            (number - 1, "olderConfiguration", "older than one this device had"),
            (nil, "configurationWithoutNumber", "has no number"), (1, "olderConfiguration", "older"),
            (Int64(Int32.max), "configurationAhead", "of the future"),
        ] as [(Int64?, String, String)] {
            try board.play(other, country: "BB")
            source = try board.run()
            faults[fault, default: 0] += 1
            #expect(source.faults == faults && source.problem?.contains(words) == true, "\(source.problem ?? "")")
            #expect(board.followed?.supportedCountries == ["AA"] && board.followed?.number?.value == number)
            // Keys come all the same.
            #expect(source.missingCount == 0 && source.lastSuccess != nil)
        }
        // Nor what a stranger signed, which shuts out nothing.
        try board.play(number + 5, country: "CC", with: P256.SigningKey.generate())
        source = try board.run()
        #expect(source.faults["configuration"] == 1 && board.followed?.supportedCountries == ["AA"])
        try board.play(number + 1, country: "DD")
        source = try board.run()
        #expect(source.problem == nil && board.followed?.supportedCountries == ["DD"])
        try board.play(number, country: "AA")
        source = try board.run()
        #expect(source.faults["olderConfiguration"] == 3 && board.followed?.supportedCountries == ["DD"])
    }

    /// At another address of the operator's all begins anew, also with the same bytes; then older ones are refused there.
    @Test func anotherAddressBeginsAnew() throws {
        let board = try Board(self)
        let number = board.publisher.now / 60
        try board.play(number, country: "AA")
        _ = try board.run()
        let other = "/version/v3/configuration"
        try board.play(number - 9, country: "BB", at: other)
        #expect(try board.run(config: String(other.dropFirst())).faults == [:])
        #expect(board.followed?.supportedCountries == ["BB"])
        // The same bytes as at the other address.
        try board.play(number - 9, country: "BB")
        #expect(try board.run().faults == [:])
        try board.play(number - 10, country: "CC")
        #expect(try board.run().faults == ["olderConfiguration": 1])
        #expect(board.followed?.supportedCountries == ["BB"])
    }

    /// The Corona-Warn-App's own have none: as ever, the one that came last is followed.
    @Test func withoutNumbersTheLastOneCounts() throws {
        let board = try Board(self)
        for country in ["AA", "BB", "AA"] {
            try board.play(nil, country: country)
            #expect(try board.run().problem == nil && board.followed?.supportedCountries == [country])
        }
    }
}
