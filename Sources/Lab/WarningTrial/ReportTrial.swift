// SPDX-License-Identifier: Apache-2.0

import CivilTime
import DiagnosisPlan
import GAEN
import Interfaces
import KeyExport

/// Plays what authorities may publish about a key (report type, onset, level), with several mappings and models, on boards
/// that met its owner.
public struct ReportTrial {
    /// Readings of the specifications that this firmware has chosen where the table knows several, by their names in the table.
    private let readings: [String]

    /// The interpretations that this firmware has chosen where the specifications leave room, by their names in the table.
    /// What the first model cannot read is judged by the next one (docs/decisions/0027); the table itself expects *unknown*
    /// there.
    public static let ourReadings = ["restJudgedByLaterModel"]
    private let table: WarningTable
    private let authority: ForeignAuthority
    private let own: [UInt8]
    /// 2026-11-14, 10:00 UTC; everybody was met the day before.
    private static let now: Int64 = 20_771 * UTCDay.seconds + 36_000

    /// Creates a trial of `table`, which is not run yet. `folder` is for the state of an authority whose default rules are
    /// used; `readings` names the interpretations in the table that apply. Throws when the authority cannot be created.
    public init(_ table: WarningTable, folder: String, readings: [String] = []) throws {
        self.table = table
        self.readings = readings
        authority = try ForeignAuthority()
        let lender = try PublishingAuthority(below: folder)
        try lender.publish(at: Self.now)
        own = try lender.rules().document
    }

    /// Plays one row in `share` (1 or more), and all rows with several keys, on the calling thread, and returns the report.
    /// A row is played if its number, from 0, plus `first` (0 or more) is divisible by `share`. `progress` is called with
    /// the number of finished rows and of all rows. Throws an error of the authority or of a board.
    public func run(
        share: Int = 1, first: Int = 0, progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> WarningTrial.Report {
        var report = WarningTrial.Report()
        let contacts = ["long60", "mid10", "edge20", "short5"]
        let rows = table.reports.enumerated().filter { ($0.offset + first) % share == 0 }.map(\.element)
        for (number, row) in rows.enumerated() {
            for (place, contact) in contacts.enumerated() {
                var expected: [Question: Set<WarningTable.Told>] = [:]
                for (mapping, words) in [("A", row.codes), ("B", row.days)] {
                    for (models, word) in words {
                        let alternatives = readings.compactMap { row.alt?[$0]?[mapping]?[models] }
                        // A reading that was chosen replaces the table's first.
                        expected[Question(mapping: mapping, models: models)] = Set(
                            try (alternatives.isEmpty ? [word] : alternatives).map { try Self.told($0, at: place) })
                    }
                }
                try play(
                    "type \(row.reportType), onset \(row.onset.map { "\($0)" } ?? "none"), level \(row.level), \(contact)",
                    [WarningTable.Heard(reportType: row.reportType, onset: row.onset, level: row.level, contact: contact)],
                    expected, &report)
            }
            progress(number + 1, rows.count)
        }
        for row in table.mixed {
            var expected: [Question: Set<WarningTable.Told>] = [:]
            for (models, told) in row.told {
                let alternatives = readings.compactMap { row.alt?[$0]?[models] }
                expected[Question(mapping: row.mapping, models: models)] = Set(alternatives.isEmpty ? [told] : alternatives)
            }
            try play(row.name, row.keys, expected, &report)
        }
        return report
    }

    private struct Question: Hashable {
        let mapping: String
        let models: String
    }

    private static func told(_ word: String, at place: Int) throws -> WarningTable.Told {
        switch Array(word)[place] {
        case "i": return .increased
        case "l": return .low
        case "u": return .unknown
        default: throw WarningFailure("the table says \(word)")
        }
    }

    private func play(
        _ name: String, _ heard: [WarningTable.Heard], _ expected: [Question: Set<WarningTable.Told>],
        _ report: inout WarningTrial.Report
    ) throws {
        let board = try WarnedBoard(trust: authority.trust, at: Self.now, seed: 7)
        let day = UTCDay(containing: Self.now).number - 1
        var keys: [ExportedKey] = []
        for (number, item) in heard.enumerated() {
            let person = InfectedPerson(seed: 10 + UInt64(number), submission: Self.now)
            for meeting in table.reportContacts[item.contact] ?? [] {
                try board.hear(person, age: 1, contact: meeting.contact, from: UTCDay(number: day).start + meeting.start)
            }
            var key = ExportedKey()
            key.data = person.secret(age: 1)
            key.dataByteCount = 16
            key.rollingStart = Int32(day) * Int32(ENIN.perDay)
            key.rollingPeriod = Int32(ENIN.perDay)
            key.reportType = item.reportType
            key.transmissionRiskLevel = item.level
            key.hasOnset = item.onset != nil
            key.daysSinceOnset = item.onset ?? 0
            keys.append(key)
        }
        let package = try authority.package(keys, period: Self.now - 7_200..<Self.now - 3_600)
        try board.take(Delivery([package], trust: authority.trust, at: Self.now))
        for (version, (question, answers)) in expected.enumerated() {
            try board.take(
                rules: authority.rules(
                    version: Int64(version + 1), models: question.models,
                    mapping: question.mapping == "A" ? table.scenario.mappingA : table.scenario.mappingB, own: own))
            let state = try board.told().state.rawValue
            report.note(
                state, answers.map(\.rawValue), "\(name), mapping \(question.mapping), \(question.models)")
        }
    }
}
