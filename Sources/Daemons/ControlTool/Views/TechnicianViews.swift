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
