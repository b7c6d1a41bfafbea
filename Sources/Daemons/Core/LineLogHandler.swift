// SPDX-License-Identifier: Apache-2.0

import BoardClock
import ForeignText
import Glibc
public import Logging
import TimeTrust

/// Writes log entries to standard error, one line each, for journald or a person.
///
/// The time is counted from when the board was switched on, because a beacon is often unsure of civil time, and journald
/// adds its own.
public struct LineLogHandler: LogHandler {
    /// The form of a line. Raw values are those of the command line.
    public enum Format: String, Sendable, CaseIterable {
        /// Words on a line, with seconds since the board was switched on: `12.345 warning the controller does not
        /// answer step=reset-controller`. Messages and values are written as they are: a line break in one makes
        /// two lines.
        case text
        /// One JSON object for each line: `{"boot":12.345,"level":"warning","message":"…","step":"reset-controller"}`,
        /// where `boot` is in seconds.
        case json
    }

    /// The values that every line carries, unless an entry has another value for the same key.
    public var metadata: Logger.Metadata = [:]
    /// The provider of metadata, which is never asked because the firmware passes no context along; `nil` by default.
    public var metadataProvider: Logger.MetadataProvider?
    /// The lowest level that is written; messages below it are dropped.
    public var logLevel: Logger.Level
    private let format: Format

    /// Creates a handler that writes messages of `level` and above, one line each, in `format`. Cannot fail.
    public init(format: Format, level: Logger.Level) {
        self.format = format
        logLevel = level
    }

    /// The value for `key` in ``metadata``; `nil` if there is none. To set `nil` removes it.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line with one system call. May block; a line that cannot be written is lost.
    public func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.map { ($0.key, "\($0.value)") }.sorted { $0.0 < $1.0 }
        let line = line(level: event.level, message: "\(event.message)", fields: fields)
        var bytes = Array(line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        // One write, so that lines of several processes do not mix. A log that cannot be written must not stop a beacon.
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    func line(level: Logger.Level, message: String, fields: [(String, String)]) -> String {
        let milliseconds = BoardClock.boot().nanoseconds / 1_000_000
        let fraction = String(milliseconds % 1_000 + 1_000).dropFirst()
        let moment = "\(milliseconds / 1_000).\(fraction)"
        switch format {
        case .text:
            // Nothing that somebody else wrote may look like a line of its own.
            let own = "\(moment) \(level) \(ForeignText.line(message, limit: Self.longest))"
            return own + fields.map { " \($0)=\(ForeignText.line($1, limit: Self.longest))" }.joined()
        case .json:
            let own = "{\"boot\":\(moment),\"level\":\"\(level)\",\"message\":\(Self.quoted(message))"
            return own + fields.map { ",\(Self.quoted($0)):\(Self.quoted($1))" }.joined() + "}"
        }
    }

    /// Scalars of a message or a value in a line of text; our own choice, above any that the program makes.
    private static let longest = 4_000

    /// As a JSON string (RFC 8259, section 7).
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
