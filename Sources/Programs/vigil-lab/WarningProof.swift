// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import WarningTrial

/// Every statement of an infected person, to what somebody else is told.
struct WarningProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warnings",
        abstract:
            "What infected people state, and what those they met are told: tables from the specifications, played end to end."
    )

    @Argument(help: "The table, as Tests/Vectors/warnings/warnings.json.")
    var table: String

    @Option(help: "The scenes, as scenes.json beside the table, where they are looked for otherwise.")
    var scenes: String?

    @Option(
        help: "The scenes with several authorities, as sources.json beside the table, where they are looked for otherwise.")
    var sources: String?

    @Option(help: "Parts to play, each with an option of its own; all if not given.")
    var only: [Part] = []

    @Option(help: "One case of so many; 1 plays all.")
    var share = 1

    @Option(help: "Where to begin among them.")
    var first = 0

    @Option(help: "A folder for the authorities' state; best in memory.")
    var folder = "/dev/shm"

    func validate() throws {
        guard share >= 1, first >= 0 else { throw ValidationError("--share is 1 or more, --first 0 or more.") }
    }

    /// The parts of the proof.
    enum Part: String, CaseIterable, ExpressibleByArgument {
        case statements, publications, revisions, scenes, sources
    }

    func run() throws {
        let table = try WarningTable(contentsOf: table)
        var parts: [(name: String, report: WarningTrial.Report)] = []
        for part in Part.allCases where only.isEmpty || only.contains(part) {
            var bar = ProgressBar(part.rawValue)
            func progress(_ done: Int, _ all: Int) { bar.update(UInt64(done), of: UInt64(all)) }
            func add(_ report: WarningTrial.Report) { parts.append((part.rawValue, report)) }
            // What stops one part must not hide the others.
            do {
                switch part {
                case .statements:
                    add(try WarningTrial(table, folder: folder).run(share: share, first: first, progress: progress))
                case .publications:
                    let trial = try ReportTrial(table, folder: folder, readings: ReportTrial.ourReadings)
                    add(try trial.run(share: share, first: first, progress: progress))
                case .revisions:
                    let trial = try RevisionTrial(table, folder: folder, readings: RevisionTrial.ourReadings)
                    add(try trial.run(share: share, first: first, progress: progress))
                case .scenes:
                    let scenes = try SceneTable(contentsOf: scenes ?? Self.beside(self.table, "scenes.json"))
                    let trial = SceneTrial(scenes, folder: folder, readings: SceneTrial.ourReadings)
                    let groups = try trial.run(share: share, first: first, progress: progress)
                    parts += groups.map { ("\($0.scenes) scenes of \($0.name)", $0.report) }
                case .sources:
                    let sources = try SourcesTable(contentsOf: sources ?? Self.beside(self.table, "sources.json"))
                    let trial = SourcesTrial(sources, folder: folder, readings: SourcesTrial.ourReadings)
                    let groups = try trial.run(share: share, first: first, progress: progress)
                    parts += groups.map { ("\($0.scenes) scenes of several sources: \($0.name)", $0.report) }
                }
            } catch { add(.stopped(by: error)) }
        }
        try tell(parts)
    }

    /// Everything that was wrong, a line for each part, and a last one for all.
    private func tell(_ parts: [(name: String, report: WarningTrial.Report)]) throws {
        for part in parts {
            for failure in part.report.failures.prefix(100) { print(failure) }
            if part.report.failures.count > 100 { print("and \(part.report.failures.count - 100) more") }
        }
        var all = WarningTrial.Report()
        for (name, report) in parts {
            print(
                "\(name): \(Terminal.grouped(report.verdicts)) verdicts, \(Terminal.grouped(report.warnings - report.missed)) of \(Terminal.grouped(report.warnings)) warnings told, \(report.failures.count) differences"
            )
            all.add(report)
        }
        print("\(all.verdicts) verdicts, \(all.failures.count) failed")
        if !all.failures.isEmpty { throw ExitCode.failure }
    }

    private static func beside(_ path: String, _ name: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return name }
        return "\(path[...slash])\(name)"
    }
}
