// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Logging

/// Writes log entries to standard error, one line each; the supervisor adds the plugin's name and the time.
///
/// `warning the server does not answer host=(private) attempt=3`. Line breaks and all else that could make one line
/// look like two, or like another process's, are escaped; lines are cut before the supervisor would cut them. The
/// supervisor drops lines beyond 100 at once and 10 a second in the long run, and says how many.
public struct PluginLogHandler: LogHandler {
    /// The most bytes of a line, without its end: 960, because the supervisor drops what is beyond 1000. A longer line is
    /// cut, and ends with ` …`.
    public static let longestLine = 960

    /// The values that every entry carries; values of the entry itself take precedence over them.
    public var metadata: Logger.Metadata = [:]
    /// The source of further values for every entry; `nil` for none. Where names are equal, the entry's own value counts
    /// first, then the provider's, then that of ``metadata``.
    public var metadataProvider: Logger.MetadataProvider?
    /// The lowest level that is written; entries below it are dropped.
    public var logLevel: Logger.Level
    private let write: @Sendable (String) -> Void

    /// Creates a handler that writes entries of `level` and above.
    ///
    /// - Parameter write: Writes a line, given without its end; the default writes to standard error. It is called on the
    ///   thread that logs, so it must be safe on any thread.
    public init(
        level: Logger.Level = .info, write: @escaping @Sendable (String) -> Void = PluginLogHandler.writeToStandardError
    ) {
        logLevel = level
        self.write = write
    }

    /// The value named `key` that every entry carries; to set `nil` removes it.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an entry as one line: its level, its message, then its values in the order of their names. May block; a line
    /// that cannot be written is lost.
    public func log(event: LogEvent) {
        var fields = metadata
        if let provided = metadataProvider?.get() { fields.merge(provided) { $1 } }
        if let own = event.metadata { fields.merge(own) { $1 } }
        var line = "\(event.level) \(Self.escaped("\(event.message)"))"
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let text = Self.escaped("\(value)")
            let isPlain = !text.isEmpty && !text.utf8.contains { $0 == 0x20 || $0 == 0x22 || $0 == 0x3D }
            let quoted = text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
            line += " \(Self.escaped(name))=\(isPlain ? text : "\"\(quoted)\"")"
        }
        write(Self.cut(line))
    }

    /// Writes one line to standard error with one system call, so that lines do not mix; may be called on any thread. What
    /// cannot be written is lost: a log must not stop a plugin.
    public static func writeToStandardError(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch (scalar, scalar.properties.generalCategory) {
            case ("\n", _): result += "\\n"
            case ("\t", _): result += "\\t"
            case ("\r", _): result += "\\r"
            case (_, .control), (_, .format), (_, .lineSeparator), (_, .paragraphSeparator):
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func cut(_ line: String) -> String {
        guard line.utf8.count > longestLine else { return line }
        var result = ""
        var count = 0
        for scalar in line.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= longestLine - 4 else { break }
            result.unicodeScalars.append(scalar)
        }
        return result + " …"
    }
}
