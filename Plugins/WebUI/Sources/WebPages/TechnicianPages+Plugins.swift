// SPDX-License-Identifier: Apache-2.0

public import Interfaces
public import SelfCheck

extension TechnicianPages {
    /// Makes the page `/tech/plugins`: every process of the board and its state. Cannot fail.
    /// - Parameters:
    ///   - reply: The core's answer about the processes; `nil` if it does not answer.
    ///   - found: The findings of the self-check, of which those about plugins are shown; none without `reply`.
    public static func plugins(_ reply: Technician1.ProcessesReply?, found: [Found], _ context: PageContext) -> Page {
        page(.plugins, context, lead: context.t("tech.plugins.lead")) {
            if let reply {
                if reply.safeMode { Part.note(.warm, context.t("tech.plugins.safe-mode")) }
                Part.table(
                    context.t("tech.plugins.table"),
                    columns: [
                        context.t("tech.plugins.name"), context.t("tech.plugins.state"), context.t("tech.version"),
                        context.t("tech.plugins.memory"),
                        context.t("tech.plugins.restarts"),
                    ],
                    rows: reply.processes.map { process in
                        [
                            process.title == nil
                                ? Part.foreign(process.name)
                                : el(.a, .href(Link(page: ["tech", "plugins", process.name]))) {
                                    Part.foreign(process.title ?? process.name)
                                },
                            stateBadge(process, context), process.version.map(Part.foreign) ?? HTML("–"),
                            HTML(process.memory.map { context.bytes(UInt64(max(0, $0))) } ?? "–"),
                            HTML(context.number(process.restarts)),
                        ]
                    })
                findings(found.filter { $0.finding.area == .plugins }, isKnown: true, context)
            } else {
                Part.note(.heed, context.t("tech.nothing"))
            }
        }
    }

    static func stateBadge(_ process: Technician1.Process, _ context: PageContext) -> HTML {
        let tone: Tone =
            switch process.state {
            case .running, .waiting: .calm
            case .quarantined, .refused: .warm
            case .disabled: .still
            case .starting, .stopping, .backingOff, .safeMode: .heed
            }
        return Part.badge(tone, context.known(.processState, process.state.rawValue) ?? process.state.rawValue)
    }

    /// The content of `/tech/plugins/NAME`: the plugin, its process, and its settings.
    public struct Plugin: Sendable {
        /// The plugin's name, as in the path.
        public var name: String
        /// The core's answer about the plugin, with its settings but no secrets.
        public var plugin: Technician1.PluginReply
        /// The state of the plugin's process; `nil` if the supervisor knows none.
        public var process: Technician1.Process?
        /// The core's English sentences about settings that do not fit; empty if none were entered just now, or they were
        /// accepted.
        public var problems: [String]
        /// The entered values that were refused, by the fields' names, which the form then shows again; empty to show the
        /// settings in force.
        public var typed: [String: String]

        /// Creates the content; `process` is `nil` if the supervisor knows none.
        ///
        /// - Parameters:
        ///   - problems: The core's English sentences about settings that do not fit.
        ///   - typed: The entered values, by the fields' names.
        public init(
            name: String, plugin: Technician1.PluginReply, process: Technician1.Process?, problems: [String] = [],
            typed: [String: String] = [:]
        ) {
            self.name = name
            self.plugin = plugin
            self.process = process
            self.problems = problems
            self.typed = typed
        }
    }

    /// Makes the page `/tech/plugins/NAME`: the plugin's state, its permissions, and its settings. Cannot fail.
    public static func plugin(_ model: Plugin, _ context: PageContext) -> Page {
        let path = ["tech", "plugins", model.name]
        return page(.plugins, context, title: context.t("tech.plugin.title", ["name": model.plugin.title])) {
            el(.p, .lang("en"), text: model.plugin.description)
            Part.section("state", context.t("tech.plugins.state")) {
                Part.facts(pluginFacts(model, context))
                if let reason = model.process?.reason { Part.english(reason, in: context) }
                if let exit = model.process?.lastExit {
                    el(.p, text: context.t("tech.plugin.last-exit"))
                    Part.english(exit, in: context)
                }
                technicianOnly(context) {
                    el(.div, .class("actions")) {
                        context.buttonForm(.restartPlugin, to: path, context.t("tech.plugin.restart"))
                        if model.plugin.enabled {
                            context.buttonForm(
                                .disablePlugin, to: path, context.t("tech.plugin.disable"), class: "button plain")
                        } else {
                            context.buttonForm(
                                .enablePlugin, to: path, context.t("tech.plugin.enable"), class: "button plain")
                        }
                    }
                }
            }
            Part.section("asks", context.t("tech.plugin.asks")) {
                if model.plugin.items.isEmpty {
                    el(.p, text: context.t("tech.plugin.asks-nothing"))
                } else {
                    Part.table(
                        context.t("tech.plugin.asks"),
                        columns: [
                            context.t("tech.plugin.asks-what"), context.t("tech.plugin.has"), context.t("tech.plugin.gets"),
                            context.t("tech.plugin.why"),
                        ],
                        rows: model.plugin.items.map { item in
                            [
                                el(.code, text: item.asks),
                                Part.badge(
                                    item.granted ? .calm : .still,
                                    context.t(item.granted ? "tech.plugin.granted" : "tech.plugin.denied")),
                                el(.bdi, .lang("en"), text: item.gets), el(.bdi, .lang("en"), text: item.why),
                            ]
                        }, captionIsHidden: true)
                }
            }
            if let confinement = model.process?.confinement, !confinement.isEmpty {
                Part.section("confinement", context.t("tech.plugin.confinement")) {
                    Part.table(
                        context.t("tech.plugin.confinement"),
                        columns: [
                            context.t("tech.plugin.primitive"), context.t("tech.plugins.state"),
                            context.t("tech.audit.details"),
                        ],
                        rows: confinement.map { part in
                            [
                                el(.code, text: part.primitive),
                                Part.badge(
                                    SelfCheck.holds(part.state) ? .calm : .heed,
                                    context.t(SelfCheck.holds(part.state) ? "tech.plugin.holds" : "tech.plugin.weak")),
                                el(.bdi, .lang("en"), text: part.detail),
                            ]
                        }, captionIsHidden: true)
                }
            }
            Part.section("settings", context.t("tech.plugin.settings")) {
                if !model.problems.isEmpty {
                    Part.note(.warm) {
                        el(.p, text: context.t("tech.plugin.unfit"))
                        el(.ul) { model.problems.map { el(.li, .lang("en"), text: $0) } }
                    }
                }
                if let form = SettingsForm(
                    schema: model.plugin.schema, settings: model.plugin.settings, secretsSet: model.plugin.secretsSet),
                    !form.properties.isEmpty
                {
                    if context.reader == .technician {
                        if form.properties.contains(where: { !$0.isOperators }) {
                            context.form(.setSettings, to: path) {
                                form.fields(typed: model.typed, context)
                                Field.submit(context.t("tech.plugin.save"))
                            }
                        }
                        if form.properties.contains(where: \.isOperators) {
                            el(.p, text: context.t("tech.plugin.operators"))
                            form.values(context, ofOperator: true)
                        }
                    } else {
                        form.values(context)
                        el(.p, .class("small"), text: context.t("tech.read-only"))
                    }
                } else {
                    el(.p, text: context.t("tech.plugin.no-settings"))
                }
            }
        }
    }

    private static func pluginFacts(_ model: Plugin, _ context: PageContext) -> [(String, HTML)] {
        var facts: [(String, HTML)] = [
            (context.t("tech.version"), Part.foreign(model.plugin.version)),
            (context.t("tech.plugin.enabled"), word(model.plugin.enabled, context)),
        ]
        if let process = model.process {
            facts += [
                (context.t("tech.plugins.state"), stateBadge(process, context)),
                (context.t("tech.plugin.since"), HTML(context.span(process.sinceSeconds))),
                (context.t("tech.plugins.restarts"), HTML(context.number(process.restarts))),
            ]
            if let memory = process.memory {
                facts.append((context.t("tech.plugins.memory"), HTML(context.bytes(UInt64(max(0, memory))))))
            }
        }
        return facts
    }
}
