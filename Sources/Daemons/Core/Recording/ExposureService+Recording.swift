// SPDX-License-Identifier: Apache-2.0

import HCI
public import Interfaces
public import KeyIntake
import Ledger
import Logging
import Radio
public import TimeTrust

extension ExposureService {
    /// The name of a recording in the spool of whoever began it.
    public static let recordingName = "recording.btsnoop"
    /// How long a recording may take, in seconds: up to a day.
    static let recordingLengths: ClosedRange<Int64> = 10...86_400

    /// Begins a recording of what passes between the core and its controller, made harmless, into the caller's spool; in the
    /// place of the one before. Returns `false`, and does nothing, for a length that is not 10 s to a day.
    ///
    /// On a person's board it begins only after the wearer's press, if the board has a button; without one the console asks
    /// the person. It is in the audit log, and is over with the program.
    ///
    /// - Throws: ``Refusal`` if the caller is not the console, the press is missing, another recording is under way, or the
    ///   file cannot be made.
    public func startRecording(seconds: Int64, by caller: Caller, at now: BootInstant) throws(Refusal) -> Bool {
        guard caller.presence == Caller.console else {
            throw .wrongRole("Only the operator's console records: `vigil ctl record start` on the board.")
        }
        guard Self.recordingLengths.contains(seconds) else { return false }
        guard recorder == nil else {
            throw .fileRefused(
                Self.recordingName, rule: "recording", "A recording is under way. End it first: `vigil ctl record stop`.")
        }
        guard !wasReset, !roleHasChanged else {
            throw .storage("This device is being erased. Nothing is recorded until it has begun anew.")
        }
        guard let spool = caller.spool else {
            throw .fileRefused(
                Self.recordingName, rule: "noSpool",
                "This caller has no folder for files. Give it one where its socket is configured.")
        }
        let presence = try consolePresence(
            of: caller, who: "\(caller.name) records", "Nothing is recorded.", "the recording", at: now)
        let file: RecordingFile
        do throws(IntakeFailure) { file = try RecordingFile(in: spool, name: Self.recordingName) } catch {
            throw .fileRefused(Self.recordingName, rule: error.ruleName, "\(error)")
        }
        // What cannot be entered is not done.
        do throws(Refusal) {
            try ledger.record {
                try $0.audit(
                    auditWriter.entry(.recordingBegun, caller, at: now, ["presence": presence, "seconds": "\(seconds)"]))
            }
        } catch {
            file.remove()
            throw error
        }
        begin(file, for: .seconds(seconds), at: now)
        return true
    }

    /// Begins a recording that the operator wanted at the start of the program, until it ends, into the file that `make` makes. Returns
    /// `false`, and makes nothing, on a person's board, where only the wearer's press begins one. Throws what `make` throws.
    public func recordFromTheStart(
        into make: () throws(IntakeFailure) -> RecordingFile, at now: BootInstant
    ) throws(IntakeFailure) -> Bool {
        guard role == .place else { return false }
        begin(try make(), for: .seconds(Int64(Int32.max)), at: now)
        auditWriter.note(
            .recordingBegun, Caller(name: "command-line", reading: .nothing, spool: nil, presence: "operator"), at: now,
            ["presence": "operator"])
        return true
    }

    private func begin(_ file: RecordingFile, for length: Duration, at now: BootInstant) {
        let civil = beacon.present(at: now).time?.milliseconds ?? now.duration.milliseconds
        recordingFile = file
        recorder = Recorder(into: file, from: now, civil: civil, for: length, generator: &generator)
        lastRecording = nil
        log.notice("recording what the radio and its controller say, made harmless")
    }

    /// Ends the recording. What it came to is returned again at every later call; `nil` if there was none.
    public func stopRecording(by caller: Caller, at now: BootInstant) throws(Refusal) -> Device1.Recording? {
        guard caller.presence == Caller.console else {
            throw .wrongRole("Only the operator's console records: `vigil ctl record stop` on the board.")
        }
        endRecording(by: caller, at: now)
        return recording(at: now)
    }

    /// How far the recording is, or what the last one came to; `nil` if there was none since the start.
    public func recording(at now: BootInstant) -> Device1.Recording? {
        guard let recorder else { return lastRecording }
        let left = max(recorder.end - now.duration, .zero)
        return Device1.Recording(
            running: true, secondsLeft: left.components.seconds, recordCount: Int64(recorder.recordCount),
            byteCount: Int64(recorder.byteCount), leftOutCount: Int64(recorder.leftOutCount), problem: nil)
    }

    /// Keeps a packet if a recording is under way; `bytes` that are no packet are left out.
    func noteForRecording(_ bytes: [UInt8], at now: BootInstant) {
        guard let recorder, let packet = try? HCIPacket(datagram: bytes) else { return }
        recorder.take(packet, at: now)
    }

    /// When ``advanceRecording(to:)`` has something to do; `nil` while nothing is recorded.
    public var recordingDeadline: BootInstant? { recorder?.deadline }

    /// Does a slice of what a recording has to do at `now`.
    public func advanceRecording(to now: BootInstant) {
        guard let recorder, !recorder.advance(to: now) else { return }
        endRecording(at: now)
    }

    /// Removes what is being recorded, and what was and lies there still: whoever erases the device erases that, too.
    func eraseRecording() {
        recorder = nil
        lastRecording = nil
        recordingFile?.remove()
        recordingFile = nil
    }

    /// Ends what is under way, for an orderly stop; what was recorded stays. `caller` has ended it; without one, time or the program's end.
    func endRecording(by caller: Caller? = nil, at now: BootInstant) {
        guard let recorder else { return }
        recorder.finish()
        let core = Caller(name: "core", reading: .nothing, spool: nil, presence: "board")
        auditWriter.note(.recordingEnded, caller ?? core, at: now)
        var result = recording(at: now)
        result?.running = false
        result?.secondsLeft = 0
        result?.problem = recorder.problem.map {
            "the file cannot be written any more (\($0.code.rawValue)): what is before that is kept"
        }
        lastRecording = result
        self.recorder = nil
        log.notice("the recording is over")
        if let problem = recorder.problem { log.error("\(problem)", metadata: ["while": "recording"]) }
    }
}
