// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON
import WebPages
import WebSafety

/// What the wearer can choose, take along, and erase.
extension PageRoutes {
    var choices: [Route] {
        [
            route(
                "/settings", Self.wearer, { showSettings($0, $1) },
                [
                    .enable: { visit, _ in call(visit, Device1.Method.enable, then: "/settings") { showSettings($0, $1) }
                    },
                    .setNotifications: { visit, fields in
                        set(visit) { $0.notifications = fields.text("notifications") == "yes" }
                    },
                    .setLanguage: { visit, fields in setLanguage(visit, fields.text("language") ?? "") },
                    .changeOwnSecret: { changeSecret($0, $1) },
                ]),
            route(
                "/settings/off", Self.wearer, { showOff($0, $1) },
                [
                    .disable: { visit, _ in call(visit, Device1.Method.disable, then: "/settings") { showOff($0, $1) } }
                ]),
            route("/data", Self.wearer) { visit, notice in
                room.show(visit, ["audit": Self.audit], notice: notice) { replies, context in
                    WearerPages.data(audit: Self.newest(replies.get("audit")), context)
                }
            },
            Route("/data.json", ["GET": Route.Deed(kind: .page, roles: Self.wearer) { exportData($0) }]),
            route("/reset", Self.wearer, { showReset($0, $1) }, [.reset: { reset($0, $1) }]),
        ]
    }

    /// A page shows so many lines of a log.
    static let shownLines = 200

    static func newest(_ audit: Device1.AuditReply?) -> Device1.AuditReply? {
        guard var audit else { return nil }
        audit.entries = audit.entries.suffix(shownLines)
        return audit
    }

    private func showSettings(_ visit: Visit, _ notice: PageContext.Notice?, fault: WearerPages.SecretFault? = nil) {
        room.show(visit, notice: notice, status: fault == nil && notice == nil ? 200 : 422) { replies, context in
            guard let status: Exposure1.StatusReply = replies.get("status") else { throw Problem(503, "unreadable") }
            let preferences = replies.get("preferences", as: Device1.PreferencesMessage.self)?.preferences
            return WearerPages.settings(
                .init(
                    status: status.status, notifications: preferences?.notifications ?? false,
                    language: preferences?.language.flatMap(Language.init(rawValue:)), secretFault: fault), context)
        }
    }

    private func showOff(_ visit: Visit, _ notice: PageContext.Notice?) {
        room.show(visit, notice: notice) { _, context in WearerPages.off(context) }
    }

    private func set(_ visit: Visit, _ change: @escaping (inout Device1.Preferences) -> Void) {
        self.change(visit, change) {
            visit.exchange.send(Shell.redirect("/settings", visit.headers))
        } else: {
            showSettings(visit, PageRoom.fault($0))
        }
    }

    private func setLanguage(_ visit: Visit, _ text: String) {
        let language = Language(rawValue: text)
        // What this browser remembers of an earlier link would hide the choice.
        visit.headers += visit.setting(
            .language, language?.rawValue ?? "", seconds: language == nil ? 0 : Visit.languageSeconds)
        set(visit) { $0.language = language?.rawValue }
    }

    private func changeSecret(_ visit: Visit, _ fields: FormFields) {
        let wanted = fields.text("wanted") ?? ""
        guard wanted == fields.text("repeated") else { return showSettings(visit, nil, fault: .different) }
        guard (12...256).contains(wanted.utf8.count) else { return showSettings(visit, nil, fault: .length) }
        ask(
            visit, Access1.Method.changeSecret,
            ["role": "wearer", "present": .string(fields.text("present") ?? ""), "wanted": .string(wanted)]
        ) { _ in
            // All sessions have ended, this one too.
            visit.exchange.send(Shell.redirect(Shell.signInPath, visit.setting(.session, "", seconds: 0)))
        } else: { problem in
            switch problem.code {
            case "Refused" where problem.status == 403: showSettings(visit, nil, fault: .wrongPresent)
            case "Unusable": showSettings(visit, nil, fault: .length)
            default: showSettings(visit, PageRoom.fault(problem))
            }
        }
    }

    private func exportData(_ visit: Visit) {
        shell.asker.ask(Self.question(Device1.Method.exportMyData, whole: true), session: visit.session, role: visit.role) {
            answer in
            switch answer {
            case .success(let reply): visit.exchange.send(Self.download(reply, "vigil-data.json"))
            case .failure(let error): visit.exchange.send(shell.refusal(visit.request, Problem(error)))
            }
        }
    }

    /// - Parameter name: one of ours.
    static func download(_ json: JSON, _ name: String) -> HTTPResponse {
        var response = Shell.json(json)
        response.headers.append(("Content-Disposition", "attachment; filename=\"\(name)\""))
        return response
    }

    private func showReset(_ visit: Visit, _ notice: PageContext.Notice?, fault: Bool = false) {
        room.show(visit, notice: notice, status: fault || notice != nil ? 422 : 200) { _, context in
            WearerPages.reset(fault: fault, context)
        }
    }

    private func reset(_ visit: Visit, _ fields: FormFields) {
        let typed = Self.trimmed(fields.text("word") ?? "")
        // The word is in the language of the page.
        room.look(visit.looker(shell), [:]) { _, context in
            guard let context, typed.lowercased() == WearerPages.resetWord(context.texts).lowercased() else {
                return showReset(visit, nil, fault: true)
            }
            let refused = { (problem: Problem) in showReset(visit, PageRoom.fault(problem)) }
            ask(visit, Device1.Method.giveConsent, ["purpose": "reset"]) { reply in
                ask(visit, Device1.Method.reset, ["ticket": reply["ticket"] ?? .null]) { _ in
                    visit.exchange.send(
                        PageRoom.answer(WearerPages.resetDone(context), 200, visit.setting(.session, "", seconds: 0)))
                } else: {
                    refused($0)
                }
            } else: {
                refused($0)
            }
        }
    }

    static func trimmed(_ text: String) -> String {
        var rest = text[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
