// SPDX-License-Identifier: Apache-2.0

/// A record of stops caused by an empty battery: the line `vigil-battery 1 COUNT PERCENT BOOT`, stored before each stop.
/// With it, a board that starts again can report what happened, and a board whose power cannot be switched off does not
/// stop over and over.
public struct LowBatteryRecord: Sendable, Equatable {
    /// The number of bytes that are read; the line is shorter, and anything beyond is ignored. Our own bound.
    public static let maximumByteCount = 96
    /// The name of the file in the data folder. Our own choice.
    public static let fileName = "battery-stops"

    /// The number of stops since the last recovery (``LowBatteryWatch/Verdict/recovered``), 0 to 1,000; 1,000 stands for
    /// more.
    public private(set) var count = 0
    /// The charge at the last stop in percent, 0 to 100; 0 if the gauge did not give it, or if there was no stop.
    public private(set) var percent = 0
    /// The boot of the last one.
    private var boot = ""

    /// Creates a record without stops, as on a new board.
    public init() {}

    /// Reads the stored line; anything else counts as a record without stops. Cannot fail.
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

    /// The line to store, in ASCII with a line feed at its end. For a record without stops it is a line that
    /// ``init(parsing:)`` reads as such.
    public var bytes: [UInt8] { Array("vigil-battery 1 \(count) \(percent) \(boot)\n".utf8) }

    /// Returns whether the last stop was in this boot, which means that the power was not switched off.
    public func isOf(boot: String) -> Bool { count > 0 && self.boot == boot }

    /// Counts another stop.
    ///
    /// - Parameters:
    ///   - percent: The present charge, limited to 0 to 100; `nil` if the gauge does not give it.
    ///   - boot: The identity of this boot, which differs for each: 1 to 36 letters, digits and dashes. Not checked; with
    ///     any other text the stored record is read as one without stops.
    public mutating func stop(percent: Int?, boot: String) {
        count = min(count + 1, 1_000)
        self.percent = min(max(percent ?? 0, 0), 100)
        self.boot = boot
    }
}
