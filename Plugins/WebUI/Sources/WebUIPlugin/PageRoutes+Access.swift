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
                "/sign-in", nil,
                { incoming, _ in showSignIn(incoming, reason: incoming.query("changed") == "yes" ? .changed : nil) },
                [.signIn: { signIn($0, $1) }]),
            Route(
                "/sign-out",
                ["POST": Route.Action(kind: .form, roles: nil, bodyLimit: Self.formLimit) { signOut($0) }]),
        ]
    }

    private func showSignIn(
        _ incoming: IncomingRequest, chosen: PageContext.Reader? = nil, reason: WearerPages.SignIn.Reason? = nil,
        wait: Int64 = 0,
        status: UInt32 = 200
    ) {
        // The form is bound to the browser that was given it, signed in or not.
        renderer.show(incoming, ["roles": Self.question(Access1.Method.getRoles)], status: status, needs: "roles") {
            replies, context in
            let roles = replies.get("roles", as: Access1.RolesReply.self)?.roles ?? []
            return WearerPages.signIn(
                .init(
                    roles: roles.compactMap { PageContext.Reader(rawValue: $0.rawValue) }, chosen: chosen, reason: reason,
                    wait: wait),
                context)
        }
    }

    private func signIn(_ incoming: IncomingRequest, _ fields: FormFields) {
        let chosen = fields.text("role").flatMap(PageContext.Reader.init(rawValue:))
        guard let role = fields.text("role").flatMap(Access1.Role.init(rawValue:)), let secret = fields.text("secret"),
            (1...256).contains(secret.utf8.count)
        else { return showSignIn(incoming, chosen: chosen, reason: .wrong, status: 403) }
        var parameters: JSON.Object = [
            "role": .string(role.rawValue), "secret": .string(secret), "source": .string(incoming.request.source),
        ]
        let known = IncomingRequest.cookie(.known(role), incoming.request).flatMap {
            IncomingRequest.isRandom($0, digits: 96) ? $0 : nil
        }
        if let known { parameters["browser"] = .string(known) }
        router.client.ask(.init(Access1.Method.signIn, parameters: .object(parameters)), session: nil, role: nil) {
            answer in
            switch answer {
            case .failure(let error):
                let problem = Problem(error)
                guard problem.code == "Refused" else {
                    return incoming.exchange.send(router.refusal(incoming.request, problem))
                }
                let wait = problem.parameters["wait"]?.int ?? 0
                incoming.headers += problem.headers
                showSignIn(
                    incoming, chosen: chosen, reason: wait > 0 ? nil : .wrong, wait: wait, status: wait > 0 ? 429 : 403)
            case .success(let reply):
                guard let session = reply["session"]?.string, IncomingRequest.isRandom(session, digits: 64) else {
                    return incoming.exchange.send(router.refusal(incoming.request, Problem(503, "session")))
                }
                // What was there before ends: whoever planted a cookie gets nothing by it.
                if let old = incoming.session {
                    router.client.ask(.init(Access1.Method.signOut), session: old, role: nil) { _ in }
                }
                var cookies =
                    incoming.setting(.session, session, seconds: nil) + incoming.setting(.visit, "", seconds: 0)
                if let proof = reply["browser"]?.string, IncomingRequest.isRandom(proof, digits: 96) {
                    cookies += incoming.setting(.known(role), proof, seconds: IncomingRequest.knownSeconds)
                }
                incoming.exchange.send(RequestRouter.redirect(role == .wearer ? "/" : "/tech", incoming.headers + cookies))
            }
        }
    }

    private func signOut(_ incoming: IncomingRequest) {
        let cookies = incoming.setting(.session, "", seconds: 0)
        guard let session = incoming.session else {
            return incoming.exchange.send(RequestRouter.redirect("/signed-out", cookies))
        }
        router.client.ask(.init(Access1.Method.signOut), session: session, role: nil) { _ in
            incoming.exchange.send(RequestRouter.redirect("/signed-out", cookies))
        }
    }
}
