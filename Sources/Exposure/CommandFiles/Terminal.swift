// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The output for a person at a terminal: progress, numbers, bars and messages.
public enum Terminal {
    /// Whether long work shows its progress: standard error is a terminal, and `TERM` is not `dumb`.
    public static var showsProgress: Bool { isatty(2) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb" }

    /// Writes text to standard error as it is, with a single call that may block. What the system does not accept is
    /// lost, for example when the stream is closed.
    public static func error(_ text: String) {
        Array(text.utf8).withUnsafeBytes { bytes in
            // Progress and messages: nothing can be done about a closed stream, and nothing depends on it.
            _ = write(2, bytes.baseAddress, bytes.count)
        }
    }

    /// Returns a bar of one of eight heights for each value. Values are limited to 0 to 1 and must not be NaN, which
    /// stops the program.
    public static func bars(_ values: [Double]) -> String {
        let steps = Array("▁▂▃▄▅▆▇█")
        return String(values.map { steps[Int(min(max($0, 0), 1) * Double(steps.count - 1) + 0.5)] })
    }

    /// Returns a decimal number with commas between the thousands, such as `-1,234`. Cannot fail.
    public static func grouped(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3), digits[index - 1] != "-" { text += "," }
            text.append(digit)
        }
        return text
    }

    /// Returns a rounded decimal number with `places` digits after the point, 0 to 300; "-" if it is not finite. If
    /// it would have more than 15 digits, it is written as Swift does. Cannot fail.
    public static func fixed(_ value: Double, _ places: Int) -> String {
        guard value.isFinite else { return "-" }
        let scale = pow(10, Double(places))
        let scaled = (abs(value) * scale).rounded()
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard scaled < 1e15 else { return "\(value)" }
        let digits = String(Int(scaled))
        guard places > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return "\(sign)\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}

/// A progress bar on standard error during long work, which is erased at the end.
public struct ProgressBar: ~Copyable {
    private let title: String
    private var lastPercent = -1
    private let isShown = Terminal.showsProgress

    /// Creates a bar with the title `title`; nothing is shown before the first update, or when
    /// ``Terminal/showsProgress`` is `false`.
    public init(_ title: String) { self.title = title }

    /// Shows that `done` of `total` is finished; more than `total` counts as `total`. Draws only when the percentage
    /// has changed, and nothing when `total` is 0.
    public mutating func update(_ done: UInt64, of total: UInt64) {
        guard isShown, total > 0 else { return }
        let percent = Int(min(100, done * 100 / total))
        guard percent != lastPercent else { return }
        lastPercent = percent
        let filled = percent * 30 / 100
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
        Terminal.error("\r\u{1B}[K\(title) \(bar) \(percent) %")
    }

    deinit { if isShown, lastPercent >= 0 { Terminal.error("\r\u{1B}[K") } }
}
