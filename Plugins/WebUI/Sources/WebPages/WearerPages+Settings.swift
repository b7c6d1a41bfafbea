// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// What the wearer can choose, and what follows from it.
extension WearerPages {
    /// The content of `/settings`: the device's status and the wearer's choices.
    public struct Settings: Sendable {
        /// The core's status of the device.
        public var status: Exposure1.Status
        /// Whether the wearer wants light and sound to show news.
        public var notifications: Bool
        /// The language that the wearer has chosen; `nil` if the browser decides.
        public var language: Language?
        /// The reason why the secret was not changed, after ``FormAction/changeOwnSecret``; otherwise `nil`.
        public var secretFault: SecretFault?

        /// Creates the content; `secretFault` is `nil` if no change of the secret has failed.
        ///
        /// - Parameters:
        ///   - language: The chosen language; `nil` if the browser decides.
        ///   - secretFault: The reason why the secret was not changed.
        public init(status: Exposure1.Status, notifications: Bool, language: Language?, secretFault: SecretFault? = nil) {
            self.status = status
            self.notifications = notifications
            self.language = language
            self.secretFault = secretFault
        }
    }

    /// The reason why a secret was not changed.
    public enum SecretFault: Sendable, Equatable {
        /// The present secret that was typed is not right.
        case wrongPresent
        /// The new secret has fewer than 12 or more than 256 bytes, or the core does not take it for another reason of this kind.
        case length
        /// The new secret and its repetition are not the same.
        case different
    }

    /// Makes the page `/settings`: on or off, notifications, language, the wearer's secret, and the way to a reset.
    public static func settings(_ model: Settings, _ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("settings.title"), place: .settings) {
            Part.head(context.t("settings.title"))
            Part.section("on", context.t("settings.on-title")) {
                if model.status.enabled {
                    el(.p) { Part.badge(.calm, context.t("settings.is-on")) }
                    el(.p, text: context.t("settings.on"))
                    el(.p, .class("actions")) {
                        Part.link(Link("/settings/off"), context.t("settings.off-link"), class: "button plain")
                    }
                } else {
                    el(.p) { Part.badge(.still, context.t("settings.is-off")) }
                    el(.p, text: context.t("settings.off"))
                    context.form(.enable, to: ["settings"]) { Field.submit(context.t("settings.enable")) }
                }
            }
            Part.section("news", context.t("settings.notifications-title")) {
                context.form(.setNotifications, to: ["settings"]) {
                    Field.check(
                        "notifications", context.t("settings.notifications"),
                        hint: context.t("settings.notifications-hint"),
                        isOn: model.notifications)
                    Field.submit(context.t("settings.save"), class: "button plain")
                }
            }
            Part.section("language", context.t("settings.language-title")) {
                context.form(.setLanguage, to: ["settings"]) {
                    Field.choice(
                        "language", context.t("settings.language"),
                        options: [("", context.t("settings.language-browser"))]
                            + context.languages.map { ($0.rawValue, $0.ownName) },
                        selected: model.language?.rawValue ?? "")
                    Field.submit(context.t("settings.save"), class: "button plain")
                }
            }
            secretPart(model.secretFault, context)
            Part.section("more", context.t("settings.more")) {
                Part.onward(Link("/data"), context.t("footer.data"))
                if context.device == .person { Part.onward(Link("/donate"), context.t("donate.title")) }
                Part.onward(Link("/reset"), context.t("settings.reset"))
            }
        }
    }

    private static func secretPart(_ fault: SecretFault?, _ context: PageContext) -> HTML {
        Part.section("secret", context.t("settings.secret-title")) {
            el(.p, text: context.t("settings.secret"))
            context.form(.changeOwnSecret, to: ["settings"]) {
                Field.line(
                    "present", context.t("settings.secret-present"),
                    error: fault == .wrongPresent ? context.t("settings.secret-wrong") : nil, type: .password,
                    .autocomplete("current-password"), .revealed(context.t("layout.reveal")), isRequired: true)
                Field.line(
                    "wanted", context.t("settings.secret-wanted"), hint: context.t("settings.secret-hint"),
                    error: fault == .length ? context.t("settings.secret-length") : nil, type: .password,
                    .autocomplete("new-password"), .minlength(12), .revealed(context.t("layout.reveal")), isRequired: true)
                Field.line(
                    "repeated", context.t("settings.secret-repeated"),
                    error: fault == .different ? context.t("settings.secret-different") : nil, type: .password,
                    .autocomplete("new-password"), .minlength(12), .revealed(context.t("layout.reveal")), isRequired: true)
                Field.submit(context.t("settings.secret-change"), class: "button plain")
            }
        }
    }

    /// Makes the page `/settings/off`: the consequences of switching off, before the device is switched off. Cannot fail.
    public static func off(_ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("off.title"), place: .settings) {
            Part.head(context.t("off.title"), lead: context.t("off.lead"), back: (Link("/settings"), context.t("off.back")))
            Part.section("lost", context.t("off.lost-title")) {
                Part.list(TextFamily.offLost.members.map { context.t(.offLost, $0) }, class: "crosses")
            }
            Part.section("kept", context.t("off.kept-title")) {
                Part.list(TextFamily.offKept.members.map { context.t(.offKept, $0) }, class: "ticks")
            }
            context.form(.disable, to: ["settings", "off"]) {
                el(.p, .class("actions")) {
                    Part.link(Link("/settings"), context.t("off.stay"), class: "button")
                    el(.button, .class("button plain"), .type(.submit), text: context.t("off.do"))
                }
            }
        }
    }

    /// Returns the word that has to be typed for a reset, in the language of the page; the server ignores case, and blanks
    /// around it.
    public static func resetWord(_ texts: TextCatalog) -> String { texts.text("reset.word") }

    /// Makes the page `/reset`: the data that will be lost, and a word to type (``resetWord(_:)``). Cannot fail.
    ///
    /// - Parameter fault: Whether another word was typed just now.
    public static func reset(fault: Bool, _ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("reset.title"), place: .settings) {
            Part.head(
                context.t("reset.title"), lead: context.t("reset.lead"), back: (Link("/settings"), context.t("off.back")))
            Part.section("lost", context.t("reset.lost-title")) {
                Part.list(TextFamily.resetLost.members.map { context.t(.resetLost, $0) }, class: "crosses")
            }
            Part.section("after", context.t("reset.after-title")) { el(.p, text: context.t("reset.after")) }
            context.form(.reset, to: ["reset"], class: "card danger") {
                Field.line(
                    "word", context.t("reset.type", ["word": resetWord(context.texts)]), hint: context.t("reset.hint"),
                    error: fault ? context.t("reset.fault") : nil, .autocomplete("off"), .noCorrection, .noCapitals,
                    isRequired: true)
                el(.p, .class("actions")) {
                    el(.button, .class("button danger"), .type(.submit), text: context.t("reset.do"))
                    Part.link(Link("/settings"), context.t("reset.not"), class: "button plain")
                }
            }
        }
    }

    /// Makes the page that answers ``FormAction/reset`` while the device restarts as a new one: there is no session any
    /// more.
    public static func resetDone(_ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("reset.done-title")) {
            Part.head(context.t("reset.done-title"), lead: context.t("reset.done"))
            if context.device == .person { el(.p, text: context.t("today.still-applies")) }
            Part.onward(Link("/"), context.t("reset.done-next"))
        }
    }

    /// Makes the page `/data`: the device's data as a file, and the log of its use. Cannot fail.
    ///
    /// - Parameter audit: The newest entries, oldest first; `nil` if the core does not answer.
    public static func data(audit: Device1.AuditReply?, _ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("data.title"), place: .settings) {
            Part.head(context.t("data.title"), lead: context.t("data.lead"))
            Part.section("export", context.t("data.export-title")) {
                el(.p, text: context.t("data.export"))
                el(.p, text: context.t("data.left-out"))
                el(.p, .class("actions")) {
                    el(.a, .class("button"), .href(Link("/data.json")), .download) {
                        Icon.download.html
                        el(.span, text: context.t("data.download"))
                    }
                }
            }
            Part.section("log", context.t("data.log-title")) {
                el(.p, text: context.t("data.log"))
                if let audit {
                    Part.badge(audit.intact ? .calm : .warm, context.t(audit.intact ? "data.intact" : "data.broken"))
                    if !audit.intact { el(.p, text: context.t("data.broken-next")) }
                    Part.table(
                        context.t("data.log-title"),
                        columns: [context.t("data.when"), context.t("data.what"), context.t("data.by")],
                        rows: audit.entries.reversed().map { entry in
                            [
                                entry.time.map { context.momentElement($0) } ?? HTML(context.t("data.no-time")),
                                HTML(auditText(entry, context)), auditActor(entry, context),
                            ]
                        }, captionIsHidden: true)
                    if audit.droppedCount > 0 {
                        el(.p, .class("small"), text: context.t("data.dropped", counting: audit.droppedCount))
                    }
                } else {
                    el(.p, text: context.t("data.no-log"))
                }
            }
        }
    }

    static func auditText(_ entry: Device1.AuditEntry, _ context: PageContext) -> String {
        context.known(.audit, entry.kind) ?? context.t(.audit, "other")
    }

    /// Through whom: in words where there are some, else the name of the plugin that asked.
    static func auditActor(_ entry: Device1.AuditEntry, _ context: PageContext) -> HTML {
        context.known(.auditActor, entry.actor).map { HTML($0) } ?? Part.foreign(entry.actor)
    }
}
