// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

@testable import SystemCalls

@Suite struct WholeFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }
    private var path: String { "\(folder.path)/file" }

    @Test(arguments: [0, 1, 4_095, 16_384, 16_385, 100_000])
    func whatIsReplacedIsReadBack(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for lasting in [WholeFile.Lasting.process, .powerCut] {
            try WholeFile.replace(path, with: bytes, mode: 0o600, lasting)
            #expect(try WholeFile.read(path, limit: count) == bytes)
            #expect(try WholeFile.read(path, limit: count + 1, [.ordinary, .noLink]) == bytes)
        }
    }

    @Test func moreThanTheLimitIsRefused() throws {
        try WholeFile.replace(path, with: [UInt8](repeating: 1, count: 20_000), mode: 0o600)
        for limit in [0, 1, 16_384, 19_999] {
            #expect(throws: SystemError(number: EFBIG)) { try WholeFile.read(path, limit: limit) }
        }
        // The kernel says 0 bytes of them, and gives more.
        #expect(throws: SystemError(number: EFBIG)) { try WholeFile.read("/proc/self/maps", limit: 100, .ordinary) }
        #expect(try !WholeFile.read("/proc/self/maps", limit: 1 << 24, .ordinary).isEmpty)
        // Without end.
        #expect(throws: SystemError(number: EFBIG)) { try WholeFile.read("/dev/zero", limit: 50_000) }
    }

    @Test func whatIsNoOrdinaryFileIsRefusedAtOnce() throws {
        #expect(mkfifo(path, 0o600) == 0)
        // Opened to be read, it would be waited for until somebody writes.
        #expect(throws: SystemError(number: EINVAL)) { try WholeFile.read(path, limit: 10, .ordinary) }
        #expect(throws: SystemError(number: EINVAL)) { try WholeFile.read("/dev/zero", limit: 10, .ordinary) }
        #expect(throws: SystemError(number: EISDIR)) { try WholeFile.read(folder.path, limit: 10) }
        #expect(throws: SystemError(number: ENOENT)) { try WholeFile.read("\(folder.path)/none", limit: 10) }
    }

    @Test func linksAreFollowedUnlessTheyMustNotBe() throws {
        let link = "\(folder.path)/link"
        try WholeFile.replace(path, with: [7], mode: 0o600)
        #expect(symlink("file", link) == 0)
        #expect(try WholeFile.read(link, limit: 10) == [7])
        #expect(throws: SystemError(number: ELOOP)) { try WholeFile.read(link, limit: 10, .noLink) }
        // What it points to is left alone; the link is replaced.
        try WholeFile.replace(link, with: [8], mode: 0o600)
        #expect(try WholeFile.read(path, limit: 10) == [7])
        #expect(try WholeFile.read(link, limit: 10, .noLink) == [8])
    }

    @Test func rightsAreAsAskedForAndNobodyElseReadsTheDraft() throws {
        for mode in [mode_t(0o600), 0o640, 0o644, 0o666] {
            try WholeFile.replace(path, with: [1], mode: mode)
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == mode)
        }
    }

    /// A draft that a dead process left, with any rights or as a link, is in nobody's way.
    @Test func aDraftThatWasLeftIsRemoved() throws {
        let draft = path + ".new"
        #expect(symlink("elsewhere", draft) == 0)
        try WholeFile.replace(path, with: [1], mode: 0o600)
        #expect(access("\(folder.path)/elsewhere", F_OK) != 0)
        try WholeFile.replace(draft, with: [9, 9, 9], mode: 0o400)
        try WholeFile.replace(path, with: [2], mode: 0o600)
        #expect(try WholeFile.read(path, limit: 1) == [2])
        #expect(access(draft, F_OK) != 0)
    }

    @Test func aFailureLeavesWhatWasThere() throws {
        try WholeFile.replace(path, with: [1], mode: 0o600)
        // A folder stands where the draft would: it cannot be made.
        #expect(mkdir(path + ".new", 0o700) == 0)
        #expect(throws: SystemError(number: EEXIST)) { try WholeFile.replace(path, with: [2], mode: 0o600) }
        #expect(try WholeFile.read(path, limit: 1) == [1])
        // A file never takes a folder's place, and the draft goes.
        #expect(rmdir(path + ".new") == 0)
        #expect(mkdir("\(folder.path)/taken", 0o700) == 0)
        #expect(throws: SystemError(number: EISDIR)) {
            try WholeFile.replace("\(folder.path)/taken", with: [2], mode: 0o600)
        }
        #expect(access("\(folder.path)/taken.new", F_OK) != 0)
        #expect(throws: SystemError(number: ENOENT)) {
            try WholeFile.replace("\(folder.path)/none/file", with: [2], mode: 0o600)
        }
    }

    @Test func aFullDiskIsToldAndNothingIsLeft() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        let error = SystemError(number: SystemCall.writeAll(full, [UInt8](repeating: 1, count: 10)))
        #expect(error == SystemError(number: ENOSPC))
        #expect(error.text == "No space left on device")
    }
}
