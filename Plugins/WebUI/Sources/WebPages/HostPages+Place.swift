// SPDX-License-Identifier: Apache-2.0

public import Interfaces

extension HostPages {
    /// The content of `/tech/places/N`: one place.
    public struct PlaceModel: Sendable {
        /// The place.
        public var place: Checkin1.Place
        /// The plugin's answer about all places: the systems for which codes can be made or imported, the place that
        /// the screen shows, and the one that is broadcast.
        public var reply: Checkin1.PlacesReply
        /// What the core says of the broadcast at the door; `nil` if it does not say anything of it.
        public var door: Device1.Door?
        /// The address of the page for the screen at the door, like `https://192.0.2.7:8443/screen`.
        public var screenAddress: String
        /// The refused entry; `nil` when the page is opened.
        public var typed: Typed?

        /// Creates the content of these values; `typed` is `nil` when the page is opened. Cannot fail.
        public init(
            place: Checkin1.Place, reply: Checkin1.PlacesReply, door: Device1.Door? = nil, screenAddress: String,
            typed: Typed? = nil
        ) {
            self.place = place
            self.reply = reply
            self.door = door
            self.screenAddress = screenAddress
            self.typed = typed
        }
    }

    /// Makes the page `/tech/places/N`: the codes of a place, newest first, the screen and the broadcast at its
    /// door, and forms for changes. Cannot fail.
    public static func place(_ model: PlaceModel, _ context: PageContext) -> Page {
        let place = model.place
        let path = ["tech", "places", "\(place.number)"]
        return page(place.name, context) {
            el(.p, .class("back")) { Part.link(Link("/tech/places"), context.t("places.back")) }
            el(.h1) { Part.foreign(place.name) }
            el(.p, .class("lead")) { Part.foreign(place.street) }
            if model.typed != nil { Part.note(.warm, context.t("places.fault")) }
            Part.section("codes", context.t("places.codes")) {
                if place.codes.isEmpty {
                    el(.p, text: context.t("places.no-codes"))
                } else {
                    el(.ul, .class("rows")) { place.codes.reversed().map { row($0, context) } }
                }
            }
            screenPart(model, path, context)
            broadcastPart(model, path, context)
            if context.reader == .technician {
                if !model.reply.makes.isEmpty { eventPart(model.typed, path, context) }
                if !model.reply.imports.isEmpty { importPart(model.typed, path, context) }
                Part.section("change", context.t("places.change")) {
                    el(.p, text: context.t("places.change-lead"))
                    context.form(.describePlace, to: path) {
                        describing(place, model.typed, context)
                        Field.submit(context.t("places.save"), class: "button plain")
                    }
                }
                Part.section("forget", context.t("places.forget"), class: "card danger") {
                    el(.p, text: context.t("places.forget-lead"))
                    context.form(.forgetPlace, to: path) {
                        Field.submit(context.t("places.forget-do"), class: "button danger")
                    }
                }
            }
        }
    }

    private static func row(_ code: Checkin1.Code, _ context: PageContext) -> HTML {
        el(.li) {
            el(.a, .href(Link(page: ["tech", "codes", "\(code.number)"]))) {
                el(.strong) { Part.foreign(code.name) }
                el(.span, text: context.t(.venueSystem, code.system.rawValue))
                if let begins = code.begins, let ends = code.ends {
                    context.spanElement(from: begins, to: ends)
                }
            }
            el(.span) {
                stateBadge(code, context)
                if !code.own { Part.badge(.still, context.t("places.imported")) }
            }
        }
    }

    private static func screenPart(_ model: PlaceModel, _ path: [String], _ context: PageContext) -> HTML {
        let isOn = model.reply.screen == model.place.number
        return Part.section("screen", context.t("places.screen")) {
            el(.p, text: context.t("places.screen-lead"))
            el(.p) { el(.code, text: model.screenAddress) }
            el(.p, text: context.t("places.screen-language"))
            el(.ul, .class("shortcuts")) {
                context.languages.map { language in
                    el(.li) {
                        el(
                            .a, .href(Link(page: ["screen"], query: [("language", language.rawValue)])),
                            .lang(language.tag),
                            text: language.ownName)
                    }
                }
            }
            if isOn {
                el(.p) { Part.badge(.calm, context.t("places.screen-on")) }
                Part.onward(Link("/screen"), context.t("places.screen-open"))
            }
            if context.reader == .technician {
                if isOn {
                    context.buttonForm(
                        .hideScreen, to: path, context.t("places.screen-stop"), class: "button plain")
                } else {
                    context.buttonForm(.showScreen, to: path, context.t("places.screen-do"), class: "button plain")
                }
            }
        }
    }

    private static func broadcastPart(_ model: PlaceModel, _ path: [String], _ context: PageContext) -> HTML {
        let present = model.reply.broadcast
        let hours = present.flatMap { broadcast in
            broadcast.opens.flatMap { opens in
                broadcast.closes.map { (opens: context.clock(Int64(opens) * 60), closes: context.clock(Int64($0) * 60)) }
            }
        }
        let isOn = present?.number == model.place.number
        let typed = model.typed?.action == .startBroadcast ? model.typed : nil
        return Part.section("broadcast", context.t("places.broadcast")) {
            el(.p, text: context.t("places.broadcast-lead"))
            if isOn {
                if let door = model.door {
                    el(.p) {
                        Part.badge(
                            door == .onAir ? .calm : .heed,
                            context.t(door == .onAir ? "places.broadcast-on" : "places.broadcast-none"))
                    }
                }
                if let hours {
                    let words = context.zoned(
                        "places.broadcast-hours", ["opens": hours.opens, "closes": hours.closes],
                        here: ["opens": "@\(hours.opens)@", "closes": "@\(hours.closes)@"])
                    el(.p, .here(words.here), text: words.utc)
                } else {
                    el(.p, text: context.t("places.broadcast-all-day"))
                }
                el(.p, text: context.t(.doorState, model.door?.rawValue ?? "unknown"))
            }
            if context.reader == .technician {
                if present != nil, !isOn { Part.note(.heed, context.t("places.broadcast-other")) }
                context.form(.startBroadcast, to: path) {
                    el(.p, .class("hint"), text: context.t("places.broadcast-hint"))
                    context.zoneHint(daily: true)
                    Field.zoned(
                        "opens", "places.broadcast-opens", context, error: error(typed, [.hours, .long], context),
                        value: typed?.fields["opens"] ?? (isOn ? hours?.opens : nil), type: .time, time: "")
                    Field.zoned(
                        "closes", "places.broadcast-closes", context,
                        value: typed?.fields["closes"] ?? (isOn ? hours?.closes : nil), type: .time, time: "")
                    Field.submit(
                        context.t(isOn ? "places.broadcast-change" : "places.broadcast-do"), class: "button plain")
                }
                if isOn {
                    context.buttonForm(
                        .stopBroadcast, to: path, context.t("places.broadcast-stop"), class: "button plain")
                }
            }
        }
    }

    private static func eventPart(_ typed: Typed?, _ path: [String], _ context: PageContext) -> HTML {
        let typed = typed?.action == .startEvent ? typed : nil
        return Part.section("event", context.t("places.event")) {
            el(.p, text: context.t("places.event-lead"))
            context.form(.startEvent, to: path) {
                Field.line(
                    "event", context.t("places.event-name"), hint: context.t("places.event-name-hint"),
                    error: error(typed, [.name, .long], context), value: typed?.fields["event"], .maxlength(255),
                    .autocomplete("off"))
                Field.choice(
                    "eventKind", context.t("places.event-kind"),
                    options: Checkin1.EventKind.allCases.map { ($0.rawValue, context.t(.eventKind, $0.rawValue)) },
                    selected: typed?.fields["eventKind"] ?? Checkin1.EventKind.other.rawValue)
                Field.line(
                    "hours", context.t("places.event-hours"), error: error(typed, [.times], context),
                    value: typed?.fields["hours"] ?? "3", type: .number, .min("1"), .max("744"), isRequired: true)
                el(.details, typed?.fault == .times ? .open : nil) {
                    el(.summary, text: context.t("places.event-later"))
                    el(.p, .class("hint"), text: context.t("places.event-begin-hint"))
                    context.zoneHint()
                    Field.zoned(
                        "date", "places.event-date", context, value: typed?.fields["date"], type: .date, time: "time")
                    Field.zoned("time", "places.event-time", context, value: typed?.fields["time"], type: .time)
                }
                Field.submit(context.t("places.event-do"), class: "button plain")
            }
        }
    }

    private static func importPart(_ typed: Typed?, _ path: [String], _ context: PageContext) -> HTML {
        let typed = typed?.action == .importCode ? typed : nil
        return Part.section("import", context.t("places.import")) {
            el(.p, text: context.t("places.import-lead"))
            context.form(.importCode, to: path) {
                Field.area(
                    "code", context.t("places.import-label"), error: error(typed, [.code, .long], context), rows: 3,
                    maxlength: 4_096)
                Field.submit(context.t("places.import-do"), class: "button plain")
            }
        }
    }
}
