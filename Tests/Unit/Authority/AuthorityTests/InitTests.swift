// SPDX-License-Identifier: Apache-2.0

import Authority
import FoundationEssentials
import Glibc
import RandomValues
import Testing

/// An authority is made by `init`, and by nothing else.
@Suite struct InitTests {
    /// A place of its own that is removed with the test.
    final class Place {
        let path = "\(Scene.base)/vigil-init-\(Unique.name())"
        init() { mkdir(path, 0o755) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func run(_ arguments: [String], at state: String) throws -> (status: Int32, output: String, errors: String) {
            try Program.run(Program.authority, arguments + ["--state", state])
        }

        /// Everything below, with its bytes.
        func files() throws -> [String: [UInt8]] {
            var files: [String: [UInt8]] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
                files[name] = FileManager.default.contents(atPath: path + "/" + name).map { [UInt8]($0) } ?? []
            }
            return files
        }
    }

    static let commands: [[String]] = [
        ["status"], ["status", "--json"], ["audit"], ["check"], ["publish"], ["publish", "--early", "--quiet"], ["keys"],
        ["keys", "show"], ["keys", "rotate", "--role", "export", "--name", "262-v2"],
        ["accept", "/dev/null"], ["revoke", "--region", "EUR", "--date", "2026-11-13", "--reason", "x"],
        ["serve", "--port", "0", "--admin-port", "0", "--trust-clock"],
        ["tests", "serve", "--verification-port", "0", "--submission-port", "0"], ["tests", "teletan"],
        ["tests", "result", "123456-12345678-1234-4DA7-B166-B86D85475064", "positive"],
        ["portal", "audit"], ["portal", "user", "list"], ["portal", "user", "remove", "anna"],
        ["portal", "user", "add", "anna"],
        ["portal", "serve", "--tests", "/nonexistent", "--port", "0", "--metrics-port", "0"],
    ]

    /// A path that does not exist, one above which nothing exists, and a folder of something else.
    @Test(arguments: commands) func aMistypedFolderStaysAsItIs(command: [String]) throws {
        let place = Place()
        mkdir(place.path + "/other", 0o755)
        try Data("mine".utf8).write(to: URL(filePath: place.path + "/other/file"))
        let before = try place.files()
        // These two fill a folder that is there: it is systemd that makes it.
        let fills = command.starts(with: ["portal", "serve"]) || command.starts(with: ["portal", "user", "add"])
        for state in ["/typo", "/typo/below"] + (fills ? [] : ["/other"]) {
            let answer = try place.run(command, at: place.path + state)
            #expect(answer.status == 2, "\(command) \(state): \(answer)")
            #expect(answer.errors.contains(place.path + state), "\(answer.errors)")
            #expect(answer.errors.contains("check the path, or "), "\(answer.errors)")
            #expect(answer.output.isEmpty)
            #expect(try place.files() == before, "\(command) \(state)")
        }
    }

    /// Only what is handed in can be split; a file of the state that is too long says what it is.
    @Test func aFileThatIsTooLongSaysWhatItIs() throws {
        func code(_ body: () throws -> Void) -> AuthorityError.Code? {
            do { try body() } catch { return (error as? AuthorityError)?.code }
            return nil
        }
        let place = Place()
        let folder = try StateFolder.make(at: place.path + "/state").folder
        let key = place.path + "/key"
        #expect(FileManager.default.createFile(atPath: key, contents: Data(count: 17 << 10)))
        #expect(chmod(key, 0o600) == 0)
        #expect(code { _ = try StateFolder.privateKey(in: key) } == .stateUnusable)
        #expect(code { _ = try SmallFile.read(key, limit: 16 << 10) } == .submissionTooLarge)
        #expect(code { _ = try SmallFile.read(key + "-typo", limit: 16 << 10) } == .unreadableSubmission)
        #expect(FileManager.default.createFile(atPath: folder.settingsFile, contents: Data(count: 1 << 20 | 1)))
        #expect(code { _ = try folder.settings() } == .invalidSettings)
    }

    @Test func initMakesOneAndOnlyOnce() throws {
        let place = Place()
        let state = place.path + "/deep/er/authority"
        let made = try place.run(["init"], at: state)
        #expect(made.status == 0 && made.output == "made an authority in \(state)\n", "\(made)")
        #expect(made.errors.contains("made the export key: ") && made.errors.contains("Keep a copy apart"))
        for role in ["export", "config", "time"] {
            let rights = try FileManager.default.attributesOfItem(atPath: "\(state)/keys/\(role).pem")[.posixPermissions]
            #expect((rights as? Int) == 0o600)
        }
        for command in [["status"], ["check"], ["publish", "--quiet"], ["keys"], ["audit"]] {
            #expect(try place.run(command, at: state).status == 0, "\(command)")
        }
        let before = try place.files()
        let again = try place.run(["init"], at: state)
        #expect(again.status == 0 && again.errors.isEmpty && again.output.contains("nothing was changed"), "\(again)")
        #expect(try place.files() == before)
    }

    /// The ceremony's settings are there first.
    @Test func settingsThatAreThereAreKept() throws {
        let place = Place()
        let text = #"{"regions": ["DE"]}"#
        try Data(text.utf8).write(to: URL(filePath: place.path + "/settings.json"))
        #expect(try place.run(["init"], at: place.path).status == 0)
        #expect(try place.files()["settings.json"] == Array(text.utf8))
        #expect(try place.run(["status"], at: place.path).output.contains("DE: 0 keys wait"))
    }

    /// A cut in the middle of `init` is gone over; keys that were lost later are nobody's to replace.
    @Test func whatACutLeftIsMadeWholeAndWhatWasLostIsNot() throws {
        let place = Place()
        let state = place.path + "/authority"
        #expect(try place.run(["init"], at: state).status == 0)
        let keys = try place.files().filter { $0.key.hasSuffix(".pem") }
        unlink(state + "/keys/time.pem")
        let half = try place.run(["status"], at: state)
        #expect(half.status == 2 && half.errors.contains("missing time.pem; restore from the last copy"), "\(half.errors)")
        #expect(try place.files()["authority/keys/time.pem"] == nil)
        #expect(try place.run(["init"], at: state).status == 0)
        let whole = try place.files().filter { $0.key.hasSuffix(".pem") }
        #expect(whole.count == 3 && whole["authority/keys/export.pem"] == keys["authority/keys/export.pem"])
        #expect(whole["authority/keys/time.pem"] != keys["authority/keys/time.pem"])
        // It works, and loses one, or all.
        #expect(try place.run(["publish", "--quiet"], at: state).status == 0)
        for lost in [["time"], ["export", "config", "time"]] {
            for role in lost { unlink("\(state)/keys/\(role).pem") }
            let refused = try place.run(["init"], at: state)
            #expect(refused.status == 2 && refused.errors.contains("restore"), "\(refused.errors)")
            #expect(try place.files().filter { $0.key.hasSuffix(".pem") }.count == 3 - lost.count)
        }
    }

    @Test func aPlaceWhereNothingCanBeMadeIsSaid() throws {
        let place = Place()
        try Data("x".utf8).write(to: URL(filePath: place.path + "/file"))
        let refused = try place.run(["init"], at: place.path + "/file/authority")
        #expect(refused.status == 2 && refused.errors.contains("\(place.path)/file"), "\(refused.errors)")
    }
}
