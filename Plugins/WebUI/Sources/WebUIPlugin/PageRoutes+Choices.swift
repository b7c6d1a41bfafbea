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
                    .enable: { incoming, _ in
                        call(incoming, Device1.Method.enable, then: "/settings") { showSettings($0, $1) }
                    },
                    .setNotifications: { incoming, fields in
                        set(incoming) { $0.notifications = fields.text("notifications") == "yes" }
                    },
                    .setLanguage: { incoming, fields in setLanguage(incoming, fields.text("language") ?? "") },
                    .changeOwnSecret: { changeSecret($0, $1) },
                ]),
            route(
                "/settings/off", Self.wearer, { showOff($0, $1) },
                [
                    .disable: { incoming, _ in call(incoming, Device1.Method.disable, then: "/settings") { showOff($0, $1) }
                    }
                ]),
            route("/data", Self.wearer) { incoming, notice in
                renderer.show(incoming, ["audit": Self.audit], notice: notice) { replies, context in
                    WearerPages.data(audit: Self.newest(replies.get("audit")), context)
                }
            },
            Route("/data.json", ["GET": Route.Action(kind: .page, roles: Self.wearer) { exportData($0) }]),
            route("/reset", Self.wearer + Self.technician, { showReset($0, $1) }, [.reset: { reset($0, $1) }]),
        ]
    }

    /// A page shows so many lines of a log.
    static let shownLines = 200

    static func newest(_ audit: Device1.AuditReply?) -> Device1.AuditReply? {
        guard var audit else { return nil }
        audit.entries = audit.entries.suffix(shownLines)
        return audit
    }

    private func showSettings(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, fault: WearerPages.SecretFault? = nil
    ) {
        renderer.show(incoming, notice: notice, status: fault == nil && notice == nil ? 200 : 422) { replies, context in
            guard let status: Exposure1.StatusReply = replies.get("status") else { throw Problem(503, "unreadable") }
            let preferences = replies.get("preferences", as: Device1.PreferencesMessage.self)?.preferences
            return WearerPages.settings(
                .init(
                    status: status.status, notifications: preferences?.notifications ?? false,
                    language: preferences?.language.flatMap(Language.init(rawValue:)), secretFault: fault), context)
        }
    }

    private func showOff(_ incoming: IncomingRequest, _ notice: PageContext.Notice?) {
        renderer.show(incoming, notice: notice) { _, context in WearerPages.off(context) }
    }

    private func set(_ incoming: IncomingRequest, _ change: @escaping (inout Device1.Preferences) -> Void) {
        self.change(incoming, change) {
            incoming.exchange.send(RequestRouter.redirect("/settings", incoming.headers))
        } else: {
            showSettings(incoming, PageRenderer.fault($0))
        }
    }

    private func setLanguage(_ incoming: IncomingRequest, _ text: String) {
        let language = Language(rawValue: text)
        // What this browser remembers of an earlier link would hide the choice.
        incoming.headers += incoming.setting(
            .language, language?.rawValue ?? "", seconds: language == nil ? 0 : IncomingRequest.languageSeconds)
        set(incoming) { $0.language = language?.rawValue }
    }

    private func changeSecret(_ incoming: IncomingRequest, _ fields: FormFields) {
        let wanted = fields.text("wanted") ?? ""
        guard wanted == fields.text("repeated") else { return showSettings(incoming, nil, fault: .different) }
        guard (12...256).contains(wanted.utf8.count) else { return showSettings(incoming, nil, fault: .length) }
        ask(
            incoming, Access1.Method.changeSecret,
            ["role": "wearer", "present": .string(fields.text("present") ?? ""), "wanted": .string(wanted)]
        ) { _ in
            // All sessions have ended, this one too.
            incoming.exchange.send(
                RequestRouter.redirect(RequestRouter.signInAgainPath, incoming.setting(.session, "", seconds: 0)))
        } else: { problem in
            switch problem.code {
            case "Refused" where problem.status == 403: showSettings(incoming, nil, fault: .wrongPresent)
            case "Unusable": showSettings(incoming, nil, fault: .length)
            default: showSettings(incoming, PageRenderer.fault(problem))
            }
        }
    }

    private func exportData(_ incoming: IncomingRequest) {
        router.client.ask(
            Self.question(Device1.Method.exportMyData, whole: true), session: incoming.session, role: incoming.role
        ) {
            answer in
            switch answer {
            case .success(let reply): incoming.exchange.send(Self.download(reply, "vigil-data.json"))
            case .failure(let error): incoming.exchange.send(router.refusal(incoming.request, Problem(error)))
            }
        }
    }

    /// - Parameter name: one of ours.
    static func download(_ json: JSON, _ name: String) -> HTTPResponse {
        var response = RequestRouter.json(json)
        response.headers.append(("Content-Disposition", "attachment; filename=\"\(name)\""))
        return response
    }

    private func showReset(_ incoming: IncomingRequest, _ notice: PageContext.Notice?, fault: Bool = false) {
        renderer.show(incoming, notice: notice, status: fault || notice != nil ? 422 : 200) { _, context in
            context.reader == .technician
                ? TechnicianPages.handOn(fault: fault, context) : WearerPages.reset(fault: fault, context)
        }
    }

    private func reset(_ incoming: IncomingRequest, _ fields: FormFields) {
        let typed = Self.trimmed(fields.text("word") ?? "")
        // The word is in the language of the page.
        renderer.render(incoming.visitor(router), [:]) { _, context in
            guard let context, typed.lowercased() == WearerPages.resetWord(context.texts).lowercased() else {
                return showReset(incoming, nil, fault: true)
            }
            let refused = { (problem: Problem) in showReset(incoming, PageRenderer.fault(problem)) }
            ask(incoming, Device1.Method.giveConsent, ["purpose": "reset"]) { reply in
                ask(incoming, Device1.Method.reset, ["ticket": reply["ticket"] ?? .null]) { _ in
                    incoming.exchange.send(
                        PageRenderer.answer(WearerPages.resetDone(context), 200, incoming.setting(.session, "", seconds: 0))
                    )
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
