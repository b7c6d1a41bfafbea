// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import TestKit
import Testing

/// Starts the real executables.
enum Program {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Folder of the test bundle, where the executables are built as well.
    static let folder: String = {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = buffer.withUnsafeMutableBytes {
            readlink("/proc/self/exe", $0.bindMemory(to: CChar.self).baseAddress!, $0.count)
        }
        // Swift Testing may run inside a helper of the toolchain; the tree's own build folder is the other place to look.
        let own = URL(filePath: String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)).deletingLastPathComponent()
            .path
        if FileManager.default.isExecutableFile(atPath: own + "/vigil") { return own }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
        return root.path + "/.build/debug"
    }()

    static func run(_ path: String, _ arguments: [String], in directory: String = "/") throws -> Outcome {
        let scratch = FileManager.default.temporaryDirectory.path + "/vigil-output-\(Unique.name())"
        defer {
            unlink(scratch + ".out")
            unlink(scratch + ".err")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, scratch + ".out", O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, scratch + ".err", O_WRONLY | O_CREAT, 0o600)
        let values: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        var process: pid_t = 0
        try #require(startProgram(&process, path, &actions, values) == 0)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { try #require(errno == EINTR) }
        func text(_ ending: String) -> String {
            (try? Data(contentsOf: URL(filePath: scratch + ending))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        // Killed by a signal: as shells say it.
        let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
        return Outcome(status: code, output: text(".out"), errors: text(".err"))
    }

    static func vigil(_ arguments: String...) throws -> Outcome { try run(folder + "/vigil", arguments) }
}

@Suite(.serialized) final class VigilProcessTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-system-\(Unique.name())"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }
    private func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path(name))) }

    /// The identifiers of the specification's vector: key and the identifier of its first interval.
    private func prepare() throws {
        try write("keys.csv", "key,rolling_start,report_type\n75c734c6dd1a782de7a965da5eb93125,2642976,1\n")
        try write(
            "sightings.csv", "time,rssi,rpi,aem\n1585785660,-60,8be6cd371c5c891604bfbe49df845096,72033874\n")
        try #require(
            Program.vigil("export", "keygen", "--private-key", path("key.pem"), "--public-key", path("pub.pem")).status == 0
        )
        let made = try Program.vigil(
            "export", "create", "--keys", path("keys.csv"), "--signing-key", path("key.pem"), "--key-name", "262-v1",
            "--region", "DE", "--start", "1585785600", "--end", "1585872000", "--output", path("keys.zip"))
        try #require(made.status == 0)
    }

    @Test func theSpecificationsKeyIsFoundAgain() throws {
        try prepare()
        let found = try Program.vigil(
            "match", "--keys", path("keys.zip"), "--verify", "262-v1=\(path("pub.pem"))", "--sightings",
            path("sightings.csv"), "--now", "1585900000", "--json")
        #expect(found.status == 0)
        #expect(found.output.contains("\"typicalAttenuationDb\" : 68"))
        #expect(found.output.contains("\"date\" : \"2020-04-02\""))
        #expect(!found.output.contains("75c734c6"))
        #expect(!found.output.contains("8be6cd37"))
        let text = try Program.vigil(
            "match", "--keys", path("keys.zip"), path("keys.zip"), "--verify", path("pub.pem"), "--sightings",
            path("sightings.csv"), "--now", "1585900000")
        #expect(text.status == 0)
        #expect(text.output.contains("1 key was met"))
        #expect(text.output.contains("matched before"))
    }

    @Test func aFileByAnotherKeyIsRefusedAndHasNoEffect() throws {
        try prepare()
        unlink(path("key.pem"))
        try #require(
            Program.vigil("export", "keygen", "--private-key", path("key.pem"), "--public-key", path("other.pem")).status
                == 0)
        let refused = try Program.vigil(
            "match", "--keys", path("keys.zip"), "--verify", "262-v1=\(path("other.pem"))", "--sightings",
            path("sightings.csv"), "--now", "1585900000")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("signatureMismatch"))
        #expect(refused.output.contains("Nothing was compared"))
        #expect(try Program.vigil("export", "verify", path("keys.zip"), "--verify", path("other.pem")).status == 1)
        #expect(
            try Program.vigil("export", "verify", path("keys.zip"), "--verify", "262-v1=\(path("pub.pem"))").status == 0)
    }

    @Test func aPrivateKeyIsNeverOverwrittenAndNeverReadableByOthers() throws {
        try prepare()
        let again = try Program.vigil("export", "keygen", "--private-key", path("key.pem"), "--public-key", path("pub.pem"))
        #expect(again.status == 2)
        var information = stat()
        #expect(stat(path("key.pem"), &information) == 0)
        #expect(information.st_mode & 0o777 == 0o600)
    }

    @Test func keysComeBackOutOfAFile() throws {
        try prepare()
        let keys = try Program.vigil("export", "inspect", path("keys.zip"), "--keys")
        #expect(keys.output.contains("75c734c6dd1a782de7a965da5eb93125,2642976,144,0,1,,,0"))
        #expect(try Program.vigil("export", "inspect", path("keys.zip")).output.contains("2020-04-02"))
    }

    @Test func aTimeSetByHandIsHandedToTheCore() throws {
        let set = try Program.vigil("time", "set", "2026-11-21 10:00", "--run", folder)
        #expect(set.status == 0)
        #expect(set.output.contains("2026-11-21 10:00 UTC"))
        let line = try String(contentsOfFile: path("operator-time"), encoding: .utf8)
        #expect(line.hasPrefix("vigil-operator-time 1 1795255200000 ") && line.hasSuffix("\n"))
        var information = stat()
        #expect(stat(path("operator-time"), &information) == 0)
        #expect(information.st_mode & 0o777 == 0o600)

        let local = try Program.vigil("time", "set", "2026-11-21T10:00:00+01:00", "--run", folder)
        #expect(local.status == 64)
        #expect(local.errors.contains("malformedTime"))
        let nowhere = try Program.vigil("time", "set", "now", "--run", path("none"))
        #expect(nowhere.status == 2)
        #expect(nowhere.errors.contains("noRunFolder"))
    }

    @Test func problemsHaveTheirStatusAndSayWhatToDo() throws {
        let silent = try Program.vigil()
        #expect(silent.status == 64)
        #expect(silent.errors.contains("--help"))
        #expect(try Program.vigil("frobnicate").status == 64)
        #expect(try Program.vigil("--version").output.contains("0."))
        let missing = try Program.vigil("match", "--keys", "a.zip", "--verify", "/no/key.pem", "--sightings", "/no/file")
        #expect(missing.status == 2)
        #expect(missing.errors.contains("/no/key.pem"))
    }

    /// Without `/proc` Swift's own `CommandLine` is empty; the role must be right all the same.
    @Test(.enabled(if: getuid() == 0, "only root can take /proc away"))
    func argumentsSurviveWithoutProc() throws {
        for _ in 0..<20 {
            let outcome = try Program.run(
                "unshare",
                [
                    "--mount", "sh", "-c", "umount -l /proc && exec \"$0\" export inspect /no/such.zip",
                    Program.folder + "/vigil",
                ])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("unreadableFile"))
        }
    }

    /// The program that unpacks is found beside vigil also without `/proc`, and missed in words when it is not there.
    @Test(.enabled(if: getuid() == 0, "only root can take /proc away"))
    func theProgramThatUnpacksIsFoundOrMissed() throws {
        try prepare()
        let found = try Program.run(
            "unshare",
            [
                "--mount", "sh", "-c", "umount -l /proc && exec \"$0\" export verify \"$1\" --verify \"$2\"",
                Program.folder + "/vigil", path("keys.zip"), path("pub.pem"),
            ])
        #expect(found.status == 0, "\(found.errors)")
        try ProgramFile.copy(Program.folder + "/vigil", to: path("vigil"))
        let missed = try Program.run(path("vigil"), ["export", "inspect", path("keys.zip")])
        #expect(missed.status == 2)
        #expect(missed.errors.contains("vigil-zip") && missed.errors.contains("programMissing"))
    }

    @Test func aKilledWriterLeavesNoHalfFile() throws {
        try prepare()
        let lines = (0..<60_000).map { "\(String(repeating: "0", count: 24))\(hex8($0)),2642976" }
        try write("many.csv", "key,rolling_start\n" + lines.joined(separator: "\n") + "\n")
        for milliseconds in [20, 60, 120, 200, 300, 400] {
            _ = try Program.run(
                "timeout",
                [
                    "-s", "KILL", "0.\(milliseconds < 100 ? "0" : "")\(milliseconds)", Program.folder + "/vigil", "export",
                    "create", "--keys", path("many.csv"), "--signing-key", path("key.pem"), "--key-name", "262-v1",
                    "--region", "DE", "--start", "1", "--end", "2", "--output", path("many.zip"),
                ])
            if FileManager.default.fileExists(atPath: path("many.zip")) {
                #expect(try Program.vigil("export", "verify", path("many.zip"), "--verify", path("pub.pem")).status == 0)
            }
        }
    }

    private func hex8(_ number: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }
}
