// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HTTPService
import Interfaces
import JSON
import SelfCheck
import WebPages
import WebSafety

/// The technician's pages.
extension PageRoutes {
    var technician: [Route] { overviews + board + acts }

    private var overviews: [Route] {
        [
            route(
                "/tech", Self.technicians, { showOverview($0, $1) }, forms: Self.technician,
                [
                    .enable: { incoming, _ in
                        call(incoming, Device1.Method.enable, then: "/tech") { showOverview($0, $1) }
                    },
                    .disable: { incoming, _ in
                        call(incoming, Device1.Method.disable, then: "/tech") { showOverview($0, $1) }
                    },
                ]),
            tech("/tech/checks", Self.checks) { replies, context in
                let inputs = Self.inputs(replies, context)
                return TechnicianPages.checks(
                    found: SelfCheck.run(inputs), isKnown: inputs.status != nil, context)
            },
            tech("/tech/radio", Self.checks.merging(["evidence": recentEvidence()]) { first, _ in first }) {
                replies, context in
                TechnicianPages.radio(
                    replies.get("radio", as: Device1.RadioReply.self)?.radio,
                    evidence: replies.get("evidence", as: Device1.EvidenceReply.self)?.hours ?? [],
                    found: SelfCheck.run(Self.inputs(replies, context)), context)
            },
        ]
    }

    private func showOverview(_ incoming: IncomingRequest, _ notice: PageContext.Notice?) {
        renderer.show(incoming, Self.checks, notice: notice) { replies, context in
            let inputs = Self.inputs(replies, context)
            return TechnicianPages.overview(inputs, found: SelfCheck.run(inputs), context)
        }
    }

    private var acts: [Route] {
        [
            route(
                "/tech/time", Self.technicians, { showTime($0, $1) }, forms: Self.technician,
                [.setTime: { setTime($0, $1) }]),
            route(
                "/tech/sync", Self.technicians, { showSync($0, $1) }, forms: Self.technician,
                [
                    .syncNow: { incoming, _ in call(incoming, Sync1.Method.syncNow, then: "/tech/sync") { showSync($0, $1) }
                    }
                ]),
            tech("/tech/storage", ["storage": Self.question(Device1.Method.getStorage)]) { replies, context in
                TechnicianPages.storage(replies.get("storage", as: Device1.StorageReply.self)?.storage, context)
            },
            tech("/tech/audit", ["audit": Self.audit]) { replies, context in
                TechnicianPages.audit(Self.newest(replies.get("audit")), context)
            },
            tech("/tech/update", ["processes": Self.processes]) { replies, context in
                TechnicianPages.update(
                    version: replies.get("processes", as: Technician1.ProcessesReply.self)?.version, context)
            },
            tech("/tech/identity", [:]) { _, context in TechnicianPages.identity(context) },
            route("/tech/log", Self.technicians) { showLog($0, $1) },
            Route("/tech/log.txt", ["GET": Route.Action(kind: .page, roles: Self.technicians) { downloadLog($0) }]),
            Route("/tech/bundle.json", ["GET": Route.Action(kind: .page, roles: Self.technicians) { downloadBundle($0) }]),
            route(
                "/tech/calibration", Self.technicians, { showCalibration($0, $1) }, forms: Self.technician,
                [
                    .measure: { measure($0, $1) },
                    .setCorrection: { incoming, fields in
                        guard let correction = fields.text("correction").flatMap({ Int64(Self.trimmed($0)) }),
                            (-30...30).contains(correction)
                        else {
                            return showCalibration(incoming, nil, fault: true)
                        }
                        correct(incoming, ["correction": .int(correction)])
                    }, .clearCorrection: { incoming, _ in correct(incoming, .empty) },
                ]),
            route(
                "/tech/reboot", Self.technicians,
                { incoming, notice in
                    renderer.show(incoming, notice: notice) { _, context in TechnicianPages.reboot(context) }
                }, forms: Self.technician, [.reboot: { incoming, _ in reboot(incoming) }]),
        ]
    }

    /// A page without forms.
    private func tech(
        _ path: String, _ questions: [String: InterfaceClient.Question],
        _ draw: @escaping (Replies, PageContext) throws -> Page
    ) -> Route {
        route(path, Self.technicians) { incoming, notice in renderer.show(incoming, questions, notice: notice, draw: draw) }
    }

    static let processes = question(Technician1.Method.getProcesses)

    /// What the self-check looks at.
    static let checks: [String: InterfaceClient.Question] = [
        "radio": radio, "sync": freshness, "rules": question(Risk1.Method.getConfiguration), "processes": processes,
        "storage": question(Device1.Method.getStorage), "audit": audit, "network": question(Technician1.Method.getNetwork),
        "fleet": question(Trust1.Method.getConfiguration),
    ]

    static func inputs(_ replies: Replies, _ context: PageContext) -> CheckInputs {
        CheckInputs(
            status: replies.get("status", as: Exposure1.StatusReply.self)?.status,
            radio: replies.get("radio", as: Device1.RadioReply.self)?.radio,
            time: replies.get("time", as: Device1.TimeReply.self)?.time,
            freshness: replies.get("sync", as: Sync1.FreshnessReply.self)?.freshness,
            rulesVersion: replies.get("rules", as: Risk1.ConfigurationReply.self)?.knownVersion,
            processes: replies.get("processes"), storage: replies.get("storage", as: Device1.StorageReply.self)?.storage,
            auditIsIntact: replies.get("audit", as: Device1.AuditReply.self)?.intact,
            secondsToRollBack: replies.get("network", as: Technician1.NetworkReply.self)?.secondsToRollBack,
            configuration: replies.get("fleet"), now: context.timeIsKnown ? context.now : nil)
    }

    // MARK: Time and sync

    private func showTime(_ incoming: IncomingRequest, _ notice: PageContext.Notice?, fault: Bool = false) {
        renderer.show(incoming, Self.checks, notice: notice, status: fault || notice != nil ? 422 : 200) {
            replies, context in
            TechnicianPages.time(
                replies.get("time", as: Device1.TimeReply.self)?.time, found: SelfCheck.run(Self.inputs(replies, context)),
                fault: fault, context)
        }
    }

    private func setTime(_ incoming: IncomingRequest, _ fields: FormFields) {
        guard let seconds = Self.moment(date: fields.text("date") ?? "", time: fields.text("time") ?? "") else {
            return showTime(incoming, nil, fault: true)
        }
        call(incoming, Device1.Method.setTime, ["now": .int(seconds * 1_000)], then: "/tech/time") { showTime($0, $1) }
    }

    /// Unix seconds of `2026-11-22` and `05:47` or `05:47:21`, both UTC; `nil` for anything else.
    static func moment(date: String, time: String) -> Int64? {
        func numbers(_ text: String, _ mark: Character, _ digits: [Int]) -> [Int64]? {
            let parts = trimmed(text).split(separator: mark, omittingEmptySubsequences: false)
            guard parts.count <= digits.count else { return nil }
            var values: [Int64] = []
            for (part, count) in zip(parts, digits) {
                guard part.utf8.count == count, part.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int64(part)
                else {
                    return nil
                }
                values.append(value)
            }
            return values
        }
        guard let day = numbers(date, "-", [4, 2, 2]), day.count == 3, let clock = numbers(time, ":", [2, 2, 2]),
            clock.count >= 2,
            (1970...2200).contains(day[0]), (1...12).contains(day[1]), day[2] >= 1, clock[0] < 24, clock[1] < 60,
            clock.count < 3 || clock[2] < 60
        else { return nil }
        let isLeap = day[0] % 4 == 0 && (day[0] % 100 != 0 || day[0] % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day[2] <= lengths[Int(day[1]) - 1] else { return nil }
        var days: Int64 = day[2] - 1
        for year in 1970..<day[0] { days += year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365 }
        for month in 0..<Int(day[1] - 1) { days += lengths[month] }
        return days * UTCDay.seconds + clock[0] * 3_600 + clock[1] * 60 + (clock.count > 2 ? clock[2] : 0)
    }

    private func showSync(_ incoming: IncomingRequest, _ notice: PageContext.Notice?) {
        renderer.show(incoming, Self.checks, notice: notice, status: notice == nil ? 200 : 409) { replies, context in
            TechnicianPages.sync(
                replies.get("sync", as: Sync1.FreshnessReply.self)?.freshness,
                found: SelfCheck.run(Self.inputs(replies, context)), context)
        }
    }

    // MARK: Log

    private func logQuestion(_ incoming: IncomingRequest) -> (InterfaceClient.Question, process: String?, level: String?) {
        func chosen(_ name: String) -> String? {
            incoming.query(name).flatMap { $0.isEmpty || $0.utf8.count > 64 ? nil : $0 }
        }
        let (process, level) = (chosen("process"), chosen("level"))
        var parameters = JSON.Object()
        if let process { parameters["process"] = .string(process) }
        if let level { parameters["level"] = .string(level) }
        return (Self.question(Technician1.Method.getLog, whole: true, .object(parameters)), process, level)
    }

    private func showLog(_ incoming: IncomingRequest, _ notice: PageContext.Notice?) {
        let (question, process, level) = logQuestion(incoming)
        renderer.show(incoming, ["log": question, "processes": Self.processes], notice: notice) { replies, context in
            let names = replies.get("processes", as: Technician1.ProcessesReply.self)?.processes.map(\.name) ?? []
            let log = replies.get("log", as: Technician1.LogReply.self)
            return TechnicianPages.log(
                log.map {
                    .init(
                        lines: Array($0.lines.suffix(Self.shownLines)), droppedCount: $0.droppedCount,
                        processes: (["supervisor"] + names).filter { !$0.isEmpty }, process: process, level: level)
                }, context)
        }
    }

    private func downloadLog(_ incoming: IncomingRequest) {
        router.client.ask(logQuestion(incoming).0, session: incoming.session, role: incoming.role) { answer in
            switch answer {
            case .success(let reply):
                var text = ""
                for line in (try? reply.decode(Technician1.LogReply.self))?.lines ?? [] {
                    text +=
                        "\(line.time / 1_000).\(String(line.time % 1_000 + 1_000).dropFirst()) \(line.process) \(line.level) \(line.text)\n"
                }
                var response = RequestRouter.asset(text, type: "text/plain", caching: "no-store")
                response.headers.append(("Content-Disposition", "attachment; filename=\"vigil-log.txt\""))
                incoming.exchange.send(response)
            case .failure(let error): incoming.exchange.send(router.refusal(incoming.request, Problem(error)))
            }
        }
    }

    private func downloadBundle(_ incoming: IncomingRequest) {
        let questions = APIRoutes.composed.first { $0.id == "getDiagnostics" }?.questions ?? [:]
        router.client.gather(questions, session: incoming.session, role: incoming.role) { answers in
            incoming.exchange.send(Self.download(APIRoutes.composed(answers), "vigil-diagnostics.json"))
        }
    }

    // MARK: Calibration and reboot

    private func showCalibration(_ incoming: IncomingRequest, _ notice: PageContext.Notice?, fault: Bool = false) {
        let measurement = Self.question(Device1.Method.getMeasurement)
        renderer.show(incoming, ["measurement": measurement], notice: notice, status: fault || notice != nil ? 422 : 200) {
            replies, context in
            TechnicianPages.calibration(replies.get("measurement"), fault: fault, context)
        }
    }

    private func measure(_ incoming: IncomingRequest, _ fields: FormFields) {
        guard let seconds = fields.text("seconds").flatMap({ Int64(Self.trimmed($0)) }), (10...120).contains(seconds),
            let reference = fields.text("reference").flatMap({ Int64(Self.trimmed($0)) }), (-90 ... -30).contains(reference)
        else { return showCalibration(incoming, nil, fault: true) }
        call(
            incoming, Device1.Method.measureStrength, ["seconds": .int(seconds), "reference": .int(reference)],
            then: "/tech/calibration"
        ) { showCalibration($0, $1) }
    }

    private func correct(_ incoming: IncomingRequest, _ parameters: JSON) {
        call(incoming, Device1.Method.setCorrection, parameters, then: "/tech/calibration") { showCalibration($0, $1) }
    }

    private func reboot(_ incoming: IncomingRequest) {
        ask(incoming, Technician1.Method.reboot) { _ in
            renderer.show(incoming, needs: nil) { _, context in TechnicianPages.rebooting(context) }
        } else: { problem in
            renderer.show(incoming, notice: PageRenderer.fault(problem), status: 409) { _, context in
                TechnicianPages.reboot(context)
            }
        }
    }
}
