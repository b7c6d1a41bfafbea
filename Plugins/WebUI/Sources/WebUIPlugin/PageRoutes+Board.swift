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
            route("/tech/plugins", Self.technicians) { visit, notice in
                room.show(visit, Self.checks, notice: notice) { replies, context in
                    TechnicianPages.plugins(
                        replies.get("processes"), found: SelfCheck.run(Self.inputs(replies, context)), context)
                }
            },
            route(
                "/tech/plugins/{name}", Self.technicians, { showPlugin($0, $1) }, forms: Self.keeper,
                [
                    .restartPlugin: { visit, _ in plugin(visit, .restartPlugin, [:]) },
                    .enablePlugin: { visit, _ in plugin(visit, .setEnabled, ["enabled": true]) },
                    .disablePlugin: { visit, _ in plugin(visit, .setEnabled, ["enabled": false]) },
                    .setSettings: { setSettings($0, $1) },
                ]),
            route(
                "/tech/network", Self.technicians, { showNetwork($0, $1) }, forms: Self.keeper,
                [
                    .applyNetwork: { applyNetwork($0, $1) },
                    .confirmNetwork: { visit, _ in
                        call(visit, Keeper1.Method.confirmNetwork, then: "/tech/network") { showNetwork($0, $1) }
                    },
                ]),
            route(
                "/tech/access", Self.technicians, { showAccess($0, $1) }, forms: Self.keeper,
                [
                    .changeSecret: { changeRoleSecret($0, $1) },
                    .makeToken: { visit, fields in
                        let parameters: JSON = [
                            "name": .string(Self.trimmed(fields.text("name") ?? "")),
                            "role": .string(fields.text("role") ?? ""),
                        ]
                        ask(visit, Access1.Method.makeToken, parameters) { reply in
                            showAccess(visit, nil, made: reply["token"]?.string)
                        } else: {
                            showAccess(visit, PageRoom.fault($0))
                        }
                    },
                    .revokeToken: { visit, fields in
                        call(
                            visit, Access1.Method.revokeToken, ["name": .string(fields.text("name") ?? "")],
                            then: "/tech/access"
                        ) {
                            showAccess($0, $1)
                        }
                    },
                ]),
        ]
    }

    // MARK: Plugins

    private func pluginQuestions(_ visit: Visit) -> [String: Asker.Question] {
        [
            "plugin": Self.question(Keeper1.Method.getPlugin, ["name": .string(visit.parts["name"] ?? "")]),
            "processes": Self.processes,
        ]
    }

    private func showPlugin(
        _ visit: Visit, _ notice: PageContext.Notice?, problems: [String] = [], typed: [String: String] = [:]
    ) {
        let name = visit.parts["name"] ?? ""
        let isFault = notice != nil || !problems.isEmpty
        room.show(visit, pluginQuestions(visit), notice: notice, status: isFault ? 422 : 200, needs: "plugin") {
            replies, context in
            guard let plugin: Keeper1.PluginReply = replies.get("plugin") else { throw Problem(503, "unreadable") }
            let process = replies.get("processes", as: Keeper1.ProcessesReply.self)?.processes.first { $0.name == name }
            return TechnicianPages.plugin(
                .init(name: name, plugin: plugin, process: process, problems: problems, typed: typed), context)
        }
    }

    private func plugin(_ visit: Visit, _ method: Keeper1.Method, _ more: JSON.Object) {
        var parameters = more
        parameters["name"] = .string(visit.parts["name"] ?? "")
        ask(visit, method, .object(parameters)) { _ in
            // The page that is restarted is this one: it goes on at the list.
            visit.exchange.send(Shell.redirect("/tech/plugins"))
        } else: {
            showPlugin(visit, PageRoom.fault($0))
        }
    }

    private func setSettings(_ visit: Visit, _ fields: FormFields) {
        var typed: [String: String] = [:]
        for name in fields.names { typed[name] = fields.text(name) }
        ask(visit, Keeper1.Method.getPlugin, ["name": .string(visit.parts["name"] ?? "")]) { reply in
            guard let plugin = try? reply.decode(Keeper1.PluginReply.self),
                let form = SettingsForm(schema: plugin.schema, settings: plugin.settings, secretsSet: plugin.secretsSet)
            else { return showPlugin(visit, PageRoom.fault(Problem(409, "noSettings", "This plugin has no settings."))) }
            let parameters: JSON = [
                "name": .string(visit.parts["name"] ?? ""), "settings": .string(form.settings(from: typed)),
            ]
            ask(visit, Keeper1.Method.setSettings, parameters) { _ in
                visit.exchange.send(Shell.redirect("/tech/plugins"))
            } else: { problem in
                let problems = problem.parameters["problems"]?.array?.compactMap(\.string) ?? []
                if problems.isEmpty {
                    showPlugin(visit, PageRoom.fault(problem))
                } else {
                    showPlugin(visit, nil, problems: problems, typed: typed)
                }
            }
        } else: {
            visit.exchange.send(shell.refusal(visit.request, $0))
        }
    }

    // MARK: Network

    private func showNetwork(
        _ visit: Visit, _ notice: PageContext.Notice?, typed: Keeper1.Network? = nil, problems: [String] = []
    ) {
        let question = Self.question(Keeper1.Method.getNetwork)
        let isFault = notice != nil || !problems.isEmpty
        room.show(visit, ["network": question], notice: notice, status: isFault ? 422 : 200) { replies, context in
            TechnicianPages.network(
                replies.get("network", as: Keeper1.NetworkReply.self).map {
                    .init(reply: $0, typed: typed, problems: problems)
                }, context)
        }
    }

    private func applyNetwork(_ visit: Visit, _ fields: FormFields) {
        func list(_ name: String) -> [String] {
            (fields.text(name) ?? "").split { $0 == "," || $0 == ";" || $0.isWhitespace }.map(String.init)
        }
        let gateway = Self.trimmed(fields.text("gateway") ?? "")
        let typed = Keeper1.Network(
            interface: Self.trimmed(fields.text("interface") ?? ""),
            method: fields.text("method").flatMap(Keeper1.AddressMethod.init(rawValue:)) ?? .automatic,
            addresses: list("addresses"),
            gateway: gateway.isEmpty ? nil : gateway, nameServers: list("nameServers"))
        guard let network = try? JSON(encoding: typed) else { return showNetwork(visit, nil, typed: typed) }
        ask(visit, Keeper1.Method.applyNetwork, ["network": network, "seconds": .int(TechnicianPages.networkTrial)]) {
            _ in
            visit.exchange.send(Shell.redirect("/tech/network"))
        } else: { problem in
            let problems = problem.parameters["problems"]?.array?.compactMap(\.string) ?? []
            showNetwork(visit, problems.isEmpty ? PageRoom.fault(problem) : nil, typed: typed, problems: problems)
        }
    }

    // MARK: Access

    private func showAccess(
        _ visit: Visit, _ notice: PageContext.Notice?, made: String? = nil, fault: WearerPages.SecretFault? = nil
    ) {
        var questions = [
            "roles": Self.question(Access1.Method.getRoles), "status": Self.question(Exposure1.Method.getStatus),
        ]
        if visit.role == .keeper { questions["tokens"] = Self.question(Access1.Method.getTokens) }
        room.show(visit, questions, notice: notice, status: fault != nil || notice != nil ? 422 : 200) { replies, context in
            let known = replies.get("roles", as: Access1.RolesReply.self)?.roles ?? []
            let isPerson = replies.get("status", as: Exposure1.StatusReply.self)?.status.role == .person
            return TechnicianPages.access(
                .init(
                    // The wearer's is the wearer's, once there is one.
                    roles: known.contains(.wearer) || !isPerson ? known.filter { $0 != .wearer } : [.wearer] + known,
                    tokens: replies.get("tokens", as: Access1.TokensReply.self)?.tokens ?? [], made: made, fault: fault),
                context)
        }
    }

    private func changeRoleSecret(_ visit: Visit, _ fields: FormFields) {
        var parameters: JSON.Object = [
            "role": .string(fields.text("role") ?? ""), "present": .string(fields.text("present") ?? ""),
        ]
        let wanted = fields.text("wanted") ?? ""
        if !wanted.isEmpty { parameters["wanted"] = .string(wanted) }
        ask(visit, Access1.Method.changeSecret, .object(parameters)) { reply in
            // One's own sessions have ended with it; what was made is shown this once all the same.
            if fields.text("role") == visit.role?.rawValue {
                visit.headers += visit.setting(.session, "", seconds: 0)
                visit.role = nil
            }
            showAccess(visit, nil, made: reply["made"]?.string)
        } else: { problem in
            switch problem.code {
            case "Refused" where problem.status == 403: showAccess(visit, nil, fault: .wrongPresent)
            case "Unusable": showAccess(visit, nil, fault: .length)
            default: showAccess(visit, PageRoom.fault(problem))
            }
        }
    }
}
