// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON

/// The board as its technician sees it.
extension ControlSession {
    /// What runs, what does not, and why.
    public func processes() throws(ControlFailure) {
        let reply = try link.askPages(Technician1.Method.getProcesses, list: "processes")
        try show(reply, as: Technician1.ProcessesReply.self) { TechnicianViews.processes($0, screen) }
    }

    /// The board's log; without end when it is followed, which asks once a second.
    ///
    /// With JSON a line each.
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
