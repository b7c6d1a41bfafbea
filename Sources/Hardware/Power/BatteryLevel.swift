// SPDX-License-Identifier: Apache-2.0

/// The charge of a battery, read from the kernel's folder below /sys/class/power_supply
/// (Documentation/ABI/testing/sysfs-class-power). Drivers are many and some are wrong: impossible values are not believed.
public struct BatteryLevel: Sendable, Hashable {
    /// The level of the battery in percent, 0 to 100.
    public let percent: Int
    /// Whether a charger is there: true when the driver says that the battery is charging, full or not charging, false when it is discharging;
    /// `nil` when it says something else or nothing.
    public let isPowered: Bool?

    /// A level that is known; numbers outside of 0 to 100 become its ends. `isPowered` is `nil` when nothing tells.
    public init(percent: Int, isPowered: Bool?) {
        self.percent = min(max(percent, 0), 100)
        self.isPowered = isPowered
    }

    /// Reasons why there is no level. Raw values are stable.
    public enum Fault: String, Error, Sendable, CaseIterable {
        /// There is no such supply, or it says that no battery is in.
        case absent
        /// The supply is something else than a battery.
        case noBattery
        /// Its reading makes no sense, or tells no level.
        case unbelievable
    }

    /// Reads the level from a supply's folder: `capacity` if that is there, or else what is left of the full charge or energy, rounded down.
    ///
    /// - Parameter read: The text of a file of the supply's folder, without the line's end; `nil` when there is none.
    /// - Throws: `absent`, `noBattery`, or `unbelievable` when no level can be told.
    public init(_ read: (String) -> String?) throws(Fault) {
        guard let type = read("type") else { throw .absent }
        guard type == "Battery" else { throw .noBattery }
        if read("present") == "0" { throw .absent }
        isPowered =
            switch read("status") {
            case "Charging", "Full", "Not charging": true
            case "Discharging": false
            default: nil
            }
        if let text = read("capacity") {
            guard let value = Self.number(text), (0...100).contains(value) else { throw .unbelievable }
            percent = Int(value)
            return
        }
        for kind in ["charge", "energy"] {
            guard let now = read("\(kind)_now").flatMap(Self.number),
                let full = (read("\(kind)_full") ?? read("\(kind)_full_design")).flatMap(Self.number)
            else { continue }
            // A gauge that was just started may be a little above; twice as full as full is a wrong number.
            guard full > 0, now <= 2 * full else { throw .unbelievable }
            percent = Int(min(100, now * 100 / full))
            return
        }
        throw .unbelievable
    }

    /// Decimal digits, at most 12: micro-units of anything that a board carries.
    private static func number(_ text: String) -> Int64? {
        guard (1...12).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text)
    }
}
