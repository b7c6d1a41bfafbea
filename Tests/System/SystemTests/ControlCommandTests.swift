// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import Testing

/// `vigil ctl` with a real core on a simulated air.
@Suite(.serialized) struct ControlCommandTests {
    private func ctl(_ core: CoreProcess, _ words: String...) throws -> Program.Outcome {
        try Program.run(Program.folder + "/vigil", ["ctl"] + words + ["--run", core.folder, "--timeout", "30"])
    }

    private func running(_ body: (CoreProcess, AirProcess) throws -> Void) throws {
        let air = try AirProcess()
        let core = try CoreProcess("a", on: air)
        try core.start()
        #expect(core.waits { access(core.folder + "/ctl.sock", F_OK) == 0 })
        try body(core, air)
    }

    @Test func aDayWithTheConsole() throws {
        try running { core, _ in
            #expect(try ctl(core, "enable").status == 0)
            #expect(try ctl(core, "time", "set", "now").output.contains("plausible"))
            #expect(core.waits { (try? ctl(core).output.hasPrefix("Active: ")) == true })
            #expect(try ctl(core, "status", "--json").output.contains(#""state":"active""#))
            #expect(try ctl(core, "disable").status == 64)
            #expect(try ctl(core, "disable", "--yes").status == 0)
            #expect(try ctl(core, "status").output.hasPrefix("Switched off: "))
            #expect(try ctl(core, "role", "place", "--yes").status == 0)
            // Another life: the core starts anew, and says nothing of the one before.
            #expect(core.waits { (try? ctl(core, "role").output) == "This device stands for a place.\n" })
            // Refused with the core's own sentence and error.
            let refused = try ctl(core, "exposures", "windows", "--json")
            #expect(refused.status == 1 && refused.output.contains(#"{"error":"org.vigil.exposure1.WrongRole""#))
            #expect(refused.errors.hasPrefix("vigil: ") && refused.errors.contains("[WrongRole]"))
            let audit = try ctl(core, "audit")
            #expect(audit.output.contains("(roleChanged)") && !audit.output.contains("(timeSet)"), "\(audit.output)")
            #expect(audit.output.contains("Intact: "))
            #expect(try ctl(core, "interfaces", "exposure1").output.contains("interface org.vigil.exposure1"))
            for command in ["radio", "evidence", "time", "storage", "export-my-data", "interfaces", "mapping", "pair"] {
                let outcome = try ctl(core, command)
                #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(command): \(outcome.errors)")
            }
            #expect(core.end() == 0)
        }
    }

    @Test func keysThatAreNoneAreRefusedUnderTheirOwnName() throws {
        try running { core, _ in
            #expect(try ctl(core, "enable").status == 0)
            #expect(try ctl(core, "time", "set", "now").status == 0)
            let path = core.folder + "/not-keys.zip"
            try Data("not a zip".utf8).write(to: URL(filePath: path))
            let refused = try ctl(core, "keys", "provide", path)
            #expect(refused.status == 1 && refused.errors.contains(path) && !refused.errors.contains("console-"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: core.folder + "/ctl").isEmpty)
            #expect(core.end() == 0)
        }
    }

    @Test func anInterruptedCommandLeavesNothingBehind() throws {
        try running { core, _ in
            let path = core.folder + "/keys.zip"
            try Data("content".utf8).write(to: URL(filePath: path))
            // A core that does not answer, so that there is something to interrupt.
            core.signal(SIGSTOP)
            for (signal, status) in [("INT", 128 + SIGINT), ("TERM", 128 + SIGTERM), ("HUP", 128 + SIGHUP)] {
                let outcome = try Program.run(
                    "timeout",
                    [
                        "--preserve-status", "-s", signal, "1", Program.folder + "/vigil", "ctl", "keys", "provide", path,
                        "--run", core.folder,
                    ])
                #expect(outcome.status == status, "\(outcome.errors)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: core.folder + "/ctl").isEmpty)
            }
            core.signal(SIGCONT)
            #expect(core.end() == 0)
        }
    }

    @Test func releasedKeysCanBePublished() throws {
        try Midnight.keepAway()
        try running { core, _ in
            #expect(try ctl(core, "enable").status == 0)
            #expect(try ctl(core, "time", "set", "now").status == 0)
            #expect(core.waits { core.field("onAir") == "true" })
            let keys = core.folder + "/own.csv"
            let released = try ctl(core, "release", "--output", keys, "--yes", "--json")
            #expect(released.status == 0 && released.output.contains(#""keyCount":1"#), "\(released.errors)")
            let secret = core.folder + "/key.pem"
            #expect(
                try Program.vigil("export", "keygen", "--private-key", secret, "--public-key", core.folder + "/pub.pem")
                    .status == 0)
            let made = try Program.vigil(
                "export", "create", "--keys", keys, "--signing-key", secret, "--key-name", "262-v1", "--region", "DE",
                "--start",
                "1795219200", "--end", "1795305600", "--output", core.folder + "/own.zip")
            #expect(made.status == 0 && made.output.contains("1 keys"), "\(made.errors)")
            #expect(core.end() == 0)
        }
    }

    @Test func everyWayOfNotGettingThere() throws {
        let none = try Program.vigil("ctl", "--run", "/nowhere", "--json")
        #expect(none.status == 69 && none.output.contains("vigil.ctl.noCore"))
        try running { core, _ in
            if geteuid() == 0 {
                #expect(chmod(core.folder, 0o755) == 0)
                let nobody = try Program.run(
                    "setpriv", ["--reuid=65534", "--clear-groups", Program.folder + "/vigil", "ctl", "--run", core.folder])
                // Where nobody may not even start the program there is nothing to see.
                if nobody.status != 126, nobody.status != 127 { #expect(nobody.status == 77, "\(nobody.errors)") }
            }
            core.signal(SIGSTOP)
            #expect(try Program.vigil("ctl", "--run", core.folder, "--timeout", "1").status == 75)
            core.signal(SIGCONT)
            #expect(core.end() == 0)
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func completionScripts(_ shell: String) throws {
        let script = try Program.vigil("--generate-completion-script", shell)
        #expect(script.status == 0 && script.output.contains("export-my-data"))
        guard shell == "bash" else { return }
        let path = FileManager.default.temporaryDirectory.path + "/vigil-completion-\(Unique.name())"
        defer { unlink(path) }
        try Data(script.output.utf8).write(to: URL(filePath: path))
        #expect(try Program.run("bash", ["-n", path]).status == 0)
    }
}
