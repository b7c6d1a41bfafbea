// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Testing
import Verification

/// Several connections of one process, and other processes, on one file.
@Suite struct SharedFileTests {
    /// Locks of this process on a file, by the kernel's own list.
    private func lockCount(_ path: String) throws -> Int {
        var information = stat()
        try #require(stat(path, &information) == 0)
        let list = try String(decoding: Data(contentsOf: URL(filePath: "/proc/locks")), as: UTF8.self)
        return list.split(separator: "\n").filter { line in
            let words = line.split(separator: " ")
            return words.contains("POSIX") && words.contains("\(getpid())")
                && words.contains { $0.hasSuffix(":\(information.st_ino)") }
        }.count
    }

    /// Without its lock a process loses what it writes once another one has looked at the file: that one deletes the log.
    @Test func aSecondConnectionLeavesTheFirstItsLock() throws {
        let scene = try VerificationScene()
        let files = ["verification.db", "results.db"].map { "\(scene.path)/\($0)" }
        _ = try scene.tan(0)
        for file in files { #expect(try lockCount(file) > 0) }
        let others = try (0..<3).map { _ in try scene.another() }
        for file in files { #expect(try lockCount(file) > 0, "\(file)") }
        withExtendedLifetime(others) {}
    }

    @Test func aFileIsItsOwnersOnlyAndNothingIsLeftBesideIt() throws {
        let scene = try VerificationScene()
        var information = stat()
        #expect(stat(scene.path + "/verification.db", &information) == 0 && information.st_mode & 0o777 == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.path).allSatisfy { !$0.hasSuffix(".partial") })
        #expect(code { _ = try SQLiteVerificationStore(path: scene.path + "/nowhere/verification.db") } == .storageUnusable)
    }
}
