// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Interfaces

/// The words for a battery: its charge and state as an English sentence.
public enum BatteryWords {
    /// Returns charge (or voltage), charger, time left and stops so far, as far as the board reports them, in one line of
    /// English with a full stop, for the console and findings; it contains no foreign text.
    public static func sentence(_ battery: Technician1.Battery) -> String {
        var parts: [String] = []
        if let percent = battery.percent {
            parts.append("\(percent) % full")
        } else if let voltage = battery.voltage {
            parts.append("\(voltage) mV")
        }
        switch battery.powered {
        case true?: parts.append("at a charger")
        case false?: parts.append("no charger")
        case nil: parts.append("charger not known")
        }
        if let seconds = battery.secondsLeft { parts.append("about \(span(seconds)) left at what is drawn now") }
        if battery.powered != true, let stop = battery.stopPercent {
            parts.append("below \(stop) % the board switches itself off")
        }
        var text = parts.joined(separator: ", ") + "."
        if battery.stopCount > 0 {
            text +=
                " Because its battery was nearly empty it stopped \(battery.stopCount == 1 ? "before this start" : "\(battery.stopCount) times in a row")."
        }
        return text
    }

    private static func span(_ seconds: Int64) -> String {
        switch seconds {
        case ..<5_400: "\(seconds / 60) minutes"
        case ..<172_800: "\((seconds + 1_800) / 3_600) hours"
        default: "\(seconds / UTCDay.seconds) days"
        }
    }
}
