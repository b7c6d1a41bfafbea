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
            let poster = Checkin1.PosterReply(code: code, text: name, street: name)
            return [
                HostPages.places(.reply(reply), technician),
                HostPages.place(.init(place: place, reply: reply, typed: typed), technician),
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

    /// A poster is offered of what is at the door or will be, and of nothing else; without a time of nothing.
    @Test(arguments: Checkin1.CodeState.allCases) func whatIsOverIsNotPrinted(state: Checkin1.CodeState) throws {
        let code = VenueSamples.code(7, state: state, begins: Samples.now)
        let poster = VenueSamples.poster(code)
        let model = HostPages.CodeModel(
            place: 1, code: code, poster: poster, drawing: VenueSamples.drawing, hasPDF: true)
        let page = HostPages.code(model, try context()).html
        let isOffered = state == .shown || state == .coming
        for part in ["poster.pdf?paper=a6", "poster.svg?paper=a4", "code.png", "revokeCode", "endEvent", "class=\"qr\""] {
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
        func today(_ news: Bool?) throws -> String {
            WearerPages.today(
                .init(
                    status: Samples.status(), risk: Samples.risk(.low), freshness: nil, evidence: [], testNews: false,
                    visitNews: news), try context(.english, .wearer)
            ).html
        }
        let note = HTML(try Files.catalog(.english).text("today.visit-news")).markup
        #expect(try today(true).contains(note) && !today(false).contains(note))
        #expect(try today(false).contains("href=\"/visits\"") && !today(nil).contains("/visits"))
    }

    /// Each language's words fit onto both papers, and into the fonts of a PDF.
    @Test(arguments: Language.allCases, Checkin1.System.allCases)
    func wordsFitOntoThePoster(language: Language, system: Checkin1.System) throws {
        let code = VenueSamples.code(1, system: system, begins: Samples.now)
        let drawing = try #require(VenueSamples.drawing)
        let words = HostPages.words(VenueSamples.poster(code), try context(language))
        #expect(words.steps.count == 3 && words.details.count == 1)
        let poster = Poster(code: drawing, words: words)
        #expect(poster.module(on: .a4) >= 1 && poster.module(on: .a6) >= 0.5)
        #expect(poster.sheet(on: .a6).lines.allSatisfy { $0.size >= 1.9 } && poster.sheet(on: .a4).hasFonts)
    }
}
