// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// One line of the board's log as the supervisor keeps it in memory and the core reads it (docs/supervisor.md):
/// `NUMBER MILLISECONDS PROCESS LEVEL TEXT`.
public struct KeptLine: Sendable, Hashable {
    /// The severity of a line, from the mildest to the worst.
    public enum Level: String, Sendable, CaseIterable, Comparable {
        /// The levels of swift-log: `debug` (and `trace`, which is kept as it), `info` and `notice` tell what goes on;
        /// `warning`: something is not as it should be; `error`: something failed; `critical`: the device may be unable to
        /// do its work.
        case debug, info, notice, warning, error, critical

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
        /// Orders levels: whether `left` is the milder one.
        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
    }

    /// The most bytes of a text; more is cut. Our own bound.
    public static let longestText = 1000
    /// The most bytes of a line with its end: two numbers, a process and a level before the text.
    public static let maximumByteCount = longestText + 100

    /// Number of the line in the board's log: from 1, rising by one.
    public let number: Int64
    /// The time when it was written, in Unix milliseconds by the board's clock, which may be wrong.
    public let time: Int64
    /// Name of the process that wrote it, without blanks; ``init(number:time:process:level:text:)`` does not check that.
    public let process: String
    /// The severity of the line, from `debug` to `critical`.
    public let level: Level
    /// The line itself, without anything that could end a line or move a cursor; at most ``longestText`` bytes.
    public let text: String

    /// Makes a line. What must not be shown of `text` (`ForeignText`) becomes question marks, and it is cut to
    /// ``longestText``. `number` counts lines since the start of the board, `time` is in Unix milliseconds. Cannot fail.
    public init(number: Int64, time: Int64, process: String, level: Level, text: String) {
        self.number = number
        self.time = time
        self.process = process
        self.level = level
        var count = 0
        var clean = ""
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= Self.longestText else { break }
            clean.unicodeScalars.append(ForeignText.isHarmless(scalar) ? scalar : "?")
        }
        self.text = clean
    }

    /// Reads a line without its end, as ``bytes`` writes it; `nil` when it is none. A text that is too long or not fit to be shown is changed as by
    /// the other initialiser.
    public init?(parsing line: some Collection<UInt8>) {
        let parts = line.split(separator: 0x20, maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, let number = Self.number(parts[0]), let time = Self.number(parts[1]), !parts[2].isEmpty,
            let level = Level(rawValue: String(decoding: parts[3], as: UTF8.self))
        else { return nil }
        self.init(
            number: number, time: time, process: String(decoding: parts[2], as: UTF8.self), level: level,
            text: String(decoding: parts[4], as: UTF8.self))
    }

    /// The number at the beginning of a line, 1 to 18 decimal digits; `nil` for anything else.
    public static func number(_ digits: some Collection<UInt8>) -> Int64? {
        var result: Int64 = 0
        guard (1...18).contains(digits.count) else { return nil }
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            result = result * 10 + Int64(digit - 48)
        }
        return result
    }

    /// The line as it lies in the file, with its line feed.
    public var bytes: [UInt8] { Array("\(number) \(time) \(process) \(level.rawValue) \(text)\n".utf8) }

    /// Level and text of what a process wrote, one line: `12.345 warning …` (the core, egress), `warning …` (plugins) or
    /// `{"boot":12.345,"level":"warning",…}`, which stays whole; `trace` is `debug`. Anything else is `info`, whole. The text may be empty.
    public static func reading(_ line: String) -> (level: Level, text: String) {
        if line.utf8.first == UInt8(ascii: "{") { return (levelOfJSON(line) ?? .info, line) }
        var rest = line[...]
        let first = rest.prefix { $0 != " " }
        if isMoment(first) { rest = rest.dropFirst(first.count).drop { $0 == " " } }
        let word = rest.prefix { $0 != " " }
        guard let level = level(word) else { return (.info, line) }
        return (level, String(rest.dropFirst(word.count).drop { $0 == " " }))
    }

    private static func level(_ word: Substring) -> Level? { word == "trace" ? .debug : Level(rawValue: String(word)) }

    private static func isMoment(_ word: Substring) -> Bool {
        let parts = word.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (48...57).contains($0) } }
    }

    /// The level of a line of JSON, by the form in which the house writes them: the field comes before all text.
    private static func levelOfJSON(_ line: String) -> Level? {
        let parts = line.utf8.split(separator: UInt8(ascii: "\""), maxSplits: 6, omittingEmptySubsequences: false)
        guard parts.count > 5, String(parts[1]) == "boot", String(parts[3]) == "level" else { return nil }
        return level(Substring(parts[5]))
    }
}
