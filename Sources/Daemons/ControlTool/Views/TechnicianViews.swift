// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Glibc
import Interfaces

/// Processes and log lines, for people.
enum TechnicianViews {
    static func processes(_ board: Technician1.ProcessesReply, _ screen: Screen) -> String {
        var text = ""
        if board.safeMode {
            text += screen.paragraph("Safe mode: the last starts ended soon, so only the core and the web page run.", .bad)
        }
        for problem in board.problems { text += screen.paragraph("! \(problem)", .attention) }
        var table = TextTable("process", "state", "since", "#restarts", "#memory", "why")
        for process in board.processes {
            let memory = process.memory.map { "\($0 >> 20) MiB" } ?? ""
            table.add(
                [
                    process.name, process.state.rawValue, Words.duration(process.sinceSeconds), "\(process.restarts)",
                    memory,
                    process.reason ?? process.lastExit ?? "",
                ], [.quarantined, .refused, .safeMode].contains(process.state) ? .bad : nil)
        }
        return text + table.text(screen)
    }

    static func configuration(_ state: Trust1.ConfigurationReply, _ screen: Screen) -> String {
        var text = screen.paragraph(
            state.version.map { "Version \($0) of the fleet's configuration holds." }
                ?? "No configuration of a fleet holds: the board is as its card made it.")
        if let version = state.trial {
            let left = Words.duration(state.secondsLeft ?? 0)
            text += screen.paragraph(
                "Version \(version) is on trial. It is taken back in \(left) unless the board fetches it once more, or somebody keeps it: `vigil ctl configuration keep \(version)`.",
                .attention)
        }
        if let version = state.takenBack {
            text += screen.paragraph(
                "Version \(version) was taken back: \(ForeignText.line(state.reason ?? "it did not hold", limit: 400)). Only a newer one is tried.",
                version > state.version ?? 0 ? .attention : nil)
        }
        if let reason = state.refusedReason {
            let version = state.refused.map { "Version \($0)" } ?? "The last one that was brought"
            text += screen.paragraph("\(version) was refused: \(ForeignText.line(reason, limit: 700))", .attention)
        }
        return text
    }

    /// One line, with the time of the board's clock in UTC.
    static func line(_ line: Technician1.LogLine, _ screen: Screen) -> String {
        var seconds = time_t(line.time / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        let tone: Screen.Tone? =
            switch line.level {
            case "error", "critical": .bad
            case "warning": .attention
            default: nil
            }
        let text = ForeignText.line("\(clock) \(line.process) \(line.level) \(line.text)", limit: 1_200)
        return screen.tint(text, tone) + "\n"
    }
}
