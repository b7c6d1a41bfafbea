// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// The pages of a host: places, and the codes at their doors. Technicians see them;
/// ``PageContext/Reader/technicianReadOnly`` gets no forms.
public enum HostPages {
    /// The rules that an entry can break, each with a text of the pages' own; the sentences of the core and the
    /// plugin are not shown.
    public enum Fault: String, Sendable, CaseIterable {
        /// The invalid part of the entry, in this order: a name; street and town; the usual stay of a place; the
        /// times of an event; the hours of a broadcast; a pasted code; name and street, which are too long together for
        /// a code.
        case name, street, stay, times, hours, code, long
    }

    /// A refused entry in a form, and its fault, which the page shows again.
    public struct Typed: Sendable, Equatable {
        /// The action of the form.
        public var action: FormAction
        /// The entered values by the names of the fields (``FormAction``). The text of a code is not shown again.
        public var fields: [String: String]
        /// The rule that was broken.
        public var fault: Fault

        /// Creates an entry of these values, unchecked. Cannot fail.
        public init(action: FormAction, fields: [String: String], fault: Fault) {
            self.action = action
            self.fields = fields
            self.fault = fault
        }
    }

    /// Makes the page `/tech/places`: all places of the device, and a form for a new one, up to 16. Without a reply
    /// it says what is missing and what to do. Cannot fail.
    ///
    /// - Parameters:
    ///   - answer: The plugin's answer.
    ///   - typed: The refused entry; `nil` when the page is opened.
    public static func places(
        _ answer: VenueAnswer<Checkin1.PlacesReply>, typed: Typed? = nil, _ context: PageContext
    ) -> Page {
        page(context.t("places.title"), context) {
            Part.head(context.t("places.title"), lead: context.t("places.lead"))
            Part.note(.heed, context.t("places.ask-first"))
            if let reply = answer.reply {
                if typed != nil { Part.note(.warm, context.t("places.fault")) }
                Part.section("list", context.t("places.list")) {
                    if reply.places.isEmpty {
                        el(.p, text: context.t("places.none"))
                    } else {
                        el(.ul, .class("rows")) { reply.places.map { row($0, reply, context) } }
                    }
                }
                if reply.makes.isEmpty { Part.note(.heed, context.t("places.no-maker")) }
                if context.reader == .technician {
                    if reply.places.count < mostPlaces {
                        Part.section("new", context.t("places.new")) {
                            context.form(.describePlace, to: ["tech", "places"]) {
                                describing(nil, typed, context)
                                Field.submit(context.t(reply.makes.isEmpty ? "places.save" : "places.make"))
                            }
                        }
                    } else {
                        Part.note(.heed, context.t("places.full"))
                    }
                }
                el(.p, .class("small"), text: context.t("places.learns"))
            } else {
                absence(answer, context)
            }
        }
    }

    /// As many places as the plugin takes.
    static let mostPlaces = 16

    /// The text of a page's absence: what is missing and what to do.
    @HTMLBuilder static func absence<Reply>(_ answer: VenueAnswer<Reply>, _ context: PageContext) -> HTML {
        switch answer {
        case .reply: HTML.nothing
        case .notThere: Part.note(.heed, context.t("places.not-there"))
        case .otherRole: Part.note(.heed, context.t("places.other-role"))
        case .silent: Part.note(.heed, context.t("places.silent"))
        }
    }

    static func page(_ title: String, _ context: PageContext, @HTMLBuilder _ content: () -> HTML) -> Page {
        Layout(context: context).page(title: title, place: .tech(.places), content)
    }

    private static func row(
        _ place: Checkin1.Place, _ reply: Checkin1.PlacesReply, _ context: PageContext
    ) -> HTML {
        let count = place.codes.count { $0.state == .shown }
        return el(.li) {
            el(.a, .href(Link(page: ["tech", "places", "\(place.number)"]))) {
                el(.strong) { Part.foreign(place.name) }
                Part.foreign(place.street)
            }
            el(.span) {
                Part.badge(count > 0 ? .calm : .still, context.t("places.count", counting: Int64(count)))
                if reply.screen == place.number { Part.badge(.heed, context.t("places.screen")) }
                if reply.broadcast?.number == place.number { Part.badge(.heed, context.t("places.broadcast-badge")) }
            }
        }
    }

    /// The fields of ``FormAction/describePlace``.
    @HTMLBuilder static func describing(_ place: Checkin1.Place?, _ typed: Typed?, _ context: PageContext) -> HTML {
        let typed = typed?.action == .describePlace ? typed : nil
        Field.line(
            "name", context.t("places.name"), hint: context.t("places.name-hint"),
            error: error(typed, [.name, .long], context), value: typed?.fields["name"] ?? place?.name, .maxlength(255),
            .autocomplete("off"), isRequired: true)
        Field.line(
            "street", context.t("places.street"), hint: context.t("places.street-hint"),
            error: error(typed, [.street], context), value: typed?.fields["street"] ?? place?.street, .maxlength(255),
            .autocomplete("off"), isRequired: true)
        Field.choice(
            "kind", context.t("places.kind"),
            options: Checkin1.Kind.allCases.map { ($0.rawValue, context.t(.placeKind, $0.rawValue)) },
            selected: typed?.fields["kind"] ?? place?.kind.rawValue ?? Checkin1.Kind.other.rawValue)
        Field.line(
            "stay", context.t("places.stay"), hint: context.t("places.stay-hint"), error: error(typed, [.stay], context),
            value: typed?.fields["stay"] ?? "\(place?.stayMinutes ?? 120)", type: .number, .min("15"), .max("1425"),
            isRequired: true)
    }

    static func error(_ typed: Typed?, _ faults: [Fault], _ context: PageContext) -> String? {
        guard let fault = typed?.fault, faults.contains(fault) else { return nil }
        return context.t(.placeFault, fault.rawValue)
    }

    /// What holds of a code; of one that was not withdrawn only with the time.
    static func stateBadge(_ code: Checkin1.Code, _ context: PageContext) -> HTML {
        if !context.timeIsKnown, code.state != .revoked { return Part.badge(.still, context.t("places.time-unknown")) }
        let tone: Tone =
            switch code.state {
            case .shown: .calm
            case .coming: .heed
            case .ended, .revoked: .still
            }
        return Part.badge(tone, context.t(.codeState, code.state.rawValue))
    }
}
