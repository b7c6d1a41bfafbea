// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls
import TestKit
import Testing
import TimeTrust

@testable import BoardClock

struct OperatorTimeTests {
    private let boot = BootIdentity(high: 0x0123, low: 0xFEDC_0000_0000_0001)
    private let time = UnixTime(milliseconds: 1_795_255_200_123)
    private let moment = BootInstant(nanoseconds: 1_000_000_000_000)
    private var statement: OperatorTime { OperatorTime(time, at: moment, of: boot) }
    private let line = "vigil-operator-time 1 1795255200123 1000000000000 0000000000000123fedc000000000001\n"

    private func take(_ folder: TemporaryFolder, after seconds: Int64 = 0) throws -> TrustedTime.PlausibleReading? {
        try OperatorTime.take(
            from: folder.path, at: BootInstant(nanoseconds: moment.nanoseconds + seconds * 1_000_000_000), of: boot)
    }

    @Test func `What is set is read once, as of the reading`() throws {
        let folder = try TemporaryFolder()
        #expect(try take(folder) == nil)
        try statement.write(to: folder.path)
        #expect(folder.names == ["operator-time"])
        let reading = try take(folder, after: 600)
        // 600 s later, and 100 ppm of them in doubt.
        #expect(reading == .init(.operator, time.advanced(by: .seconds(600)), uncertainty: .milliseconds(60)))
        #expect(folder.names.isEmpty)
        #expect(try take(folder) == nil)
    }

    @Test func `The file is one line that only its owner reads`() throws {
        let folder = try TemporaryFolder()
        try statement.write(to: folder.path)
        let path = "\(folder.path)/operator-time"
        #expect(try WholeFile.read(path, limit: 4_096) == Array(line.utf8))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
        // A second one replaces it.
        try OperatorTime(UnixTime(seconds: 1_800_000_000), at: moment, of: boot).write(to: folder.path)
        #expect(try take(folder)?.time == UnixTime(seconds: 1_800_000_000))
    }

    @Test func `Of this very boot by default`() throws {
        let folder = try TemporaryFolder()
        try OperatorTime(time).write(to: folder.path)
        let reading = try #require(try OperatorTime.take(from: folder.path))
        #expect(reading.time >= time && reading.time < time.advanced(by: .seconds(60)))
    }

    @Test func `A time of another boot, or of this boot's future, is worthless`() throws {
        let folder = try TemporaryFolder()
        try OperatorTime(time, at: moment, of: BootIdentity(high: 0x0123, low: 0)).write(to: folder.path)
        #expect(code { _ = try take(folder) } == .anotherBoot)
        #expect(folder.names.isEmpty)
        try statement.write(to: folder.path)
        #expect(code { _ = try take(folder, after: -1) } == .malformedFile)
        #expect(try take(folder) == nil)
    }

    @Test(arguments: [
        "", "\n", "vigil-operator-time 1 1795255200123 1000000000000 0000000000000123fedc000000000001",
        "vigil-operator-time 2 1795255200123 1000000000000 0000000000000123fedc000000000001\n",
        "vigil-operator-time 1 1795255200123 1000000000000 0000000000000123fedc000000000001 x\n",
        "vigil-operator-time 1  1795255200123 1000000000000 0000000000000123fedc000000000001\n",
        "vigil-operator-time 1 -795255200123 1000000000000 0000000000000123fedc000000000001\n",
        "vigil-operator-time 1 1795255200 1000000000000 0000000000000123fedc000000000001\n",
        "vigil-operator-time 1 253402300800000 1000000000000 0000000000000123fedc000000000001\n",
        "vigil-operator-time 1 1795255200123 99999999999999999999 0000000000000123fedc000000000001\n",
        "vigil-operator-time 1 1795255200123 1000000000000 123\n",
        "vigil-operator-time 1 1795255200123 1000000000000 0000000000000123fedc00000000000g\n",
        "vigil-operator-time 1 1795255200123 1000000000000 0000000000000123fedc000000000001\n\n",
    ])
    func `A damaged file is refused, once`(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "operator-time")
        #expect(code { _ = try take(folder) } == .malformedFile)
        #expect(folder.names.isEmpty)
    }

    /// Any one byte of the line changed: refused, or another statement that is read whole. Never a crash.
    @Test func `Every changed byte is refused or changes the statement`() throws {
        let original = Array(line.utf8)
        for index in original.indices {
            for value in UInt8.min ... .max where value != original[index] {
                var bytes = original
                bytes[index] = value
                if let read = try? OperatorTime(line: bytes) {
                    // Letters of the identity may be upper case.
                    let isCaseOnly = original[index] ^ value == 0x20
                    #expect((read != statement) != isCaseOnly)
                }
            }
        }
        #expect(try OperatorTime(line: original) == statement)
    }

    @Test func `A file that is too large is not read`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array(line.utf8) + [UInt8](repeating: 0x20, count: 4_097), to: "operator-time")
        #expect(code { _ = try take(folder) } == .tooLarge)
        #expect(folder.names.isEmpty)
    }

    @Test func `Links, pipes and folders in its place are removed, not followed`() throws {
        let elsewhere = try TemporaryFolder()
        try elsewhere.write(line, to: "secret")
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/operator-time"
        let plants: [() -> Int32] = [
            { symlink("\(elsewhere.path)/secret", path) }, { symlink("nowhere", path) },
            { link("\(elsewhere.path)/secret", path) },
            { mkfifo(path, 0o600) }, { mkdir(path, 0o700) },
        ]
        for plant in plants {
            try #require(plant() == 0)
            #expect(code { _ = try take(folder) } == .notARegularFile)
            #expect(folder.names.isEmpty)
        }
        #expect(elsewhere.names == ["secret"])
    }

    @Test func `Drafts are not written through links`() throws {
        let elsewhere = try TemporaryFolder()
        try elsewhere.write("untouched", to: "victim")
        let folder = try TemporaryFolder()
        try #require(symlink("\(elsewhere.path)/victim", "\(folder.path)/.operator-time.\(getpid())") == 0)
        try statement.write(to: folder.path)
        #expect(try WholeFile.read("\(elsewhere.path)/victim", limit: 64) == Array("untouched".utf8))
        #expect(try take(folder)?.time == time)
    }

    /// Ownership can only be given away by root; elsewhere there is nothing to test.
    @Test(.enabled(if: geteuid() == 0))
    func `Somebody else's file is refused, and root hands its own to the folder's owner`() throws {
        let folder = try TemporaryFolder()
        try folder.write(line, to: "operator-time")
        try #require(chown("\(folder.path)/operator-time", 65_534, 65_534) == 0)
        #expect(code { _ = try take(folder) } == .wrongOwner)

        try #require(chown(folder.path, 65_534, 65_534) == 0)
        try statement.write(to: folder.path)
        var status = stat()
        #expect(stat("\(folder.path)/operator-time", &status) == 0 && status.st_uid == 65_534)
        #expect(unlink("\(folder.path)/operator-time") == 0)
    }

    @Test func `Without the run folder nothing is handed over`() throws {
        let folder = try TemporaryFolder()
        #expect(code { try statement.write(to: "\(folder.path)/none") } == .noRunFolder)
        #expect(code { _ = try OperatorTime.take(from: "\(folder.path)/none") } == .noRunFolder)
        try folder.write("", to: "file")
        #expect(code { try statement.write(to: "\(folder.path)/file") } == .noRunFolder)
    }

    @Test func `The core believes it`() throws {
        let folder = try TemporaryFolder()
        try statement.write(to: folder.path)
        let reading = try #require(try take(folder, after: 300))
        let now = BootInstant(nanoseconds: moment.nanoseconds + 300_000_000_000)
        var trusted = TrustedTime(build: UnixTime(seconds: 1_790_000_000), bootIdentity: boot, at: now)
        _ = trusted.handle(.plausible(reading), at: now)
        #expect(trusted.now(at: now).time == time.advanced(by: .seconds(300)))
    }
}
