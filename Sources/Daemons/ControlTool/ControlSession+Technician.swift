// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON

/// The board as its technician sees it.
extension ControlSession {
    /// Shows what runs on the board, what does not, and why.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func processes() throws(ControlFailure) {
        let reply = try link.askPages(Technician1.Method.getProcesses, list: "processes")
        try show(reply, as: Technician1.ProcessesReply.self) { TechnicianViews.processes($0, screen) }
    }

    /// Shows the board's log, with JSON a line each; without end if it is followed, which asks once a second.
    /// - Parameters:
    ///   - process: The name of the process whose lines are shown; `nil` for all processes.
    ///   - level: Lines of this level and above, by its name, which the core checks; `nil` for all.
    ///   - isFollowed: Whether it goes on with what is written later, until it is stopped.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func log(process: String?, level: String?, isFollowed: Bool) throws(ControlFailure) {
        var after: Int64?
        var isFirst = true
        while true {
            let reply = try link.askPages(
                Technician1.Method.getLog, list: "lines",
                Technician1.LogCall(after: after, process: process, level: level))
            let log = try reply.read(Technician1.LogReply.self)
            if isFirst, !isJSON, log.droppedCount > 0 {
                try show(screen.paragraph("(\(log.droppedCount) older lines are no longer kept)"))
            }
            isFirst = false
            for line in reply["lines"]?.array ?? [] where isJSON { try showJSON(line) }
            if !isJSON { for line in log.lines { try show(TechnicianViews.line(line, screen)) } }
            guard isFollowed else { return }
            after = log.lines.last?.number ?? after
            sleep(1)
        }
    }
}
