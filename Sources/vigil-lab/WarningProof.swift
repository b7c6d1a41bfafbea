// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Offline
import WarningTrial

/// Every statement of an infected person, to what somebody else is told.
struct WarningProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warnings",
        abstract:
            "What infected people state, and what those they met are told: a table from the specifications, played end to end."
    )

    @Argument(help: "The table, as Tests/Vectors/warnings/warnings.json.")
    var table: String

    @Option(help: "One case of so many; 1 plays all.")
    var share = 1

    @Option(help: "Where to begin among them.")
    var first = 0

    @Option(help: "A folder for the authorities' state; best in memory.")
    var folder = "/dev/shm"

    func validate() throws {
        guard share >= 1, first >= 0 else { throw ValidationError("--share is 1 or more, --first 0 or more.") }
    }

    func run() throws {
        let table = try WarningTable(contentsOf: table)
        var bar = ProgressBar("statements")
        let statements = try WarningTrial(table, folder: folder).run(share: share, first: first) {
            bar.update(UInt64($0), of: UInt64($1))
        }
        bar = ProgressBar("what authorities publish")
        let reports = try ReportTrial(table, folder: folder, readings: ReportTrial.ourReadings).run(
            share: share, first: first
        ) {
            bar.update(UInt64($0), of: UInt64($1))
        }
        var failed = 0
        for (name, report) in [("statements", statements), ("publications", reports)] {
            for failure in report.failures.prefix(100) { print(failure) }
            if report.failures.count > 100 { print("and \(report.failures.count - 100) more") }
            print(
                "\(name): \(Terminal.grouped(report.verdicts)) verdicts, \(Terminal.grouped(report.warnings - report.missed)) of \(Terminal.grouped(report.warnings)) warnings told, \(report.failures.count) differences"
            )
            failed += report.failures.count
        }
        print("\(statements.verdicts + reports.verdicts) verdicts, \(failed) failed")
        if failed > 0 { throw ExitCode.failure }
    }
}
