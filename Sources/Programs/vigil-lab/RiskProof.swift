// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Encounters
import FoundationEssentials
import Interfaces
import RiskConfiguration

extension ProveCommand {
    /// Encounters on the virtual air, judged by one set of signed rules after the other.
    struct RiskProof: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "risk",
            abstract: "People meet on the virtual air; what each set of rules makes of it, and when wearers are told.",
            discussion: """
                The boards are whole ones in virtual time. Rules are Vigil's documents (docs/risk-configuration.md); they are signed here, each with a \
                higher version than the one before. Exit status: 0 when every check holds, 1 when one does not, 2 when a file cannot be used.
                """)

        @Argument(help: "Scenario (docs/simulation.md), with somebody diagnosed.")
        var scenario: String

        @Option(parsing: .upToNextOption, help: "Rules, in the order in which boards get them.")
        var rules: [String]

        @Flag(help: "The whole report as JSON.")
        var json = false

        func run() throws {
            let rules = try rules.map { path in
                let bytes = try Files.read(path, limit: RiskConfiguration.maximumByteCount)
                do throws(RiskConfigurationError) {
                    return RiskTrial.Rules(name: Self.name(path), configuration: try RiskConfiguration(parsing: bytes))
                } catch { throw InputError(file: path, "\(error)") }
            }
            let report: RiskTrialReport
            do {
                let people = try PeopleScenario(json: Files.read(scenario, limit: 16 << 20))
                var bar = ProgressBar("hours")
                report = try RiskTrial(people, rules: rules).run { bar.update(UInt64($0), of: UInt64($1)) }
            } catch let error as EncountersError where error.code == .invalidScenario {
                throw InputError(file: scenario, "\(error)")
            }
            if json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                print(String(decoding: try encoder.encode(report), as: UTF8.self))
            } else {
                for line in Self.lines(report) { print(line) }
            }
            let failed = report.checks.filter { $0.problem != nil }.count
            print("\(report.checks.count - failed) passed, \(failed) failed")
            if failed > 0 { throw ExitCode.failure }
        }

        private static func name(_ path: String) -> String {
            let file = path.split(separator: "/").last.map(String.init) ?? path
            return file.hasSuffix(".json") ? String(file.dropLast(5)) : file
        }

        /// One block per person: what was, and under it what each set of rules says.
        static func lines(_ report: RiskTrialReport) -> [String] {
            let width = report.rules.map(\.count).max() ?? 0
            func padded(_ text: String) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
            var lines: [String] = []
            for observer in report.observers {
                lines.append(
                    "\(observer.name): \(Terminal.fixed(observer.nearMinutes, 1)) min within \(Terminal.fixed(RiskTrial.nearMetres, 0)) m, "
                        + "\(Terminal.fixed(observer.farMinutes, 1)) min within \(Terminal.fixed(RiskTrial.farMetres, 0)) m, "
                        + "nearest \(Terminal.fixed(observer.nearest, 1)) m")
                for (rules, verdict) in zip(report.rules, observer.verdicts) {
                    lines.append("    \(padded(rules))  \(text(verdict))")
                }
                if let after = observer.afterRevocation {
                    lines.append("    \(padded("after revocation"))  \(text(after))")
                }
            }
            lines.append(
                "\(report.turned) verdicts turned by other rules or revocations; wearers were told \(report.announced) times"
            )
            return lines
                + report.checks.map { check in
                    check.problem.map { "FAILED  \(check.claim): \($0)" } ?? "ok      \(check.claim)"
                }
        }

        private static func text(_ told: RiskTrialReport.Verdict) -> String {
            guard let verdict = told.verdict else { return "\(told.state.rawValue), no encounter" }
            let unit =
                switch told.unit {
                case .weightedMinutes: " weighted min"
                case .weightedSeconds: " weighted s"
                case .points: " points"
                case nil: ""
                }
            let limit = verdict.increasedFrom.map { ", increased from \(Terminal.fixed($0, 0))" } ?? ""
            return "\(told.state.rawValue): \(Terminal.fixed(verdict.score, 1))\(unit)\(limit)"
        }
    }
}
