// SPDX-License-Identifier: Apache-2.0

import CommandFiles
public import Core
import FoundationEssentials
import GAEN
import Glibc

/// A text screen for demonstrations that shows what each board reports about itself, and what a separate receiver hears.
public struct WatchScreen {
    /// A board to be shown, with the folder of its status file.
    public struct Board: Sendable {
        /// The name of the board as it is shown; up to 8 characters fit its column.
        public let name: String
        /// The path of the folder in which the board's core keeps `state.json`.
        public let runFolder: String

        /// Creates a board. Nothing is checked: a board without a status file is shown without a report.
        public init(name: String, runFolder: String) {
            self.name = name
            self.runFolder = runFolder
        }

        /// The status in the board's `state.json`, read anew at each access; `nil` if the file is missing or cannot be
        /// read.
        public var status: CoreStatus? {
            guard let data = try? Data(contentsOf: URL(filePath: "\(runFolder)/state.json")) else { return nil }
            return try? JSONDecoder().decode(CoreStatus.self, from: data)
        }
    }

    private let boards: [Board]
    private let isTerminal: Bool
    private var drawnLines = 0
    /// Not heard for this long: no longer shown as present, in seconds.
    private static let gone = 2.0

    /// Creates a screen that shows these boards in this order. It decides now whether a person watches, which is so if
    /// standard output is a terminal that is not `dumb`.
    public init(_ boards: [Board]) {
        self.boards = boards
        isTerminal = isatty(1) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// The seconds between two drawings: 0.5 if a person watches, 5 if the lines go into a log.
    public var period: Double { isTerminal ? 0.5 : 5 }

    /// Writes the screen to standard output, over the last drawing if a person watches, otherwise below it. Of what
    /// was heard it shows the last 12 pairs of address and identifier; a pair not heard for 2 seconds is shown as
    /// gone. `seconds` is the present time on the clock that `sniffer` was given.
    public mutating func draw(_ sniffer: Sniffer, at seconds: Double) {
        let lines = lines(sniffer, at: seconds)
        let up = isTerminal && drawnLines > 0 ? "\u{1B}[\(drawnLines)A" : ""
        print(up + lines.map { $0 + (isTerminal ? "\u{1B}[K" : "") }.joined(separator: "\n"))
        // What was longer before.
        if isTerminal { print("\u{1B}[J", terminator: "") }
        fflush(nil)
        drawnLines = lines.count
    }

    private func lines(_ sniffer: Sniffer, at seconds: Double) -> [String] {
        var lines = ["  \(Terminal.fixed(seconds, 0).padded(4)) s   what each board says of itself (its state.json)"]
        lines += boards.map { "    \($0.name.padded(8)) \(Self.sentence($0.status))" }
        lines.append("           what a third receiver hears")
        for heard in sniffer.heard.suffix(12) {
            let identifier = heard.identifier.bytes.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let isHere = seconds - heard.last < Self.gone
            let level = heard.rssi.map { "\($0) dBm".padded(8) } ?? "no RSSI "
            let rate = heard.rate.map { "\(Terminal.fixed($0, 1)) a second" } ?? ""
            let state = isHere ? "\(level) \(Self.bar(heard.rssi))  \(rate)" : "gone for \(Int(seconds - heard.last)) s"
            lines.append("    \(heard.address)   identifier \(identifier)...   \(state)")
        }
        if sniffer.heard.isEmpty { lines.append("    nobody") }
        if sniffer.leaks > 0 { lines.append("    LEAK: an address or an identifier was kept over a change") }
        return lines
    }

    private static func sentence(_ status: CoreStatus?) -> String {
        guard let status else { return "says nothing" }
        let radio = status.radio
        let air = radio.onAir ? "on air" : "off air"
        let next = radio.secondsToRotation.map { ", new identifier in \($0 / 60) min \($0 % 60) s" } ?? ""
        let hears = "hears \(status.scanner.lastScanIdentifiers)"
        return "\(air)\(next); \(hears), kept \(status.scanner.storedIdentifiers) from \(status.scanner.scans) scans"
    }

    /// Loudness from -100 to -30 dBm, drawn.
    private static func bar(_ rssi: Int8?) -> String {
        guard let rssi else { return "" }
        let length = min(max((Int(rssi) + 100) / 5, 0), 14)
        return String(repeating: "#", count: length) + String(repeating: ".", count: 14 - length)
    }
}

extension String {
    /// At least `width` characters, filled with spaces.
    fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
