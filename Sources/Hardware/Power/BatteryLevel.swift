// SPDX-License-Identifier: Apache-2.0

/// The charge of a battery, read from the kernel's folder below /sys/class/power_supply
/// (Documentation/ABI/testing/sysfs-class-power). Some drivers give wrong values, so impossible ones are refused.
public struct BatteryLevel: Sendable, Hashable {
    /// The charge in percent, 0 to 100.
    public let percent: Int
    /// Whether a charger is connected: true if the driver reports the battery as charging, full or not charging, false if
    /// it reports it as discharging; `nil` if it reports anything else or nothing.
    public let isPowered: Bool?

    /// Creates a level. A `percent` outside 0 to 100 becomes the nearest end. `isPowered` is `nil` if it is not known.
    public init(percent: Int, isPowered: Bool?) {
        self.percent = min(max(percent, 0), 100)
        self.isPowered = isPowered
    }

    /// The reasons why there is no level. Raw values are stable.
    public enum Fault: String, Error, Sendable, CaseIterable {
        /// There is no such supply, or it reports that no battery is inserted.
        case absent
        /// The supply is not a battery.
        case noBattery
        /// The values of the supply are impossible, or give no level.
        case unbelievable
    }

    /// Reads the level from a supply's folder: from `capacity` if there is one, otherwise as the share of the full
    /// charge or energy, rounded down and at most 100. More than twice the full value is unbelievable.
    ///
    /// - Parameter read: Returns the text of a file in the supply's folder, without the line end; `nil` if there is
    ///   no such file.
    /// - Throws: `absent` if there is no supply or no battery in it, `noBattery` if its type is not `Battery`,
    ///   `unbelievable` if its values are impossible or give no level.
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
