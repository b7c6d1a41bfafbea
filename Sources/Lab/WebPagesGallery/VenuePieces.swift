// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Poster
import WebPages

/// Pages of check-in.
extension Shelf {
    mutating func visits() {
        for (name, model) in [
            ("visits", WearerPages.Visits(visits: VenueSamples.visits, notices: VenueSamples.notices)),
            ("visits-none", .init(visits: [], notices: VenueSamples.noNotices)),
            ("visits-calm", .init(visits: [VenueSamples.visits[0]], notices: VenueSamples.calm)),
            ("visits-pending", .init(visits: [VenueSamples.visits[0]], notices: VenueSamples.noNotices)),
            ("visits-fault", .init(visits: VenueSamples.visits, notices: nil, isFault: true)),
            ("visits-lost", .init(visits: [], notices: VenueSamples.lost)),
            ("visits-hides", .init(visits: VenueSamples.visits, notices: VenueSamples.noNotices, hides: false)),
            (
                "visits-hides-fault",
                .init(visits: [], notices: VenueSamples.noNotices, hides: false, hidingFault: .init(.length, .hide))
            ),
            (
                "visits-hides-different",
                .init(visits: [], notices: VenueSamples.noNotices, hides: false, hidingFault: .init(.different, .hide))
            ),
            (
                "visits-hides-again",
                .init(
                    visits: [], notices: VenueSamples.noNotices, hides: false, hidingFault: .init(.wrong, .hide),
                    hidingIsSet: true)
            ),
            (
                "visits-hiding",
                .init(
                    visits: VenueSamples.visits, notices: VenueSamples.noNotices, hides: true, unhidden: 2,
                    hidingIsSet: true,
                    attempt: "00000000-0000-4000-8000-000000000000")
            ),
            (
                "visits-choice-lost",
                .init(visits: [], notices: VenueSamples.lost, hides: false, isChoiceLost: true)
            ),
            ("visits-hidden", .init(visits: VenueSamples.hiddenVisits, notices: VenueSamples.hiddenNotices, hides: true)),
            (
                "visits-hidden-fault",
                .init(
                    visits: VenueSamples.hiddenVisits, notices: nil, hides: true, hidingFault: .init(.wrong, .show),
                    hidingIsSet: true)
            ),
            (
                "visits-hidden-anew-fault",
                .init(
                    visits: VenueSamples.hiddenVisits, notices: nil, hides: true, hidingFault: .init(.different, .anew),
                    hidingIsSet: true)
            ),
            (
                "visits-hidden-shown",
                .init(visits: VenueSamples.hiddenVisits, notices: VenueSamples.hiddenNotices, hides: false, isOpened: true)
            ),
        ] as [(String, WearerPages.Visits)] {
            add(name, context("/visits")) { WearerPages.visits(.reply(model), $0) }
        }
        add("visits-not-there", context("/visits")) { WearerPages.visits(.notThere, $0) }
        add("visits-other-role", context("/visits", device: .place)) { WearerPages.visits(.otherRole, $0) }
        add("visits-silent", context("/visits")) { WearerPages.visits(.silent, $0) }
        for visit in VenueSamples.visits.prefix(2) {
            add("visit-\(visit.open ? "open" : "over")", context("/visits/\(visit.number)")) {
                WearerPages.visit(visit, $0)
            }
        }
        for visit in VenueSamples.hiddenVisits.prefix(2) {
            add("visit-hidden-\(visit.open ? "open" : "over")", context("/visits/\(visit.number)")) {
                WearerPages.visit(visit, isWrongSecret: !visit.open, $0)
            }
        }
        var published = VenueSamples.visits[0]
        published.published = true
        add("visit-published", context("/visits/1")) { WearerPages.visit(published, $0) }
        let typed = WearerPages.VisitTimes(
            arrivalDate: "2026-11-22", arrivalTime: "12:00", departureDate: "2026-11-22", departureTime: "11:00")
        add("visit-fault", context("/visits/1", timeIsKnown: false)) {
            WearerPages.visit(VenueSamples.visits[0], typed: typed, $0)
        }
    }

    mutating func host(_ reader: PageContext.Reader, suffix: String) {
        func of(_ path: String, timeIsKnown: Bool = true) -> PageContext {
            context(path, reader, device: .place, timeIsKnown: timeIsKnown)
        }
        let many = (1...16).map { VenueSamples.place($0, name: $0 == 3 ? VenueSamples.longName : "Café Linde \($0)") }
        for (name, reply) in [
            ("places", VenueSamples.places), ("places-none", .init(places: [], makes: [], imports: [.nhs])),
            ("places-full", .init(places: many, makes: [.coronaWarnApp], imports: [.coronaWarnApp], screen: 2)),
        ] as [(String, Checkin1.PlacesReply)] {
            add("tech-\(name)\(suffix)", of("/tech/places")) { HostPages.places(.reply(reply), $0) }
        }
        add("tech-places-not-there\(suffix)", of("/tech/places")) { HostPages.places(.notThere, $0) }
        add("tech-places-silent\(suffix)", of("/tech/places")) { HostPages.places(.silent, $0) }
        add("tech-places-other-role\(suffix)", context("/tech/places", reader)) { HostPages.places(.otherRole, $0) }
        // Only who may change something has typed something.
        for fault in HostPages.Fault.allCases where reader == .technician {
            let action: FormAction =
                switch fault {
                case .times: .startEvent
                case .hours: .startBroadcast
                case .code: .importCode
                case .name, .street, .stay, .long: .describePlace
                }
            let typed = HostPages.Typed(
                action: action, fields: ["name": "<b>", "street": "", "stay": "5", "kind": "no", "hours": "0"],
                fault: fault)
            let model = HostPages.PlaceModel(
                place: VenueSamples.places.places[0], reply: VenueSamples.places, screenAddress: VenueSamples.screen,
                typed: typed)
            add("tech-place-fault-\(fault.rawValue)\(suffix)", of("/tech/places/1")) { HostPages.place(model, $0) }
        }
        let place = VenueSamples.places.places[0]
        add("tech-place\(suffix)", of("/tech/places/1")) {
            HostPages.place(.init(place: place, reply: VenueSamples.places, screenAddress: VenueSamples.screen), $0)
        }
        for broadcast in [Checkin1.Broadcasting(number: 1), .init(number: 1, opens: 480, closes: 1_320)] {
            var reply = VenueSamples.places
            reply.broadcast = broadcast
            let (name, door): (String, Device1.Door) =
                broadcast.opens == nil ? ("all-day", .onAir) : ("hours", .timeUnsure)
            add("tech-place-broadcast-\(name)\(suffix)", of("/tech/places/1")) {
                HostPages.place(
                    .init(place: place, reply: reply, door: door, screenAddress: VenueSamples.screen), $0)
            }
        }
        for code in place.codes {
            let poster = VenueSamples.poster(code)
            let model = HostPages.CodeModel(
                place: 1, code: code, poster: poster, drawing: VenueSamples.drawing, hasPDF: code.number != 2)
            add("tech-code-\(code.state.rawValue)-\(code.number)\(suffix)", of("/tech/codes/\(code.number)")) {
                HostPages.code(model, $0)
            }
        }
        let code = place.codes[0]
        add("tech-code-no-time\(suffix)", of("/tech/codes/1", timeIsKnown: false)) {
            HostPages.code(.init(place: 1, code: code, poster: nil, drawing: nil, hasPDF: false), $0)
        }
        add("tech-code-unfit\(suffix)", of("/tech/codes/1")) {
            HostPages.code(
                .init(place: 1, code: code, poster: VenueSamples.poster(code), drawing: nil, hasPDF: false), $0)
        }
        add("tech-code-dense\(suffix)", of("/tech/codes/1")) {
            HostPages.code(
                .init(
                    place: 1, code: code, poster: VenueSamples.poster(code), drawing: VenueSamples.denseDrawing,
                    hasPDF: true), $0)
        }
    }

    mutating func screen() {
        let codes = VenueSamples.places.places[0].codes
        for (name, code, drawing) in [
            ("screen", codes[0], VenueSamples.drawing), ("screen-event", codes[2], VenueSamples.drawing),
            ("screen-long", VenueSamples.code(9, name: VenueSamples.longName), VenueSamples.denseDrawing),
            ("screen-unfit", codes[0], nil), ("screen-nothing", nil, nil),
        ] as [(String, Checkin1.Code?, QRCode?)] {
            let reply = Checkin1.ScreenReply(
                isOn: true, code: code, text: code.map { VenueSamples.poster($0).text }, street: "Lindenweg 4")
            add(name, context("/screen", .nobody, device: .place)) {
                HostPages.screen(.reply(reply), drawing: drawing, $0)
            }
        }
        add("screen-off", context("/screen", .nobody, device: .place)) {
            HostPages.screen(.reply(.init(isOn: false)), drawing: nil, $0)
        }
        add("screen-silent", context("/screen", .nobody, device: .place)) {
            HostPages.screen(.silent, drawing: nil, $0)
        }
        add("screen-other-role", context("/screen", .nobody)) { HostPages.screen(.otherRole, drawing: nil, $0) }
    }
}
