// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DiagnosisPlan
import GAEN
import Interfaces
import KeyExport
import VirtualAir

/// Plays each case of a ``WarningTable`` from the statement of an infected person to the sentence that another person is
/// told, with the authority's defaults, in one process and in virtual time.
public struct WarningTrial {
    /// The outcome of a trial, or of a part of one.
    public struct Report: Sendable {
        /// The number of verdicts that were compared with the table, 0 or more.
        public internal(set) var verdicts = 0
        /// The number of these verdicts that had to be `increased`, 0 or more.
        public internal(set) var warnings = 0
        /// The number of the ``warnings`` for which something else was told, 0 or more.
        public internal(set) var missed = 0
        /// The failures, an English line each: verdicts, submitted or published fields and sums that differ from the table,
        /// and parts that stopped. Empty if there are none.
        public internal(set) var failures: [String] = []

        /// Creates a report with all counts at 0.
        public init() {}

        /// Compares one verdict with those that are right.
        mutating func note(_ told: String, _ right: some Collection<String>, _ name: @autoclosure () -> String) {
            let mustWarn = Set(right) == [WarningTable.Told.increased.rawValue]
            verdicts += 1
            if mustWarn { warnings += 1 }
            guard !right.contains(told) else { return }
            if mustWarn { missed += 1 }
            failures.append("\(name()): told \(told) and not \(right.sorted().joined(separator: " or "))")
        }

        /// Returns the report of a part that could not be played to its end: one failure, and all counts at 0.
        public static func stopped(by error: any Error) -> Report {
            var report = Report()
            report.failures = ["it stopped: \(error)"]
            return report
        }

        /// Adds the counts and failures of another report to this one.
        public mutating func add(_ other: Report) {
            verdicts += other.verdicts
            warnings += other.warnings
            missed += other.missed
            failures += other.failures
        }
    }

    private let table: WarningTable
    private let folder: String
    /// The day of submission: 2026-11-13.
    private static let day: Int64 = 20_770
    private static let secondsPerDay: Int64 = UTCDay.seconds

    /// Creates a trial of `table`, which is not run yet. `folder` is the path of a folder for the authorities' state, which
    /// is removed together with each of them.
    public init(_ table: WarningTable, folder: String) {
        self.table = table
        self.folder = folder
    }

    /// Plays about one case in `share` (1 or more), chosen by `first` (0 or more; each number chooses other cases), on the
    /// calling thread, and returns the report. Every statement is made, even if none of its cases is chosen. `progress` is
    /// called with the number of finished statements and of all statements. Throws when an authority or a board fails.
    public func run(share: Int = 1, first: Int = 0, progress: (Int, Int) -> Void = { _, _ in }) throws -> Report {
        var report = Report()
        var names: [String] = []
        for name in table.cases.map(\.statement) where !names.contains(name) { names.append(name) }
        for (number, name) in names.enumerated() {
            let own = table.cases.filter { $0.statement == name }.enumerated()
                .filter { Self.isPlayed($0.offset, of: number, share: share, first: first) }.map(\.element)
            try play(name, own, &report)
            progress(number + 1, names.count)
        }
        return report
    }

    /// One in `share`, spread so that no age or contact is passed over because rows come in their order.
    private static func isPlayed(_ row: Int, of statement: Int, share: Int, first: Int) -> Bool {
        var generator = SplitMix64(seed: UInt64(statement * 10_007 + row))
        return (generator.next() &+ UInt64(first)) % UInt64(share) == 0
    }

    private func play(_ name: String, _ cases: [WarningTable.Case], _ report: inout Report) throws {
        let submission = Self.day * Self.secondsPerDay + table.scenario.submitHourUTC * 3_600
        let authority = try PublishingAuthority(below: folder)
        let person = InfectedPerson(seed: 1, submission: submission)
        let other = InfectedPerson(seed: 2, submission: submission)
        try authority.publish(at: submission - 3_600)
        try authority.takeStrangers(150, seed: 3, at: submission)
        let stored = try authority.take(
            person.submissionBody(stating: try WarningTable.statement(name)), at: submission)
        _ = try authority.take(
            other.submissionBody(stating: try WarningTable.statement(table.scenario.secondPersonStatement)), at: submission)
        // Today's key waits two hours after its end, and then for others of its kind.
        try authority.publish(at: submission + 3 * 3_600)
        try authority.takeStrangers(150, seed: 4, at: submission + 3 * 3_600 + 1)
        let trust = try authority.trust()
        var looks: [(time: Int64, delivery: Delivery)] = []
        for delay in table.scenario.checkDelays {
            let time = (Self.day + delay) * Self.secondsPerDay + table.scenario.checkHourUTC * 3_600
            try authority.publish(at: time - 3_600)
            // Somebody else always warns: a board that compares nothing does not call a risk low.
            try authority.takeStrangers(150, seed: 5 + UInt64(delay), at: time - 3_600)
            try authority.publish(at: time)
            looks.append((time, try Delivery(authority.packages(), trust: trust, at: time)))
        }
        let published = looks.reduce(into: [Block: ExportedKey]()) { $0.merge($1.delivery.published) { $1 } }
        let rules = try authority.rules()
        for item in cases {
            let secret = person.secret(age: UInt32(item.age))
            func complain(_ what: String) {
                report.failures.append("\(name), age \(item.age), \(item.contact): \(what)")
            }
            if let key = stored.first(where: { $0.data == secret }),
                [key.transmissionRiskLevel, key.daysSinceOnset] != item.submitted
            {
                complain("submitted \(key.transmissionRiskLevel), \(key.daysSinceOnset) and not \(item.submitted)")
            }
            let fields = published[secret].map { [$0.transmissionRiskLevel, $0.daysSinceOnset, $0.reportType] }
            // A key of the fifteenth day is one too many for a submission; the table says so as the other reading.
            let isLeftOut = fields == nil && item.alt?.isPublishedOtherwise == true
            if fields != item.published, !isLeftOut {
                complain(
                    "published \(fields.map { "\($0)" } ?? "nothing") and not \(item.published.map { "\($0)" } ?? "nothing")"
                )
            }
            for (index, look) in looks.enumerated() {
                let board = try WarnedBoard(trust: trust, at: look.time, seed: UInt64(100 + index))
                try board.take(rules: rules)
                for meeting in table.contacts[item.contact] ?? [] {
                    let age = item.age + meeting.day
                    try board.hear(
                        meeting.who == "A" ? person : other, age: UInt32(age), contact: meeting.contact,
                        from: (Self.day - age) * Self.secondsPerDay + meeting.start)
                }
                try board.take(look.delivery)
                let risk = try board.told()
                let expected = item.told[index]
                report.verdicts += 1
                if expected == .increased { report.warnings += 1 }
                let when = "\(table.scenario.checkDelays[index]) days later"
                if risk.state.rawValue != expected.rawValue {
                    if expected == .increased { report.missed += 1 }
                    complain("\(when) told \(risk.state.rawValue) and not \(expected.rawValue)")
                } else if let points = item.points[index] {
                    let score = risk.days.compactMap(\.verdict.score).max() ?? 0
                    if abs(score - points) > 0.001 { complain("\(when) \(score) points and not \(points)") }
                }
            }
        }
    }
}
