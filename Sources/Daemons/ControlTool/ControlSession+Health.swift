// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
public import SelfCheck

/// What the self-check finds, and the verdict that follows.
extension ControlSession {
    private struct Answer: Codable {
        struct Entry: Codable {
            var id: String
            var severity: String
            var name: String?
            var detail: String?
            var title: String
            var meaning: String
            var fix: String
            var documentation: String
        }

        var verdict: HealthVerdict
        var findings: [Entry]
    }

    /// Asks everything that the self-check looks at and shows what it finds; returns the verdict, which decides the exit
    /// status. Only status and time must answer; what else does not gives no finding, and perhaps
    /// ``HealthVerdict/unknown``.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown; findings are no failure.
    public func health() throws(ControlFailure) -> HealthVerdict {
        try link.reach()
        let inputs = try checkInputs()
        let found = SelfCheck.run(inputs)
        let verdict = HealthVerdict(inputs, found)
        let answer = Answer(
            verdict: verdict,
            findings: found.map {
                let words = $0.finding.words
                return Answer.Entry(
                    id: $0.finding.rawValue, severity: $0.finding.severity.rawValue, name: $0.name, detail: $0.detail,
                    title: words.title, meaning: words.meaning, fix: words.fix, documentation: $0.finding.documentation)
            })
        let json: JSON
        guard isJSON else {
            try show(HealthView.text(verdict, found, screen))
            return verdict
        }
        do throws(JSONError) { json = try JSON(encoding: answer) } catch {
            throw ControlFailure(.notUnderstood, "\(error)")
        }
        try showJSON(json)
        return verdict
    }

    private func checkInputs() throws(ControlFailure) -> CheckInputs {
        let time = try link.ask(Device1.Method.getTime).read(Device1.TimeReply.self).time
        return CheckInputs(
            status: try link.ask(Exposure1.Method.getStatus).read(Exposure1.StatusReply.self).status,
            radio: ifAnswered { () throws(ControlFailure) in
                try link.ask(Device1.Method.getRadio).read(Device1.RadioReply.self).radio
            },
            time: time,
            freshness: ifAnswered { () throws(ControlFailure) in
                try plugin(Sync1.name).ask(Sync1.Method.getFreshness).read(Sync1.FreshnessReply.self).freshness
            },
            rulesVersion: ifAnswered { () throws(ControlFailure) in
                try link.ask(Risk1.Method.getConfiguration).read(Risk1.ConfigurationReply.self).knownVersion
            },
            processes: ifAnswered { () throws(ControlFailure) in
                try link.askPages(Technician1.Method.getProcesses, list: "processes").read(Technician1.ProcessesReply.self)
            },
            storage: ifAnswered { () throws(ControlFailure) in
                try link.ask(Device1.Method.getStorage).read(Device1.StorageReply.self).storage
            },
            auditIsIntact: ifAnswered { () throws(ControlFailure) in
                try link.askPages(Device1.Method.getAudit, list: "entries").read(Device1.AuditReply.self).intact
            },
            secondsToRollBack: ifAnswered { () throws(ControlFailure) in
                try link.ask(Technician1.Method.getNetwork).read(Technician1.NetworkReply.self).secondsToRollBack
            } ?? nil,
            configuration: ifAnswered { () throws(ControlFailure) in
                try link.ask(Trust1.Method.getConfiguration).read(Trust1.ConfigurationReply.self)
            },
            now: time.state == .untrusted ? nil : time.now.map { $0 / 1_000 } ?? now())
    }

    /// What a part says that may not be there: a core without a supervisor, a board without sync.
    private func ifAnswered<Value>(_ ask: () throws(ControlFailure) -> Value) -> Value? {
        do throws(ControlFailure) { return try ask() } catch { return nil }
    }
}
