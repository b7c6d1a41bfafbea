// SPDX-License-Identifier: Apache-2.0

import Authority
import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import Testing
import Trust

/// The authority signs with a new key by itself, and publishes how it came to that.
@Suite struct SwitchTests {
    private static let second = KeyName(id: "262", version: "v2")
    private static let end = Scene.start + 7 * Scene.day

    /// Who signed the package of that hour, of those who ever might have.
    private func signers(_ scene: Scene, _ path: String, _ keys: [TrustedKey]) throws -> [String] {
        let file = try #require(scene.file(path), "\(path)")
        return keys.filter { key in
            (try? Scene.package(file, trust: TrustStore(keys: [key]))) != nil
        }.map(\.name.version)
    }

    @Test func theNewKeySignsFromTheStatedTimeOn() throws {
        let scene = try Scene()
        let before = try scene.trust().keys
        var rotation = KeyRotation(role: .export, name: Self.second)
        rotation.switchTime = Scene.start + 90 * 60
        let report = try scene.authority.rotate(rotation, now: Scene.start)
        #expect(report.switchTime == rotation.switchTime && rotation.standardSwitch(now: Scene.start) == Self.end)
        let keys = before + report.keys.prefix(1)
        let date = "\(Scene.dates)/2026-11-13/hour/"
        for (hour, version) in [(10, "v1"), (11, "v2")] {
            let now = Scene.start + Int64(hour - 9) * Scene.hour
            _ = try scene.accept([Scene.key(hour)], now: now - 60)
            try scene.publish(now)
            #expect(try signers(scene, "\(date)\(hour)", keys) == [version])
        }
        // Not anew: the first key stays in force.
        #expect(try signers(scene, "\(date)10", keys) == ["v1"])
        #expect(try scene.authority.publicKeys(now: Scene.start)[0].name.version == "v1")
        #expect(try scene.authority.publicKeys(now: Self.end)[0].name.version == "v2")
        // Another process, and a clock that is set back, come to the same.
        try scene.reopen()
        #expect(try scene.authority.publicKeys(now: Scene.start + 90 * 60 - 1)[0].name.version == "v1")
    }

    /// An entry without its document is of a run that was cut: boards were told nothing.
    @Test func withoutItsDocumentAKeySignsNothing() throws {
        let scene = try Scene()
        var rotation = KeyRotation(role: .time, name: Self.second)
        rotation.overlapDays = 0
        let report = try scene.authority.rotate(rotation, now: Scene.start)
        #expect(try scene.authority.publicKeys(now: Scene.start)[2].name.version == "v2")
        try #require(rename(report.path, report.path + ".partial") == 0)
        #expect(try scene.authority.publicKeys(now: Scene.start)[2].name.version == "v1")
        let again = try scene.authority.rotate(rotation, now: Scene.start + 60)
        #expect(again.keys[0] == report.keys[0])
        #expect(try scene.authority.publicKeys(now: Scene.start + 59)[2].name.version == "v1")
        #expect(try scene.authority.publicKeys(now: Scene.start + 60)[2].name.version == "v2")
        // Whose file says nothing is no authority that signs with any key.
        try Data("{}".utf8).write(to: URL(filePath: scene.path + "/keys/signers.json"))
        #expect(throws: AuthorityError(.stateDamaged)) { try scene.authority.publicKeys(now: Scene.start) }
    }

    @Test func signedTimeFollowsByItself() throws {
        var settings = AuthoritySettings()
        settings.time.requireSynchronisedClock = false
        let scene = try Scene { $0 = settings }
        let server = try TimeService(
            folder: scene.folder, settings: settings, clock: AuthorityClock(startingAt: Scene.start))
        let nonce = [UInt8](repeating: 0, count: 16)
        func name() throws -> Bool {
            String(decoding: try server.document(nonce: nonce), as: UTF8.self).contains("key=262-v2\n")
        }
        #expect(try !name())
        // Written and read by the same type: what the authority says, a board believes.
        let said = try SignedTime(parsing: String(decoding: server.document(nonce: nonce), as: UTF8.self))
        let trust = try scene.trust()
        #expect(said.nonce == nonce && said.isSigned(by: trust, at: Scene.start))
        var rotation = KeyRotation(role: .time, name: Self.second)
        rotation.overlapDays = 0
        _ = try scene.authority.rotate(rotation, now: Scene.start)
        #expect(try name())
    }

    /// What a stolen key signed is believed by no board, so all that is offered is signed anew; rules as well.
    @Test func afterATheftEverythingOfferedIsSignedAnew() throws {
        let scene = try Scene()
        let operatorKey = try P256.SigningKey.generate()
        let before = try scene.trust().keys
        for hour in 1...3 {
            _ = try scene.accept([Scene.key(hour)], now: Scene.start + Int64(hour - 1) * Scene.hour)
            try scene.publish(Scene.start + Int64(hour) * Scene.hour)
        }
        let now = Scene.start + 3 * Scene.hour
        let config = try #require(scene.file("/version/v1/risk_config"))
        #expect(scene.file("/version/v1/successions") == nil)
        var news: [TrustedKey] = []
        for role in [KeyRole.export, .config] {
            var rotation = KeyRotation(role: role, name: Self.second)
            rotation.fleet = (.init(id: "fleet", version: "1"), operatorKey)
            rotation.overlapDays = 0
            news += try scene.authority.rotate(rotation, now: now).keys
        }
        let report = try scene.publish(now + 60)
        #expect(report.isChanged && report.configurationFaults.isEmpty)
        for hour in 10...12 {
            #expect(try signers(scene, "\(Scene.dates)/2026-11-13/hour/\(hour)", before + news) == ["v2"], "\(hour)")
        }
        let renewed = try #require(scene.file("/version/v1/risk_config"))
        #expect(renewed != config)
        #expect(try scene.trust(at: now).keys(for: .config, at: nil).map(\.key) == news[1...].map(\.key))
        _ = try scene.document("/version/v1/risk_config", at: now)
        // Nothing more happens with the next publication.
        #expect(try !scene.publish(now + 120).isChanged)
        // A board takes what is published, one after the other.
        var board = try TrustStore(
            keys: before + [
                TrustedKey(
                    name: .init(id: "fleet", version: "1"), role: .operator, key: operatorKey.verificationKey)
            ])
        let list = try SuccessionList(parsing: #require(scene.file("/version/v1/successions")))
        #expect(list.files.count == 2)
        for file in list.files { board = try board.applying(Succession(file: Array(file.utf8)), at: now) }
        #expect(board.keys(for: .export, at: now) + board.keys(for: .config, at: now) == news)
    }

    /// Whatever became of the documents, keys go on being published.
    @Test func aDamagedSuccessionStopsNoPublication() throws {
        let scene = try Scene()
        let report = try scene.authority.rotate(KeyRotation(role: .export, name: Self.second), now: Scene.start)
        try scene.publish(Scene.start + 60)
        #expect(scene.file("/version/v1/successions") != nil)
        try Data("{}".utf8).write(to: URL(filePath: report.path))
        _ = try scene.accept([Scene.key(1)], now: Scene.start + 60)
        let published = try scene.publish(Scene.start + Scene.hour)
        #expect(
            published.configurationFaults.map(\.code) == [.stateDamaged] && published.packages.contains { $0.keys == 1 })
        #expect(scene.file("/version/v1/successions") == nil)
    }
}
