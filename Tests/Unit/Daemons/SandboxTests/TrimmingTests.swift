// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import Testing

@testable import Sandbox

/// What is beyond a quota goes, however deep and however much it is.
@Suite final class TrimmingTests {
    private let folder = "/tmp/vigil-trimming-\(Unique.name())"

    init() { mkdir(folder, 0o755) }
    /// By a program: some paths here are longer than paths can be.
    deinit {
        var child: pid_t = 0
        let words = ["rm", "-rf", folder]
        let values: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        if posix_spawnp(&child, "rm", nil, nil, values, environ) == 0 { waitpid(child, nil, 0) }
    }

    /// A reset counts on the word that all is gone. What cannot be listed (here because it is no folder; on a board because no descriptor is left)
    /// is not gone.
    @Test func whatCannotBeListedIsNotEmpty() throws {
        try write("file", 1)
        let file = open(folder + "/file", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        for (descriptor, error) in [(file, ENOTDIR), (-1, EBADF)] {
            #expect(FolderRemoval.names(in: descriptor, most: 10) == nil)
            var removal = FolderRemoval(in: descriptor)
            #expect(removal.empty() == error)
        }
        let empty = folder + "/empty"
        mkdir(empty, 0o755)
        let inner = open(empty, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(inner) }
        #expect(FolderRemoval.names(in: inner, most: 10) == [])
        var removal = FolderRemoval(in: inner)
        #expect(removal.empty() == nil)
    }

    private func write(_ name: String, _ count: Int) throws {
        try Data(repeating: 1, count: count).write(to: URL(filePath: folder + "/" + name))
    }

    /// Makes folders within folders below `name`, with a file of `count` bytes in the last.
    private func dig(_ name: String, _ depth: Int, _ count: Int) {
        mkdir("\(folder)/\(name)", 0o755)
        var inner = open("\(folder)/\(name)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for _ in 0..<depth {
            mkdirat(inner, "d", 0o755)
            let next = openat(inner, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            close(inner)
            inner = next
        }
        let file = openat(inner, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(Glibc.write(file, bytes, count) == count)
        close(file)
        close(inner)
    }

    @Test(arguments: [33, 40, 3_000])
    func whatLiesTooDeepGoes(depth: Int) throws {
        let quota = FolderQuota(byteCount: 200_000)
        mkdir(folder + "/own", 0o755)
        try write("own/first", 20_000)
        waitForALaterFileTime()
        dig("deep", depth, 500_000)
        #expect(quota.isExceeded(by: try #require(quota.measure(folder))))
        #expect(quota.trim(folder) > 0)
        #expect(!quota.isExceeded(by: try #require(quota.measure(folder))))
        #expect(access(folder + "/own/first", F_OK) == 0, "what came first and fits was taken as well")
    }

    @Test func foldersCountAndGoToo() throws {
        let quota = FolderQuota(byteCount: 1 << 30, entryCount: 500)
        try write("first", 10)
        waitForALaterFileTime()
        for number in 0..<2_000 { mkdir("\(folder)/\(number)", 0o755) }
        for number in 0..<20 { dig("deep-\(number)", 20, 0) }
        #expect(quota.trim(folder) > 0)
        let usage = try #require(quota.measure(folder))
        #expect(!quota.isExceeded(by: usage), "\(usage)")
        #expect(access(folder + "/first", F_OK) == 0)
    }

    @Test func namesThatAreNoTextGo() throws {
        let quota = FolderQuota(byteCount: 50_000)
        let top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(top) }
        mkdirat(top, [-1, 0], 0o700)
        let file = openat(top, [-1, 47, -2, 0] as [CChar], O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        let bytes = [UInt8](repeating: 1, count: 100_000)
        #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
        close(file)
        #expect(quota.trim(folder) > 0)
        #expect(!quota.isExceeded(by: try #require(quota.measure(folder))))
    }

    /// More than anybody lists: nothing of it is worth keeping.
    @Test func whatIsBeyondCountingGoesAltogether() throws {
        let quota = FolderQuota(byteCount: 1 << 30, entryCount: 100)
        for number in 0..<FolderQuota.longestList + 10 {
            close(open("\(folder)/\(number)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        }
        #expect(quota.trim(folder) > FolderQuota.longestList)
        #expect(try #require(quota.measure(folder)).entryCount == 0)
    }
}
