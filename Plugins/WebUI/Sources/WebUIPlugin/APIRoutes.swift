// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON

/// An operation that is more than one call: everything is asked at once, and what cannot be had is said in its place.
struct ComposedOperation {
    let id: String
    let path: String
    let summary: String
    /// `nil` for anybody.
    let roles: [Access1.Role]?
    let questions: [String: InterfaceClient.Question]
}

/// `/api/v1`.
struct APIRoutes {
    /// Bytes of a body.
    private static let bodyLimit = 64 << 10
    private let router: RequestRouter

    init(_ router: RequestRouter) { self.router = router }

    static let composed: [ComposedOperation] = [
        ComposedOperation(
            id: "getFindings", path: "/findings", summary: "What is wrong with the board, from everywhere it is known.",
            roles: [.technicianReadOnly, .technician], questions: FindingQuestions.all),
        ComposedOperation(
            id: "getDiagnostics", path: "/diagnostics",
            summary: "Everything a technician can know, in one file to send on.",
            roles: [.technicianReadOnly, .technician],
            questions: [
                "status": .init(Exposure1.Method.getStatus), "radio": .init(Device1.Method.getRadio),
                "evidence": .init(Device1.Method.getEvidence, isWhole: true),
                "time": .init(Device1.Method.getTime), "storage": .init(Device1.Method.getStorage),
                "sync": .init(Sync1.Method.getFreshness), "wake": .init(Wake1.Method.getState),
                "traffic": .init(Egress1.Method.getTraffic),
                "processes": .init(Technician1.Method.getProcesses),
                "network": .init(Technician1.Method.getNetwork),
                "log": .init(Technician1.Method.getLog, isWhole: true),
            ]),
    ]

    /// Made when it is first asked for.
    static let description = OpenAPIText.make(Operation.all, composed: composed, version: WebUI.version)

    var all: [Route] {
        // Words before names: `/tests/teletan` is no number.
        var byPath: [(path: String, actions: [String: Route.Action])] = []
        func add(_ path: String, _ method: String, _ action: Route.Action) {
            if let index = byPath.firstIndex(where: { $0.path == path }) {
                byPath[index].actions[method] = action
            } else {
                byPath.append((path, [method: action]))
            }
        }
        for operation in Operation.all {
            let limit = if case .none = operation.body { 0 } else { Self.bodyLimit }
            add(
                operation.path, operation.method,
                Route.Action(kind: .api, roles: operation.roles, bodyLimit: limit, wantsRole: operation.roles != nil) {
                    [router] incoming in
                    Self.run(operation, incoming, router)
                })
        }
        for operation in Self.composed {
            add(
                operation.path, "GET",
                Route.Action(kind: .api, roles: operation.roles) { [router] incoming in
                    router.client.gather(operation.questions, session: incoming.session, role: incoming.role) { answers in
                        incoming.exchange.send(RequestRouter.json(Self.composed(answers)))
                    }
                })
        }
        add(
            "/openapi.json", "GET",
            Route.Action(kind: .api, roles: nil, wantsRole: false) { incoming in
                incoming.exchange.send(RequestRouter.json(Self.description))
            })
        return byPath.map { Route(OpenAPIText.base + $0.path, $0.actions) }
    }

    static func composed(_ answers: [String: InterfaceClient.Answer]) -> JSON {
        var object = JSON.Object()
        for (name, answer) in answers.sorted(by: { $0.key < $1.key }) {
            switch answer {
            case .success(let value): object[name] = value
            case .failure(let error):
                let problem = Problem(error)
                object[name] = ["problem": .string(problem.code), "detail": .string(problem.detail ?? "")]
            }
        }
        return .object(object)
    }

    private static func run(_ operation: Operation, _ incoming: IncomingRequest, _ router: RequestRouter) {
        var parameters: JSON.Object
        do throws(Problem) { parameters = try operation.parameters(incoming) } catch {
            return incoming.exchange.send(error.response)
        }
        guard let purpose = operation.purpose else { return finish(operation, parameters, incoming, router) }
        let consent = InterfaceClient.Question(Device1.Method.giveConsent, parameters: ["purpose": .string(purpose)])
        router.client.ask(consent, session: incoming.session, role: incoming.role) { answer in
            switch answer {
            case .failure(let error): incoming.exchange.send(Problem(error).response)
            case .success(let reply):
                parameters["ticket"] = reply["ticket"]
                finish(operation, parameters, incoming, router)
            }
        }
    }

    private static func finish(
        _ operation: Operation, _ parameters: JSON.Object, _ incoming: IncomingRequest, _ router: RequestRouter
    ) {
        let question = InterfaceClient.Question(
            operation.call, parameters: .object(parameters), isWhole: operation.isWhole)
        guard !operation.joinsVisits else { return join(question, incoming, router) }
        router.client.ask(question, session: incoming.session, role: incoming.role) { answer in
            switch answer {
            case .failure(let error): incoming.exchange.send(Problem(error).response)
            case .success(let reply): incoming.exchange.send(RequestRouter.json(reply, status: operation.success))
            }
        }
    }

    private static func join(
        _ question: InterfaceClient.Question, _ incoming: IncomingRequest, _ router: RequestRouter
    ) {
        let questions = ["risk": question, "visits": PageRoutes.visitNotices]
        router.client.gather(questions, session: incoming.session, role: incoming.role) { answers in
            switch answers["risk"] {
            case .success(let reply)?:
                incoming.exchange.send(RequestRouter.json(RiskWithVisits.joined(reply, answers["visits"])))
            case .failure(let error)?: incoming.exchange.send(Problem(error).response)
            case nil: incoming.exchange.send(Problem(503, "unreadable").response)
            }
        }
    }
}

/// Where faults are known.
enum FindingQuestions {
    static let all: [String: InterfaceClient.Question] = [
        "status": .init(Exposure1.Method.getStatus), "radio": .init(Device1.Method.getRadio),
        "time": .init(Device1.Method.getTime), "storage": .init(Device1.Method.getStorage),
        "sync": .init(Sync1.Method.getFreshness),
        "processes": .init(Technician1.Method.getProcesses),
    ]
}
