// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// Places and the codes at their doors.
enum PlaceViews {
    static func list(_ reply: Checkin1.PlacesReply, _ screen: Screen) -> String {
        if reply.places.isEmpty {
            return screen.paragraph("No place is described here. `vigil ctl venue describe` does it.")
        }
        return reply.places.map { place($0, screen) }.joined()
            + (reply.broadcast.map { screen.paragraph(broadcast($0)) } ?? "")
    }

    /// What is chosen to be broadcast, in a sentence.
    static func broadcast(_ broadcasting: Checkin1.Broadcasting?) -> String {
        guard let broadcasting else { return "No code is to be broadcast." }
        var hours = "all day"
        if let opens = broadcasting.opens, let closes = broadcasting.closes {
            hours = "from \(clock(opens)) to \(clock(closes)) UTC"
        }
        return
            "The code of place \(broadcasting.number) is to be broadcast \(hours), while there is one at its door, the device takes part and its time is known. `vigil ctl radio` says whether it is on air."
    }

    private static func clock(_ minute: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minute / 60)):\(two(minute % 60))"
    }

    static func place(_ place: Checkin1.Place, _ screen: Screen) -> String {
        var text = screen.paragraph("Place \(place.number): \(place.name), \(place.street)")
        guard !place.codes.isEmpty else {
            return text
                + screen.paragraph(
                    "It has no code: `vigil ctl venue import` takes one, and one is made where the Corona-Warn-App is followed.",
                    .quiet)
        }
        var table = TextTable("#Code", "Of", "What", "State")
        for code in place.codes {
            table.add(
                ["\(code.number)", VisitViews.name(code.system), code.name, state(code)],
                code.state == .shown ? nil : .quiet)
        }
        text += table.text(screen)
        return text
    }

    private static func state(_ code: Checkin1.Code) -> String {
        switch code.state {
        case .coming: "from \(code.begins.map(Words.moment) ?? "later")"
        case .shown: code.ends.map { "at the door until \(Words.moment($0))" } ?? "at the door"
        case .ended: "over"
        case .revoked: "revoked"
        }
    }
}
