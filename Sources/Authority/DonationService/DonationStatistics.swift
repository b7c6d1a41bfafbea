// SPDX-License-Identifier: Apache-2.0

package import CivilTime
import Donation
package import JSON

/// Donations as counts by day that single out nobody: risk levels, kinds of boards, numbers of encounters in coarse classes.
///
/// A count below ``smallestCell`` is not told, nor one that could be found by subtracting the others from the day's total. Only whole days
/// are told: of a day under way, two exports would tell what came in between. Counts are what boards sent; a risk level may be a
/// randomised answer.
package struct DonationStatistics: Sendable {
    /// The smallest count that is told (k = 5); no option lowers it.
    package static let smallestCell = 5

    /// What donations are counted by.
    package enum Dimension: String, Sendable, CaseIterable {
        case riskLevel, boardClass, encounters

        /// The classes, in the order in which they are told.
        package var classes: [String] {
            switch self {
            case .riskLevel: ["unknown", "none", "low", "high"]
            case .boardClass: ["unspecified", "wearable", "kiosk"]
            case .encounters: ["0", "1-4", "5-14", "15+"]
            }
        }
    }

    /// A count; `nil` if it is not told.
    package struct Cell: Sendable, Hashable {
        package let name: String
        package let count: Int?
    }

    /// The counts of a day.
    package struct Day: Sendable, Hashable {
        package let day: UTCDay
        /// All donations of the day; `nil` if it is not told.
        package let total: Int?
        package let cells: [Dimension: [Cell]]
    }

    /// The error logs of a day.
    package struct LogDay: Sendable, Hashable {
        package let day: UTCDay
        /// All logs of the day; `nil` if it is not told.
        package let total: Int?
        /// In how many logs each trouble was, in the order of the catalogue.
        package let cells: [Cell]
    }

    /// The digests of survey passwords that came on a day, and the passwords that surveys redeemed on it. The two are of different passwords.
    package struct SurveyDay: Sendable, Hashable {
        package let day: UTCDay
        /// The digests that were taken; `nil` if it is not told.
        package let taken: Int?
        /// The passwords that were redeemed; `nil` if it is not told.
        package let redeemed: Int?
    }

    /// The days that are over, in order.
    package let days: [Day]
    /// The days that are over and have error logs, in order.
    package let logs: [LogDay]
    /// The days that are over and have digests or redemptions, in order, as they were counted: for 90 days, and without what was counted in the minute before a power cut.
    package let surveys: [SurveyDay]

    /// Counts donations until `today`, which is left out.
    package init(_ store: DonationStore, today: UTCDay) throws(DonationServiceError) {
        var counts: [UTCDay: [Dimension: [Int]]] = [:]
        var totals: [UTCDay: Int] = [:]
        try store.forEachDonation { day, content in
            guard day < today, let donation = PPADataDevice(decoding: content) else { return }
            totals[day, default: 0] += 1
            for dimension in Dimension.allCases {
                counts[day, default: [:]][
                    dimension, default: Array(repeating: 0, count: dimension.classes.count)][
                        Self.index(of: donation, dimension)] += 1
            }
        }
        days = totals.sorted { $0.key < $1.key }.map { day, total in
            let isTold = total >= Self.smallestCell
            var cells: [Dimension: [Cell]] = [:]
            for dimension in Dimension.allCases {
                let exact = counts[day]?[dimension] ?? []
                let told = isTold ? Self.told(exact) : exact.map { _ in nil }
                cells[dimension] = zip(dimension.classes, told).map { Cell(name: $0, count: $1) }
            }
            return Day(day: day, total: isTold ? total : nil, cells: cells)
        }
        logs = try Self.logs(store, today: today)
        surveys = try Self.surveys(store, today: today)
    }

    private static func logs(_ store: DonationStore, today: UTCDay) throws(DonationServiceError) -> [LogDay] {
        var days: [UTCDay: (total: Int, counts: [DeviceTrouble: Int])] = [:]
        try store.forEachLog { day, troubles in
            guard day < today else { return }
            days[day, default: (0, [:])].total += 1
            for trouble in troubles { days[day]?.counts[trouble, default: 0] += 1 }
        }
        return days.sorted { $0.key < $1.key }.map { day, found in
            let isTold = found.total >= smallestCell
            let cells = DeviceTrouble.allCases.map { trouble in
                let count = found.counts[trouble] ?? 0
                // Those without it are a count as well: the total minus this one.
                return Cell(
                    name: trouble.rawValue, count: isTold ? told([count, found.total - count])[0] : nil)
            }
            return LogDay(day: day, total: isTold ? found.total : nil, cells: cells)
        }
    }

    private static func surveys(
        _ store: DonationStore, today: UTCDay
    ) throws(DonationServiceError) -> [SurveyDay] {
        var days: [UTCDay: (taken: Int, redeemed: Int)] = [:]
        for (day, event, count) in try store.events() where day < today {
            switch DonationEvent(rawValue: event) {
            case .surveyStored: days[day, default: (0, 0)].taken += Int(count)
            case .surveyRedeemed: days[day, default: (0, 0)].redeemed += Int(count)
            default: continue
            }
        }
        func told(_ count: Int) -> Int? { count >= smallestCell ? count : nil }
        return days.sorted { $0.key < $1.key }.map { day, found in
            SurveyDay(day: day, taken: told(found.taken), redeemed: told(found.redeemed))
        }
    }

    private static func index(of donation: PPADataDevice, _ dimension: Dimension) -> Int {
        switch dimension {
        case .riskLevel: Int(donation.exposureRiskMetadataSet.first?.riskLevel.rawValue ?? 0)
        case .boardClass: Int(donation.clientMetadata?.boardClass.rawValue ?? 0)
        case .encounters:
            switch donation.newExposureWindows.count {
            case 0: 0
            case 1...4: 1
            case 5...14: 2
            default: 3
            }
        }
    }

    /// The counts of one dimension, whose sum is told, with `nil` for those that are not.
    ///
    /// What is not told has the sum of the total minus the rest. So it consists of two counts or more, its sum is ``smallestCell`` or
    /// more, and they are not all as large as a small count can be, for then their sum would tell each. Until then the first count
    /// that is told joins it; not the smallest, for that would tell how small it is.
    static func told(_ counts: [Int]) -> [Int?] {
        var hidden = Set(counts.indices.filter { counts[$0] < smallestCell })
        while !hidden.isEmpty, hidden.count < counts.count {
            let sum = hidden.reduce(0) { $0 + counts[$1] }
            let areAllLargest = hidden.allSatisfy { counts[$0] == smallestCell - 1 }
            if hidden.count >= 2, sum >= smallestCell, !areAllLargest { break }
            guard let next = counts.indices.first(where: { !hidden.contains($0) }) else { break }
            hidden.insert(next)
        }
        return counts.indices.map { hidden.contains($0) ? nil : counts[$0] }
    }
}

// MARK: Forms

extension DonationStatistics {
    /// A line for each count: `day,dimension,class,count`; the count is empty if it is not told.
    package var csv: String {
        var lines = ["day,dimension,class,count"]
        for day in days {
            lines.append("\(day.day.date.isoText),total,all,\(day.total.map(String.init) ?? "")")
            for dimension in Dimension.allCases {
                for cell in day.cells[dimension] ?? [] {
                    lines.append(
                        "\(day.day.date.isoText),\(dimension.rawValue),\(cell.name),\(cell.count.map(String.init) ?? "")")
                }
            }
        }
        for day in logs {
            lines.append("\(day.day.date.isoText),log,all,\(day.total.map(String.init) ?? "")")
            for cell in day.cells {
                lines.append("\(day.day.date.isoText),trouble,\(cell.name),\(cell.count.map(String.init) ?? "")")
            }
        }
        for day in surveys {
            for (name, count) in [("taken", day.taken), ("redeemed", day.redeemed)] {
                lines.append("\(day.day.date.isoText),survey,\(name),\(count.map(String.init) ?? "")")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The counts as JSON; `null` if a count is not told.
    package var json: JSON {
        func number(_ count: Int?) -> JSON { count.map { .int(Int64($0)) } ?? .null }
        let list = days.map { day -> JSON in
            var members: JSON.Object = ["day": .string(day.day.date.isoText), "total": number(day.total)]
            for dimension in Dimension.allCases {
                var cells = JSON.Object()
                for cell in day.cells[dimension] ?? [] { cells[cell.name] = number(cell.count) }
                members[dimension.rawValue] = .object(cells)
            }
            return .object(members)
        }
        let logs = logs.map { day -> JSON in
            var cells = JSON.Object()
            for cell in day.cells { cells[cell.name] = number(cell.count) }
            return ["day": .string(day.day.date.isoText), "total": number(day.total), "trouble": .object(cells)]
        }
        let surveys = surveys.map { day -> JSON in
            ["day": .string(day.day.date.isoText), "taken": number(day.taken), "redeemed": number(day.redeemed)]
        }
        return [
            "smallestCell": .int(Int64(Self.smallestCell)), "days": .array(list), "logs": .array(logs),
            "surveys": .array(surveys),
        ]
    }

    /// The counts as bars for a terminal, at most `width` columns long.
    package func bars(width: Int = 40) -> String {
        var text = ""
        for day in days {
            text += "\(day.day.date.isoText)  \(day.total.map { "\($0) donations" } ?? "fewer than \(Self.smallestCell)")\n"
            guard let total = day.total else { continue }
            for dimension in Dimension.allCases {
                text += "  \(dimension.rawValue)\n" + Self.bars(day.cells[dimension] ?? [], of: total, width: width)
            }
        }
        for day in logs {
            text +=
                "\(day.day.date.isoText)  \(day.total.map { "\($0) error logs" } ?? "fewer than \(Self.smallestCell) error logs")\n"
            if let total = day.total { text += Self.bars(day.cells, of: total, width: width) }
        }
        for day in surveys {
            func told(_ count: Int?) -> String { count.map(String.init) ?? "fewer than \(Self.smallestCell)" }
            text +=
                "\(day.day.date.isoText)  passwords of surveys: \(told(day.taken)) taken, \(told(day.redeemed)) redeemed\n"
        }
        return text.isEmpty ? "no whole day with donations, error logs or passwords of surveys\n" : text
    }

    private static func bars(_ cells: [Cell], of total: Int, width: Int) -> String {
        var text = ""
        for cell in cells {
            let name = cell.name + String(repeating: " ", count: max(0, 17 - cell.name.utf8.count))
            guard let count = cell.count else {
                text += "    \(name) not told\n"
                continue
            }
            text += "    \(name) \(String(repeating: "█", count: count * width / max(1, total))) \(count)\n"
        }
        return text
    }
}
