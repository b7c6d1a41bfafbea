// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// A line of the board's log, which the supervisor keeps in memory and the core reads (docs/supervisor.md): `NUMBER
/// MILLISECONDS PROCESS LEVEL TEXT`.
public struct KeptLine: Sendable, Hashable {
    /// The severity of a line, mildest first.
    public enum Level: String, Sendable, CaseIterable, Comparable {
        /// The levels of swift-log. `debug` (which includes `trace`), `info` and `notice` describe normal events;
        /// `warning`: something is not as it should be; `error`: something failed; `critical`: the device may be unable to
        /// do its work.
        case debug, info, notice, warning, error, critical

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
        /// Returns whether `left` is the milder level.
        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
    }

    /// The largest size of a text in bytes; a longer one is cut. Our own bound.
    public static let longestText = 1000
    /// The largest size of a line in bytes, including its end: 100 bytes are for the numbers, the process and the level.
    public static let maximumByteCount = longestText + 100

    /// The number of the line in the board's log, counted from 1.
    public let number: Int64
    /// The time when the line was written, in Unix milliseconds by the board's clock, which may be wrong.
    public let time: Int64
    /// The name of the process that wrote the line, without spaces; ``init(number:time:process:level:text:)`` does not
    /// check that.
    public let process: String
    /// The severity of the line.
    public let level: Level
    /// The message, without characters that could end a line or move a cursor; at most ``longestText`` bytes.
    public let text: String

    /// Creates a line. Characters of `text` that are not safe to show (`ForeignText`) become question marks, and the text
    /// is cut to ``longestText`` bytes. `number` counts lines since the start of the board, `time` is in Unix milliseconds.
    /// Cannot fail.
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

    /// Reads a line in the form of ``bytes``, without its line feed. Returns `nil` if it has another form. A text that is
    /// too long or not safe to show is changed as in the other initialiser.
    public init?(parsing line: some Collection<UInt8>) {
        let parts = line.split(separator: 0x20, maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, let number = Self.number(parts[0]), let time = Self.number(parts[1]), !parts[2].isEmpty,
            let level = Level(rawValue: String(decoding: parts[3], as: UTF8.self))
        else { return nil }
        self.init(
            number: number, time: time, process: String(decoding: parts[2], as: UTF8.self), level: level,
            text: String(decoding: parts[4], as: UTF8.self))
    }

    /// Reads the number at the beginning of a line: 1 to 18 decimal digits. Returns `nil` for anything else.
    public static func number(_ digits: some Collection<UInt8>) -> Int64? {
        var result: Int64 = 0
        guard (1...18).contains(digits.count) else { return nil }
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            result = result * 10 + Int64(digit - 48)
        }
        return result
    }

    /// The line as in the file, with its line feed.
    public var bytes: [UInt8] { Array("\(number) \(time) \(process) \(level.rawValue) \(text)\n".utf8) }

    /// Returns level and text of a line that a process wrote: `12.345 warning …` (core, egress), `warning …` (plugins), or
    /// `{"boot":12.345,"level":"warning",…}`, whose text is the complete line. `trace` counts as `debug`. Any other line
    /// has the level `info` and is returned complete. The text may be empty.
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
