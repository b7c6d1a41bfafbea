// SPDX-License-Identifier: Apache-2.0

import Glibc
import ProcessLink

/// Reads the lines that the supervisor keeps in memory (docs/supervisor.md): two files, the newer one growing. A bounded amount in one call,
/// and nothing is held open in between, so that files may be exchanged under it.
struct SupervisorLog {
    /// What is wanted.
    struct Filter: Equatable {
        var process: String?
        var level: KeptLine.Level?

        func takes(_ line: KeptLine) -> Bool {
            (process == nil || process == line.process) && (level.map { line.level >= $0 } ?? true)
        }
    }

    /// A part of what is there.
    struct Part {
        var lines: [KeptLine] = []
        /// The last line that was looked at, wanted or not.
        var last: Int64
        /// Whether there was nothing behind it.
        var isEnd = false
        /// Lines that are no longer kept.
        var droppedCount: Int64 = 0
    }

    static let files = ["log.before", "log"]
    /// Bytes of lines that are looked at in one call.
    static let scanByteCount = 262_144
    /// Lines, and bytes of their texts, of one part.
    static let mostLines = 128
    static let textByteCount = 32_768

    let folder: String

    /// The wanted lines behind `number`, oldest first; maybe none although there are more further on.
    func read(after number: Int64, _ filter: Filter) -> Part {
        var part = Part(last: number)
        var descriptors = open()
        defer { for descriptor in descriptors { close(descriptor) } }
        var isFirst = true
        while !descriptors.isEmpty {
            let descriptor = descriptors.removeFirst()
            defer { close(descriptor) }
            guard let begin = Self.first(in: descriptor) else { continue }
            if isFirst { part.droppedCount = begin - 1 }
            isFirst = false
            guard scan(descriptor, filter, &part) else { return part }
        }
        part.isEnd = true
        return part
    }

    /// Older first. Exchanged in between, the newer would be seen as the older one and what came since would be missed: then once more.
    private func open() -> [Int32] {
        for _ in 0..<3 {
            let newer = Self.open("\(folder)/\(Self.files[1])")
            let older = Self.open("\(folder)/\(Self.files[0])")
            let found = [older, newer].filter { $0 >= 0 }
            if found.count < 2 || !Self.isSame(older, newer) { return found }
            for descriptor in found { close(descriptor) }
        }
        return []
    }

    private static func open(_ path: String) -> Int32 { Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }

    private static func isSame(_ one: Int32, _ other: Int32) -> Bool {
        var (left, right) = (stat(), stat())
        return fstat(one, &left) == 0 && fstat(other, &right) == 0 && left.st_ino == right.st_ino
    }

    /// False when the part is full.
    private func scan(_ descriptor: Int32, _ filter: Filter, _ part: inout Part) -> Bool {
        var offset = Self.offset(behind: part.last, in: descriptor)
        let process = filter.process.map { Array($0.utf8) }
        var (looked, text) = (0, 0)
        while true {
            let block = Self.read(descriptor, at: offset, count: 65_536)
            var (end, isFull) = (0, false)
            block.withUnsafeBytes { bytes in
                while let stop = Self.find(10, in: bytes, from: end) {
                    let line = UnsafeRawBufferPointer(rebasing: bytes[end..<stop])
                    defer { if !isFull { end = stop + 1 } }
                    // Most lines are not wanted: only what is gets more than a glance.
                    guard let number = Self.number(line), number > part.last else { continue }
                    if Self.mayBeWanted(line, process, filter.level), let whole = KeptLine(parsing: line),
                        filter.takes(whole)
                    {
                        let size = whole.text.utf8.count + 100
                        guard part.lines.count < Self.mostLines, text + size <= Self.textByteCount else {
                            return isFull = true
                        }
                        text += size
                        part.lines.append(whole)
                    }
                    part.last = number
                }
            }
            if isFull { return false }
            if end == 0 { return true }
            offset += end
            looked += end
            if looked >= Self.scanByteCount { return false }
        }
    }

    private static func find(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, Int32(byte), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    private static func number(_ line: UnsafeRawBufferPointer) -> Int64? {
        guard let end = find(32, in: line, from: 0), (1...18).contains(end) else { return nil }
        var number: Int64 = 0
        for byte in line[..<end] {
            guard (48...57).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - 48)
        }
        return number
    }

    /// False only for lines that the filter refuses: whether it is a line at all is looked at by ``KeptLine``.
    private static func mayBeWanted(_ line: UnsafeRawBufferPointer, _ process: [UInt8]?, _ level: KeptLine.Level?) -> Bool {
        guard process != nil || level != nil else { return true }
        guard let first = find(32, in: line, from: 0), let second = find(32, in: line, from: first + 1),
            let third = find(32, in: line, from: second + 1), third + 1 < line.count
        else { return false }
        if let process, !line[(second + 1)..<third].elementsEqual(process) { return false }
        // Each level begins with a letter of its own.
        guard let level else { return true }
        return KeptLine.Level.allCases.contains { $0 >= level && $0.rawValue.utf8.first == line[third + 1] }
    }

    /// The number of the first line; `nil` while there is none.
    private static func first(in descriptor: Int32) -> Int64? {
        let block = read(descriptor, at: 0, count: 32)
        return KeptLine.number(block.prefix { $0 != 32 })
    }

    /// Where a line begins behind which all wanted ones are: found by halves, as the numbers rise.
    private static func offset(behind number: Int64, in descriptor: Int32) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return 0 }
        var (low, high) = (0, Int(clamping: status.st_size))
        while high - low > 2 * KeptLine.maximumByteCount {
            let middle = (low + high) / 2
            let block = read(descriptor, at: middle, count: KeptLine.maximumByteCount + 32)
            guard let end = block.firstIndex(of: 10), let found = KeptLine.number(block[(end + 1)...].prefix { $0 != 32 })
            else { return low }
            if found <= number { low = middle + end + 1 } else { high = middle }
        }
        return low
    }

    private static func read(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, taken in
            taken = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
    }
}
