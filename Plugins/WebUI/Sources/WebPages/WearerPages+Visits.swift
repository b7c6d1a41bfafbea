// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// The wearer's visits, and warnings about them.
extension WearerPages {
    /// The content of `/visits`: the diary and the warnings that the plugin stores for the wearer.
    public struct Visits: Sendable {
        /// The visits in the order in which they were entered.
        public var visits: [Checkin1.Visit]
        /// The warnings in the order in which they came, and the followed systems; `nil` if they cannot be read.
        public var notices: Checkin1.NoticesReply?
        /// Whether the entry just now was refused, because it is not a code that is accepted here.
        public var isFault: Bool
        /// Whether places of new visits are hidden; `nil` on a device that cannot hide them.
        public var hides: Bool?
        /// What is wrong with the secret that was typed just now; `nil` if nothing is.
        public var hidingFault: HidingFault?
        /// Whether hidden places are shown this once, by the secret.
        public var isOpened: Bool
        /// How many earlier visits are to be hidden and are not yet; `nil` if none.
        public var unhidden: Int?
        /// Whether the wearer has chosen a secret for hidden places: then it is typed once, and a new one twice.
        public var hidingIsSet: Bool
        /// Whether it is not known any more if places are to be hidden.
        public var isChoiceLost: Bool
        /// By what the next check-in is known again if it is sent twice: random; empty for none.
        public var attempt: String

        /// Creates the content of these values, unchecked. Cannot fail.
        public init(
            visits: [Checkin1.Visit], notices: Checkin1.NoticesReply?, isFault: Bool = false, hides: Bool? = nil,
            hidingFault: HidingFault? = nil, isOpened: Bool = false, unhidden: Int? = nil, hidingIsSet: Bool = false,
            isChoiceLost: Bool = false, attempt: String = ""
        ) {
            self.visits = visits
            self.notices = notices
            self.isFault = isFault
            self.hides = hides
            self.hidingFault = hidingFault
            self.isOpened = isOpened
            self.unhidden = unhidden
            self.hidingIsSet = hidingIsSet
            self.isChoiceLost = isChoiceLost
            self.attempt = attempt
        }
    }

    /// What can be wrong with a secret for hidden places, and in which form it was typed.
    public struct HidingFault: Sendable, Hashable {
        /// The secret is another one than before; it is too short or too long; the new one was typed in two ways.
        public enum Kind: Sendable, CaseIterable { case wrong, length, different }
        /// The forms that have a secret: to show places, to hide them, to take another secret.
        public enum Place: Sendable, CaseIterable { case show, hide, anew }

        /// What is wrong.
        public var kind: Kind
        /// Where it was typed.
        public var place: Place

        /// Creates a fault of this kind in this form.
        public init(_ kind: Kind, _ place: Place) {
            self.kind = kind
            self.place = place
        }
    }

    /// Makes the page `/visits`: warnings about visits, a form to check in, and the diary, newest first. Without a
    /// reply it says what is missing. Cannot fail.
    public static func visits(_ answer: VenueAnswer<Visits>, _ context: PageContext) -> Page {
        Layout(context: context).page(title: context.t("visits.title"), place: .other) {
            Part.head(context.t("visits.title"), lead: context.t("visits.lead"))
            switch answer {
            case .reply(let model):
                if model.isFault { Part.note(.warm, context.t("visits.fault")) }
                if model.isChoiceLost { Part.note(.heed, context.t("visits.hiding-lost")) }
                if model.isChoiceLost, model.notices?.lost != true { el(.p, text: context.t("today.still-applies")) }
                model.visits.filter { isEndingSoon($0, context) }.map { visit in
                    Part.note(.heed) {
                        el(.p) {
                            name(of: visit, context)
                            ". "
                            context.momentText(.span, "visits.reminder", visit.departure)
                        }
                        Part.onward(Link(page: ["visits", "\(visit.number)"]), context.t("visits.leave"))
                    }
                }
                if hasNotices(model) { noticePart(model, context) }
                Part.section("enter", context.t("visits.enter")) {
                    context.form(.checkIn, to: ["visits"]) {
                        if !model.attempt.isEmpty {
                            el(.input, .type(.hidden), .name("attempt"), .value(model.attempt))
                        }
                        // One line: a code scanner types the text and presses Return, which sends it.
                        Field.line(
                            "code", context.t("visits.code-label"), hint: context.t("visits.code-hint"),
                            error: model.isFault ? context.t("visits.code-fault") : nil, .maxlength(4_096),
                            .autocomplete("off"), .noCorrection, .noCapitals, isRequired: true)
                        Field.submit(context.t("visits.enter-do"))
                    }
                    el(.p, .class("small"), text: context.t("visits.button"))
                }
                listPart(model, context)
                if model.hides != nil || model.isChoiceLost || model.visits.contains(where: { $0.hidden == true }) {
                    hidingPart(model, context)
                }
                el(.p, .class("small"), text: context.t("visits.private"))
            case .notThere: Part.note(.heed, context.t("visits.not-there"))
            case .otherRole: Part.note(.heed, context.t("visits.other-role"))
            case .silent: Part.note(.heed, context.t("visits.silent"))
            }
        }
    }

    /// Whether there is anything to say of warnings: without a visit there is nothing that one could be about.
    private static func hasNotices(_ model: Visits) -> Bool {
        !model.visits.isEmpty || model.notices?.notices.isEmpty == false || model.notices?.lost != false
    }

    private static func noticePart(_ model: Visits, _ context: PageContext) -> HTML {
        Part.section("notices", context.t("visits.notices")) {
            let notices = model.notices?.notices ?? []
            let followed = model.notices?.followed ?? []
            // As the first page says it, also where nobody knows why.
            let isIncomplete = followed.contains { $0.problem != nil || $0.behind }
            let known = Set(followed.filter { $0.checked != nil }.map(\.system))
            let visited = Set(model.visits.map(\.system))
            let isLost = model.notices?.lost == true
            // A system that is not followed has a note of its own.
            let isPending = !visited.intersection(followed.map(\.system)).isSubset(of: known)
            if notices.isEmpty, model.notices != nil, !isIncomplete, !isLost {
                if isPending {
                    el(.p, text: context.t("visits.not-known"))
                } else if visited.isSubset(of: known) {
                    el(.p, text: context.t("visits.no-notices"))
                }
            }
            if isLost {
                Part.note(.heed) {
                    el(.p, text: context.t("visits.lost"))
                    el(.p, text: context.t("today.still-applies"))
                }
            }
            notices.reversed().map { notice in
                self.notice(notice, model.visits.first { $0.number == notice.visit && $0.hidden == true }, context)
            }
            // Trouble that lasts is not over because it was seen.
            if notices.contains(where: \.news) || isLost {
                context.form(.acknowledgeVisits, to: ["visits"]) {
                    el(.input, .type(.hidden), .name("number"), .value("\(notices.last?.number ?? 0)"))
                    Field.submit(context.t("visits.seen"), class: "button small")
                }
            }
            if model.notices == nil || isIncomplete {
                Part.note(.heed) {
                    el(.p, text: context.t("visits.unfetched"))
                    followed.compactMap(\.problem).map { problem in
                        HTML([
                            context.language == .english
                                ? HTML.nothing
                                : el(.p, .class("small"), text: context.t(.onlyIn, Language.english.rawValue)),
                            Part.english(problem, in: context),
                        ])
                    }
                }
            }
            // Of a system without a visit there is nothing to look for.
            followed.filter { $0.checked != nil || visited.contains($0.system) }.map { system in
                let name = context.t(.venueSystem, system.system.rawValue)
                return el(
                    .p, .class("small"),
                    text: system.checked.map { context.t("visits.checked", ["system": name, "ago": context.ago($0)]) }
                        ?? context.t("visits.unchecked", ["system": name]))
            }
            if model.notices != nil {
                visited.subtracting(followed.map(\.system)).sorted { $0.rawValue < $1.rawValue }.map { system in
                    Part.note(
                        .heed, context.t("visits.unfollowed", ["system": context.t(.venueSystem, system.rawValue)]))
                }
            }
        }
    }

    /// What is advised is said by the same words as for encounters, where there is a level.
    private static func notice(
        _ notice: Checkin1.Notice, _ hidden: Checkin1.Visit?, _ context: PageContext
    ) -> HTML {
        let state: TodayState? = notice.level.map {
            switch $0 {
            case .low: .low
            case .increased: .increased
            case .unknown: .unjudged
            }
        }
        let date = context.dayName(notice.day)
        return el(.article, .class(state == .low ? "card slim still-edge" : "card slim warm-edge")) {
            el(.h3, text: heading(notice, hidden, date, context))
            el(.p) {
                if let state { Part.badge(state == .low ? .still : .warm, context.t(.stateWord, state.rawValue)) }
                " "
                if notice.news { Part.badge(.heed, context.t("visits.notice-new")) }
            }
            el(.p, text: context.t("visits.notice-why"))
            if let state {
                recommendations(for: state.rawValue, .stateAdvice, context)
            } else {
                el(.p, text: context.t(.visitAdvice, notice.advice?.rawValue ?? "message"))
            }
            // As on the first page, and for the same levels.
            if state != .low { el(.p, text: context.t("today.day", ["date": date])) }
            if let message = notice.message {
                el(.p, text: context.t("visits.notice-from"))
                el(.p, .class("original")) { Part.foreign(message) }
            }
            if state != .low { Part.onward(Link("/hotlines"), context.t("today.call")) }
        }
    }

    private static func heading(
        _ notice: Checkin1.Notice, _ hidden: Checkin1.Visit?, _ date: String, _ context: PageContext
    ) -> String {
        let name = hidden?.name ?? notice.name
        guard name.isEmpty else { return context.t("visits.notice", ["date": date, "name": name]) }
        return context.t(hidden == nil ? "visits.notice-gone" : "visits.notice-hidden", ["date": date])
    }

    private static func listPart(_ model: Visits, _ context: PageContext) -> HTML {
        let visits = model.visits
        return Part.section("list", context.t("visits.list")) {
            if model.isOpened { Part.note(.calm, context.t("visits.hidden-shown")) }
            if visits.isEmpty {
                el(.p, text: context.t("visits.none"))
            } else {
                el(.ul, .class("rows")) {
                    visits.reversed().map { visit in
                        el(.li) {
                            el(.a, .href(Link(page: ["visits", "\(visit.number)"]))) {
                                el(.strong) { name(of: visit, context) }
                                times(visit, context)
                            }
                            if visit.open { el(.span) { Part.badge(.calm, context.t("visits.open")) } }
                        }
                    }
                }
                el(.p, .class("actions")) {
                    el(.a, .class("button plain"), .href(Link("/visits.csv")), .download) {
                        Icon.download.html
                        el(.span, text: context.t("visits.export"))
                    }
                }
                el(.p, .class("small"), text: context.t("visits.export-lead"))
            }
        }
    }

    /// Hiding places, and showing hidden ones this once.
    private static func hidingPart(_ model: Visits, _ context: PageContext) -> HTML {
        let isOn = model.hides == true
        let isKept = model.hidingIsSet || isOn || model.visits.contains { $0.hidden == true }
        return Part.section("hiding", context.t("visits.hiding")) {
            el(.p, text: context.t(isOn ? "visits.hiding-on" : "visits.hiding-lead"))
            if let count = model.unhidden { Part.note(.heed, context.t("visits.hiding-rest", counting: Int64(count))) }
            if isKept {
                context.form(.showHidden, to: ["visits"]) {
                    secret("secret", .show, model.hidingFault, isNew: false, context)
                    Field.submit(context.t("visits.hidden-show"), class: "button plain")
                }
            }
            if model.hides == false {
                el(.p, text: context.t("visits.hiding-more"))
                context.form(.setHiding, to: ["visits"]) {
                    el(.input, .type(.hidden), .name("on"), .value("yes"))
                    secret("wanted", .hide, model.hidingFault, isNew: !isKept, context)
                    Field.submit(context.t("visits.hiding-do"), class: "button plain")
                }
            }
            if isOn || model.isChoiceLost {
                context.form(.setHiding, to: ["visits"]) {
                    el(.input, .type(.hidden), .name("on"), .value("no"))
                    Field.submit(context.t("visits.hiding-stop"), class: "button plain")
                }
            }
            if isKept, model.hides != nil {
                el(.h3, text: context.t("visits.hiding-anew"))
                el(.p, text: context.t("visits.hiding-anew-lead"))
                context.form(.setHiding, to: ["visits"]) {
                    el(.input, .type(.hidden), .name("on"), .value("yes"))
                    secret("another", .anew, model.hidingFault, isNew: true, context)
                    Field.submit(context.t("visits.hiding-anew-do"), class: "button plain")
                }
            }
        }
    }

    /// The fields for a secret for hidden places: one that nobody could mend is typed twice.
    @HTMLBuilder private static func secret(
        _ name: String, _ place: HidingFault.Place, _ fault: HidingFault?, isNew: Bool, _ context: PageContext
    ) -> HTML {
        let kind = fault?.place == place ? fault?.kind : nil
        let label: StaticString =
            isNew ? place == .anew ? "visits.hiding-new" : "visits.hiding-secret" : "visits.hiding-present"
        Field.line(
            name, context.t(label), hint: isNew ? context.t("visits.hiding-hint") : nil,
            error: kind == .wrong
                ? context.t("visits.hiding-wrong") : kind == .length ? context.t("visits.hiding-length") : nil,
            type: .password, .autocomplete(isNew ? "new-password" : "current-password"),
            .revealed(context.t("layout.reveal")), isRequired: true)
        if isNew {
            Field.line(
                "repeated", context.t("visits.hiding-repeated"),
                error: kind == .different ? context.t("visits.hiding-different") : nil, type: .password,
                .autocomplete("new-password"), .revealed(context.t("layout.reveal")), isRequired: true)
        }
    }

    /// What a visit is called: one whose place is hidden has no name.
    private static func name(of visit: Checkin1.Visit, _ context: PageContext) -> HTML {
        visit.hidden == true && visit.name.isEmpty
            ? el(.span, text: context.t("visits.hidden-name")) : Part.foreign(visit.name)
    }

    /// Whether of its times only the UTC days are known.
    private static func isBlurred(_ visit: Checkin1.Visit) -> Bool {
        visit.hidden == true && !visit.open && visit.arrival % 86_400 == 0 && visit.departure % 86_400 == 86_399
    }

    /// Whether the wearer is reminded of it.
    static func isEndingSoon(_ visit: Checkin1.Visit, _ context: PageContext) -> Bool {
        guard visit.open, context.timeIsKnown, let from = visit.remindFrom else { return false }
        return (from..<max(from, visit.departure)).contains(context.now)
    }

    private static func times(_ visit: Checkin1.Visit, _ context: PageContext) -> HTML {
        if isBlurred(visit) {
            let days = Set([visit.arrival, visit.departure].map { Int($0 / 86_400) }).sorted()
            return el(.span, text: days.map(context.dayName).joined(separator: ", "))
        }
        return visit.open
            ? context.momentElement(visit.arrival) : context.spanElement(from: visit.arrival, to: visit.departure)
    }

    /// The times of a visit as a person typed them, not checked.
    public struct VisitTimes: Sendable, Equatable {
        /// Days as `2026-11-22`, times as `05:47`, in UTC; other texts are shown again as they are.
        public var arrivalDate, arrivalTime, departureDate, departureTime: String

        /// Creates times of these texts, unchecked. Cannot fail.
        public init(arrivalDate: String, arrivalTime: String, departureDate: String, departureTime: String) {
            self.arrivalDate = arrivalDate
            self.arrivalTime = arrivalTime
            self.departureDate = departureDate
            self.departureTime = departureTime
        }

        init(_ visit: Checkin1.Visit, _ context: PageContext) {
            guard !WearerPages.isBlurred(visit) else {
                self.init(arrivalDate: "", arrivalTime: "", departureDate: "", departureTime: "")
                return
            }
            func day(_ seconds: Int64) -> String { String(PageContext.isoMoment(seconds).prefix(10)) }
            self.init(
                arrivalDate: day(visit.arrival), arrivalTime: context.clock(visit.arrival),
                departureDate: day(visit.departure), departureTime: context.clock(visit.departure))
        }
    }

    /// Makes the page `/visits/N`: one visit, and forms to end, change, exclude or delete it. Cannot fail.
    ///
    /// - Parameters:
    ///   - visit: The visit.
    ///   - typed: The refused times; `nil` when the page is opened.
    ///   - isWrongSecret: Whether a secret was typed that does not open the visit.
    public static func visit(
        _ visit: Checkin1.Visit, typed: VisitTimes? = nil, isWrongSecret: Bool = false, _ context: PageContext
    ) -> Page {
        let path = ["visits", "\(visit.number)"]
        let isHidden = visit.hidden == true
        return Layout(context: context).page(
            title: isHidden && visit.name.isEmpty ? context.t("visits.hidden-name") : visit.name, place: .other
        ) {
            el(.p, .class("back")) { Part.link(Link("/visits"), context.t("visits.back")) }
            el(.h1) { name(of: visit, context) }
            if let street = visit.street { el(.p, .class("lead")) { Part.foreign(street) } }
            el(.p, content: { times(visit, context) })
            if visit.open {
                Part.section("leave", context.t("visits.leave")) {
                    context.momentText(.p, "visits.until", visit.departure)
                    el(.p, text: context.t("visits.leave-lead"))
                    context.form(.checkOut, to: path) { Field.submit(context.t("visits.leave")) }
                    el(.p, .class("small"), text: context.t("visits.edit-open"))
                }
            } else {
                editPart(
                    typed ?? VisitTimes(visit, context), isFault: typed != nil, isHidden: isHidden,
                    isWrongSecret: isWrongSecret, path, context)
            }
            // Hidden ones are SwissCovid's, which no warning has in it.
            Part.section("share", context.t("visits.share")) {
                if visit.system != .coronaWarnApp || isHidden {
                    el(.p, text: context.t("visits.share-not", ["system": context.t(.venueSystem, visit.system.rawValue)]))
                } else if visit.published {
                    el(.p, text: context.t("visits.published"))
                } else {
                    sharePart(visit, path, context)
                }
            }
            Part.section("delete", context.t("visits.delete"), class: "card danger") {
                el(.p, text: context.t(visit.published ? "visits.delete-published" : "visits.delete-lead"))
                if visit.system == .coronaWarnApp, !visit.published {
                    el(.p, text: context.t("visits.delete-agreed"))
                }
                context.form(.deleteVisit, to: path) {
                    Field.submit(context.t("visits.delete-do"), class: "button danger")
                }
            }
        }
    }

    /// Whether a visit goes along with a warning, while none has had it.
    @HTMLBuilder private static func sharePart(
        _ visit: Checkin1.Visit, _ path: [String], _ context: PageContext
    ) -> HTML {
        el(.p, text: context.t("visits.share-lead"))
        el(.p) {
            el(.strong, text: context.t(visit.warns ? "visits.share-yes" : "visits.share-no"))
        }
        context.form(.setVisitWarning, to: path) {
            el(.input, .type(.hidden), .name("warns"), .value(visit.warns ? "no" : "yes"))
            Field.submit(context.t(visit.warns ? "visits.share-drop" : "visits.share-keep"), class: "button plain")
        }
    }

    private static func editPart(
        _ times: VisitTimes, isFault: Bool, isHidden: Bool, isWrongSecret: Bool, _ path: [String], _ context: PageContext
    ) -> HTML {
        Part.section("edit", context.t("visits.edit")) {
            if isHidden { el(.p, text: context.t("visits.hidden-edit")) }
            context.zoneHint()
            context.form(.editVisit, to: path) {
                Field.zoned(
                    "arrivalDate", "visits.arrival-date", context,
                    error: isFault && !isWrongSecret ? context.t("visits.times-fault") : nil, value: times.arrivalDate,
                    type: .date,
                    time: "arrivalTime", isRequired: true)
                Field.zoned(
                    "arrivalTime", "visits.arrival-time", context, value: times.arrivalTime, type: .time,
                    isRequired: true)
                Field.zoned(
                    "departureDate", "visits.departure-date", context, value: times.departureDate, type: .date,
                    time: "departureTime", isRequired: true)
                Field.zoned(
                    "departureTime", "visits.departure-time", context, value: times.departureTime, type: .time,
                    isRequired: true)
                if isHidden {
                    Field.line(
                        "secret", context.t("visits.hiding-present"),
                        error: isWrongSecret ? context.t("visits.hiding-wrong") : nil, type: .password,
                        .autocomplete("current-password"), isRequired: true)
                }
                Field.submit(context.t("visits.edit-do"), class: "button plain")
            }
        }
    }
}
