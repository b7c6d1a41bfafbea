// SPDX-License-Identifier: Apache-2.0

import Authority
import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import JSON
import Testing
import Trust

/// Changes of keys that the authority signs, judged by what boards judge with.
@Suite struct RotationTests {
    private static let second = KeyName(id: "262", version: "v2")
    private static let third = KeyName(id: "262", version: "v3")
    private static let fleet = KeyName(id: "fleet", version: "1")

    private func succession(_ report: KeyRotationReport) throws -> Succession {
        try Succession(file: #require(FileManager.default.contents(atPath: report.path).map { [UInt8]($0) }))
    }

    /// By hand, as before keys came into force by themselves: the new key takes the present one's place, and the settings its name.
    private func use(_ report: KeyRotationReport, in scene: Scene) throws {
        let place = scene.folder.path + "/keys/\(report.role.rawValue).pem"
        let new = try #require(report.newKeyFile)
        try #require(rename(new, place) == 0)
        try scene.reopen { $0.exportKeyName = report.keys[0].name }
    }

    private func files(_ scene: Scene) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: scene.path) where !name.hasPrefix("authority.db") {
            files[name] = FileManager.default.contents(atPath: scene.path + "/" + name).map { [UInt8]($0) } ?? []
        }
        return files
    }

    /// Throws `invalidSuccession`, writes nothing, and says `words`.
    private func refused(
        _ scene: Scene, _ rotation: KeyRotation, _ words: String, now: Int64 = Scene.start,
        line: Int = #line
    ) throws {
        let before = try files(scene)
        let count = try scene.authority.audit().events.count
        do throws(AuthorityError) {
            _ = try scene.authority.rotate(rotation, now: now)
            Issue.record("line \(line): not refused")
        } catch {
            #expect(error.code == .invalidSuccession && error.detail.contains(words), "line \(line): \(error)")
        }
        #expect(try files(scene) == before, "line \(line)")
        #expect(try scene.authority.audit().events.count == count, "line \(line)")
    }

    @Test func aBoardFollowsTwoChangesAndReadsWhatBothKeysSigned() throws {
        let scene = try Scene()
        let provisioned = try scene.trust()
        let date = "\(Scene.dates)/2026-11-13/hour/"
        _ = try scene.accept([Scene.key(1)], now: Scene.start)
        try scene.publish(Scene.start + Scene.hour)
        let old = try #require(scene.file("\(date)10"))

        let first = try scene.authority.rotate(KeyRotation(role: .export, name: Self.second), now: Scene.start)
        #expect(first.sequence == 1 && first.signer == .export && first.path.hasSuffix("/successions/0001-export.json"))
        let rights = try FileManager.default.attributesOfItem(atPath: #require(first.newKeyFile))[.posixPermissions]
        #expect(rights as? Int == 0o600)
        let board = try provisioned.applying(succession(first), at: Scene.start)
        #expect(board.keys(for: .export, at: Scene.start).map(\.name.version) == ["v2", "v1"])
        #expect(board.keys(for: .config, at: nil) == provisioned.keys(for: .config, at: nil))
        // The authority signs with the present key until somebody changes that.
        #expect(try scene.trust().keys(for: .export, at: nil) == provisioned.keys(for: .export, at: nil))

        try use(first, in: scene)
        _ = try scene.accept([Scene.key(2)], now: Scene.start + Scene.hour)
        try scene.publish(Scene.start + 2 * Scene.hour)
        let new = try #require(scene.file("\(date)11"))
        for package in [old, new] { _ = try Scene.package(package, trust: board) }
        #expect(throws: (any Error).self) { try Scene.package(new, trust: provisioned) }
        // The first key ends when it was said to.
        let end = Scene.start + KeyRotation.standardOverlapDays * Scene.day
        #expect(board.keys(for: .export, at: end - 1).count == 2 && board.keys(for: .export, at: end).count == 1)

        let then = Scene.start + Scene.day
        let next = try scene.authority.rotate(KeyRotation(role: .export, name: Self.third), now: then)
        #expect(next.sequence == 2 && next.dropped.map(\.version) == ["v1"])
        let later = try board.applying(succession(next), at: then)
        #expect(later.sequences == [.export: 2])
        #expect(later.keys(for: .export, at: then).map(\.name.version) == ["v3", "v2"])
        // The key that signed the first change is gone by the second.
        #expect(throws: TrustError(.notSigned, "")) { try later.applying(succession(first), at: then) }
        let events = try scene.authority.audit()
        #expect(events.isWhole && events.events.filter { $0.event == "succession-signed" }.count == 2)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scene.path + "/public").contains("successions") == false)
    }

    /// The thief signs as far as the numbers allow; what the operator signs counts on the same board all the same.
    @Test func theOperatorTakesAStolenKeyOutOfForce() throws {
        let scene = try Scene()
        let operatorKey = try P256.SigningKey.generate()
        let stolen = try scene.folder.signingKey(.export)
        var board = try TrustStore(
            keys: scene.trust().keys
                + [TrustedKey(name: Self.fleet, role: .operator, key: operatorKey.verificationKey)])
        let thiefKey = try P256.SigningKey.generate()
        let thief = TrustedKey(name: .init(id: "262", version: "v9"), role: .export, key: thiefKey.verificationKey)
        let document = try SuccessionContent(
            sequence: Succession.maximumStep, roles: [.export: [thief]],
            proofs: [thief: KeyProof.make(with: thiefKey, role: .export, name: thief.name)]
        ).document()
        let signature = try stolen.sign(Succession.digest(of: document))
        let theft = Succession(
            document: document,
            signatures: [.init(role: .export, name: scene.settings.exportKeyName, signature: signature)])
        board = try board.applying(theft, at: Scene.start)

        // The role's own change comes too late: the key is not in force on this board.
        let own = try scene.authority.rotate(KeyRotation(role: .export, name: Self.second), now: Scene.start)
        #expect(throws: TrustError(.notSigned, "")) { try board.applying(succession(own), at: Scene.start) }

        var rotation = KeyRotation(role: .export, name: Self.third)
        rotation.fleet = (Self.fleet, operatorKey)
        rotation.overlapDays = 0
        let report = try scene.authority.rotate(rotation, now: Scene.start)
        #expect(report.signer == .operator && report.sequence == 1)
        #expect(Set(report.dropped.map(\.version)) == ["v1", "v2"])
        board = try board.applying(succession(report), at: Scene.start)
        #expect(board.keys(for: .export, at: nil).map(\.name) == [Self.third])
        #expect(throws: TrustError(.notSigned, "")) { try board.applying(theft, at: Scene.start) }
        // The authority signs with the new key at once, by itself.
        #expect(report.switchTime == Scene.start)
        #expect(try scene.trust().keys(for: .export, at: nil).map(\.name) == [Self.third])
        #expect(throws: Never.self) {
            try scene.authority.rotate(KeyRotation(role: .export, name: .init(id: "262", version: "v4")), now: Scene.start)
        }
    }

    @Test func whatABoardWouldRefuseIsNotWritten() throws {
        let scene = try Scene()
        var rotation = KeyRotation(role: .export, name: scene.settings.exportKeyName)
        try refused(scene, rotation, "another name")
        rotation = KeyRotation(role: .export, name: Self.second)
        rotation.newKey = try scene.folder.signingKey(.export).verificationKey
        rotation.proof = []
        try refused(scene, rotation, "in use")
        rotation.newKey = try scene.folder.signingKey(.config).verificationKey
        try refused(scene, rotation, "in use")
        let made = try P256.SigningKey.generate()
        rotation.newKey = made.verificationKey
        rotation.proof = nil
        try refused(scene, rotation, "comes with a proof")
        rotation.proof = try KeyProof.make(with: made, role: .config, name: Self.second)
        try refused(scene, rotation, "nobody has shown to hold")
        rotation.proof = try KeyProof.make(with: made, role: .export, name: Self.second)
        rotation.switchTime = Scene.start + 15 * Scene.day
        try refused(scene, rotation, "before the present one is out of force")
        rotation.switchTime = nil
        rotation.sequence = 0
        try refused(scene, rotation, "not newer")
        for sequence in [Succession.maximumStep + 1, KeyRotation.maximumSequence] {
            rotation.sequence = sequence
            try refused(scene, rotation, "too far")
        }
        for sequence in [KeyRotation.maximumSequence + 1, .max] {
            rotation.sequence = sequence
            try refused(scene, rotation, "at most")
        }
        rotation.sequence = nil
        rotation.spares = [(Self.second, try P256.SigningKey.generate().verificationKey)]
        try refused(scene, rotation, "same role and name")
        rotation.spares = [(Self.third, try #require(rotation.newKey))]
        try refused(scene, rotation, "given twice")
        rotation.spares = []
        for days in [-1, 401, Int64.max] {
            rotation.overlapDays = days
            try refused(scene, rotation, "0 to 400")
        }
        rotation.overlapDays = 14
        for role in KeyRole.allCases where !StateFolder.roles.contains(role) {
            try refused(scene, KeyRotation(role: role, name: Self.second), "no key of the role")
        }
        // And as it is, it is taken.
        rotation.sequence = Succession.maximumStep
        #expect(try scene.authority.rotate(rotation, now: Scene.start).sequence == Succession.maximumStep)
        rotation = KeyRotation(role: .export, name: Self.third)
        for sequence in [Succession.maximumStep, 1] {
            rotation.sequence = sequence
            try refused(scene, rotation, "not newer")
        }
        // The present key's time is over, and the new one has not taken its place.
        rotation.sequence = nil
        try refused(scene, rotation, "out of force", now: Scene.start + 14 * Scene.day)
        // Another role has numbers of its own.
        #expect(try scene.authority.rotate(KeyRotation(role: .time, name: Self.third), now: Scene.start).sequence == 1)
    }

    @Test func aKeyThatBoardsWereNotToldSignsNothing() throws {
        let scene = try Scene()
        _ = try scene.authority.rotate(KeyRotation(role: .export, name: Self.second), now: Scene.start)
        // By mistake: the key of another role in its place.
        let place = scene.path + "/keys/export.pem"
        let other = try #require(FileManager.default.contents(atPath: scene.path + "/keys/time.pem"))
        try other.write(to: URL(filePath: place))
        try refused(scene, KeyRotation(role: .export, name: Self.third), "is not the export key")
    }

    @Test func aTrialWritesNothing() throws {
        let scene = try Scene()
        let before = try files(scene)
        let trial = try scene.authority.rotate(
            KeyRotation(role: .config, name: Self.second), isTrial: true, now: Scene.start)
        #expect(try files(scene) == before && scene.authority.audit().events.isEmpty)
        #expect(trial.isTrial && trial.json["keys"]?.array?.first?["sha256"] == .null)
        let real = try scene.authority.rotate(KeyRotation(role: .config, name: Self.second), now: Scene.start)
        #expect(real.path == trial.path && real.newKeyFile == trial.newKeyFile && real.sequence == trial.sequence)
    }

    /// A cut before the document: the same call uses the key that was made. Before the key: what is half written is nobody's.
    @Test func aCutRunIsMadeAgain() throws {
        let scene = try Scene()
        let rotation = KeyRotation(role: .export, name: Self.second)
        let first = try scene.authority.rotate(rotation, now: Scene.start)
        try #require(rename(first.path, first.path + ".partial") == 0)
        let again = try scene.authority.rotate(rotation, now: Scene.start + 60)
        #expect(again.path == first.path && again.sequence == 1 && again.keys[0] == first.keys[0])
        let third = KeyRotation(role: .export, name: Self.third)
        try Data("half a key".utf8).write(to: URL(filePath: scene.path + "/keys/export-262-v3.pem.partial"))
        #expect(try scene.authority.rotate(third, now: Scene.start).sequence == 2)
    }

    /// Whoever lost documents would count from a wrong number.
    @Test func damagedOrMissingDocumentsStopIt() throws {
        let scene = try Scene()
        let first = try scene.authority.rotate(KeyRotation(role: .export, name: Self.second), now: Scene.start)
        let second = try scene.authority.rotate(KeyRotation(role: .config, name: Self.second), now: Scene.start)
        let good = try #require(FileManager.default.contents(atPath: first.path))
        func stopped() {
            #expect(throws: AuthorityError(.stateDamaged)) {
                try scene.authority.rotate(KeyRotation(role: .time, name: Self.second), now: Scene.start)
            }
        }
        for bad in [Data(), good.dropLast(9), Data("{}".utf8)] {
            try Data(bad).write(to: URL(filePath: first.path))
            stopped()
        }
        unlink(first.path)
        stopped()
        try good.write(to: URL(filePath: first.path))
        try good.write(to: URL(filePath: scene.path + "/successions/0002-again.json"))
        stopped()
        unlink(scene.path + "/successions/0002-again.json")
        #expect(second.path.hasSuffix("0002-config.json"))
        // A number as large as a number can be is no fault of the next run's.
        let content = try succession(first).content()
        let far = try SuccessionContent(sequence: UInt64(Int64.max), roles: content.roles).document()
        let file = try Succession(
            document: far, signatures: [.init(role: .export, name: scene.settings.exportKeyName, signature: [])]
        ).file()
        try Data(file).write(to: URL(filePath: first.path))
        try refused(scene, KeyRotation(role: .export, name: Self.third), "the sequence is at most")
    }

    @Test func theCommandSaysWhatItDid() throws {
        let place = InitTests.Place()
        let state = place.path + "/authority"
        #expect(try place.run(["init"], at: state).status == 0)
        // Nothing of a trial stays.
        let rotate = ["keys", "rotate", "--role", "export", "--name", "262-v2"]
        let trial = try place.run(rotate + ["--dry-run"], at: state)
        #expect(trial.status == 0 && trial.output.contains("nothing was written"), "\(trial)")
        #expect(try place.files()["authority/successions/0001-export.json"] == nil)
        let done = try place.run(rotate + ["--json"], at: state)
        #expect(done.status == 0 && done.errors.isEmpty, "\(done)")
        let json = try JSON(parsing: Array(done.output.utf8))
        #expect(json["sequence"]?.int == 1 && json["dryRun"]?.bool == false && json["signer"]?.string == "export")
        #expect(json["path"]?.string == "\(state)/successions/0001-export.json")
        #expect(try place.files()["authority/successions/0001-export.json"] != nil)
        let again = try place.run(rotate, at: state)
        #expect(again.status == 1 && again.errors.contains("needs another name"), "\(again)")
        // A private key is no public one, and a public one signs nothing.
        let privateKey = "\(state)/keys/time.pem"
        let next = ["keys", "rotate", "--role", "export", "--name", "262-v3"]
        let wrong = try place.run(next + ["--new-key", privateKey], at: state)
        #expect(wrong.status == 1 && wrong.errors.contains("is not a public key"), "\(wrong)")
        #expect(try place.run(["keys", "--out", place.path + "/public"], at: state).status == 0)
        chmod(place.path + "/public/time-262-v1.pem", 0o600)
        let unable = try place.run(
            next + ["--operator-key", place.path + "/public/time-262-v1.pem", "--operator-name", "fleet-1"], at: state)
        #expect(unable.status == 2 && unable.output.isEmpty, "\(unable)")
        for bad in [
            ["--role", "operator", "--name", "a-b"], ["--role", "export", "--name", "v2"],
            ["--role", "export", "--name", "262-v3", "--sequence", "0"],
            ["--role", "export", "--name", "262-v3", "--keep-days", "401"],
            ["--role", "export", "--name", "262-v3", "--spare", "262-v4"],
            ["--role", "export", "--name", "262-v3", "--operator-name", "fleet-1"],
            ["--role", "export", "--name", "262-v3", "--switch-days", "401"],
            ["--role", "export", "--name", "262-v3", "--proof", "AAAA"],
        ] {
            let refused = try place.run(["keys", "rotate"] + bad, at: state)
            #expect(refused.status == 64, "\(bad): \(refused)")
        }
        #expect(try place.files().keys.filter { $0.contains("successions/") }.count == 1)
    }

    /// A key that was made on another machine brings its proof along.
    @Test func aKeyOfAnotherMachineIsTaken() throws {
        let place = InitTests.Place()
        let (state, other) = (place.path + "/authority", place.path + "/other")
        for folder in [state, other] { #expect(try place.run(["init"], at: folder).status == 0) }
        #expect(try place.run(["keys", "--out", place.path + "/public"], at: other).status == 0)
        let prove = ["keys", "prove", "--key", "\(other)/keys/export.pem", "--role", "export", "--name", "262-v2"]
        let proof = try Program.run(Program.authority, prove)
        #expect(proof.status == 0 && proof.errors.isEmpty, "\(proof)")
        let rotate = [
            "keys", "rotate", "--role", "export", "--name", "262-v2", "--new-key", place.path + "/public/export-262-v1.pem",
        ]
        #expect(try place.run(rotate, at: state).status == 1)
        let done = try place.run(rotate + ["--proof", String(proof.output.dropLast())], at: state)
        #expect(done.status == 0 && done.output.contains("no private half"), "\(done)")
        // Of a key that others can read there is no proof.
        chmod("\(other)/keys/export.pem", 0o644)
        #expect(try Program.run(Program.authority, prove).status != 0)
    }
}
