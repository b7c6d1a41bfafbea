// SPDX-License-Identifier: Apache-2.0

/// When a battery is low, and when the board stops because of it.
public struct BatteryRules: Sendable, Hashable {
    /// Its name below /sys/class/power_supply; `nil` for the first battery of the board's own.
    public var supply: String?
    /// Percent below which it is said. 15 if the board's file does not say.
    public var low = 15
    /// Percent below which the board saves and switches itself off: room enough to do so, and for a cell to stay sound. 5 if the file does not say.
    public var stop = 5
    /// The same by voltage, for gauges that know nothing else: the voltage while it is drawn from.
    public var lowMillivolts: Int?
    public var stopMillivolts: Int?
    /// What it holds when new and full.
    public var milliwattHours: Int?

    public init() {}

    /// Whether a person should charge it.
    public func isLow(_ reading: BatteryReading) -> Bool { isBelow(reading, low, lowMillivolts) }

    /// Whether the board should stop, unless a charger is there.
    public func isToStop(_ reading: BatteryReading) -> Bool { isBelow(reading, stop, stopMillivolts) }

    /// The gauge's percentage counts; the voltage only where there is none, for it sags with each burst of the radio.
    private func isBelow(_ reading: BatteryReading, _ percent: Int, _ millivolts: Int?) -> Bool {
        if let level = reading.percent { return level < percent }
        guard let voltage = reading.millivolts, let millivolts else { return false }
        return voltage < millivolts
    }
}
