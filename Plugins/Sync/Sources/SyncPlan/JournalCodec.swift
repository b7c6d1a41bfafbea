// SPDX-License-Identifier: Apache-2.0

import AppConfig
import JSON

/// The coding of journal entries as lines: eight hexadecimal digits of CRC-32, a space, a JSON array of entries, a line
/// feed.
///
/// Entries that are written together are one line, and take effect together or not at all: the files of a batch are
/// accepted together. A line that a power failure has cut has a wrong checksum; it and all that follows are not read.
public enum JournalCodec {
    /// The first line of a journal, with its line feed; our choice. Later versions recognise the format by it.
    public static let header = "vigil-sync-journal 1\n"
    /// The most bytes of a line that is read: 256 KiB, our choice, eight times the 30 KB that the 128 files of a batch
    /// need.
    public static let maximumLineBytes = 262_144

    /// Encodes entries as one line, which takes effect as a whole, with its checksum and line feed. The caller has to keep
    /// it within ``maximumLineBytes``, which is not checked: a longer line is not read.
    public static func line(_ entries: [JournalEntry]) -> [UInt8] {
        let json = JSON.array(entries.map { .object(JSON.Object($0)) }).bytes
        return Array(hexadecimal(crc32(json)).utf8) + [0x20] + json + [0x0A]
    }

    /// Reads a whole journal. Returns its state, the number of its sound bytes, including the header, and the
    /// number of lines in them, without the header. Reading stops at the first line that is damaged, has no line
    /// feed, or is longer than ``maximumLineBytes``; a file without the header has no sound byte. Cannot fail.
    public static func read(_ bytes: [UInt8]) -> (state: SyncState, soundByteCount: Int, lineCount: Int) {
        var state = SyncState()
        var sound = header.utf8.count
        var lines = 0
        guard bytes.starts(with: Array(header.utf8)) else { return (state, 0, 0) }
        while sound < bytes.count {
            let window = bytes[sound..<min(bytes.count, sound + maximumLineBytes)]
            guard let end = window.firstIndex(of: 0x0A), let entries = entries(window[..<end]) else { break }
            for entry in entries { state.apply(entry) }
            sound = end + 1
            lines += 1
        }
        return (state, sound, lines)
    }

    /// Encodes a whole journal, including the header, that leads to `state`, with one entry in each line. Cannot fail.
    public static func journal(_ state: SyncState) -> [UInt8] {
        Array(header.utf8) + state.entries.flatMap { line([$0]) }
    }

    static func entries(_ line: ArraySlice<UInt8>) -> [JournalEntry]? {
        guard line.count > 9, line[line.startIndex + 8] == 0x20 else { return nil }
        let content = line.dropFirst(9)
        guard String(decoding: line.prefix(8), as: UTF8.self) == hexadecimal(crc32(Array(content))),
            let values = (try? JSON(parsing: content))?.array
        else { return nil }
        let entries = values.compactMap(JournalEntry.init)
        return entries.count == values.count ? entries : nil
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// CRC-32 as in zip (polynomial 0xEDB88320).
    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes { sum = sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
        return ~sum
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
}

extension JSON.Object {
    fileprivate init(_ entry: JournalEntry) {
        self.init()
        switch entry {
        case .package(let source, let id, let record):
            self["source"] = .string(source)
            self["package"] = .string(id)
            self["state"] = .string(record.state.rawValue)
            self["end"] = .int(record.end)
            set("tag", record.tag)
            set("bytes", Int64(record.byteCount), unless: 0)
            set("count", Int64(record.count), unless: 0)
            set("rule", record.rule)
            set("retryAt", record.retryAt)
            set("file", record.file)
            if let part = record.part {
                self["batch"] = .string(part.identity)
                self["number"] = .int(Int64(part.number))
                self["size"] = .int(Int64(part.size))
            }
        case .forgotten(let source, let id):
            self["source"] = .string(source)
            self["forgotten"] = .string(id)
        case .source(let source, let facts, let schedule):
            self["source"] = .string(source)
            self["facts"] = .object(JSON.Object(facts))
            if let schedule { self["schedule"] = .object(JSON.Object(schedule)) }
        case .wished(let source):
            self["source"] = .string(source)
            self["wished"] = .bool(true)
        case .clockOffset(let offset): self["clockOffset"] = offset.map { .int($0) } ?? .null
        }
    }

    private init(_ facts: SourceFacts) {
        self.init()
        set("lastAttempt", facts.lastAttempt)
        set("lastSuccess", facts.lastSuccess)
        set("newestEnd", facts.newestEnd)
        set("knownUntil", facts.knownUntil)
        if !facts.knownDays.isEmpty { self["knownDays"] = .array(facts.knownDays.map { .int($0) }) }
        set("missing", Int64(facts.missingCount), unless: 0)
        set("problem", facts.problem)
        set("packages", Int64(facts.packageCount), unless: 0)
        set("bytes", Int64(facts.byteCount), unless: 0)
        set("configDigest", facts.configDigest)
        set("configNumber", facts.configMemory?.text)
        set("vigilConfigDigest", facts.vigilConfigDigest)
        for document in CarriedDocument.allCases { set(document.rawValue + "Digest", facts.carriedDigests[document]) }
        set("vigilConfigVersion", facts.vigilConfigVersion)
        set("wakeWindow", facts.wakeWindow)
        var faults = JSON.Object()
        for (name, count) in facts.faults.sorted(by: { $0.key < $1.key }) { faults[name] = .int(Int64(count)) }
        if !faults.isEmpty { self["faults"] = .object(faults) }
    }

    private init(_ schedule: StoredSchedule) {
        self.init()
        self["wall"] = .int(schedule.moment.wall)
        self["steady"] = .int(schedule.moment.steady)
        // 64 bits do not fit into every JSON number.
        self["boot"] = .string(String(schedule.moment.boot, radix: 16))
        self["due"] = .int(schedule.due)
        self["notBefore"] = .int(schedule.notBefore)
        set("lastBegin", schedule.lastBegin)
        set("failures", Int64(schedule.failures), unless: 0)
        if schedule.isRunning { self["running"] = .bool(true) }
    }

    private mutating func set(_ name: String, _ value: Int64?, unless absent: Int64? = nil) {
        if let value, value != absent { self[name] = .int(value) }
    }

    private mutating func set(_ name: String, _ value: String?) {
        if let value { self[name] = .string(value) }
    }
}

extension JournalEntry {
    fileprivate init?(_ json: JSON) {
        guard let object = json.object else { return nil }
        if let offset = object["clockOffset"] {
            self = .clockOffset(offset.int)
            return
        }
        guard let source = object["source"]?.string else { return nil }
        if let id = object["package"]?.string {
            guard let record = PackageRecord(object) else { return nil }
            self = .package(source: source, id: id, record)
        } else if let id = object["forgotten"]?.string {
            self = .forgotten(source: source, id: id)
        } else if object["wished"]?.bool == true {
            self = .wished(source: source)
        } else if let facts = object["facts"]?.object {
            let schedule = object["schedule"]?.object
            self = .source(source, SourceFacts(facts), schedule.flatMap(StoredSchedule.init))
        } else {
            return nil
        }
    }
}

extension PackageRecord {
    fileprivate init?(_ object: JSON.Object) {
        guard let state = object["state"]?.string.flatMap(State.init), let end = object["end"]?.int else { return nil }
        self.init(
            state: state, tag: object["tag"]?.string, end: end, byteCount: Int(object["bytes"]?.int ?? 0),
            count: Int(object["count"]?.int ?? 0), rule: object["rule"]?.string, retryAt: object["retryAt"]?.int,
            file: object["file"]?.string, part: BatchPart(object))
    }
}

extension BatchPart {
    fileprivate init?(_ object: JSON.Object) {
        guard let identity = object["batch"]?.string, let number = object["number"]?.int, let size = object["size"]?.int
        else {
            return nil
        }
        self.init(identity: identity, number: Int(number), size: Int(size))
    }
}

extension SourceFacts {
    fileprivate init(_ object: JSON.Object) {
        self.init()
        lastAttempt = object["lastAttempt"]?.int
        lastSuccess = object["lastSuccess"]?.int
        newestEnd = object["newestEnd"]?.int
        knownUntil = object["knownUntil"]?.int
        knownDays = object["knownDays"]?.array?.compactMap(\.int) ?? []
        missingCount = Int(object["missing"]?.int ?? 0)
        problem = object["problem"]?.string
        packageCount = Int(object["packages"]?.int ?? 0)
        byteCount = Int(object["bytes"]?.int ?? 0)
        configDigest = object["configDigest"]?.string
        configMemory = object["configNumber"]?.string.flatMap(ConfigurationMemory.init(text:))
        vigilConfigDigest = object["vigilConfigDigest"]?.string
        for document in CarriedDocument.allCases { carriedDigests[document] = object[document.rawValue + "Digest"]?.string }
        vigilConfigVersion = object["vigilConfigVersion"]?.int
        wakeWindow = object["wakeWindow"]?.int
        for member in object["faults"]?.object?.members ?? [] { faults[member.name] = member.value.int.map { Int($0) } }
    }
}

extension StoredSchedule {
    fileprivate init?(_ object: JSON.Object) {
        guard let wall = object["wall"]?.int, let steady = object["steady"]?.int,
            let boot = object["boot"]?.string.flatMap({ UInt64($0, radix: 16) }), let due = object["due"]?.int,
            let notBefore = object["notBefore"]?.int
        else { return nil }
        self.init(
            moment: SyncMoment(wall: wall, steady: steady, boot: boot), due: due, notBefore: notBefore,
            lastBegin: object["lastBegin"]?.int, failures: UInt8(clamping: object["failures"]?.int ?? 0),
            isRunning: object["running"]?.bool ?? false)
    }
}
