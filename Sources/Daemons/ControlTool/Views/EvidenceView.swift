// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Interfaces

/// Proof that the device ran: hours drawn and counted, and gaps called gaps.
struct EvidenceView {
    private let hours: [Int64: Device1.EvidenceHour]
    /// The first hour shown, and the one under way, which is not recorded yet; hours since 1970.
    private let first: Int64
    private let present: Int64

    /// The last `days` UTC days up to `now`, Unix seconds; 1 to 15 days, as more is not kept.
    init(_ list: [Device1.EvidenceHour], days: Int, now: Int64) {
        let now = min(max(now, 0), 253_402_300_799)
        present = now / 3_600
        let today = now / 86_400
        first = max(0, today - Int64(min(max(days, 1), 15)) + 1) * 24
        let range = first...present
        hours = Dictionary(
            list.compactMap { hour in
                let number = hour.start / 3_600
                return range.contains(number) ? (number, hour) : nil
            }
        ) { _, later in later }
    }

    func text(_ screen: Screen, byHour: Bool) -> String {
        guard let oldest = hours.keys.min() else {
            return "No hour is recorded: this device did not run in these days, or not for a whole hour yet.\n"
        }
        return chart(oldest) + "\n" + (byHour ? hourTable(oldest) : dayTable()).text(screen) + gapText(oldest, screen)
    }

    /// A row per day, a character per hour: how much of it an identifier was on air.
    private func chart(_ oldest: Int64) -> String {
        var text = "Share of each hour on air (UTC). A dot is an hour in which the device was not running.\n"
        text += "            0     6     12    18\n"
        for day in first / 24...present / 24 {
            var row = ""
            for hour in day * 24..<day * 24 + 24 {
                if let record = hours[hour] {
                    row += Terminal.bars([Double(record.secondsOnAir) / 3_600])
                } else {
                    // What is before the first record is not known; what is not over is not recorded.
                    row += hour >= oldest && hour < present ? "·" : " "
                }
            }
            while row.last == " " { row.removeLast() }
            text += Words.day(Int(day)) + (row.isEmpty ? "" : "  " + row) + "\n"
        }
        return text
    }

    private static let headings = (
        "#On air", "#Scans", "#Quiet", "#Advertisements", "#Of EN", "#Stored", "#Identifiers", "#Troubles"
    )

    private func dayTable() -> TextTable {
        let names = Self.headings
        var table = TextTable("Day", "#Hours", names.0, names.1, names.2, names.3, names.4, names.5, names.6, names.7)
        for day in first / 24...present / 24 {
            let records = (day * 24..<day * 24 + 24).compactMap { hours[$0] }
            guard !records.isEmpty else {
                table.add([Words.day(Int(day)), "0", "not running"], .quiet)
                continue
            }
            table.add([Words.day(Int(day)), "\(records.count)"] + cells(records))
        }
        return table
    }

    private func hourTable(_ oldest: Int64) -> TextTable {
        let names = Self.headings
        var table = TextTable("Hour (UTC)", names.0, names.1, names.2, names.3, names.4, names.5, names.6, names.7)
        for hour in oldest..<max(present, oldest + 1) {
            let name = Words.moment(hour * 3_600).replacing(" UTC", with: "")
            if let record = hours[hour] {
                table.add([name] + cells([record]))
            } else {
                table.add([name, "not running"], .quiet)
            }
        }
        return table
    }

    private func cells(_ records: [Device1.EvidenceHour]) -> [String] {
        func sum(_ field: (Device1.EvidenceHour) -> UInt64) -> UInt64 {
            records.reduce(0) {
                let (sum, overflow) = $0.addingReportingOverflow(field($1)); return overflow ? .max : sum
            }
        }
        let onAir = sum(\.secondsOnAir)
        return [Words.duration(Int64(clamping: onAir))]
            + [
                sum(\.scanCount), sum(\.quietScanCount), sum(\.reportCount), sum(\.exposureNotificationCount),
                sum(\.storedSenderCount),
                sum(\.rotationCount), sum(\.troubleCount),
            ].map { Terminal.grouped($0) }
    }

    /// The gaps between the first record and now, in words.
    private func gapText(_ oldest: Int64, _ screen: Screen) -> String {
        var gaps: [(Int64, Int64)] = []
        for hour in oldest..<max(present, oldest) where hours[hour] == nil {
            if let last = gaps.last, last.1 == hour {
                gaps[gaps.count - 1].1 = hour + 1
            } else {
                gaps.append((hour, hour + 1))
            }
        }
        guard !gaps.isEmpty else { return "\nNo gap since \(Words.moment(oldest * 3_600)).\n" }
        var text = "\n"
        for gap in gaps {
            text += screen.paragraph(
                "Not running from \(Words.moment(gap.0 * 3_600)) to \(Words.moment(gap.1 * 3_600)): \(Words.duration((gap.1 - gap.0) * 3_600)).",
                .attention)
        }
        return text
    }
}
