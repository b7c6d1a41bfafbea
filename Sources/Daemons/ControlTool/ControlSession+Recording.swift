// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import ForeignText
import Glibc
import Interfaces
import JSON
import Varlink

extension ControlSession {
    /// The names that the core gives to the two parts of a recording.
    private static let recordingName = "recording.btsnoop"
    private static let recordingHeadingByteCount = 16
    private static let recordingLimit = 8 << 20

    /// Begins a recording of what passes between the core and its controller, made harmless. Where the wearer has to press the
    /// button, says so and waits for a minute.
    /// - Parameter isAgreed: Whether the person has agreed already (`--yes`) and is not asked again.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, or the answer cannot be shown.
    public func startRecording(seconds: Int64, isAgreed: Bool) throws(ControlFailure) {
        try person.agree(
            to: """
                What the radio hears and sends is going to be recorded: when, how strong, how many. Identifiers and addresses are replaced by \
                others that nobody can turn back, and other content is blanked. Who was at the same place with a receiver of their own may \
                still recognise the pattern.
                """, isAgreed: isAgreed)
        let call = Device1.StartRecordingCall(seconds: seconds)
        let reply = try afterPress { () throws(ControlFailure) in try link.ask(Device1.Method.startRecording, call) }
        try say("Recording for \(seconds) s at most. `vigil ctl record stop --output FILE` ends and fetches it.", reply)
    }

    /// Shows how far the recording is, or what the last one came to.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, or the
    ///   answer cannot be shown.
    public func showRecording() throws(ControlFailure) {
        try show(link.ask(Device1.Method.getRecording), as: Device1.RecordingReply.self) {
            guard let recording = $0.recording else { return "Nothing was recorded since the start.\n" }
            return screen.paragraph(Self.words(recording))
        }
    }

    /// Ends the recording, and takes it to a new file at `path` that only this user can read; 16 MiB at most.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, there is no
    ///   recording, a file cannot be used, or the answer cannot be shown.
    public func stopRecording(to path: String) throws(ControlFailure) {
        guard access(path, F_OK) != 0 else {
            throw ControlFailure(.badFile, "\(path) exists already, and nothing is overwritten. Choose another file.")
        }
        let reply = try link.ask(Device1.Method.stopRecording)
        let recording = try reply.read(Device1.RecordingReply.self).recording
        let name = Self.recordingName
        var bytes: [UInt8] = []
        // What a core that was killed has recorded is there, too.
        for part in ["\(name).older", name] {
            guard let read = try spool.contents(of: part, limit: Self.recordingLimit) else { continue }
            guard read.starts(with: Array("btsnoop\0".utf8)) else {
                throw ControlFailure(.badFile, "\(spool.path)/\(part) is no capture. It stays where it is.")
            }
            bytes += bytes.isEmpty ? read : Array(read.dropFirst(Self.recordingHeadingByteCount))
        }
        guard !bytes.isEmpty else {
            throw recording == nil
                ? ControlFailure(
                    .refused, "Nothing was recorded since the core has started. Begin with `vigil ctl record start`.")
                : ControlFailure(
                    .badFile,
                    "There is no recording in \(spool.path): it was fetched already, or goes to the file of --record. Begin another: `vigil ctl record start`."
                )
        }
        do throws(InputError) { try Files.write(bytes, to: path, mode: 0o600) } catch {
            throw ControlFailure(.badFile, "\(error)")
        }
        spool.remove([name, "\(name).older"])
        let words =
            recording.map(Self.words)
            ?? "A core that has ended meanwhile had recorded it; it may end in the middle of a packet (--torn)."
        try say(
            "Written to \(path). \(words) `vigil-lab replay \(path)` plays it.",
            ["output": .string(path), "recordCount": recording.map { .int($0.recordCount) } ?? .null])
    }

    private static func words(_ recording: Device1.Recording) -> String {
        var text = "\(recording.recordCount) packets, \(recording.byteCount) bytes"
        if recording.leftOutCount > 0 { text += ", \(recording.leftOutCount) left out" }
        if let problem = recording.problem { text += ". It ended early: \(ForeignText.line(problem))" }
        return text + (recording.running ? "; \(recording.secondsLeft) s left." : ".")
    }
}
