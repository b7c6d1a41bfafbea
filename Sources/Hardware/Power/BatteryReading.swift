// SPDX-License-Identifier: Apache-2.0

/// All that a battery's gauge says at one moment, out of the same folder as ``BatteryLevel``: how full, at what voltage, and what is drawn. Each
/// part may be missing; what makes no sense counts as missing, except that nothing at all is a fault.
public struct BatteryReading: Sendable, Hashable {
    /// Percent of a full battery, 0 to 100; `nil` where the gauge knows the voltage alone.
    public var percent: Int?
    /// Voltage now, in mV, 1,000 to 100,000, rounded down; `nil` when the gauge does not say, or says something else.
    public var millivolts: Int?
    /// Whether a charger is there, as ``BatteryLevel/isPowered``; `nil` when the driver does not say.
    public var isPowered: Bool?
    /// Power that flows out of it, or into it at a charger, in mW, rounded down and without sign; `nil` when the gauge does not say, or says 0.
    public var milliwatts: Int?
    /// Seconds until it is empty at what is drawn now, 1 to 31,536,000 (a year); `nil` unless the driver says that it is discharging, and where the
    /// gauge does not say enough.
    public var secondsLeft: Int?

    /// A reading with these parts, unchecked; for tests. `nil` for what the gauge does not say.
    public init(
        percent: Int?, millivolts: Int? = nil, isPowered: Bool?, milliwatts: Int? = nil, secondsLeft: Int? = nil
    ) {
        self.percent = percent
        self.millivolts = millivolts
        self.isPowered = isPowered
        self.milliwatts = milliwatts
        self.secondsLeft = secondsLeft
    }

    /// Reads all that the supply's folder tells.
    ///
    /// - Parameter read: The text of a file of the supply's folder, without the line's end; `nil` when there is none.
    /// - Throws: `absent`, `noBattery`, or `unbelievable` when neither a level nor a voltage can be told.
    public init(_ read: (String) -> String?) throws(BatteryLevel.Fault) {
        millivolts = Self.number(read("voltage_now")).flatMap {
            // A volt to a hundred: what boards are fed from.
            (1_000_000...100_000_000).contains($0) ? Int($0 / 1_000) : nil
        }
        do throws(BatteryLevel.Fault) {
            let level = try BatteryLevel(read)
            percent = level.percent
            isPowered = level.isPowered
        } catch .unbelievable where millivolts != nil {
            percent = nil
            isPowered =
                switch read("status") {
                case "Charging", "Full", "Not charging": true
                case "Discharging": false
                default: nil
                }
        }
        let power =
            Self.number(read("power_now"))
            ?? Self.number(read("current_now")).flatMap { current in
                millivolts.map { current * Int64($0) / 1_000 }
            }
        milliwatts = power.flatMap { $0 > 0 ? Int($0 / 1_000) : nil }
        guard isPowered == false else { return }
        let seconds =
            Self.number(read("time_to_empty_now"))
            ?? Self.span(read("energy_now"), read("power_now")) ?? Self.span(read("charge_now"), read("current_now"))
        // A gauge that has just been started knows no better than "for ever"; a year is no battery of ours.
        secondsLeft = seconds.flatMap { (1...31_536_000).contains($0) ? Int($0) : nil }
    }

    private static func span(_ store: String?, _ flow: String?) -> Int64? {
        guard let store = number(store), let flow = number(flow), flow > 0 else { return nil }
        return store * 3_600 / flow
    }

    /// Decimal digits, at most 12, and perhaps a sign: some drivers count what flows out as negative.
    private static func number(_ text: String?) -> Int64? {
        guard var text = text?[...] else { return nil }
        if text.utf8.first == UInt8(ascii: "-") { text = text.dropFirst() }
        guard (1...12).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text)
    }
}
