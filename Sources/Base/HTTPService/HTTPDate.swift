// SPDX-License-Identifier: Apache-2.0

import TimeTrust

/// "Sat, 21 Nov 2026 06:07:08 GMT" (RFC 9110, 5.6.7).
package enum HTTPDate {
    /// `time` in Unix seconds.
    package static func text(_ time: Int64) -> String {
        let date = CalendarDay.text(day: UInt32(clamping: time / 86_400)).split(separator: "-")
        guard date.count == 3, let month = Int(date[1]), (1...12).contains(month) else { return "" }
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let rest = max(0, time) % 86_400
        let clock = [rest / 3_600, rest % 3_600 / 60, rest % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        let day = days[Int(max(0, time) / 86_400 % 7)]
        return "\(day), \(date[2]) \(months[month - 1]) \(date[0]) \(clock.joined(separator: ":")) GMT"
    }
}
