// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

@testable import Supervisor

/// What the supervisor reads of the system's and shares with the core.
@Suite struct FolderTests {
    private let own = Result { try TemporaryFolder() }

    private func put(_ text: String, _ path: String, mode: mode_t = 0o644) throws {
        close(try Folders.writeNew(path, Array(text.utf8), mode: mode))
    }

    @Test func whatTheSystemSaysOfPartitionsIsReadAsAStrangers() throws {
        let folder = try own.get().path
        #expect(PartitionReport.read("\(folder)/not-there").isEmpty)
        try put("good: made at the first start\n", "\(folder)/keys")
        try put("made anew: what was there could not be read\nand more", "\(folder)/data")
        for (name, text) in [
            ("empty", ""), ("blank", "\n"), ("control", "\u{1b}[2J\n"), ("beyond", "schlüssel\n"), ("UPPER", "good\n"),
            ("a-name-of-more-than-16", "good\n"), ("dotted.txt", "good\n"), ("large", String(repeating: "x", count: 300)),
        ] { try put(text, "\(folder)/\(name)") }
        mkdir("\(folder)/folder", 0o700)
        mkfifo("\(folder)/pipe", 0o600)
        let found = PartitionReport.read(folder)
        #expect(found.map(\.name) == ["data", "keys"])
        #expect(found.map(\.words) == ["made anew: what was there could not be read", "good: made at the first start"])
        for number in 0..<20 {
            try put("good\n", "\(folder)/many-\(["a", "b", "c", "d"][number % 4])\(number < 4 ? "" : "x")")
        }
        #expect(PartitionReport.read(folder).count == PartitionReport.mostPartitions)
    }

    /// A key that cannot be read now is not replaced: all that its plugin keeps would be lost.
    @Test func aSealIsMadeOnlyWhereThereIsNone() throws {
        let path = try own.get().file("seal")
        let first = try PluginSeal.found(at: path)
        #expect(first.count == 32 && Folders.read(path, limit: 32) == first)
        #expect(try PluginSeal.found(at: path) == first)
        // As a disk that fails does: it is there, and cannot be read.
        let kept = path + ".kept"
        #expect(rename(path, kept) == 0 && symlink(path, path) == 0)
        #expect(throws: Folders.Failure.self) { try PluginSeal.found(at: path) }
        #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        #expect(throws: Folders.Failure.self) { try PluginSeal.found(at: path) }
        #expect(rmdir(path) == 0 && rename(kept, path) == 0)
        #expect(try PluginSeal.found(at: path) == first)
        // No key: a cut while it was overwritten leaves zeros.
        for text in ["", "short", String(repeating: "\0", count: 4_096)] {
            unlink(path)
            try put(text, path, mode: 0o600)
            let made = try PluginSeal.found(at: path)
            #expect(made.count == 32 && made != first && Folders.read(path, limit: 32) == made)
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func whatAPluginPutsIntoItsSpoolTheCoreCanReadAndNobodyElse() throws {
        let (plugin, core, stranger): (UInt32, UInt32, UInt32) = (61_950, 61_951, 61_952)
        let folder = try own.get().path
        chmod(folder, 0o711)
        let spool = "\(folder)/spool"
        try Folders.make(spool, mode: 0o770, user: plugin, group: core)
        try Folders.share(spool, with: core)
        // Twice, as after a restart of the supervisor.
        try Folders.share(spool, with: core)
        /// Whether the command goes well for that user, who is in no other group.
        func by(_ user: UInt32, _ command: String) -> Bool {
            let words = ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "sh", "-c", command]
            let values: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            defer { for value in values { free(value) } }
            var child: pid_t = 0
            guard posix_spawnp(&child, "setpriv", nil, nil, values, environ) == 0 else { return false }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            return status == 0
        }
        #expect(by(plugin, "umask 027; echo x >\(spool)/shown; umask 077; echo x >\(spool)/kept"))
        // A list of rights takes the place of the mask: a program that wants to keep something says so itself.
        #expect(by(plugin, "chmod 600 \(spool)/kept"))
        #expect(by(core, "cat \(spool)/shown"))
        #expect(!by(core, "echo y >>\(spool)/shown"))
        #expect(!by(core, "cat \(spool)/kept 2>/dev/null"))
        #expect(!by(stranger, "cat \(spool)/shown 2>/dev/null"))
    }
}
