// SPDX-License-Identifier: Apache-2.0

/// A board's record of stops because of its battery: a line of text `vigil-battery 1 COUNT PERCENT BOOT`, stored before each stop. With it a board
/// that starts again with an empty battery says what happened, and one whose power cannot be switched off does not stop again and again.
public struct LowBatteryRecord: Sendable, Equatable {
    /// Most bytes that are read; a line of ours is shorter, and what is beyond is ignored. Our own bound.
    public static let maximumByteCount = 96
    /// Name of the file in the data folder. Our own choice.
    public static let fileName = "battery-stops"

    /// Stops in a row without a recovery in between (``LowBatteryWatch/Verdict/recovered``), 0 to 1,000; 1,000 stands for more.
    public private(set) var count = 0
    /// The level at the last stop in percent, 0 to 100; 0 when the gauge did not say, or there was none.
    public private(set) var percent = 0
    /// The boot of the last one.
    private var boot = ""

    /// A record of no stop yet, as on a new board.
    public init() {}

    /// Reads the stored line; anything that is not ours counts as no stop. Cannot fail.
    public init(parsing bytes: [UInt8]) {
        let parts = String(decoding: bytes.prefix(Self.maximumByteCount), as: UTF8.self).split { $0 == " " || $0.isNewline }
        guard parts.count == 5, parts[0] == "vigil-battery", parts[1] == "1", let count = Int(parts[2]),
            (1...1_000).contains(count), let percent = Int(parts[3]), (0...100).contains(percent),
            (1...36).contains(parts[4].utf8.count)
        else { return }
        self.count = count
        self.percent = percent
        boot = String(parts[4])
    }

    /// The line to store, in ASCII with a line feed at its end. Of a record without stops it is one that ``init(parsing:)`` reads as no stop.
    public var bytes: [UInt8] { Array("vigil-battery 1 \(count) \(percent) \(boot)\n".utf8) }

    /// Whether the board was stopped in this very boot: its power was to be switched off, and was not.
    public func isOf(boot: String) -> Bool { count > 0 && self.boot == boot }

    /// Counts one more stop.
    ///
    /// - Parameters:
    ///   - percent: The level now, brought into 0 to 100; `nil` when the gauge does not say.
    ///   - boot: The identity of this boot, another one for each: 1 to 36 letters, digits and dashes. Unchecked; with another text the stored
    ///     record counts as no stop.
    public mutating func stop(percent: Int?, boot: String) {
        count = min(count + 1, 1_000)
        self.percent = min(max(percent ?? 0, 0), 100)
        self.boot = boot
    }
}
