// SPDX-License-Identifier: Apache-2.0

import CTracer
import Glibc

/// What a process does to the world, in words: which call of the system, and to what. Nothing else counts as a step.
final class StepNames {
    /// Folders whose files count, and by which word.
    private let places: [(word: String, folder: String)]
    private let words: StepWords
    private let process: TracedProcess
    /// CLONE_THREAD.
    private static let threadFlag: UInt64 = 0x10000
    /// Whom open sockets lead to, by descriptor.
    private var peers: [Int32: String] = [3: "supervisor"]
    /// What was written or said last, by descriptor.
    private var topics: [Int32: String] = [:]
    /// Files that were written to.
    private var written: Set<Int32> = []

    init(places: [(word: String, folder: String)], words: StepWords, process: pid_t) {
        self.places = places
        self.words = words
        self.process = TracedProcess(number: process)
    }

    /// The step that a thread is about to take; `nil` when it is none.
    func name(of stop: vigil_tracer_stop) -> String? {
        guard let call = vigil_tracer_name(stop.number).map({ String(cString: $0) }) else { return nil }
        let (first, second, third, fourth) = (stop.arguments.0, stop.arguments.1, stop.arguments.2, stop.arguments.3)
        let descriptor = Int32(truncatingIfNeeded: first)
        switch call {
        case "open": return opened(first, flags: second)
        case "openat": return opened(second, flags: third)
        case "unlink": return file(process.text(first)).map { "unlink \($0)" }
        case "unlinkat": return file(process.text(second)).map { "unlink \($0)" }
        case "rename": return file(process.text(second)).map { "rename to \($0)" }
        case "renameat": return file(process.text(fourth)).map { "rename to \($0)" }
        case "connect":
            guard let peer = peer(second) else { return nil }
            peers[descriptor] = peer
            topics[descriptor] = nil
            return "connect to \(peer)"
        case "send": return said(descriptor, second, third)
        case "sendmsg": return said(descriptor, 0, 0)
        case "receive", "receivemsg", "read": return heard(descriptor)
        case "write", "pwrite", "writev":
            if peers[descriptor] != nil { return said(descriptor, second, third) }
            guard let name = file(process.link(descriptor)) else { return nil }
            written.insert(descriptor)
            if call == "write", name.hasSuffix("sync.journal") { topics[descriptor] = journalTopic(second, third) }
            return "write \(name)\(topic(descriptor))"
        case "ftruncate": return file(process.link(descriptor)).map { "cut \($0)" }
        case "fsync", "fdatasync": return file(process.link(descriptor)).map { "sync \($0)\(topic(descriptor))" }
        case "close":
            defer {
                peers[descriptor] = nil
                topics[descriptor] = nil
                written.remove(descriptor)
            }
            let name = peers[descriptor] ?? (written.contains(descriptor) ? file(process.link(descriptor)) : nil)
            return name.map { "close \($0)" }
        case "clone", "fork": return call == "clone" && isThread(first) ? nil : "start vigil-zip"
        case "clone3": return isThread(process.word(first)) ? nil : "start vigil-zip"
        case "exit": return "exit"
        default: return nil
        }
    }

    private func isThread(_ flags: UInt64) -> Bool { flags & Self.threadFlag != 0 }

    // MARK: Files

    private func opened(_ path: UInt64, flags: UInt64) -> String? {
        guard flags & UInt64(O_WRONLY | O_RDWR | O_CREAT) != 0 else { return nil }
        return file(process.text(path)).map { "open \($0)" }
    }

    /// What a file is called here; `nil` when it is in none of the places.
    private func file(_ path: String) -> String? {
        for place in places where path == place.folder || path.hasPrefix(place.folder + "/") {
            let name = path.dropFirst(place.folder.utf8.count + 1)
            if name.isEmpty { return place.word }
            // Names that differ from life to life.
            if name.hasPrefix("k-") { return "\(place.word)/package" }
            if name.hasPrefix("day-") { return "\(place.word)/day" }
            return "\(place.word)/\(name)"
        }
        return nil
    }

    private func topic(_ descriptor: Int32) -> String { topics[descriptor].map { ": \($0)" } ?? "" }

    /// What a line of the journal says.
    private func journalTopic(_ address: UInt64, _ count: UInt64) -> String {
        let line = process.text(address, limit: min(Int(clamping: count), 4_096))
        for state in ["attempted", "accepted", "waiting", "refused", "forgotten"] where line.contains("\"\(state)\"") {
            return state
        }
        if line.contains("\"running\"") { return "run begins" }
        return line.contains("\"facts\"") ? "run ends" : "other"
    }

    // MARK: Sockets

    private func peer(_ address: UInt64) -> String? {
        var bytes = [UInt8](repeating: 0, count: 110)
        let count = Int(vigil_tracer_read(process.number, address, &bytes, 110))
        guard count >= 2 else { return nil }
        switch Int32(bytes[0]) | Int32(bytes[1]) << 8 {
        case AF_INET, AF_INET6: return "the server"
        case AF_UNIX:
            let path = String(decoding: bytes[2..<count].prefix { $0 != 0 }, as: UTF8.self)
            return words.peers.first { path.hasSuffix($0.end) }?.word
        default: return nil
        }
    }

    private func said(_ descriptor: Int32, _ address: UInt64, _ count: UInt64) -> String? {
        // Who calls this process connects to it, and is not in the table.
        guard let peer = peers[descriptor] else { return isSocket(descriptor) ? "send to a caller" : nil }
        let said = address == 0 ? "" : process.text(address, limit: min(Int(clamping: count), 512))
        let topic =
            words.topics.first { said.contains($0) }
            ?? said.split(separator: " ").dropFirst().first.map { words.kind(of: String($0)) }
        topics[descriptor] = topic
        return "send to \(peer)\(self.topic(descriptor))"
    }

    private func heard(_ descriptor: Int32) -> String? {
        guard let peer = peers[descriptor], descriptor != 3 else { return nil }
        return "receive from \(peer)\(topic(descriptor))"
    }

    private func isSocket(_ descriptor: Int32) -> Bool { process.link(descriptor).hasPrefix("socket:") }
}
