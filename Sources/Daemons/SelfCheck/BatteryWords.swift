// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// A battery in an English sentence.
public enum BatteryWords {
    public static func sentence(_ battery: Keeper1.Battery) -> String {
        var parts: [String] = []
        if let percent = battery.percent {
            parts.append("\(percent) % full")
        } else if let voltage = battery.voltage {
            parts.append("\(voltage) mV")
        }
        switch battery.powered {
        case true?: parts.append("at a charger")
        case false?: parts.append("no charger")
        case nil: parts.append("nobody says whether there is a charger")
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
        default: "\(seconds / 86_400) days"
        }
    }
}

/// A day of Unix seconds, UTC, as 2026-11-22.
struct CalendarDate: CustomStringConvertible {
    let description: String

    init(_ seconds: Int64) {
        // Days since 0000-03-01 of the Gregorian calendar.
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400 + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let ofEra = days - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * ofYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        description = "\(year)-\(two(month))-\(two(ofYear - (153 * part + 2) / 5 + 1))"
    }
}
