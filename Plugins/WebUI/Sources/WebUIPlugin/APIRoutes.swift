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
    let questions: [String: Asker.Question]
}

/// `/api/v1`.
struct APIRoutes {
    /// Bytes of a body.
    private static let bodyLimit = 64 << 10
    private let shell: Shell

    init(_ shell: Shell) { self.shell = shell }

    static let composed: [ComposedOperation] = [
        ComposedOperation(
            id: "getFindings", path: "/findings", summary: "What is wrong with the board, from everywhere it is known.",
            roles: [.viewer, .keeper], questions: FindingQuestions.all),
        ComposedOperation(
            id: "getDiagnostics", path: "/diagnostics",
            summary: "Everything a technician can know, in one file to send on.",
            roles: [.viewer, .keeper],
            questions: [
                "status": .init(Exposure1.Method.getStatus), "radio": .init(Device1.Method.getRadio),
                "evidence": .init(Device1.Method.getEvidence, isWhole: true),
                "time": .init(Device1.Method.getTime), "storage": .init(Device1.Method.getStorage),
                "sync": .init(Sync1.Method.getFreshness), "wake": .init(Wake1.Method.getState),
                "traffic": .init(Egress1.Method.getTraffic),
                "processes": .init(Keeper1.Method.getProcesses),
                "network": .init(Keeper1.Method.getNetwork),
                "log": .init(Keeper1.Method.getLog, isWhole: true),
            ]),
    ]

    /// Made when it is first asked for.
    static let description = OpenAPIText.make(Operation.all, composed: composed, version: WebUI.version)

    var all: [Route] {
        // Words before names: `/tests/teletan` is no number.
        var byPath: [(path: String, deeds: [String: Route.Deed])] = []
        func add(_ path: String, _ method: String, _ deed: Route.Deed) {
            if let index = byPath.firstIndex(where: { $0.path == path }) {
                byPath[index].deeds[method] = deed
            } else {
                byPath.append((path, [method: deed]))
            }
        }
        for operation in Operation.all {
            let limit = if case .none = operation.body { 0 } else { Self.bodyLimit }
            add(
                operation.path, operation.method,
                Route.Deed(kind: .api, roles: operation.roles, bodyLimit: limit, wantsRole: operation.roles != nil) {
                    [shell] visit in
                    Self.run(operation, visit, shell)
                })
        }
        for operation in Self.composed {
            add(
                operation.path, "GET",
                Route.Deed(kind: .api, roles: operation.roles) { [shell] visit in
                    shell.asker.gather(operation.questions, session: visit.session, role: visit.role) { answers in
                        visit.exchange.send(Shell.json(Self.composed(answers)))
                    }
                })
        }
        add(
            "/openapi.json", "GET",
            Route.Deed(kind: .api, roles: nil, wantsRole: false) { visit in
                visit.exchange.send(Shell.json(Self.description))
            })
        return byPath.map { Route(OpenAPIText.base + $0.path, $0.deeds) }
    }

    static func composed(_ answers: [String: Asker.Answer]) -> JSON {
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

    private static func run(_ operation: Operation, _ visit: Visit, _ shell: Shell) {
        var parameters: JSON.Object
        do throws(Problem) { parameters = try operation.parameters(visit) } catch {
            return visit.exchange.send(error.response)
        }
        guard let purpose = operation.purpose else { return finish(operation, parameters, visit, shell) }
        let consent = Asker.Question(Device1.Method.giveConsent, parameters: ["purpose": .string(purpose)])
        shell.asker.ask(consent, session: visit.session, role: visit.role) { answer in
            switch answer {
            case .failure(let error): visit.exchange.send(Problem(error).response)
            case .success(let reply):
                parameters["ticket"] = reply["ticket"]
                finish(operation, parameters, visit, shell)
            }
        }
    }

    private static func finish(_ operation: Operation, _ parameters: JSON.Object, _ visit: Visit, _ shell: Shell) {
        let question = Asker.Question(
            operation.call, parameters: .object(parameters), isWhole: operation.isWhole)
        shell.asker.ask(question, session: visit.session, role: visit.role) { answer in
            switch answer {
            case .failure(let error): visit.exchange.send(Problem(error).response)
            case .success(let reply): visit.exchange.send(Shell.json(reply, status: operation.success))
            }
        }
    }
}

/// Where faults are known.
enum FindingQuestions {
    static let all: [String: Asker.Question] = [
        "status": .init(Exposure1.Method.getStatus), "radio": .init(Device1.Method.getRadio),
        "time": .init(Device1.Method.getTime), "storage": .init(Device1.Method.getStorage),
        "sync": .init(Sync1.Method.getFreshness),
        "processes": .init(Keeper1.Method.getProcesses),
    ]
}
