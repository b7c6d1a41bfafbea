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

    let room: PageRoom
    var shell: Shell { room.shell }

    init(_ room: PageRoom) { self.room = room }

    static let wearer: [Access1.Role] = [.wearer]
    static let technicians: [Access1.Role] = [.viewer, .keeper]
    static let keeper: [Access1.Role] = [.keeper]

    /// A page, and what its forms can ask for.
    func route(
        _ path: String, _ roles: [Access1.Role]?, _ page: @escaping (Visit, PageContext.Notice?) -> Void,
        forms roles2: [Access1.Role]? = nil, _ acts: [FormAction: (Visit, FormFields) -> Void] = [:]
    ) -> Route {
        var deeds = ["GET": Route.Deed(kind: .page, roles: roles) { page($0, nil) }]
        if !acts.isEmpty {
            let shell = shell
            deeds["POST"] = Route.Deed(kind: .form, roles: roles2 ?? roles, bodyLimit: Self.formLimit) { visit in
                guard let fields = visit.fields, let act = fields.text("act").flatMap(FormAction.init(rawValue:)),
                    let deed = acts[act]
                else { return visit.exchange.send(shell.refusal(visit.request, Problem(400, "act"))) }
                deed(visit, fields)
            }
        }
        return Route(path, deeds)
    }

    var all: [Route] {
        let groups: [[Route]] = [assets, reading, access, today, tests, choices, technician]
        return Array(groups.joined())
    }

    private var assets: [Route] {
        func asset(_ path: String, _ text: String, _ type: String) -> Route {
            let answer = Shell.asset(text, type: type)
            return Route(path, ["GET": Route.Deed(kind: .plain, roles: nil, wantsRole: false) { $0.exchange.send(answer) }])
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
            route(path, nil) { visit, notice in room.show(visit, notice: notice, needs: nil) { _, context in draw(context) }
            }
        }
    }

    // MARK: Calls of forms

    /// Calls; then on to another page, or what the fault is shown by.
    func call(
        _ visit: Visit, _ method: any LawfulMethod, _ parameters: JSON = .empty, then path: String,
        else shown: @escaping (Visit, PageContext.Notice?) -> Void
    ) {
        ask(visit, method, parameters) { _ in
            visit.exchange.send(Shell.redirect(path, visit.headers))
        } else: { problem in
            shown(visit, PageRoom.fault(problem))
        }
    }

    func ask(
        _ visit: Visit, _ method: any LawfulMethod, _ parameters: JSON = .empty, then: @escaping (JSON) -> Void,
        else refused: @escaping (Problem) -> Void
    ) {
        shell.asker.ask(.init(method, parameters: parameters), session: visit.session, role: visit.role) { answer in
            switch answer {
            case .success(let reply): then(reply)
            case .failure(let error):
                let problem = Problem(error)
                // The session ended between the page and its form.
                if problem.status == 401 { visit.exchange.send(Shell.redirect(Shell.signInPath)) } else { refused(problem) }
            }
        }
    }

    static func question(
        _ method: any LawfulMethod, whole: Bool = false, _ parameters: JSON = .empty
    ) -> Asker.Question { .init(method, parameters: parameters, isWhole: whole) }

    static let risk = question(Risk1.Method.getRisk)
    static let radio = question(Device1.Method.getRadio)
    static let freshness = question(Sync1.Method.getFreshness)
    static let tests = question(Diagnosis1.Method.getTests)
    static let audit = question(Device1.Method.getAudit, whole: true)
    static let evidence = question(Device1.Method.getEvidence, whole: true)

    /// The last day's.
    func recentEvidence() -> Asker.Question {
        Self.question(Device1.Method.getEvidence, whole: true, ["since": .int(room.unixNow - 90_000)])
    }
}
