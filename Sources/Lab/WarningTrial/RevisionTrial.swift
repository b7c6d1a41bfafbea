// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import GAEN
import Interfaces
import KeyExport

/// Plays keys that are published again and again with other report types, on boards that met their owner: boards that
/// follow that authority, whose types are codes, and boards that read types as phones with Google's framework do.
public struct RevisionTrial {
    /// The interpretations that this firmware has chosen where the specifications leave room, by their names in the table:
    /// where types are codes the first one counts, and a revocation is final (docs/decisions/0028). The rules of finality
    /// are the table's own choice.
    public static let ourReadings = ["firstCodeWins"]

    /// How records come to the board that it has not downloaded between.
    private enum Way: String, CaseIterable {
        /// Each in a package of its own.
        case packages
        /// The first as a new key and the others as revised keys of one package, as far as the file's order is theirs.
        case onePackage
    }

    private let table: WarningTable
    private let readings: [String]
    private let authority: ForeignAuthority
    private let own: [UInt8]
    /// 2026-11-14, 10:00 UTC; its owner was met the day before.
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

    /// Plays one row in `share` (1 or more) on the calling thread, and returns the report. A row is played if its number,
    /// from 0, plus `first` (0 or more) is divisible by `share`. `progress` is called with the number of finished rows and
    /// of all rows. Throws an error of the authority or of a board.
    public func run(
        share: Int = 1, first: Int = 0, progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> WarningTrial.Report {
        var report = WarningTrial.Report()
        let rows = table.revisions.enumerated().filter { ($0.offset + first) % share == 0 }.map(\.element)
        for (number, row) in rows.enumerated() {
            if row.isDownloadedBetween {
                try playBetween(row, &report)
            } else {
                for way in Way.allCases where way == .packages || Set(row.sequence.dropFirst()).count <= 1 {
                    try playAtOnce(row, way, &report)
                }
            }
            progress(number + 1, rows.count)
        }
        return report
    }

    /// The board downloads after each record, and is asked.
    private func playBetween(_ row: WarningTable.RevisionRow, _ report: inout WarningTrial.Report) throws {
        let board = try board(row)
        for (number, type) in row.sequence.enumerated() {
            let time = Self.now + Int64(number) * 7_200
            board.advance(to: time)
            try board.take(delivery([[key(type, isRevised: number > 0)]], until: time))
            try compare(board, row, at: number, "after record \(number + 1)", &report)
        }
    }

    /// The board downloads when all records are public.
    private func playAtOnce(_ row: WarningTable.RevisionRow, _ way: Way, _ report: inout WarningTrial.Report) throws {
        let keys = row.sequence.enumerated().map { key($1, isRevised: $0 > 0) }
        // A package says a thing about a key once.
        let packages: [[ExportedKey]]
        switch way {
        case .packages: packages = keys.map { [$0] }
        case .onePackage: packages = [Array(keys.prefix(2))]
        }
        let board = try board(row)
        try board.take(delivery(packages, until: Self.now))
        try compare(board, row, at: row.sequence.count - 1, "at once, \(way.rawValue)", &report)
    }

    private func board(_ row: WarningTable.RevisionRow) throws -> WarnedBoard {
        let board = try WarnedBoard(trust: authority.trust, at: Self.now, seed: 8)
        try board.take(
            rules: authority.rules(
                version: 1, models: "second", mapping: table.scenario.mappingA,
                reportTypes: row.receiver == .own ? .codes : .stated, own: own))
        for meeting in table.revisionContacts[row.contact] ?? [] {
            try board.hear(
                person, age: 1, contact: meeting.contact,
                from: (UTCDay(containing: Self.now).number - 1) * UTCDay.seconds + meeting.start)
        }
        return board
    }

    private var person: InfectedPerson { InfectedPerson(seed: 21, submission: Self.now) }

    private func key(_ type: Int32, isRevised: Bool) -> ExportedKey {
        var key = ExportedKey()
        key.data = person.secret(age: 1)
        key.dataByteCount = 16
        key.rollingStart = Int32(UTCDay(containing: Self.now).number - 1) * Int32(ENIN.perDay)
        key.rollingPeriod = Int32(ENIN.perDay)
        key.reportType = type
        key.hasOnset = true
        key.daysSinceOnset = table.scenario.revisionOnset
        key.isRevised = isRevised
        return key
    }

    /// One package for each list of keys, published hour by hour until `time`.
    private func delivery(_ packages: [[ExportedKey]], until time: Int64) throws -> Delivery {
        let bytes = try packages.enumerated().map { number, keys in
            let end = time - Int64(packages.count - 1 - number) * 3_600
            return try authority.package(keys, period: (end - 3_600)..<end)
        }
        return try Delivery(bytes, trust: authority.trust, at: time)
    }

    private func compare(
        _ board: WarnedBoard, _ row: WarningTable.RevisionRow, at index: Int, _ when: String,
        _ report: inout WarningTrial.Report
    ) throws {
        // A record of type 4 is not matched, by whatever rules, so the one after it is the first.
        let chosen = row.sequence.first == 4 ? [] : readings.compactMap { row.alt?[$0] }
        let answers = Set((chosen.isEmpty ? [row.told] : chosen).compactMap { $0[index] })
        guard !answers.isEmpty else { throw WarningFailure("the table does not say what is told \(when)") }
        let state = try board.told().state.rawValue
        report.note(
            state, answers.map(\.rawValue),
            "types \(row.sequence.map { "\($0)" }.joined(separator: ", ")), \(row.receiver.rawValue), \(row.contact), \(when)"
        )
    }
}
