// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON
import SelfCheck
import WebPages
import WebSafety

/// Plugins, network, and who may sign in.
extension PageRoutes {
    var board: [Route] {
        [
            route("/tech/plugins", Self.technicians) { incoming, notice in
                renderer.show(incoming, Self.checks, notice: notice) { replies, context in
                    TechnicianPages.plugins(
                        replies.get("processes"), found: SelfCheck.run(Self.inputs(replies, context)), context)
                }
            },
            route(
                "/tech/plugins/{name}", Self.technicians, { showPlugin($0, $1) }, forms: Self.technician,
                [
                    .restartPlugin: { incoming, _ in plugin(incoming, .restartPlugin, [:]) },
                    .enablePlugin: { incoming, _ in plugin(incoming, .setEnabled, ["enabled": true]) },
                    .disablePlugin: { incoming, _ in plugin(incoming, .setEnabled, ["enabled": false]) },
                    .setSettings: { setSettings($0, $1) },
                ]),
            route(
                "/tech/network", Self.technicians, { showNetwork($0, $1) }, forms: Self.technician,
                [
                    .applyNetwork: { applyNetwork($0, $1) },
                    .confirmNetwork: { incoming, _ in
                        call(incoming, Technician1.Method.confirmNetwork, then: "/tech/network") { showNetwork($0, $1) }
                    },
                ]),
            route(
                "/tech/access", Self.technicians, { showAccess($0, $1) }, forms: Self.technician,
                [
                    .changeSecret: { changeRoleSecret($0, $1) },
                    .makeToken: { incoming, fields in
                        let parameters: JSON = [
                            "name": .string(Self.trimmed(fields.text("name") ?? "")),
                            "role": .string(fields.text("role") ?? ""),
                        ]
                        ask(incoming, Access1.Method.makeToken, parameters) { reply in
                            showAccess(incoming, nil, made: reply["token"]?.string)
                        } else: {
                            showAccess(incoming, PageRenderer.fault($0))
                        }
                    },
                    .revokeToken: { incoming, fields in
                        call(
                            incoming, Access1.Method.revokeToken, ["name": .string(fields.text("name") ?? "")],
                            then: "/tech/access"
                        ) {
                            showAccess($0, $1)
                        }
                    },
                ]),
        ]
    }

    // MARK: Plugins

    private func pluginQuestions(_ incoming: IncomingRequest) -> [String: InterfaceClient.Question] {
        [
            "plugin": Self.question(Technician1.Method.getPlugin, ["name": .string(incoming.parts["name"] ?? "")]),
            "processes": Self.processes,
        ]
    }

    private func showPlugin(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, problems: [String] = [], typed: [String: String] = [:]
    ) {
        let name = incoming.parts["name"] ?? ""
        let isFault = notice != nil || !problems.isEmpty
        renderer.show(incoming, pluginQuestions(incoming), notice: notice, status: isFault ? 422 : 200, needs: "plugin") {
            replies, context in
            guard let plugin: Technician1.PluginReply = replies.get("plugin") else { throw Problem(503, "unreadable") }
            let process = replies.get("processes", as: Technician1.ProcessesReply.self)?.processes.first { $0.name == name }
            return TechnicianPages.plugin(
                .init(name: name, plugin: plugin, process: process, problems: problems, typed: typed), context)
        }
    }

    private func plugin(_ incoming: IncomingRequest, _ method: Technician1.Method, _ more: JSON.Object) {
        var parameters = more
        parameters["name"] = .string(incoming.parts["name"] ?? "")
        ask(incoming, method, .object(parameters)) { _ in
            // The page that is restarted is this one: it goes on at the list.
            incoming.exchange.send(RequestRouter.redirect("/tech/plugins"))
        } else: {
            showPlugin(incoming, PageRenderer.fault($0))
        }
    }

    private func setSettings(_ incoming: IncomingRequest, _ fields: FormFields) {
        var typed: [String: String] = [:]
        for name in fields.names { typed[name] = fields.text(name) }
        ask(incoming, Technician1.Method.getPlugin, ["name": .string(incoming.parts["name"] ?? "")]) { reply in
            guard let plugin = try? reply.decode(Technician1.PluginReply.self),
                let form = SettingsForm(schema: plugin.schema, settings: plugin.settings, secretsSet: plugin.secretsSet)
            else {
                return showPlugin(incoming, PageRenderer.fault(Problem(409, "noSettings", "This plugin has no settings.")))
            }
            guard let settings = form.settings(from: typed) else {
                let text =
                    "A list of these settings has changed since this page was made. Nothing was saved: make your change again."
                return showPlugin(incoming, PageRenderer.fault(Problem(409, "otherSettings", text)))
            }
            let parameters: JSON = ["name": .string(incoming.parts["name"] ?? ""), "settings": .string(settings)]
            ask(incoming, Technician1.Method.setSettings, parameters) { _ in
                incoming.exchange.send(RequestRouter.redirect("/tech/plugins"))
            } else: { problem in
                let problems = problem.parameters["problems"]?.array?.compactMap(\.string) ?? []
                if problems.isEmpty {
                    showPlugin(incoming, PageRenderer.fault(problem))
                } else {
                    showPlugin(incoming, nil, problems: problems, typed: typed)
                }
            }
        } else: {
            incoming.exchange.send(router.refusal(incoming.request, $0))
        }
    }

    // MARK: Network

    private func showNetwork(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, typed: Technician1.Network? = nil,
        problems: [String] = []
    ) {
        let question = Self.question(Technician1.Method.getNetwork)
        let isFault = notice != nil || !problems.isEmpty
        renderer.show(incoming, ["network": question], notice: notice, status: isFault ? 422 : 200) { replies, context in
            TechnicianPages.network(
                replies.get("network", as: Technician1.NetworkReply.self).map {
                    .init(reply: $0, typed: typed, problems: problems)
                }, context)
        }
    }

    private func applyNetwork(_ incoming: IncomingRequest, _ fields: FormFields) {
        func list(_ name: String) -> [String] {
            (fields.text(name) ?? "").split { $0 == "," || $0 == ";" || $0.isWhitespace }.map(String.init)
        }
        let gateway = Self.trimmed(fields.text("gateway") ?? "")
        let typed = Technician1.Network(
            interface: Self.trimmed(fields.text("interface") ?? ""),
            method: fields.text("method").flatMap(Technician1.AddressMethod.init(rawValue:)) ?? .automatic,
            addresses: list("addresses"),
            gateway: gateway.isEmpty ? nil : gateway, nameServers: list("nameServers"))
        guard let network = try? JSON(encoding: typed) else { return showNetwork(incoming, nil, typed: typed) }
        ask(incoming, Technician1.Method.applyNetwork, ["network": network, "seconds": .int(TechnicianPages.networkTrial)])
        {
            _ in
            incoming.exchange.send(RequestRouter.redirect("/tech/network"))
        } else: { problem in
            let problems = problem.parameters["problems"]?.array?.compactMap(\.string) ?? []
            showNetwork(incoming, problems.isEmpty ? PageRenderer.fault(problem) : nil, typed: typed, problems: problems)
        }
    }

    // MARK: Access

    private func showAccess(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, made: String? = nil,
        fault: WearerPages.SecretFault? = nil
    ) {
        var questions = [
            "roles": Self.question(Access1.Method.getRoles), "status": Self.question(Exposure1.Method.getStatus),
        ]
        if incoming.role == .technician { questions["tokens"] = Self.question(Access1.Method.getTokens) }
        renderer.show(incoming, questions, notice: notice, status: fault != nil || notice != nil ? 422 : 200) {
            replies, context in
            let known = replies.get("roles", as: Access1.RolesReply.self)?.roles ?? []
            let isPerson = replies.get("status", as: Exposure1.StatusReply.self)?.status.role == .person
            return TechnicianPages.access(
                .init(
                    // The wearer's is the wearer's, once there is one.
                    roles: known.contains(.wearer) || !isPerson ? known.filter { $0 != .wearer } : [.wearer] + known,
                    tokens: replies.get("tokens", as: Access1.TokensReply.self)?.tokens ?? [], made: made,
                    hasEnded: incoming.role == nil, fault: fault),
                context)
        }
    }

    private func changeRoleSecret(_ incoming: IncomingRequest, _ fields: FormFields) {
        var parameters: JSON.Object = [
            "role": .string(fields.text("role") ?? ""), "present": .string(fields.text("present") ?? ""),
        ]
        let wanted = fields.text("wanted") ?? ""
        if !wanted.isEmpty { parameters["wanted"] = .string(wanted) }
        ask(incoming, Access1.Method.changeSecret, .object(parameters)) { reply in
            let made = reply["made"]?.string
            // One's own sessions have ended with it; what was made is shown this once all the same.
            if fields.text("role") == incoming.role?.rawValue {
                incoming.headers += incoming.setting(.session, "", seconds: 0)
                guard made != nil else {
                    return incoming.exchange.send(RequestRouter.redirect(RequestRouter.signInAgainPath, incoming.headers))
                }
                incoming.role = nil
            }
            showAccess(incoming, nil, made: made)
        } else: { problem in
            switch problem.code {
            case "Refused" where problem.status == 403: showAccess(incoming, nil, fault: .wrongPresent)
            case "Unusable": showAccess(incoming, nil, fault: .length)
            default: showAccess(incoming, PageRenderer.fault(problem))
            }
        }
    }
}
