// SPDX-License-Identifier: Apache-2.0

/// The limits at which a battery counts as low and at which the board stops.
public struct BatteryRules: Sendable, Hashable {
    /// The name of the battery below /sys/class/power_supply; in a file 1 to 64 visible ASCII characters without
    /// `/`, the first of which is not a dot. `nil` uses the first battery that powers the board.
    public var supply: String?
    /// The percentage below which the battery counts as low: 15 by default, our own choice; 2 to 90 in a board's
    /// file.
    public var low = 15
    /// The percentage below which the board saves its data and switches itself off, which leaves enough charge to
    /// do so and to protect the cell: 5 by default, our own choice; 1 to 50 and less than ``low`` in a board's
    /// file.
    public var stop = 5
    /// The voltage under load, in mV, below which a battery without a percentage counts as low; 1,000 to 100,000 in a file.
    /// `nil` sets no limit.
    public var lowMillivolts: Int?
    /// The voltage under load, in mV, below which the board stops if the gauge gives no percentage; in a file 1,000 to
    /// 100,000, and less than ``lowMillivolts`` if that is set. `nil` sets no limit.
    public var stopMillivolts: Int?
    /// The energy of the new and full battery in mWh, 10 to 10,000,000 in a file; `nil` if the board's file does not say.
    public var milliwattHours: Int?

    /// Creates the default rules, for a board whose file gives none.
    public init() {}

    /// Returns whether the battery should be charged: whether the percentage is below ``low`` or, if there is none, the
    /// voltage is below ``lowMillivolts``. Returns `false` if both are unknown, or if the limit for the voltage is not set.
    public func isLow(_ reading: BatteryReading) -> Bool { isBelow(reading, low, lowMillivolts) }

    /// Returns whether the board should stop: whether the percentage is below ``stop`` or, if there is none, the voltage is
    /// below ``stopMillivolts``. Returns `false` if both are unknown, or if the limit for the voltage is not set. Ignores
    /// whether a charger is connected.
    public func isToStop(_ reading: BatteryReading) -> Bool { isBelow(reading, stop, stopMillivolts) }

    /// The gauge's percentage counts; the voltage only where there is none, for it sags with each burst of the radio.
    private func isBelow(_ reading: BatteryReading, _ percent: Int, _ millivolts: Int?) -> Bool {
        if let level = reading.percent { return level < percent }
        guard let voltage = reading.millivolts, let millivolts else { return false }
        return voltage < millivolts
    }
}
