// SPDX-License-Identifier: Apache-2.0

/// The limits at which a battery is low, and at which the board stops because of it.
public struct BatteryRules: Sendable, Hashable {
    /// Name of the battery below /sys/class/power_supply; `nil` for the first battery of the board's own.
    public var supply: String?
    /// Percent below which the battery counts as low; 15 unless the board's file says 2 to 90.
    public var low = 15
    /// Percent below which the board saves and switches itself off: room enough to do so, and for a cell to stay sound. 5 unless the board's file
    /// says 1 to 50, less than ``low``.
    public var stop = 5
    /// Voltage below which it counts as low, in mV under load, for gauges that know no percentage; `nil` sets none.
    public var lowMillivolts: Int?
    /// Voltage below which the board stops, in mV under load, for gauges that know no percentage; less than ``lowMillivolts``. `nil` sets none.
    public var stopMillivolts: Int?
    /// Energy of the battery when new and full, in mWh; `nil` when the board's file does not say.
    public var milliwattHours: Int?

    /// The defaults, for a board whose file does not say.
    public init() {}

    /// Whether a person should charge it; `false` when neither percentage nor voltage is known.
    public func isLow(_ reading: BatteryReading) -> Bool { isBelow(reading, low, lowMillivolts) }

    /// Whether the board should stop, unless a charger is there; `false` when neither percentage nor voltage is known.
    public func isToStop(_ reading: BatteryReading) -> Bool { isBelow(reading, stop, stopMillivolts) }

    /// The gauge's percentage counts; the voltage only where there is none, for it sags with each burst of the radio.
    private func isBelow(_ reading: BatteryReading, _ percent: Int, _ millivolts: Int?) -> Bool {
        if let level = reading.percent { return level < percent }
        guard let voltage = reading.millivolts, let millivolts else { return false }
        return voltage < millivolts
    }
}
