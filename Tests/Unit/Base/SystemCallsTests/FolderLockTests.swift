// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls
import TestKit
import Testing

/// One at a time, nobody waits, and an end of any kind gives it back.
struct FolderLockTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func oneAtATime() throws {
        let path = folder.path
        do {
            let lock = try FolderLock(path)
            for _ in 0..<3 { #expect(throws: FolderLock.Failure.taken) { try FolderLock(path) } }
            withExtendedLifetime(lock) {}
        }
        // It was let go of, though whoever was refused had opened the folder, too.
        _ = try FolderLock(path)
    }

    /// What `flock(1)` and other programs hold counts, and their end gives it back.
    @Test func anotherProgramsLockCounts() throws {
        let other = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(other >= 0 && flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: FolderLock.Failure.taken) { try FolderLock(folder.path) }
        close(other)
        let lock = try FolderLock(folder.path)
        let second = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(second) }
        #expect(flock(second, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        withExtendedLifetime(lock) {}
    }

    @Test func whatIsNoFolderHasNoLock() throws {
        #expect(throws: FolderLock.Failure.noFolder) { try FolderLock("\(folder.path)/none") }
        try WholeFile.replace("\(folder.path)/file", with: [1], mode: 0o600)
        #expect(throws: FolderLock.Failure.system(SystemError(number: ENOTDIR))) {
            try FolderLock("\(folder.path)/file")
        }
    }
}
