// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON
import WebPages
import WebSafety

/// All pages and their forms: which path is which, and who may.
struct PageRoutes {
    /// Bytes of a form.
    static let formLimit = 64 << 10

    let renderer: PageRenderer
    var router: RequestRouter { renderer.router }

    init(_ renderer: PageRenderer) { self.renderer = renderer }

    static let wearer: [Access1.Role] = [.wearer]
    static let technicians: [Access1.Role] = [.technicianReadOnly, .technician]
    static let technician: [Access1.Role] = [.technician]

    /// A page, and what its forms can ask for.
    func route(
        _ path: String, _ roles: [Access1.Role]?, _ page: @escaping (IncomingRequest, PageContext.Notice?) -> Void,
        forms roles2: [Access1.Role]? = nil, _ acts: [FormAction: (IncomingRequest, FormFields) -> Void] = [:]
    ) -> Route {
        var actions = ["GET": Route.Action(kind: .page, roles: roles) { page($0, nil) }]
        if !acts.isEmpty {
            let router = router
            actions["POST"] = Route.Action(kind: .form, roles: roles2 ?? roles, bodyLimit: Self.formLimit) { incoming in
                guard let fields = incoming.fields, let act = fields.text("act").flatMap(FormAction.init(rawValue:)),
                    let action = acts[act]
                else { return incoming.exchange.send(router.refusal(incoming.request, Problem(400, "act"))) }
                action(incoming, fields)
            }
        }
        return Route(path, actions)
    }

    var all: [Route] {
        let groups: [[Route]] = [assets, reading, access, today, tests, visits, choices, donation, places, technician]
        return Array(groups.joined())
    }

    private var assets: [Route] {
        func asset(_ path: String, _ text: String, _ type: String) -> Route {
            let answer = RequestRouter.asset(text, type: type)
            return Route(
                path, ["GET": Route.Action(kind: .plain, roles: nil, wantsRole: false) { $0.exchange.send(answer) }])
        }
        return [
            asset("/style.css", Assets.styleSheet, "text/css"), asset("/live.js", Assets.liveScript, "text/javascript"),
        ]
    }

    private var reading: [Route] {
        let pages: [(String, (PageContext) -> Page)] = [
            ("/help", WearerPages.help), ("/hotlines", WearerPages.hotlines), ("/terms", WearerPages.terms),
            ("/privacy", WearerPages.privacy), ("/imprint", WearerPages.imprint), ("/signed-out", WearerPages.signedOut),
        ]
        return pages.map { path, draw in
            route(path, nil) { incoming, notice in
                renderer.show(incoming, notice: notice, needs: nil) { _, context in draw(context) }
            }
        }
    }

    // MARK: Calls of forms

    /// Calls; then on to another page, or what the fault is shown by.
    func call(
        _ incoming: IncomingRequest, _ method: any LawfulMethod, _ parameters: JSON = .empty, then path: String,
        else shown: @escaping (IncomingRequest, PageContext.Notice?) -> Void
    ) {
        ask(incoming, method, parameters) { _ in
            incoming.exchange.send(RequestRouter.redirect(path, incoming.headers))
        } else: { problem in
            shown(incoming, PageRenderer.fault(problem))
        }
    }

    func ask(
        _ incoming: IncomingRequest, _ method: any LawfulMethod, _ parameters: JSON = .empty,
        then: @escaping (JSON) -> Void,
        else refused: @escaping (Problem) -> Void
    ) {
        router.client.ask(.init(method, parameters: parameters), session: incoming.session, role: incoming.role) { answer in
            switch answer {
            case .success(let reply): then(reply)
            case .failure(let error):
                let problem = Problem(error)
                // The session ended between the page and its form.
                if problem.status == 401 {
                    incoming.exchange.send(RequestRouter.redirect(RequestRouter.signInPath))
                } else {
                    refused(problem)
                }
            }
        }
    }

    static func question(
        _ method: any LawfulMethod, whole: Bool = false, _ parameters: JSON = .empty
    ) -> InterfaceClient.Question { .init(method, parameters: parameters, isWhole: whole) }

    static let risk = question(Risk1.Method.getRisk)
    static let radio = question(Device1.Method.getRadio)
    static let freshness = question(Sync1.Method.getFreshness)
    static let tests = question(Diagnosis1.Method.getTests)
    static let audit = question(Device1.Method.getAudit, whole: true)
    static let evidence = question(Device1.Method.getEvidence, whole: true)

    /// The last day's.
    func recentEvidence() -> InterfaceClient.Question {
        Self.question(Device1.Method.getEvidence, whole: true, ["since": .int(renderer.unixNow - 90_000)])
    }
}
