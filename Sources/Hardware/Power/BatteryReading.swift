// SPDX-License-Identifier: Apache-2.0

/// All values of a battery's gauge at one moment, from the same folder as ``BatteryLevel``: charge, voltage and power. Any
/// value may be missing, and an impossible one counts as missing. A gauge that gives neither charge nor voltage is a fault.
public struct BatteryReading: Sendable, Hashable {
    /// The charge in percent, 0 to 100; `nil` if the gauge gives the voltage only.
    public var percent: Int?
    /// The present voltage in mV, 1,000 to 100,000, rounded down; `nil` if the gauge gives none or one outside this range.
    public var millivolts: Int?
    /// Whether a charger is connected, as in ``BatteryLevel/isPowered``; `nil` if the driver does not say.
    public var isPowered: Bool?
    /// The power that flows out of the battery or, with a charger, into it, in mW, rounded down and without sign; 0
    /// below 1 mW. Calculated from voltage and current if the gauge gives no power. `nil` if the gauge gives none
    /// or 0.
    public var milliwatts: Int?
    /// The seconds until the battery is empty at the present power, 1 to 31,536,000 (a year); `nil` unless the driver
    /// reports the battery as discharging and the gauge gives enough values.
    public var secondsLeft: Int?

    /// Creates a reading from these values, unchecked; for tests. `nil` stands for a missing value.
    public init(
        percent: Int?, millivolts: Int? = nil, isPowered: Bool?, milliwatts: Int? = nil, secondsLeft: Int? = nil
    ) {
        self.percent = percent
        self.millivolts = millivolts
        self.isPowered = isPowered
        self.milliwatts = milliwatts
        self.secondsLeft = secondsLeft
    }

    /// Reads all values from a supply's folder.
    ///
    /// - Parameter read: Returns the text of a file in the supply's folder, without the line end; `nil` if there is no such
    ///   file.
    /// - Throws: `absent` if there is no supply or no battery in it, `noBattery` if its type is not `Battery`,
    ///   `unbelievable` if the values give neither a level nor a voltage.
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
