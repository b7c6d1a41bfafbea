// SPDX-License-Identifier: Apache-2.0

import Core
import Glibc
import HCI
import Interfaces
import KeyIntake
import Radio
import RandomValues
import TestKit
import Testing
import TimeTrust

@Suite struct RecordingTests {
    private let folder: TemporaryFolder
    private let spool: Spool
    private let event: HCIPacket

    init() throws {
        folder = try TemporaryFolder()
        spool = try Spool(path: folder.path)
        event = try HCIPacket(datagram: [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
    }

    private func records(_ name: String = ExposureService.recordingName) throws -> [CaptureRecord] {
        var reader = CaptureReader()
        var found: [CaptureRecord] = []
        try reader.push(try spool.read(name, limit: 1 << 24)) { found.append($0) }
        try reader.finish()
        return found
    }

    private func bench(hasButton: Bool) throws -> ExposureServiceBench {
        var profile = BoardProfile.token
        profile.hasConsentButton = hasButton
        let bench = try ExposureServiceBench(profile: profile)
        if hasButton { bench.service.connectButton(isPressed: false, at: bench.now) }
        wait(bench, 40)
        return bench
    }

    private func wait(_ bench: ExposureServiceBench, _ turns: Int) {
        for _ in 0..<turns {
            bench.pass(.milliseconds(50))
            bench.service.advanceButton(to: bench.now)
        }
    }

    private func press(_ bench: ExposureServiceBench) {
        bench.service.moveButton(isPressed: true, before: .zero, at: bench.now)
        wait(bench, 4)
        bench.service.moveButton(isPressed: false, before: .zero, at: bench.now)
        wait(bench, 4)
    }

    private func refusal(_ bench: ExposureServiceBench, _ caller: Caller, seconds: Int64 = 60) -> String? {
        do {
            return try bench.service.startRecording(seconds: seconds, by: caller, at: bench.now) ? nil : "Invalid"
        } catch { return error.name }
    }

    @Test func onlyAPressBeginsOneOnAPersonsBoard() throws {
        let bench = try bench(hasButton: true)
        let console = ExposureServiceBench.caller(spool: spool)
        // A press for nothing, before it was asked for, is none.
        press(bench)
        #expect(refusal(bench, console) == "ButtonNeeded" && bench.service.recording(at: bench.now) == nil)
        #expect(bench.service.scene(at: bench.now).button == .consentWanted)
        #expect(refusal(bench, console) == "ButtonNeeded")
        #expect(try spool.isEmpty(ExposureService.recordingName))
        press(bench)
        #expect(refusal(bench, console) == nil)
        #expect(bench.service.recording(at: bench.now)?.running == true)
        let entry = try #require(try bench.service.audit(after: nil).records.last)
        #expect(entry.kind == "recordingBegun" && entry.details["presence"] == "button")
        // One press is one recording.
        #expect(refusal(bench, console) == "FileRefused")
        #expect(try bench.service.stopRecording(by: console, at: bench.now)?.running == false)
        #expect(refusal(bench, console) == "ButtonNeeded")
    }

    /// A press that was asked for by somebody else, for something else, begins no recording.
    @Test func aPressForSomethingElseBeginsNone() throws {
        let bench = try bench(hasButton: true)
        let plugin = Caller(name: "diagnosis", reading: .nothing, spool: nil, presence: "caller")
        #expect(throws: Refusal.self) { try bench.service.giveConsent(.releaseKeys, by: plugin, at: bench.now) }
        press(bench)
        #expect(refusal(bench, ExposureServiceBench.caller(spool: spool)) == "ButtonNeeded")
        #expect(throws: Never.self) { try bench.service.giveConsent(.releaseKeys, by: plugin, at: bench.now) }
    }

    @Test func onlyTheConsoleRecords() throws {
        let bench = try bench(hasButton: false)
        for presence in ["caller", "signedIn", "button"] {
            let caller = Caller(name: "page", reading: .nothing, spool: spool, presence: presence)
            #expect(refusal(bench, caller) == "WrongRole")
            #expect(throws: Refusal.self) { try bench.service.stopRecording(by: caller, at: bench.now) }
        }
        let console = ExposureServiceBench.caller(spool: spool)
        #expect(refusal(bench, ExposureServiceBench.caller()) == "FileRefused")
        for seconds in [Int64.min, 0, 9, 86_401, Int64.max] {
            #expect(refusal(bench, console, seconds: seconds) == "Invalid")
        }
        #expect(refusal(bench, console) == nil)
        // At its start a person's board records nothing.
        let other = try self.bench(hasButton: false)
        let begins = try other.service.recordFromTheStart(
            into: { () throws(IntakeFailure) in try RecordingFile(in: spool, name: "other") }, at: other.now)
        #expect(try !begins && spool.isEmpty("other") && other.service.recordingDeadline == nil)
    }

    @Test func itEndsByItselfAndIsReadable() throws {
        let bench = try bench(hasButton: false)
        #expect(refusal(bench, ExposureServiceBench.caller(spool: spool), seconds: 10) == nil)
        let begun = bench.now
        let recorder = try #require(bench.service.recordingDeadline)
        #expect(recorder.nanoseconds - begun.nanoseconds == 10_000_000_000)
        wait(bench, 201)
        bench.service.advanceRecording(to: bench.now)
        let result = try #require(bench.service.recording(at: bench.now))
        #expect(!result.running && result.problem == nil && result.leftOutCount == 0)
        #expect(try records().isEmpty)
        #expect(try bench.service.audit(after: nil).records.last?.kind == "recordingEnded")
        #expect(bench.service.recordingDeadline == nil)
    }

    /// Under way or over and not fetched: who erases the device erases what it has recorded.
    @Test(arguments: [true, false]) func aResetErasesIt(isUnderWay: Bool) throws {
        let bench = try bench(hasButton: false)
        let console = ExposureServiceBench.caller(spool: spool)
        #expect(refusal(bench, console) == nil)
        if !isUnderWay { _ = try bench.service.stopRecording(by: console, at: bench.now) }
        _ = try spool.open(ExposureService.recordingName, maximumByteCount: 1 << 20)
        let ticket = try bench.service.giveConsent(.reset, by: console, at: bench.now).ticket
        try bench.service.reset(ticket: ticket, by: console, at: bench.now)
        bench.service.advanceRecording(to: bench.now)
        #expect(throws: IntakeFailure.self) {
            try spool.open(ExposureService.recordingName, maximumByteCount: 1 << 20)
        }
        #expect(bench.service.recording(at: bench.now) == nil && bench.service.recordingDeadline == nil)
        // What is erased begins nothing any more.
        #expect(refusal(bench, console) == "StorageUnavailable")
        #expect(throws: IntakeFailure.self) {
            try spool.open(ExposureService.recordingName, maximumByteCount: 1 << 20)
        }
    }

    /// Another role is another life, which takes nothing over.
    @Test func aChangeOfRoleErasesIt() throws {
        let bench = try bench(hasButton: false)
        let console = ExposureServiceBench.caller(spool: spool)
        #expect(refusal(bench, console) == nil)
        try bench.service.setRole(.place, by: console, at: bench.now)
        #expect(throws: IntakeFailure.self) {
            try spool.open(ExposureService.recordingName, maximumByteCount: 1 << 20)
        }
        #expect(bench.service.recordingDeadline == nil && refusal(bench, console) == "StorageUnavailable")
    }

    // MARK: The recorder and its file

    @Test func timesGoOnByTheClockOfTheBoard() throws {
        var generator = SeededGenerator(seed: 1)
        let start = BootInstant(nanoseconds: 5_000_000_000)
        let recorder = Recorder(
            into: try RecordingFile(in: spool, name: "r"), from: start, civil: 1_600_000_000_000, for: .seconds(60),
            generator: &generator)
        for step in 0..<100 {
            let now = BootInstant(nanoseconds: 5_000_000_000 + Int64(step) * 1_000_000)
            recorder.take(event, at: now)
            #expect(recorder.deadline.nanoseconds == 0)
            #expect(recorder.advance(to: now))
        }
        recorder.finish()
        #expect(try records("r").map(\.time) == (0..<100).map { 1_600_000_000_000_000 + $0 * 1_000 })
        #expect(recorder.recordCount == 100 && recorder.leftOutCount == 0)
    }

    /// What comes faster than it can be written costs no memory, and is counted.
    @Test func aFloodIsLeftOut() throws {
        var generator = SeededGenerator(seed: 1)
        let now = BootInstant(nanoseconds: 0)
        let recorder = Recorder(
            into: try RecordingFile(in: spool, name: "r"), from: now, civil: 0, for: .seconds(60), generator: &generator)
        for _ in 0..<10_000 { recorder.take(event, at: now) }
        while recorder.deadline.nanoseconds == 0 { #expect(recorder.advance(to: now)) }
        recorder.finish()
        #expect(recorder.recordCount == 4_096 && recorder.leftOutCount == 10_000 - 4_096)
        #expect(try records("r").count == 4_096)
    }

    /// Whoever ends it, and time, make the radio wait for some packets and not for thousands.
    @Test(arguments: [true, false]) func theEndIsShort(byTime: Bool) throws {
        var generator = SeededGenerator(seed: 1)
        let now = BootInstant(nanoseconds: 0), end = BootInstant(nanoseconds: 60_000_000_000)
        let recorder = Recorder(
            into: try RecordingFile(in: spool, name: "r"), from: now, civil: 0, for: .seconds(60), generator: &generator)
        let long = try HCIPacket(datagram: [0x04, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 255))
        for _ in 0..<4_000 { recorder.take(long, at: now) }
        let before = recorder.recordCount
        if byTime {
            // In slices, and what comes meanwhile is too late.
            var turns = 0
            while recorder.advance(to: end) {
                turns += 1
                recorder.take(long, at: end)
            }
            #expect(turns > 500 && recorder.recordCount == 4_000 && recorder.leftOutCount == turns)
        } else {
            recorder.finish()
            #expect(recorder.recordCount - before < 40 && recorder.recordCount + recorder.leftOutCount == 4_000)
        }
        #expect(try records("r").count == recorder.recordCount)
        // Data of connections costs nothing.
        let other = Recorder(
            into: try RecordingFile(in: spool, name: "s"), from: now, civil: 0, for: .seconds(60), generator: &generator)
        other.take(try HCIPacket(datagram: [0x02, 0x01, 0x00, 0x02, 0x00, 0x01, 0x02]), at: now)
        #expect(other.deadline.nanoseconds > 0 && other.leftOutCount == 0)
    }

    /// Somebody's file that happens to have the name stays, whatever it is; a link is not followed.
    @Test func whatIsNoRecordingStays() throws {
        let path = "\(folder.path)/notes"
        for name in ["notes", "notes.older"] {
            let notes = try spool.createForWriting(name)
            _ = "my notes".withCString { Glibc.write(notes, $0, 8) }
            close(notes)
            #expect(throws: IntakeFailure.self) { try RecordingFile(in: spool, name: "notes") }
            #expect(try spool.read(name, limit: 100) == Array("my notes".utf8))
            spool.remove(name)
        }
        #expect(mkdir(path, 0o700) == 0)
        #expect(throws: IntakeFailure.self) { try RecordingFile(in: spool, name: "notes") }
        #expect(rmdir(path) == 0 && symlink("/etc/hostname", path) == 0)
        _ = try RecordingFile(in: spool, name: "notes")
        #expect(try records("notes").isEmpty)
    }

    /// The oldest go, both parts are whole captures at every moment, and together they never exceed the limit.
    @Test func theFileIsBounded() throws {
        let file = try RecordingFile(in: spool, name: "r", limit: 64 << 10)
        let record = CaptureWriter.record(event, at: 7)
        for round in 1...40 {
            for _ in 0..<10 { try file.append([UInt8]((0..<12).map { _ in record }.joined())) }
            let parts = [try records("r"), round < 10 ? [] : try records("r.older")]
            let bytes = parts.map { 16 + $0.count * record.count }.reduce(0, +)
            #expect(bytes <= 64 << 10 && file.byteCount <= 64 << 10)
        }
        #expect(try records("r.older").count > 800)
        // A new one takes nothing over.
        _ = try RecordingFile(in: spool, name: "r")
        #expect(try records("r").isEmpty)
        #expect(throws: IntakeFailure.self) { try spool.read("r.older", limit: 1 << 20) }
    }

    /// Cut anywhere, as power cuts do: what is before the torn record is there.
    @Test func aCutFileIsReadableUpToTheCut() throws {
        let file = try RecordingFile(in: spool, name: "r")
        let record = CaptureWriter.record(event, at: 7)
        try file.append(record + record + record)
        let whole = try spool.read("r", limit: 1 << 20)
        for length in 16...whole.count {
            var reader = CaptureReader()
            var count = 0
            try reader.push(whole[..<length]) { _ in count += 1 }
            #expect(count == (length - 16) / record.count)
        }
    }

    /// A disk that refuses ends it; nothing else suffers.
    @Test func aDiskThatRefusesEndsIt() throws {
        let bench = try bench(hasButton: false)
        #expect(refusal(bench, ExposureServiceBench.caller(spool: spool), seconds: 10) == nil)
        _ = bench
        let gone = try Spool(path: "/dev")
        #expect(throws: IntakeFailure.self) { try RecordingFile(in: gone, name: "a/b") }
        #expect(throws: IntakeFailure.self) { try RecordingFile(in: gone, name: "..") }
    }
}

extension Spool {
    /// Whether there is no such file.
    fileprivate func isEmpty(_ name: String) throws -> Bool {
        do throws(IntakeFailure) { return try read(name, limit: 1 << 20).isEmpty } catch { return true }
    }
}
