// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON
import WebPages
import WebSafety

/// Tests, and warning others.
extension PageRoutes {
    private static let interface = Diagnosis1.name

    var tests: [Route] {
        [
            route(
                "/tests", Self.wearer, { showTests($0, $1) },
                [
                    .enterTeleTAN: { incoming, fields in enter(incoming, .teleTAN, fields.text("typed") ?? "") },
                    .enterCode: { incoming, fields in
                        enter(incoming, .code, fields.text("code") ?? "", born: fields.text("dateOfBirth"))
                    },
                ]),
            route(
                "/tests/{number}", Self.wearer, { showTest($0, $1) },
                [
                    .showResult: { incoming, _ in showResult(incoming) },
                    .forgetTest: { incoming, _ in
                        numbered(incoming) { number in
                            call(incoming, Diagnosis1.Method.forget, ["number": .int(number)], then: "/tests") {
                                showTest($0, $1)
                            }
                        }
                    },
                ]),
            route(
                "/tests/{number}/warn", Self.wearer, { showWarn($0, $1) },
                [
                    .warn: { warn($0, $1) }, .withdraw: { incoming, _ in withdraw(incoming) },
                ]),
        ]
    }

    private func showTests(_ incoming: IncomingRequest, _ notice: PageContext.Notice?, fault: WearerPages.EntryFault? = nil)
    {
        renderer.show(incoming, ["tests": Self.tests], notice: notice, status: fault == nil && notice == nil ? 200 : 422) {
            replies, context in
            WearerPages.tests(replies.get("tests"), fault: fault, context)
        }
    }

    private func enter(
        _ incoming: IncomingRequest, _ field: WearerPages.EntryFault.Field, _ typed: String, born: String? = nil
    ) {
        let (method, name) = field == .teleTAN ? (Diagnosis1.Method.enterTeleTAN, "typed") : (.enterCode, "code")
        var parameters: JSON.Object = [name: .string(typed)]
        if let born, !born.isEmpty { parameters["dateOfBirth"] = .string(String(born.prefix(16))) }
        ask(incoming, method, .object(parameters)) { reply in
            let number = reply["number"]?.int ?? 0
            incoming.exchange.send(RequestRouter.redirect(number > 0 ? "/tests/\(number)" : "/tests"))
        } else: { problem in
            guard problem.code == "Refused" else { return showTests(incoming, PageRenderer.fault(problem)) }
            let rule = problem.parameters["rule"]?.string ?? ""
            let isBirth = rule == "notADateOfBirth" || rule == "otherDateOfBirth"
            showTests(
                incoming, nil,
                fault: .init(
                    field: isBirth ? .dateOfBirth : field, typed: field == .teleTAN ? String(typed.prefix(40)) : ""))
        }
    }

    func numbered(_ incoming: IncomingRequest, _ then: (Int64) -> Void) {
        guard let number = incoming.parts["number"].flatMap({ Int64($0) }), number > 0 else {
            return incoming.exchange.send(router.refusal(incoming.request, Problem(404, "NoSuchNumber")))
        }
        then(number)
    }

    /// The test of the path, with what else is known of tests.
    private static func test(_ replies: Replies, _ number: Int64) throws -> (Diagnosis1.Test, Diagnosis1.TestsReply) {
        if let problem = replies.problem("tests") { throw problem }
        guard let reply: Diagnosis1.TestsReply = replies.get("tests"),
            let test = reply.tests.first(where: { Int64($0.number) == number })
        else { throw Problem(404, "NoSuchTest") }
        return (test, reply)
    }

    private func showTest(_ incoming: IncomingRequest, _ notice: PageContext.Notice?, result: Diagnosis1.Result? = nil) {
        numbered(incoming) { number in
            renderer.show(incoming, ["tests": Self.tests], notice: notice, status: notice == nil ? 200 : 409) {
                replies, context in
                let (test, all) = try Self.test(replies, number)
                return WearerPages.test(
                    .init(test: test, result: result, nextExchange: all.nextExchange, teleTANSeconds: all.teleTANSeconds),
                    context)
            }
        }
    }

    private func showResult(_ incoming: IncomingRequest) {
        numbered(incoming) { number in
            ask(incoming, Diagnosis1.Method.getResult, ["number": .int(number)]) { reply in
                showTest(incoming, nil, result: reply["result"]?.string.flatMap(Diagnosis1.Result.init(rawValue:)))
            } else: {
                showTest(incoming, PageRenderer.fault($0))
            }
        }
    }

    // MARK: Warning

    private func showWarn(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, chosen: Diagnosis1.Symptoms? = nil,
        federation: Bool = false,
        fault: WearerPages.Warn.Fault? = nil, withdrawn: Bool? = nil
    ) {
        numbered(incoming) { number in
            let isFault = fault != nil || notice != nil
            renderer.show(incoming, ["tests": Self.tests], notice: notice, status: isFault ? 422 : 200) {
                replies, context in
                let (test, all) = try Self.test(replies, number)
                return WearerPages.warn(
                    .init(
                        test: test, nextExchange: all.nextExchange, chosen: chosen, federation: federation, fault: fault,
                        withdrawn: withdrawn),
                    context)
            }
        }
    }

    private func warn(_ incoming: IncomingRequest, _ fields: FormFields) {
        let federation = fields.text("federation") == "yes"
        let statement = fields.text("statement").flatMap(Diagnosis1.Statement.init(rawValue:))
        let days = fields.text("daysAgo").flatMap { Int($0) }.flatMap { (0...21).contains($0) ? $0 : nil }
        let chosen = statement.map { Diagnosis1.Symptoms(statement: $0, daysAgo: $0 == .since ? days : nil) }
        guard let chosen, chosen.statement != .since || chosen.daysAgo != nil else {
            return showWarn(incoming, nil, chosen: chosen, federation: federation, fault: .noDay)
        }
        guard fields.text("consent") == "yes" else {
            return showWarn(incoming, nil, chosen: chosen, federation: federation, fault: .noConsent)
        }
        guard fields.text(WearerPages.toldField) == WearerPages.told(chosen) else {
            return tell(incoming, chosen, federation: federation)
        }
        send(incoming, chosen, federation: federation)
    }

    /// Before a consent counts: whom it reaches. Where that is not whoever was met today, the person is told and asked again.
    private func tell(_ incoming: IncomingRequest, _ chosen: Diagnosis1.Symptoms, federation: Bool) {
        guard let symptoms = try? JSON(encoding: chosen) else {
            return showWarn(
                incoming, PageRenderer.fault(Problem(503, "unreadable")), chosen: chosen, federation: federation)
        }
        ask(incoming, Diagnosis1.Method.getWarnedDays, ["symptoms": symptoms]) { reply in
            let days = (reply["days"]?.array ?? []).compactMap(\.int).map { Int($0) }
            if days.contains(0) {
                send(incoming, chosen, federation: federation)
            } else {
                showWarn(incoming, nil, chosen: chosen, federation: federation, fault: .notToday(days: days))
            }
        } else: { _ in
            // The operator of this board has not granted the question; nobody is kept from warning for that.
            send(incoming, chosen, federation: federation)
        }
    }

    private func send(_ incoming: IncomingRequest, _ chosen: Diagnosis1.Symptoms, federation: Bool) {
        let refused = { (problem: Problem) in
            if problem.code == "ButtonNeeded" {
                showWarn(incoming, nil, chosen: chosen, federation: federation, fault: .buttonNeeded)
            } else {
                showWarn(incoming, PageRenderer.fault(problem), chosen: chosen, federation: federation)
            }
        }
        numbered(incoming) { number in
            ask(incoming, Device1.Method.giveConsent, ["purpose": "releaseKeys"]) { reply in
                guard let symptoms = try? JSON(encoding: chosen), let ticket = reply["ticket"] else {
                    return refused(Problem(503, "unreadable"))
                }
                ask(
                    incoming, Diagnosis1.Method.warn,
                    ["number": .int(number), "ticket": ticket, "symptoms": symptoms, "federation": .bool(federation)]
                ) { _ in
                    incoming.exchange.send(RequestRouter.redirect("/tests/\(number)/warn"))
                } else: {
                    refused($0)
                }
            } else: {
                refused($0)
            }
        }
    }

    private func withdraw(_ incoming: IncomingRequest) {
        numbered(incoming) { number in
            ask(incoming, Diagnosis1.Method.withdraw, ["number": .int(number)]) { reply in
                showWarn(incoming, nil, withdrawn: reply["isWithdrawn"]?.bool ?? false)
            } else: {
                showWarn(incoming, PageRenderer.fault($0))
            }
        }
    }
}
