// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPService
import Interfaces
import JSON
import WebPages
import WebSafety

/// The wearer's visits.
extension PageRoutes {
    var visits: [Route] {
        [
            route(
                "/visits", Self.wearer, { showVisits($0, $1) },
                [
                    .checkIn: { checkIn($0, $1) },
                    .setHiding: { setHiding($0, $1) },
                    .showHidden: { incoming, fields in showVisits(incoming, nil, secret: fields.text("secret") ?? "") },
                    .acknowledgeVisits: { incoming, fields in
                        let last = fields.text("number").flatMap { Int64($0) } ?? 0
                        call(incoming, Checkin1.Method.acknowledge, ["number": .int(last)], then: "/visits") {
                            showVisits($0, $1)
                        }
                    },
                ]),
            Route("/visits.csv", ["GET": Route.Action(kind: .page, roles: Self.wearer) { exportVisits($0) }]),
            route(
                "/visits/{number}", Self.wearer, { showVisit($0, $1) },
                [
                    .checkOut: { incoming, _ in visit(incoming, .checkOut) },
                    .editVisit: { editVisit($0, $1) },
                    .setVisitWarning: { incoming, fields in
                        visit(incoming, .setWarning, ["warns": .bool(fields.text("warns") == "yes")])
                    },
                    .deleteVisit: { incoming, _ in
                        numbered(incoming) { number in
                            call(incoming, Checkin1.Method.deleteVisit, ["number": .int(number)], then: "/visits") {
                                showVisit($0, $1)
                            }
                        }
                    },
                ]),
        ]
    }

    /// Whether there is news, and all notices: the one that counts may be the last.
    static let visitNotices = InterfaceClient.Question(Checkin1.Method.getNotices, list: "notices")

    /// All parts of a list of the plugin that knows venues.
    func parts(
        _ incoming: IncomingRequest, _ method: Checkin1.Method, _ list: String, secret: String? = nil,
        then: @escaping (InterfaceClient.Answer) -> Void
    ) {
        router.client.parts(method, list, secret: secret, session: incoming.session, role: incoming.role) { answer in
            // The session ended meanwhile.
            if case .failure(let error) = answer, Problem(error).status == 401 {
                return incoming.exchange.send(RequestRouter.redirect(RequestRouter.signInPath))
            }
            then(answer)
        }
    }

    /// With `secret` hidden places are in the answer, and in no other.
    private func showVisits(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, isFault: Bool = false,
        hidingFault: WearerPages.HidingFault? = nil, secret: String? = nil, attempt: String? = nil
    ) {
        // A check-in that got no answer is sent again as the same one.
        let attempt = attempt ?? Self.newAttempt()
        parts(incoming, .getVisits, "visits", secret: secret) { visits in
            if secret != nil, case .failure(let error) = visits, Problem(error).error == "\(Checkin1.name).Refused" {
                return showVisits(incoming, nil, hidingFault: .init(.wrong, .show))
            }
            parts(incoming, .getNotices, "notices") { notices in
                let isRefused = isFault || hidingFault != nil || notice?.kind == .fault
                renderer.show(incoming, notice: notice, status: isRefused ? 422 : 200) {
                    _, context in
                    let known = Self.venue(notices, as: Checkin1.NoticesReply.self).reply
                    let answer: VenueAnswer<WearerPages.Visits> =
                        switch Self.venue(visits, as: Checkin1.VisitsReply.self) {
                        case .reply(let reply):
                            .reply(
                                .init(
                                    visits: reply.visits, notices: known, isFault: isFault, hides: reply.hides,
                                    hidingFault: hidingFault, isOpened: secret != nil, unhidden: reply.unhidden,
                                    hidingIsSet: reply.hidingIsSet == true, isChoiceLost: reply.choiceLost == true,
                                    attempt: attempt))
                        case .notThere: .notThere
                        case .otherRole: .otherRole
                        case .silent: .silent
                        }
                    return WearerPages.visits(answer, context)
                }
            }
        }
    }

    /// 122 random bits.
    private static func newAttempt() -> String {
        var random = SystemRandomNumberGenerator()
        return RandomUUID.text(using: &random)
    }

    private func checkIn(_ incoming: IncomingRequest, _ fields: FormFields) {
        let code = Self.trimmed(fields.text("code") ?? "")
        // A form of before a restart has one too; without any the plugin takes the code all the same.
        let attempt = fields.text("attempt").flatMap { RandomUUID.bytes($0) == nil ? nil : $0 }
        var parameters: JSON.Object = ["code": .string(code)]
        parameters["attempt"] = attempt.map(JSON.string)
        ask(incoming, Checkin1.Method.checkIn, .object(parameters)) { reply in
            let number = reply["visit"]?["number"]?.int ?? 0
            incoming.exchange.send(RequestRouter.redirect(number > 0 ? "/visits/\(number)" : "/visits"))
        } else: { problem in
            guard problem.error == "\(Checkin1.name).Refused" else {
                return showVisits(incoming, PageRenderer.fault(problem), attempt: attempt)
            }
            showVisits(incoming, nil, isFault: true, attempt: attempt)
        }
    }

    private func setHiding(_ incoming: IncomingRequest, _ fields: FormFields) {
        let isOn = fields.text("on") == "yes"
        var parameters: JSON.Object = ["on": .bool(isOn)]
        let another = fields.text("another")
        let place: WearerPages.HidingFault.Place = another == nil ? .hide : .anew
        if isOn {
            let secret = another ?? fields.text("wanted") ?? ""
            // The form asks for it twice where it is a new one: whoever mistypes that could never read their visits.
            let repeated = fields.text("repeated")
            guard repeated == nil && another == nil || repeated == secret else {
                return showVisits(incoming, nil, hidingFault: .init(.different, place))
            }
            parameters["secret"] = .string(secret)
        }
        if another != nil { parameters["anew"] = true }
        ask(incoming, Checkin1.Method.setHiding, .object(parameters)) { _ in
            incoming.exchange.send(RequestRouter.redirect("/visits"))
        } else: { problem in
            guard problem.error == "\(Checkin1.name).Refused" else {
                return showVisits(incoming, PageRenderer.fault(problem))
            }
            let isWrong = problem.parameters["rule"]?.string == "wrongSecret"
            showVisits(incoming, nil, hidingFault: .init(isWrong ? .wrong : .length, place))
        }
    }

    private func showVisit(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, typed: WearerPages.VisitTimes? = nil,
        isWrongSecret: Bool = false
    ) {
        numbered(incoming) { number in
            // The first after the one before it.
            let question = Self.question(Checkin1.Method.getVisits, ["after": .int(number - 1)])
            let isFault = typed != nil || notice != nil
            renderer.show(incoming, ["visits": question], notice: notice, status: isFault ? 422 : 200) { replies, context in
                if let problem = replies.problem("visits"), problem.status == 401 { throw problem }
                switch Self.venue(replies.answers["visits"], as: Checkin1.VisitsReply.self) {
                case .reply(let reply):
                    guard let visit = reply.visits.first, Int64(visit.number) == number else {
                        throw Problem(404, "NoSuchNumber")
                    }
                    return WearerPages.visit(visit, typed: typed, isWrongSecret: isWrongSecret, context)
                case .notThere: return WearerPages.visits(.notThere, context)
                case .otherRole: return WearerPages.visits(.otherRole, context)
                case .silent: return WearerPages.visits(.silent, context)
                }
            }
        }
    }

    private func visit(_ incoming: IncomingRequest, _ method: Checkin1.Method, _ more: JSON.Object = [:]) {
        numbered(incoming) { number in
            var parameters = more
            parameters["number"] = .int(number)
            call(incoming, method, .object(parameters), then: "/visits/\(number)") { showVisit($0, $1) }
        }
    }

    private func editVisit(_ incoming: IncomingRequest, _ fields: FormFields) {
        numbered(incoming) { number in
            func text(_ name: String) -> String { String((fields.text(name) ?? "").prefix(16)) }
            let typed = WearerPages.VisitTimes(
                arrivalDate: text("arrivalDate"), arrivalTime: text("arrivalTime"), departureDate: text("departureDate"),
                departureTime: text("departureTime"))
            guard let arrival = Self.moment(date: typed.arrivalDate, time: typed.arrivalTime),
                let departure = Self.moment(date: typed.departureDate, time: typed.departureTime)
            else { return showVisit(incoming, nil, typed: typed) }
            var parameters: JSON.Object = ["number": .int(number), "arrival": .int(arrival), "departure": .int(departure)]
            parameters["secret"] = fields.text("secret").map(JSON.string)
            ask(incoming, Checkin1.Method.editVisit, .object(parameters)) { _ in
                incoming.exchange.send(RequestRouter.redirect("/visits/\(number)"))
            } else: { problem in
                let isRefused = problem.error == "\(Checkin1.name).Refused"
                let rule = problem.parameters["rule"]?.string
                showVisit(
                    incoming, isRefused ? nil : PageRenderer.fault(problem), typed: isRefused ? typed : nil,
                    isWrongSecret: rule == "wrongSecret" || rule == "hiddenVisit")
            }
        }
    }

    private func exportVisits(_ incoming: IncomingRequest) {
        router.client.exportVisits(session: incoming.session, role: incoming.role) { answer in
            switch answer {
            case .success(let text):
                var response = RequestRouter.asset(text, type: "text/csv", caching: "no-store")
                response.headers.append(("Content-Disposition", "attachment; filename=\"vigil-visits.csv\""))
                incoming.exchange.send(response)
            case .failure(let error):
                let problem = Problem(error)
                incoming.exchange.send(
                    problem.status == 401
                        ? RequestRouter.redirect(RequestRouter.signInPath) : router.refusal(incoming.request, problem))
            }
        }
    }
}
