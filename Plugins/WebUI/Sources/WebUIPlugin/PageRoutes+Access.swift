// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON
import WebPages
import WebSafety

/// Signing in and out.
extension PageRoutes {
    var access: [Route] {
        [
            route(
                "/sign-in", nil, { visit, _ in showSignIn(visit) }, [.signIn: { signIn($0, $1) }]),
            Route(
                "/sign-out",
                ["POST": Route.Deed(kind: .form, roles: nil, bodyLimit: Self.formLimit) { signOut($0) }]),
        ]
    }

    private func showSignIn(
        _ visit: Visit, chosen: PageContext.Reader? = nil, fault: WearerPages.SignIn.Fault? = nil, wait: Int64 = 0,
        status: UInt32 = 200
    ) {
        // The form is bound to the browser that was given it, signed in or not.
        room.show(visit, ["roles": Self.question(Access1.Method.getRoles)], status: status, needs: "roles") {
            replies, context in
            let roles = replies.get("roles", as: Access1.RolesReply.self)?.roles ?? []
            return WearerPages.signIn(
                .init(
                    roles: roles.compactMap { PageContext.Reader(rawValue: $0.rawValue) }, chosen: chosen, fault: fault,
                    wait: wait),
                context)
        }
    }

    private func signIn(_ visit: Visit, _ fields: FormFields) {
        let chosen = fields.text("role").flatMap(PageContext.Reader.init(rawValue:))
        guard let role = fields.text("role").flatMap(Access1.Role.init(rawValue:)), let secret = fields.text("secret"),
            (1...256).contains(secret.utf8.count)
        else { return showSignIn(visit, chosen: chosen, fault: .wrong, status: 403) }
        var parameters: JSON.Object = [
            "role": .string(role.rawValue), "secret": .string(secret), "source": .string(visit.request.source),
        ]
        let known = Visit.cookie(.known(role), visit.request).flatMap { Visit.isRandom($0, digits: 96) ? $0 : nil }
        if let known { parameters["browser"] = .string(known) }
        shell.asker.ask(.init(Access1.Method.signIn, parameters: .object(parameters)), session: nil, role: nil) { answer in
            switch answer {
            case .failure(let error):
                let problem = Problem(error)
                guard problem.code == "Refused" else {
                    return visit.exchange.send(shell.refusal(visit.request, problem))
                }
                let wait = problem.parameters["wait"]?.int ?? 0
                visit.headers += problem.headers
                showSignIn(visit, chosen: chosen, fault: wait > 0 ? nil : .wrong, wait: wait, status: wait > 0 ? 429 : 403)
            case .success(let reply):
                guard let session = reply["session"]?.string, Visit.isRandom(session, digits: 64) else {
                    return visit.exchange.send(shell.refusal(visit.request, Problem(503, "session")))
                }
                // What was there before ends: whoever planted a cookie gets nothing by it.
                if let old = visit.session {
                    shell.asker.ask(.init(Access1.Method.signOut), session: old, role: nil) { _ in }
                }
                var cookies =
                    visit.setting(.session, session, seconds: nil) + visit.setting(.visit, "", seconds: 0)
                if let proof = reply["browser"]?.string, Visit.isRandom(proof, digits: 96) {
                    cookies += visit.setting(.known(role), proof, seconds: Visit.knownSeconds)
                }
                visit.exchange.send(Shell.redirect(role == .wearer ? "/" : "/tech", visit.headers + cookies))
            }
        }
    }

    private func signOut(_ visit: Visit) {
        let cookies = visit.setting(.session, "", seconds: 0)
        guard let session = visit.session else {
            return visit.exchange.send(Shell.redirect("/signed-out", cookies))
        }
        shell.asker.ask(.init(Access1.Method.signOut), session: session, role: nil) { _ in
            visit.exchange.send(Shell.redirect("/signed-out", cookies))
        }
    }
}
