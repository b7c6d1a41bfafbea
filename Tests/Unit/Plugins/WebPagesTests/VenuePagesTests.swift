// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Poster
import Testing
import WebPagesGallery

@testable import WebPages

/// Pages of check-in: a host's, a wearer's, and the screen at the door.
struct VenuePagesTests {
    private func context(
        _ language: Language = .english, _ reader: PageContext.Reader = .technician, timeIsKnown: Bool = true
    ) throws -> PageContext {
        PageContext(
            texts: try Files.catalog(language), reader: reader, formToken: "token", path: "/tech/places/1", device: .place,
            now: Samples.now, timeIsKnown: timeIsKnown)
    }

    /// Names are what somebody else wrote, on every page that shows one.
    @Test(arguments: HTMLTests.hostile + [VenueSamples.longName, ""]) func noNameChangesAPage(name: String) throws {
        let technician = try context()
        let wearer = try context(.german, .wearer)
        func pages(_ name: String) -> [Page] {
            let place = VenueSamples.place(1, name: name)
            let code = VenueSamples.code(1, name: name)
            let reply = Checkin1.PlacesReply(
                places: [place], makes: [.coronaWarnApp], imports: [.nhs], screen: 1)
            let typed = HostPages.Typed(
                action: .describePlace, fields: ["name": name, "street": name, "stay": name, "kind": name], fault: .name)
            var visit = VenueSamples.visits[0]
            visit.name = name
            visit.street = name
            var notices = VenueSamples.notices
            // An empty name is said in other words, not in another structure.
            notices.notices[5].name = name
            notices.notices[5].message = name
            notices.followed[1].problem = name
            let poster = Checkin1.PosterReply(code: code, text: name, street: name, place: name)
            return [
                HostPages.places(.reply(reply), technician),
                HostPages.place(
                    .init(place: place, reply: reply, screenAddress: VenueSamples.screen, typed: typed), technician),
                HostPages.code(
                    .init(place: 1, code: code, poster: poster, drawing: VenueSamples.drawing, hasPDF: true), technician),
                HostPages.screen(
                    .reply(.init(isOn: true, code: code, text: name, street: name)), drawing: VenueSamples.drawing,
                    technician),
                WearerPages.visits(.reply(.init(visits: [visit], notices: notices)), wearer),
                WearerPages.visit(
                    visit,
                    typed: .init(arrivalDate: name, arrivalTime: name, departureDate: name, departureTime: name), wearer),
            ]
        }
        for (page, plain) in zip(pages(name), pages("plain")) {
            #expect(structure(page.html) == structure(plain.html))
        }
    }

    /// Only a visit that ends soon, only while it has not ended, and only where the time is known.
    @Test(arguments: Language.allCases) func theWearerIsRemindedOfALongVisit(language: Language) throws {
        var visit = VenueSamples.visits[1]
        visit.departure = Samples.now + 600
        let context = try context(language, .wearer)
        let said = context.t("visits.reminder", ["moment": context.moment(visit.departure)])
        func reminds(_ visit: Checkin1.Visit) -> Bool {
            WearerPages.visits(.reply(.init(visits: [visit], notices: VenueSamples.notices)), context).html
                .contains(HTML(said).markup)
        }
        #expect(!reminds(visit))
        visit.remindFrom = Samples.now + 1
        #expect(!reminds(visit))
        visit.remindFrom = Samples.now
        #expect(reminds(visit))
        visit.open = false
        #expect(!reminds(visit))
    }

    /// What is missing is said, with what to do, and nothing is offered that cannot be.
    @Test(arguments: Language.allCases) func whereThereIsNoCheckInThePageSaysSo(language: Language) throws {
        let host = try context(language)
        for (answer, key) in [
            (.notThere, "places.not-there"), (.otherRole, "places.other-role"), (.silent, "places.silent"),
        ] as [(VenueAnswer<Checkin1.PlacesReply>, String)] {
            let page = HostPages.places(answer, host).html
            #expect(page.contains(HTML(host.texts.text(key)).markup), "\(key)")
            #expect(!page.contains("describePlace"))
        }
        let wearer = try context(language, .wearer)
        for (answer, key) in [
            (.notThere, "visits.not-there"), (.otherRole, "visits.other-role"), (.silent, "visits.silent"),
        ] as [(VenueAnswer<WearerPages.Visits>, String)] {
            let page = WearerPages.visits(answer, wearer).html
            #expect(page.contains(HTML(wearer.texts.text(key)).markup), "\(key)")
            #expect(!page.contains("value=\"checkIn\""))
        }
    }

    @Test func sixteenPlacesAreTheMost() throws {
        func page(_ count: Int) throws -> String {
            let places = (1...count).map { VenueSamples.place($0) }
            return HostPages.places(
                .reply(.init(places: places, makes: [.coronaWarnApp], imports: [])), try context()
            ).html
        }
        #expect(try page(15).contains("describePlace") && !page(16).contains("describePlace"))
        #expect(try page(16).split(separator: "<strong><bdi>").count == 17)
    }

    /// What is broadcast, and when, is told to whoever may look; only a technician changes it, and is told whose broadcast ends.
    @Test(arguments: [PageContext.Reader.technician, .technicianReadOnly])
    func theBroadcastIsToldAndChanged(reader: PageContext.Reader) throws {
        let context = try context(.english, reader)
        let isTechnician = reader == .technician
        let place = VenueSamples.place(1)
        func page(_ broadcast: Checkin1.Broadcasting?) -> String {
            let reply = Checkin1.PlacesReply(
                places: [place, VenueSamples.place(2)], makes: [], imports: [], broadcast: broadcast)
            return HostPages.place(.init(place: place, reply: reply, screenAddress: VenueSamples.screen), context).html
        }
        for (broadcast, isOn, said) in [
            (nil, false, nil), (.init(number: 1), true, "to be broadcast all day"),
            (.init(number: 1, opens: 1_320, closes: 125), true, "from 22:00 to 02:05 (UTC)"),
            (.init(number: 2, opens: 480, closes: 1_320), false, nil),
        ] as [(Checkin1.Broadcasting?, Bool, String?)] {
            let html = page(broadcast)
            #expect(
                html.contains("startBroadcast") == isTechnician && html.contains("stopBroadcast") == (isOn && isTechnician))
            #expect(html.contains("(UTC).</p>") == (broadcast?.opens != nil && isOn) && said.map(html.contains) != false)
            #expect(html.contains("value=\"22:00\"") == (isOn && broadcast?.opens != nil && isTechnician))
            let other = HTML(context.texts.text("places.broadcast-other")).markup
            #expect(html.contains(other) == (broadcast?.number == 2 && isTechnician))
        }
    }

    /// Each code has one way to end: an event that lasts ends, one that has not begun is cancelled, any other code is taken off.
    @Test(arguments: Language.allCases) func aCodeHasOneWayToEnd(language: Language) throws {
        let context = try context(language, .technician)
        for (state, begins, isEvent, key) in [
            (.shown, Samples.now - 60, true, "code.end-do"), (.coming, Samples.now + 60, true, "code.cancel-do"),
            (.shown, nil, false, "code.revoke-do"), (.ended, Samples.now - 90_000, true, nil), (.revoked, nil, false, nil),
        ] as [(Checkin1.CodeState, Int64?, Bool, String?)] {
            let code = VenueSamples.code(5, state: state, begins: begins)
            let html = HostPages.code(
                .init(place: 1, code: code, poster: nil, drawing: nil, hasPDF: false), context
            ).html
            let ways = ["endEvent", "revokeCode"].map { html.contains("value=\"\($0)\"") }
            #expect(ways == [isEvent && key != nil, !isEvent && key != nil], "\(state) \(isEvent)")
            #expect(key.map { html.contains(HTML(context.texts.text($0)).markup) } != false)
        }
    }

    /// In a browser that knows its time zone, no text or label speaks of UTC; without one, each field says what it is in.
    @Test(arguments: Language.allCases) func timesAreTheBrowsersOrSayThatTheyAreUTC(language: Language) throws {
        let zone = try context(language, .technician).texts.text("venue.zone")
        let reply = Checkin1.PlacesReply(
            places: [VenueSamples.place(1)], makes: [.coronaWarnApp], imports: [],
            broadcast: .init(number: 1, opens: 480, closes: 1_080))
        let place = HostPages.place(
            .init(place: reply.places[0], reply: reply, screenAddress: VenueSamples.screen),
            try context(language, .technician)
        ).html
        let visit = WearerPages.visit(VenueSamples.visits[0], try context(language, .wearer)).html
        for (html, fields) in [(place, ["date", "time", "opens", "closes"]), (visit, ["arrivalDate", "departureTime"])] {
            #expect(html.contains("live.js"))
            for field in fields {
                let label = try #require(
                    html.split(separator: "for=\"field-\(field)\"").dropFirst().first?.prefix { $0 != "<" })
                let parts = label.split(separator: "\">")
                #expect(parts.count == 2 && parts[1].contains(zone) && !parts[0].contains(zone), "\(field): \(label)")
                #expect(parts[0].contains("data-here=\""))
            }
            for here in html.split(separator: "data-here=\"").dropFirst() {
                let text = here.prefix { $0 != "\"" }
                #expect(!text.contains("UTC") || text.contains(Self.stored(language)), "\(text)")
                #expect(!text.contains("{") && !text.contains(" ."))
            }
        }
        #expect(place.contains("data-utc=\"time\"") && place.split(separator: "data-utc=\"\"").count == 3)
        #expect(place.contains("@08:00@") && visit.contains("data-utc=\"arrivalTime\""))
    }

    /// The sentence about what the device stores may name UTC.
    private static func stored(_ language: Language) -> String {
        (try? Files.catalog(language).text("venue.here-daily")) ?? "–"
    }

    /// That it is on air is said only if the core says so; otherwise why it is not, in each language.
    @Test(arguments: Language.allCases) func whatIsReallyOnAirIsTold(language: Language) throws {
        let context = try context(language, .technicianReadOnly)
        let place = VenueSamples.place(1)
        func page(_ door: Device1.Door?, _ number: Int = 1) -> String {
            let reply = Checkin1.PlacesReply(places: [place], makes: [], imports: [], broadcast: .init(number: number))
            return HostPages.place(
                .init(place: place, reply: reply, door: door, screenAddress: VenueSamples.screen), context
            ).html
        }
        func says(_ page: String, _ key: String) -> Bool { page.contains(HTML(context.texts.text(key)).markup) }
        let words = Device1.Door.allCases.map(\.rawValue) + ["unknown"]
        for door in Device1.Door.allCases.map(Optional.some) + [nil] {
            let html = page(door)
            #expect(says(html, "places.broadcast-on") == (door == .onAir), "\(String(describing: door))")
            #expect(says(html, "places.broadcast-none") == (door != nil && door != .onAir), "\(String(describing: door))")
            for word in words {
                #expect(says(html, "places.door." + word) == (word == door?.rawValue ?? "unknown"), "\(word)")
            }
            // Of a place that is not chosen nothing is said.
            #expect(words.allSatisfy { !says(page(door, 2), "places.door." + $0) })
        }
    }

    /// Each reason for which no visit goes along has a sentence of its own, while it can be mended.
    @Test(arguments: Language.allCases) func whyNoVisitGoesAlongIsTold(language: Language) throws {
        let context = try context(language, .wearer)
        func page(_ reason: Diagnosis1.NoVisits?, _ warning: Diagnosis1.Warning) -> String {
            var test = Samples.test(.ready)
            (test.warning, test.visits, test.noVisits) = (warning, 0, reason)
            return WearerPages.warn(.init(test: test, nextExchange: nil), context).html
        }
        let keys = ["warn.visits-why"] + Diagnosis1.NoVisits.allCases.map { "warn.no-visits." + $0.rawValue }
        for reason in Diagnosis1.NoVisits.allCases.map(Optional.some) + [nil] {
            for (warning, isSaid) in [(.prepared, true), (.sent, false)] as [(Diagnosis1.Warning, Bool)] {
                let html = page(reason, warning)
                let expected = isSaid ? [reason.map { "warn.no-visits." + $0.rawValue } ?? keys[0]] : []
                #expect(keys.filter { html.contains(HTML(context.texts.text($0)).markup) } == expected)
            }
        }
    }

    /// The page of one day says what visits add to it, and calls nothing low whose part is not known.
    @Test(arguments: Language.allCases) func theDaysPageKnowsVisits(language: Language) throws {
        let context = try context(language, .wearer)
        let day = Int(Samples.now / 86_400) - 2
        func page(_ met: Risk1.Level?, _ visits: VisitWarnings?) -> String {
            var risk = Samples.risk(.low)
            risk.days =
                met.map { [.init(day: day, verdict: .init(score: 1, increasedFrom: 9, level: $0), encounters: nil)] } ?? []
            return WearerPages.why(
                .init(
                    status: Samples.status(), risk: risk, contributions: [], day: day, visitWarnings: visits), context
            ).html
        }
        func badge(_ page: String) -> [String] {
            let sum = page.split(separator: "sum-title", maxSplits: 1).last.map(String.init) ?? ""
            let first = String(sum.prefix(400))
            return [
                ("low", TextFamily.levelWord, "low"), ("increased", .levelWord, "increased"),
                ("unjudged", .stateWord, "unjudged"), ("unknown", .stateWord, "unknown"),
            ].filter { first.contains(">" + HTML(context.t($0.1, $0.2)).markup + "<") }.map(\.0)
        }
        // What is not known of encounters, or of visits that are lost, is never low; of several authorities the one counts that warns.
        for (state, unjudged, foreign, visits, expected) in [
            (.low, nil, nil, .init(.none, days: [day: .low]), "low"),
            (.outdated, nil, nil, .init(.none, days: [day: .low]), "unknown"),
            (.unknown, nil, nil, .init(.none, days: [day: .low]), "unknown"),
            (.unknown, 1, nil, .init(.none, days: [day: .low]), "unjudged"),
            (.low, nil, .increased, .init(.none, days: [day: .low]), "increased"),
            (.low, nil, nil, .init(.none, days: [day: .low], isLost: true), "unknown"),
            (.low, nil, nil, .init(.none, days: [day: .low], isBehind: true), "unknown"),
            (.low, nil, nil, .init(.kept, days: [day: .increased], isBehind: true), "increased"),
        ] as [(Risk1.State, Int?, Risk1.Level?, VisitWarnings, String)] {
            var risk = Samples.risk(.low)
            (risk.state, risk.unjudged, risk.days) = (state, unjudged, [])
            risk.sources = foreign.map { level in
                let judged = Risk1.Day(day: day, verdict: .init(score: 20, increasedFrom: 9, level: level), encounters: nil)
                return [.init(name: "other", title: [:], state: .increased, sentence: "", days: [judged])]
            }
            let html = WearerPages.why(
                .init(status: Samples.status(), risk: risk, contributions: [], day: day, visitWarnings: visits), context
            ).html
            #expect(badge(html) == [expected], "\(state) \(visits)")
        }
        let told = HTML(context.t("why.day-visits")).markup
        let silent = HTML(context.t("today.visit-unknown")).markup
        for (met, visits, expected) in [
            (.low, nil, "low"), (.low, .init(.none), "low"), (.low, .init(.kept, days: [day: .increased]), "increased"),
            (nil, .init(.kept, days: [day: .increased]), "increased"), (nil, .init(.none, days: [day: .low]), "low"),
            (.low, .init(.kept, days: [day: .unknown]), "unjudged"), (.low, .init(.unknown), "unknown"),
            (.increased, .init(.unknown), "increased"), (.low, .init(.kept, days: [day - 1: .increased]), "low"),
            (.low, .init(.kept, isCut: true), "unjudged"),
        ] as [(Risk1.Level?, VisitWarnings?, String)] {
            let html = page(met, visits)
            #expect(badge(html) == [expected], "\(String(describing: met)) \(String(describing: visits))")
            #expect(
                html.contains(told) == (visits?.days[day] != nil) && html.contains(silent) == (visits?.news == .unknown))
            #expect(html.contains(HTML(context.t("why.visits-cut")).markup) == (visits?.isCut == true))
        }
    }

    /// A poster is offered of what is at the door or will be, and of nothing else; without a time of nothing.
    @Test(arguments: Checkin1.CodeState.allCases) func whatIsOverIsNotPrinted(state: Checkin1.CodeState) throws {
        let code = VenueSamples.code(7, state: state, begins: Samples.now)
        let poster = VenueSamples.poster(code)
        let model = HostPages.CodeModel(
            place: 1, code: code, poster: poster, drawing: VenueSamples.drawing, hasPDF: true)
        let page = HostPages.code(model, try context()).html
        let isOffered = state == .shown || state == .coming
        for part in ["poster.pdf?paper=a6", "poster.svg?paper=a4", "code.png", "endEvent", "class=\"qr\""] {
            #expect(page.contains(part) == isOffered, "\(part)")
        }
        let early = HostPages.code(
            .init(place: 1, code: code, poster: nil, drawing: nil, hasPDF: false), try context(timeIsKnown: false)
        ).html
        #expect(!early.contains("poster.svg"))
        let noFont = HostPages.code(
            .init(place: 1, code: code, poster: poster, drawing: VenueSamples.drawing, hasPDF: false), try context()
        ).html
        #expect(!noFont.contains("poster.pdf") && noFont.contains("poster.svg") == isOffered)
    }

    /// A name like "Concert" alone would not say where; a place's own poster has its name once.
    @Test(arguments: Language.allCases) func thePosterOfAnEventNamesThePlace(language: Language) throws {
        let context = try context(language)
        let event = HostPages.words(
            VenueSamples.poster(VenueSamples.code(7, name: "Concert", begins: Samples.now)), context)
        #expect(event.name == "Concert")
        #expect(event.details == ["Café Linde", "Lindenweg 4, 12345 Neustadt", context.t("poster.when")])
        let place = HostPages.words(VenueSamples.poster(VenueSamples.code(1)), context)
        #expect(place.name == "Café Linde" && place.details == ["Lindenweg 4, 12345 Neustadt"])
    }

    /// The screen has nothing to touch, nothing of the device, and asks nobody to sign in.
    @Test(arguments: Language.allCases) func aScreenHasNothingToTouch(language: Language) throws {
        let reply = Checkin1.ScreenReply(isOn: true, code: VenueSamples.code(1), text: "x", street: nil)
        for answer in [.reply(reply), .reply(.init(isOn: false)), .notThere, .otherRole, .silent]
            as [VenueAnswer<Checkin1.ScreenReply>]
        {
            let page = HostPages.screen(answer, drawing: VenueSamples.drawing, try context(language, .nobody)).html
            for tag in structure(page) {
                let name = tag.prefix { $0 != " " }
                #expect(!["a", "form", "button", "input", "script", "nav", "footer"].contains(name), "\(tag)")
            }
            #expect(page.contains("class=\"qr\"") == (answer.reply?.code != nil))
        }
    }

    /// What a warning advises is said by the same words as for encounters.
    @Test func aWarningAboutAVisitAdvisesAsOneAboutAnEncounter() throws {
        let context = try context(.english, .wearer)
        let page = WearerPages.visits(.reply(.init(visits: [], notices: VenueSamples.notices)), context).html
        for key in [
            "today.advice.increased", "today.advice.unjudged", "today.advice.low", "visits.notice-advice.bookATest",
            "visits.notice-advice.inform", "visits.notice-advice.message", "visits.notice-why",
        ] { #expect(page.contains(HTML(context.texts.text(key)).markup), "\(key)") }
        #expect(page.contains("Call &lt;b&gt;0800&lt;/b&gt;."))
    }

    /// The first page tells of news, and leads to visits only where they can be entered.
    @Test func todayTellsOfNewsAboutVisits() throws {
        func today(_ warnings: VisitWarnings?) throws -> String {
            WearerPages.today(
                .init(
                    status: Samples.status(), risk: Samples.risk(.low), freshness: nil, evidence: [], testNews: false,
                    visitWarnings: warnings), try context(.english, .wearer)
            ).html
        }
        let texts = try Files.catalog(.english)
        for warnings in [.init(.news), .init(.kept), .init(.unknown), .init(.none), nil] as [VisitWarnings?] {
            let page = try today(warnings)
            for (key, said) in [
                ("today.visit-news", .news), ("today.visit-kept", .kept), ("today.visit-unknown", .unknown),
            ] as [(String, VisitWarnings.News)] {
                #expect(page.contains(HTML(texts.text(key)).markup) == (said == warnings?.news), "\(key)")
            }
            #expect(page.contains("href=\"/visits\"") == (warnings != nil))
        }
    }

    /// A warning stays on the first page after it was seen; that the plugin does not answer is no word of there being none.
    @Test func whatTodaySaysOfAnAnswerAboutVisits() {
        func warnings(_ numbers: [Int], news: Bool = false, more: Bool = false) -> VisitWarnings? {
            var reply = VenueSamples.notices
            reply.notices = reply.notices.filter { numbers.contains($0.number) }
            (reply.news, reply.more) = (news, more)
            return .init(.reply(reply))
        }
        #expect(warnings([])?.news == VisitWarnings.News.none && warnings([1])?.news == VisitWarnings.News.none)
        #expect(warnings([1], more: true)?.news == .kept && warnings([1], more: true)?.isUnjudged == true)
        for number in 2...6 { #expect(warnings([1, number])?.news == .kept, "\(number)") }
        #expect(warnings([1], news: true)?.news == .news)
        #expect(VisitWarnings(.silent) == .init(.unknown))
        #expect(VisitWarnings(.notThere) == nil && VisitWarnings(.otherRole) == nil)
        // What was red a moment ago is not green because its plugin does not answer.
        for (answer, state) in [(.silent, .unknown), (.notThere, .low), (.otherRole, .low)]
            as [(VenueAnswer<Checkin1.NoticesReply>, TodayState)]
        {
            let visits = VisitWarnings(answer)
            #expect(TodayState(status: Samples.status(), risk: Samples.risk(.low), visits: visits) == state)
            #expect(TodayState(status: Samples.status(), risk: Samples.risk(.increased), visits: visits) == .increased)
        }
    }

    /// The day's higher level counts, of encounters and visits, and nothing is low while part of it is unknown: all that can meet on two days,
    /// by the rule of the Corona-Warn-App (`JoinedRisk`).
    @Test func theHigherLevelOfEncountersAndVisitsIsTold() {
        let levels: [Checkin1.Level?] = [nil, .low, .increased, .unknown]
        for met in [Risk1.State.low, .increased, .unknown] {
            for first in levels {
                for second in levels {
                    var reply = Checkin1.NoticesReply(notices: [], more: false, followed: [], news: false)
                    // Two visits on one day, of which the lower comes last, and one on the day after.
                    let entries: [(Int, Checkin1.Level?)] = [(4, first), (4, first.map { _ in .low }), (5, second)]
                    for (number, (day, level)) in entries.enumerated() where level != nil {
                        reply.notices.append(
                            Checkin1.Notice(
                                number: number + 1, system: .coronaWarnApp, visit: number, name: "Café", day: day,
                                level: level, advice: nil, message: nil, news: false))
                    }
                    let warnings = VisitWarnings(.reply(reply))
                    let risk = Samples.risk(met, unjudged: met == .unknown ? 1 : nil)
                    let state = TodayState(status: Samples.status(), risk: risk, visits: warnings)
                    let presence = Dictionary(
                        [(4, first), (5, second)].compactMap { day, level in level.map { (day, $0) } },
                        uniquingKeysWith: { first, _ in first })
                    #expect(warnings?.days == presence)
                    let expected: TodayState =
                        if met == .increased || presence.values.contains(.increased) {
                            .increased
                        } else if met == .unknown || presence.values.contains(.unknown) { .unjudged } else { .low }
                    #expect(state == expected, "\(met) \(String(describing: first)) \(String(describing: second))")
                }
            }
        }
        // A notice without a level stands beside the risk.
        let beside = VisitWarnings(
            .reply(
                .init(
                    notices: [VenueSamples.notices.notices.first { $0.level == nil }].compactMap { $0 }, more: false,
                    followed: [],
                    news: true)))
        #expect(
            beside?.days == [:] && TodayState(status: Samples.status(), risk: Samples.risk(.low), visits: beside) == .low)
    }

    /// The page says what leads to the state, and the latest day of both.
    @Test func aVisitsWarningIsSaidAsSuch() throws {
        let context = try context(.english, .wearer)
        func said(_ met: Risk1.State, _ days: [Int: Checkin1.Level]) -> (page: String, keys: Set<String>) {
            let page = WearerPages.today(
                .init(
                    status: Samples.status(), risk: Samples.risk(met), freshness: nil, evidence: [], testNews: false,
                    visitWarnings: .init(.kept, days: days)), context
            ).html
            let keys = ["today.sentence.increased", "today.visit-increased", "today.visit-unjudged", "today.sentence.low"]
            return (page, Set(keys.filter { page.contains(HTML(context.texts.text($0)).markup) }))
        }
        let day = Samples.risk(.increased).mostRelevantDay ?? 0
        func isDay(_ page: String, _ day: Int) -> Bool {
            page.contains(context.t("today.day", ["date": context.dayName(day)]))
        }
        var (page, keys) = said(.low, [day - 1: .increased])
        #expect(keys == ["today.visit-increased"] && isDay(page, day - 1))
        (page, keys) = said(.increased, [day - 1: .increased])
        #expect(keys == ["today.sentence.increased", "today.visit-increased"] && isDay(page, day))
        (page, keys) = said(.increased, [day + 1: .increased])
        #expect(isDay(page, day + 1))
        (page, keys) = said(.increased, [day + 1: .unknown])
        #expect(keys == ["today.sentence.increased"] && isDay(page, day))
        (page, keys) = said(.low, [day + 1: .unknown])
        #expect(keys == ["today.visit-unjudged"])
        (page, keys) = said(.low, [day + 1: .low])
        #expect(keys == ["today.sentence.low"])
    }

    /// That there is no warning is said only if all were looked at.
    @Test(arguments: Language.allCases) func noWarningIsSaidOnlyIfAllWereLookedAt(language: Language) throws {
        let context = try context(language, .wearer)
        func page(_ followed: [Checkin1.Followed], _ visits: [Checkin1.Visit] = [VenueSamples.visits[0]]) -> String {
            let reply = Checkin1.NoticesReply(notices: [], more: false, followed: followed)
            return WearerPages.visits(.reply(.init(visits: visits, notices: reply)), context).html
        }
        let none = HTML(context.texts.text("visits.no-notices")).markup
        let checked = Checkin1.Followed(system: .coronaWarnApp, checked: Samples.now, problem: nil)
        let unchecked = Checkin1.Followed(system: .coronaWarnApp, checked: nil, problem: nil)
        let inTrouble = Checkin1.Followed(system: .coronaWarnApp, checked: Samples.now, problem: "x")
        let other = Checkin1.Followed(system: .nhs, checked: nil, problem: nil)
        #expect(page([checked, other]).contains(none))
        // Without a visit there is nothing that a warning could be about.
        let pending = HTML(context.texts.text("visits.not-known")).markup
        for followed in [[unchecked], [checked], [inTrouble], []] {
            let page = page(followed, [])
            #expect(!page.contains(none) && !page.contains(pending) && !page.contains("id=\"notices-title\""))
            #expect(page.contains(HTML(context.texts.text("visits.none")).markup))
        }
        #expect(page([unchecked]).contains(pending))
        for followed in [[checked], [inTrouble], [other], []] { #expect(!page(followed).contains(pending), "\(followed)") }
        for followed in [[unchecked], [inTrouble], [other], []] { #expect(!page(followed).contains(none), "\(followed)") }
        #expect(!page([checked, other], Array(VenueSamples.visits[...1])).contains(none))
        // As the first page: known once, and not any more.
        let behind = Checkin1.Followed(system: .coronaWarnApp, checked: Samples.now, problem: nil, behind: true)
        let unfetched = HTML(context.texts.text("visits.unfetched")).markup
        #expect(
            !page([behind]).contains(none) && page([behind]).contains(unfetched) && !page([checked]).contains(unfetched))
        // Of a system that is not followed any more, that is said.
        let system = context.t(.venueSystem, Checkin1.System.coronaWarnApp.rawValue)
        let unfollowed = HTML(context.t("visits.unfollowed", ["system": system])).markup
        #expect(page([other]).contains(unfollowed) && !page([checked]).contains(unfollowed))
    }

    /// The loss of earlier visits is no notice, and can be acknowledged. Trouble with a server cannot: it lasts, and is said beside the loss.
    @Test(arguments: Language.allCases) func aLossCanBeAcknowledgedAndTroubleCannot(language: Language) throws {
        let context = try context(language, .wearer)
        func page(_ problem: String?, isLost: Bool) -> String {
            let followed = [Checkin1.Followed(system: .coronaWarnApp, checked: Samples.now, problem: problem)]
            let reply = Checkin1.NoticesReply(notices: [], more: false, followed: followed, lost: isLost)
            let visits = [VenueSamples.visits[0]]
            return WearerPages.visits(.reply(.init(visits: visits, notices: reply)), context).html
        }
        func text(_ name: StaticString) -> String { HTML(context.t(name)).markup }
        for (problem, isLost) in [(nil, false), ("No answer.", false), (nil, true), ("No answer.", true)] {
            let shown = page(problem, isLost: isLost)
            #expect(shown.contains("value=\"acknowledgeVisits\"") == isLost)
            #expect(shown.contains("name=\"number\" value=\"0\"") == isLost)
            #expect(shown.contains(text("visits.lost")) == isLost)
            #expect(shown.contains(text("visits.unfetched")) == (problem != nil))
            #expect(shown.contains("No answer.") == (problem != nil))
            #expect(shown.contains(text("visits.no-notices")) == (problem == nil && !isLost))
        }
    }

    /// That nobody need check in is said only if there is no code.
    @Test(arguments: Language.allCases) func aCodeThatCannotBeShownIsNotCalledNone(language: Language) throws {
        let context = try context(language, .nobody)
        let nothing = HTML(context.texts.text("screen.nothing")).markup
        let code = Checkin1.ScreenReply(isOn: true, code: VenueSamples.code(1), text: "x", street: nil)
        for answer in [.silent, .reply(code)] as [VenueAnswer<Checkin1.ScreenReply>] {
            let page = HostPages.screen(answer, drawing: nil, context).html
            // One that cannot be drawn is not shown a minute later either.
            let said: StaticString = answer.reply == nil ? "screen.silent" : "screen.unfit"
            let unsaid: StaticString = answer.reply == nil ? "screen.unfit" : "screen.silent"
            #expect(page.contains(HTML(context.t(said)).markup) && !page.contains(HTML(context.t(unsaid)).markup))
            #expect(!page.contains(nothing))
        }
        #expect(HostPages.screen(.reply(.init(isOn: true)), drawing: nil, context).html.contains(nothing))
    }

    /// Each language's words fit onto both papers, and into the fonts of a PDF.
    @Test(arguments: Language.allCases, Checkin1.System.allCases)
    func wordsFitOntoThePoster(language: Language, system: Checkin1.System) throws {
        let drawing = try #require(VenueSamples.drawing)
        // An event has a line for the place and one for its time, and no step for those who enter its code later: it is not valid any more then.
        for (begins, steps, details) in [(nil, 3, 1), (Samples.now, 2, 3)] as [(Int64?, Int, Int)] {
            let code = VenueSamples.code(1, system: system, begins: begins)
            let words = HostPages.words(VenueSamples.poster(code), try context(language))
            #expect(words.steps.count == steps && words.details.count == details)
            let poster = Poster(code: drawing, words: words)
            #expect(poster.module(on: .a4) >= 1 && poster.module(on: .a6) >= 0.5)
            #expect(poster.sheet(on: .a6).lines.allSatisfy { $0.size >= 1.9 } && poster.sheet(on: .a4).hasFonts)
        }
    }
}
