// SPDX-License-Identifier: Apache-2.0

/// The limits at which a battery is low, and at which the board stops because of it.
public struct BatteryRules: Sendable, Hashable {
    /// Name of the battery below /sys/class/power_supply, 1 to 64 bytes in a file; `nil` for the first battery of the board's own.
    public var supply: String?
    /// Percent below which the battery counts as low; 15 unless the board's file says 2 to 90.
    public var low = 15
    /// Percent below which the board saves and switches itself off: room enough to do so, and for a cell to stay sound. 5 unless the board's file
    /// says 1 to 50, less than ``low``.
    public var stop = 5
    /// Voltage below which it counts as low, in mV under load, for gauges that know no percentage; 1,000 to 100,000 in a file. `nil` sets none.
    public var lowMillivolts: Int?
    /// Voltage below which the board stops, in mV under load, for gauges that know no percentage; in a file 1,000 to 100,000, and less than
    /// ``lowMillivolts`` if that is there. `nil` sets none.
    public var stopMillivolts: Int?
    /// Energy of the battery when new and full, in mWh, 10 to 10,000,000 in a file; `nil` when the board's file does not say.
    public var milliwattHours: Int?

    /// The defaults, for a board whose file does not say.
    public init() {}

    /// Whether a person should charge it: the percentage is below ``low``, or where there is none, the voltage below ``lowMillivolts``. False when
    /// neither is known or the limit is not set.
    public func isLow(_ reading: BatteryReading) -> Bool { isBelow(reading, low, lowMillivolts) }

    /// Whether it is so empty that the board should stop: the percentage is below ``stop``, or where there is none, the voltage below
    /// ``stopMillivolts``. False when neither is known or the limit is not set. Whether a charger is there is not looked at.
    public func isToStop(_ reading: BatteryReading) -> Bool { isBelow(reading, stop, stopMillivolts) }

    /// The gauge's percentage counts; the voltage only where there is none, for it sags with each burst of the radio.
    private func isBelow(_ reading: BatteryReading, _ percent: Int, _ millivolts: Int?) -> Bool {
        if let level = reading.percent { return level < percent }
        guard let voltage = reading.millivolts, let millivolts else { return false }
        return voltage < millivolts
    }
}
