// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON
import WebPages
import WebSafety

/// How it stands, why, and the proof.
extension PageRoutes {
    var today: [Route] {
        [
            route(
                "/", nil, { showToday($0, $1) }, forms: Self.wearer,
                [
                    .acknowledge: { incoming, _ in call(incoming, Risk1.Method.acknowledge, then: "/") { showToday($0, $1) }
                    }
                ]),
            route("/welcome", nil, { showWelcome($0, $1) }, forms: Self.wearer, [.agree: { agree($0, $1) }]),
            route("/why", Self.wearer) { incoming, notice in
                let day = incoming.query("day").flatMap { Int($0) }.flatMap { (0...100_000).contains($0) ? $0 : nil }
                let parameters: JSON = day.map { ["day": .int(Int64($0))] } ?? .empty
                renderer.show(
                    incoming,
                    [
                        "risk": Self.risk, "why": Self.question(Risk1.Method.explain, whole: true, parameters),
                        "visitNews": Self.visitNotices,
                    ],
                    notice: notice,
                    needs: "risk"
                ) { replies, context in
                    guard let status: Exposure1.StatusReply = replies.get("status"),
                        let risk: Risk1.RiskReply = replies.get("risk")
                    else { throw Problem(503, "unreadable") }
                    let why = replies.get("why", as: Risk1.ContributionsReply.self)?.contributions ?? []
                    return WearerPages.why(
                        .init(
                            status: status.status, risk: risk.risk, contributions: why, day: day,
                            visitWarnings: .init(Self.venue(replies.answers["visitNews"]))), context)
                }
            },
            route("/history", Self.wearer) { incoming, notice in
                renderer.show(incoming, ["evidence": Self.evidence, "risk": Self.risk], notice: notice) {
                    replies, context in
                    WearerPages.history(
                        evidence: replies.get("evidence", as: Device1.EvidenceReply.self)?.hours,
                        risk: replies.get("risk", as: Risk1.RiskReply.self)?.risk, context)
                }
            },
            route("/proof", Self.wearer) { incoming, notice in
                renderer.show(incoming, ["evidence": recentEvidence(), "radio": Self.radio], notice: notice) {
                    replies, context in
                    WearerPages.proof(
                        evidence: replies.get("evidence", as: Device1.EvidenceReply.self)?.hours,
                        radio: replies.get("radio", as: Device1.RadioReply.self)?.radio, context)
                }
            },
        ]
    }

    /// What `/` needs beyond what every page does.
    func todayQuestions(_ role: Access1.Role?) -> [String: InterfaceClient.Question] {
        let fresh = Self.question(Exposure1.Method.getStatus)
        guard role == .wearer else { return ["status": fresh] }
        return [
            "status": fresh, "risk": Self.risk, "sync": Self.freshness, "evidence": recentEvidence(), "tests": Self.tests,
            "visitNews": Self.visitNotices,
        ]
    }

    static func today(_ replies: Replies) throws -> WearerPages.Today {
        guard let status: Exposure1.StatusReply = replies.get("status") else { throw Problem(503, "unreadable") }
        return WearerPages.Today(
            status: status.status, risk: replies.get("risk", as: Risk1.RiskReply.self)?.risk,
            freshness: replies.get("sync", as: Sync1.FreshnessReply.self)?.freshness,
            evidence: replies.get("evidence", as: Device1.EvidenceReply.self)?.hours,
            testNews: replies.get("tests", as: Diagnosis1.TestsReply.self)?.news ?? false,
            visitWarnings: .init(venue(replies.answers["visitNews"])))
    }

    private func showToday(_ incoming: IncomingRequest, _ notice: PageContext.Notice?) {
        renderer.render(incoming.visitor(router), todayQuestions(incoming.role), notice: notice) { replies, context in
            if let problem = replies.problem("status") {
                return incoming.exchange.send(router.refusal(incoming.request, problem))
            }
            guard let context, let model = try? Self.today(replies) else {
                return incoming.exchange.send(Problem(503, "unreadable").response)
            }
            let isIntroduced =
                replies.get("preferences", as: Device1.PreferencesMessage.self)?.preferences.introduced ?? true
            switch (model.status.role, incoming.role) {
            // Nobody who has not signed in sees a person's state.
            case (.person, nil): incoming.exchange.send(RequestRouter.redirect(RequestRouter.signInPath, incoming.headers))
            case (.person, .technicianReadOnly), (.person, .technician):
                incoming.exchange.send(RequestRouter.redirect("/tech", incoming.headers))
            case (.person, .wearer) where !isIntroduced:
                incoming.exchange.send(RequestRouter.redirect("/welcome", incoming.headers))
            default:
                incoming.exchange.send(
                    PageRenderer.answer(WearerPages.today(model, context), notice == nil ? 200 : 409, incoming.headers))
            }
        }
    }

    private func showWelcome(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, step: Int? = nil, fault: Bool = false
    ) {
        let step = step ?? incoming.query("step").flatMap { Int($0) } ?? 1
        renderer.show(incoming, notice: notice, status: fault || notice != nil ? 422 : 200) { _, context in
            WearerPages.welcome(step: step, fault: fault, context)
        }
    }

    private func agree(_ incoming: IncomingRequest, _ fields: FormFields) {
        guard fields.text("terms") == "yes", fields.text("beacon") == "yes" else {
            return showWelcome(incoming, nil, step: WearerPages.welcomeSteps, fault: true)
        }
        let refused = { (problem: Problem) in
            showWelcome(incoming, PageRenderer.fault(problem), step: WearerPages.welcomeSteps)
        }
        ask(incoming, Device1.Method.enable) { _ in
            change(incoming) {
                $0.introduced = true
                $0.notifications = fields.text("notifications") == "yes"
            } then: {
                // Who has just agreed should not have to wait for the hour's turn; what does not fetch now fetches then.
                ask(incoming, Sync1.Method.syncNow) { _ in
                } else: { _ in
                }
                incoming.exchange.send(RequestRouter.redirect("/"))
            } else: {
                refused($0)
            }
        } else: {
            refused($0)
        }
    }

    /// Changes what the wearer has chosen.
    func change(
        _ incoming: IncomingRequest, _ change: @escaping (inout Device1.Preferences) -> Void, then: @escaping () -> Void,
        else refused: @escaping (Problem) -> Void
    ) {
        ask(incoming, Device1.Method.getPreferences) { reply in
            guard var message = try? reply.decode(Device1.PreferencesMessage.self) else {
                return refused(Problem(503, "unreadable"))
            }
            change(&message.preferences)
            guard let parameters = try? JSON(encoding: message) else { return refused(Problem(503, "unreadable")) }
            ask(incoming, Device1.Method.setPreferences, parameters, then: { _ in then() }, else: refused)
        } else: {
            refused($0)
        }
    }
}
