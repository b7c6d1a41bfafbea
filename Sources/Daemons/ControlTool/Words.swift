// SPDX-License-Identifier: Apache-2.0

import CivilTime
import CommandFiles

/// Numbers of the interfaces as people say them. Total: any number gives some text.
enum Words {
    /// The last second of the year 9999.
    private static let lastSecond: Int64 = 253_402_300_799

    /// "2026-11-21" for a UTC day since 1970.
    static func day(_ day: Int) -> String {
        guard day >= 0, Int64(day) <= lastSecond / 86_400 else { return "day \(day)" }
        return UTCDay.text(day: UInt32(day))
    }

    /// "2026-11-21 06:07 UTC" for Unix seconds.
    static func moment(_ seconds: Int64) -> String {
        guard (0...lastSecond).contains(seconds) else { return "\(seconds) s since 1970" }
        return UTCDay.text(time: UInt64(seconds))
    }

    /// "2 hours 5 minutes": the two largest parts.
    static func duration(_ seconds: Int64) -> String {
        guard seconds >= 0 else { return "\(seconds) seconds" }
        let parts = [
            (seconds / 86_400, "day"), (seconds % 86_400 / 3_600, "hour"), (seconds % 3_600 / 60, "minute"),
            (seconds % 60, "second"),
        ]
        guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return "0 seconds" }
        return parts[first..<min(first + 2, parts.count)].filter { $0.0 > 0 }.map { count($0.0, $0.1) }.joined(
            separator: " ")
    }

    /// "5 minutes ago", "in 3 hours", "now".
    static func age(of moment: Int64, at now: Int64) -> String {
        let (difference, overflow) = now.subtractingReportingOverflow(moment)
        guard !overflow, difference != .min else { return moment < now ? "long ago" : "not soon" }
        if abs(difference) < 1 { return "now" }
        return difference > 0 ? "\(duration(difference)) ago" : "in \(duration(-difference))"
    }

    /// "1 file", "2,000 files".
    static func count(_ number: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
        "\(Terminal.grouped(number)) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// "12.3 MB".
    static func bytes(_ number: UInt64) -> String {
        switch number {
        case ..<1_000: count(number, "byte")
        case ..<1_000_000: "\(Terminal.fixed(Double(number) / 1e3, 1)) kB"
        case ..<1_000_000_000: "\(Terminal.fixed(Double(number) / 1e6, 1)) MB"
        default: "\(Terminal.fixed(Double(number) / 1e9, 1)) GB"
        }
    }

    /// Seconds of a score as minutes: "12.5 min".
    static func minutes(_ seconds: Double) -> String { "\(Terminal.fixed(seconds / 60, 1)) min" }
}
