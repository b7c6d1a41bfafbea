// SPDX-License-Identifier: Apache-2.0

public import Interfaces

extension TechnicianPages {
    /// The content of `/tech/network`: the settings, the refused entry, and its problems.
    public struct NetworkModel: Sendable {
        /// The core's answer about the network and about a change on trial.
        public var reply: Technician1.NetworkReply
        /// The entered settings if they were refused, which the card of their interface shows; `nil` to show the
        /// settings in force.
        public var typed: Technician1.Network?
        /// The core's English sentences about the entered settings; empty if there are none, or they were accepted.
        public var problems: [String]

        /// Creates the content; `typed` is `nil` when the page is opened.
        ///
        /// - Parameters:
        ///   - reply: The core's answer about the network.
        ///   - typed: The entered settings, if they were refused.
        ///   - problems: The core's English sentences about them.
        public init(reply: Technician1.NetworkReply, typed: Technician1.Network? = nil, problems: [String] = []) {
            self.reply = reply
            self.typed = typed
            self.problems = problems
        }
    }

    /// The number of seconds in which a change of the network has to be confirmed: two minutes, our choice, of the 30 to
    /// 600 seconds that the supervisor permits.
    public static let networkTrial: Int64 = 120

    /// Makes the page `/tech/network`, where a change of the network is applied, and taken back automatically
    /// unless it is confirmed in time. While one is on trial, no other can be entered. Cannot fail.
    /// - Parameter model: The content; `nil` if the core does not answer about the network.
    public static func network(_ model: NetworkModel?, _ context: PageContext) -> Page {
        page(.network, context, lead: context.t("tech.network.lead")) {
            if let model {
                if let seconds = model.reply.secondsToRollBack {
                    Part.section("confirm", context.t("tech.network.waits"), class: "card heed-edge") {
                        el(.p) {
                            context.t("tech.network.countdown") + " "
                            el(.strong, .countdown(seconds), text: context.span(seconds))
                        }
                        technicianOnly(context) {
                            context.buttonForm(.confirmNetwork, to: ["tech", "network"], context.t("tech.network.confirm"))
                        }
                    }
                }
                if let problem = model.reply.problem {
                    Part.note(.heed) {
                        el(.p, text: context.t("tech.network.not-here"))
                        Part.english(problem, in: context)
                    }
                }
                if !model.problems.isEmpty {
                    Part.note(.warm) {
                        el(.p, text: context.t("tech.plugin.unfit"))
                        el(.ul) { model.problems.map { el(.li, .lang("en"), text: $0) } }
                    }
                }
                if model.reply.networks.isEmpty { el(.p, text: context.t("tech.network.none")) }
                model.reply.networks.enumerated().map { index, network in
                    networkCard(
                        index, model.typed?.interface == network.interface ? model.typed ?? network : network, model,
                        context)
                }
            } else {
                Part.note(.heed, context.t("tech.nothing"))
            }
        }
    }

    private static func networkCard(
        _ index: Int, _ network: Technician1.Network, _ model: NetworkModel, _ context: PageContext
    ) -> HTML {
        el(.section, .class("card"), .labelledBy("network-\(index)")) {
            el(.h2, .id("network-\(index)")) {
                // Of an image nobody knows the kernel's name.
                network.interface == "wired" ? HTML(context.t("tech.network.wired")) : Part.foreign(network.interface)
            }
            Part.facts([
                (context.t("tech.network.method-label"), HTML(context.t(.networkMethod, network.method.rawValue))),
                (
                    context.t("tech.network.addresses"),
                    Part.foreign(network.addresses.isEmpty ? "–" : network.addresses.joined(separator: ", "))
                ),
                (context.t("tech.network.gateway"), Part.foreign(network.gateway ?? "–")),
                (
                    context.t("tech.network.servers"),
                    Part.foreign(network.nameServers.isEmpty ? "–" : network.nameServers.joined(separator: ", "))
                ),
            ])
            if model.reply.problem == nil, model.reply.secondsToRollBack == nil {
                technicianOnly(context) {
                    el(.details, model.typed?.interface == network.interface ? .open : nil) {
                        el(.summary, text: context.t("tech.network.change"))
                        context.form(.applyNetwork, to: ["tech", "network"]) {
                            el(.input, .type(.hidden), .name("interface"), .value(network.interface))
                            networkFields(index, network, context)
                            el(.p, text: context.t("tech.network.trial", ["span": context.span(networkTrial)]))
                            Field.submit(context.t("tech.network.apply"))
                        }
                    }
                }
            }
        }
    }

    /// Identifiers carry the card's number, since a board has several interfaces.
    @HTMLBuilder private static func networkFields(
        _ index: Int, _ network: Technician1.Network, _ context: PageContext
    ) -> HTML {
        let id = "network-\(index)-"
        el(.fieldset, .class("field")) {
            el(.legend, text: context.t("tech.network.method-label"))
            [Technician1.AddressMethod.automatic, .manual].map { method in
                el(.div, .class("check")) {
                    el(
                        .input, .type(.radio), .name("method"), .id(id + method.rawValue), .value(method.rawValue),
                        network.method == method ? .checked : nil)
                    el(.label, .for(id + method.rawValue), text: context.t(.networkMethod, method.rawValue))
                }
            }
        }
        plainLine(
            id + "addresses", "addresses", context.t("tech.network.addresses"), context.t("tech.network.addresses-hint"),
            network.addresses.joined(separator: " "))
        plainLine(id + "gateway", "gateway", context.t("tech.network.gateway"), nil, network.gateway ?? "")
        plainLine(
            id + "servers", "nameServers", context.t("tech.network.servers"), context.t("tech.network.servers-hint"),
            network.nameServers.joined(separator: " "))
    }

    private static func plainLine(_ id: String, _ name: String, _ label: String, _ hint: String?, _ value: String) -> HTML {
        el(.div, .class("field")) {
            el(.label, .for(id), text: label)
            if let hint { el(.p, .class("hint"), .id(id + "-hint"), text: hint) }
            el(
                .input, .type(.text), .id(id), .name(name), .value(value), .noCorrection, .noCapitals, .maxlength(400),
                hint == nil ? nil : .describedBy(id + "-hint"))
        }
    }

    /// The content of `/tech/access`: roles, scripts' tokens, and a secret or token that was made just now.
    public struct Access: Sendable {
        /// The roles whose secret can be set here, in the order in which they are shown.
        public var roles: [Access1.Role]
        /// The tokens of scripts, with name, role and times. Empty for ``PageContext/Reader/technicianReadOnly``.
        public var tokens: [Access1.Token]
        /// The secret or token that was made just now, which is never shown again; `nil` if none was made.
        public var made: String?
        /// Whether the session has ended, because the secret that was made just now is that of its role. The page shows nothing else then.
        public var hasEnded: Bool
        /// The reason why a secret was not changed, which is never ``WearerPages/SecretFault/different`` here; `nil` if no
        /// change was tried, or it succeeded.
        public var fault: WearerPages.SecretFault?

        /// Creates the content; `made` is `nil` if nothing was made, `fault` if nothing failed.
        ///
        /// - Parameter made: The secret or token that was made just now.
        public init(
            roles: [Access1.Role], tokens: [Access1.Token], made: String? = nil, hasEnded: Bool = false,
            fault: WearerPages.SecretFault? = nil
        ) {
            self.roles = roles
            self.tokens = tokens
            self.made = made
            self.hasEnded = hasEnded
            self.fault = fault
        }
    }

    /// Makes the page `/tech/access`: the secrets of all roles, and the tokens of scripts. Cannot fail.
    /// - Parameter model: The content; `nil` if the core does not answer.
    public static func access(_ model: Access?, _ context: PageContext) -> Page {
        page(.access, context, lead: context.t("tech.access.lead")) {
            if let model {
                if let made = model.made {
                    Part.section("made", context.t("tech.access.made"), class: "card heed-edge") {
                        el(.p, text: context.t("tech.access.once"))
                        el(.p) { el(.code, .class("secret"), text: made) }
                        if model.hasEnded {
                            el(.p, text: context.t("sign-in.changed"))
                            el(.p, .class("actions")) {
                                Part.link(Link("/sign-in"), context.t("sign-in.do"), class: "button")
                            }
                        }
                    }
                }
                if !model.hasEnded {
                    Part.section("secrets", context.t("tech.access.secrets")) {
                        el(.p, text: context.t("tech.access.secrets-lead"))
                        technicianOnly(context) {
                            context.form(.changeSecret, to: ["tech", "access"]) {
                                Field.choice(
                                    "role", context.t("tech.access.whose"),
                                    options: model.roles.map { ($0.rawValue, context.t(.reader, $0.rawValue)) },
                                    selected: context.reader.rawValue)
                                Field.line(
                                    "present", context.t("settings.secret-present"),
                                    error: model.fault == .wrongPresent ? context.t("settings.secret-wrong") : nil,
                                    type: .password,
                                    .autocomplete("current-password"), .revealed(context.t("layout.reveal")),
                                    isRequired: true)
                                Field.line(
                                    "wanted", context.t("settings.secret-wanted"),
                                    hint: context.t("tech.access.wanted-hint"),
                                    error: model.fault == .length ? context.t("settings.secret-length") : nil,
                                    // Typed once, so it can be read.
                                    .autocomplete("off"), .noCorrection, .noCapitals)
                                Field.submit(context.t("settings.secret-change"))
                            }
                        }
                    }
                    tokens(model, context)
                    technicianOnly(context) { Part.onward(Link("/reset"), context.t("tech.hand-on.title")) }
                }
            } else {
                Part.note(.heed, context.t("tech.nothing"))
            }
        }
    }

    private static func tokens(_ model: Access, _ context: PageContext) -> HTML {
        Part.section("tokens", context.t("tech.access.tokens")) {
            el(.p, text: context.t("tech.access.tokens-lead"))
            if model.tokens.isEmpty {
                el(.p, text: context.t("tech.access.no-tokens"))
            } else {
                Part.table(
                    context.t("tech.access.tokens"),
                    columns: [
                        context.t("tech.access.name"), context.t("tech.access.role-label"),
                        context.t("tech.access.made-when"),
                        context.t("tech.access.used"), context.t("tech.access.revoke"),
                    ],
                    rows: model.tokens.map { token in
                        [
                            Part.foreign(token.name), HTML(context.t(.reader, token.role.rawValue)),
                            HTML(token.made.map(context.ago) ?? "–"),
                            HTML(token.lastUsed.map(context.ago) ?? context.t("tech.never")),
                            context.reader == .technician
                                ? context.form(.revokeToken, to: ["tech", "access"], class: "inline") {
                                    el(.input, .type(.hidden), .name("name"), .value(token.name))
                                    el(
                                        .button, .class("button plain small"), .type(.submit),
                                        .label(context.t("tech.access.revoke-name", ["name": token.name])),
                                        text: context.t("tech.access.revoke"))
                                } : HTML("–"),
                        ]
                    }, captionIsHidden: true)
            }
            technicianOnly(context) {
                context.form(.makeToken, to: ["tech", "access"]) {
                    Field.line(
                        "name", context.t("tech.access.name"), hint: context.t("tech.access.name-hint"), .maxlength(32),
                        isRequired: true)
                    el(.div, .class("field")) {
                        el(.label, .for("token-role"), text: context.t("tech.access.role-label"))
                        el(.select, .id("token-role"), .name("role")) {
                            ["technicianReadOnly", "technician"].map {
                                el(.option, .value($0), text: context.t(.reader, $0))
                            }
                        }
                    }
                    Field.submit(context.t("tech.access.make"))
                }
            }
        }
    }
}
