// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText
import Interfaces
import JSON
import PresenceTracing
import VenuePlan

/// The host's half of the interface: places and the codes at their doors. It knows nothing of who asks, and no visitor is in it.
struct PlaceDesk {
    let store: VenueStore
    let reader: VenueTicket.Reader
    let followed: [VenueSystem]
    /// Of the health authority, for own codes.
    let ownKey: [UInt8]

    /// Bytes of the places in one reply: with what stands beside them it stays below a message's 64 KiB. A place alone has at most some 22,000, with
    /// 16 codes of the longest names.
    static let partBytes = 48 << 10

    func places(after: Int?, at now: Int64?) throws -> Checkin1.PlacesReply {
        let records = store.records
        let rest = records.places.places.filter { $0.number > after ?? 0 }
        var places: [Checkin1.Place] = []
        var byteCount = 0
        for place in rest.lazy.map({ Checkin1.Place($0, now) }) {
            byteCount += try JSON(encoding: place).bytes.count + 1
            // One place goes on in any case, so that whoever asks comes to the end.
            guard places.isEmpty || byteCount <= Self.partBytes else { break }
            places.append(place)
        }
        return Checkin1.PlacesReply(
            places: places, more: places.count < rest.count,
            makes: followed.filter { $0 == .coronaWarnApp }.map(Checkin1.System.init),
            imports: followed.map(Checkin1.System.init), screen: records.places.screen,
            broadcast: records.places.broadcast.map {
                Checkin1.Broadcasting(number: $0.place, opens: $0.hours?.opens, closes: $0.hours?.closes)
            })
    }

    func describe(_ call: Checkin1.DescribeCall, at now: Int64?) throws -> Checkin1.PlaceReply {
        let maker = maker()
        return try store.change { records in
            let number = try records.places.describe(
                call.number, name: call.name, street: call.street, kind: PlaceKind(call.kind),
                stayMinutes: call.stayMinutes, making: maker, at: now)
            return Checkin1.PlaceReply(place: try records.places.shown(number, now))
        }
    }

    func forget(_ number: Int) throws { try store.change { try $0.places.forgetPlace(number) } }

    func start(_ call: Checkin1.StartCall, at now: Int64) throws -> Checkin1.CodeReply {
        guard let maker = maker() else { throw VenueFailure.nothingMade }
        return try store.change { records in
            let number = try records.places.start(
                call.number, name: call.name, kind: EventKind(call.kind), begins: call.begins ?? now, ends: call.ends,
                making: maker, at: now)
            return Checkin1.CodeReply(code: try records.places.shownCode(number, now))
        }
    }

    func end(_ number: Int, at now: Int64) throws -> Checkin1.CodeReply {
        try store.change { records in
            try records.places.end(number, at: now)
            return Checkin1.CodeReply(code: try records.places.shownCode(number, now))
        }
    }

    func add(_ call: Checkin1.ImportCall, at now: Int64) throws -> Checkin1.ImportReply {
        let ticket = try reader.read(call.code, at: now)
        let text = call.code.filter { !$0.isWhitespace && !$0.isNewline }
        return try store.change { records in
            let number = try records.places.add(ticket, text: text, to: call.number, at: now)
            return Checkin1.ImportReply(added: try records.places.shownCode(number, now))
        }
    }

    func revoke(_ number: Int, at now: Int64?) throws -> Checkin1.PlaceReply {
        let maker = maker()
        return try store.change { records in
            guard let place = records.places.code(number)?.place else { throw PlaceError(.unknownCode) }
            try records.places.revoke(number, making: maker, at: now)
            return Checkin1.PlaceReply(place: try records.places.shown(place.number, now))
        }
    }

    /// A code is read back before it is offered: a poster that nobody can scan is worse than none.
    func poster(_ number: Int, at now: Int64) throws -> Checkin1.PosterReply {
        guard let (place, code) = store.records.places.code(number) else { throw PlaceError(.unknownCode) }
        let ticket = try reader.read(code.text, at: now)
        let street = code.isOwn ? place.street : ticket.words.street
        let (shown, name) = (Checkin1.Code(code, now), ForeignText.line(place.name, limit: VisitDesk.nameLimit))
        return Checkin1.PosterReply(
            code: shown, text: code.text, street: street.map { ForeignText.line($0, limit: VisitDesk.nameLimit) },
            place: code.isOwn && name != shown.name ? name : nil)
    }

    func setScreen(_ call: Checkin1.ScreenCall) throws {
        try store.change { records in
            try Self.allow(call.number, ending: call.former, of: records.places.screen)
            try records.places.setScreen(call.number)
        }
    }

    /// A form of an old page ends what it is about, and not what was chosen since.
    private static func allow(_ number: Int?, ending former: Int?, of present: Int?) throws {
        guard number == nil, let former, let present, present != former else { return }
        throw VenueFailure.otherPlace
    }

    func setBroadcast(_ call: Checkin1.BroadcastCall, at now: Int64?) throws {
        var wanted: DoorBroadcasting?
        if let number = call.number {
            var hours: DoorBroadcasting.Hours?
            if call.opens != nil || call.closes != nil {
                guard let opens = call.opens, let closes = call.closes,
                    let known = DoorBroadcasting.Hours(opens: opens, closes: closes)
                else { throw VenueFailure.invalidHours }
                hours = known
            }
            if let code = now.flatMap({ store.records.places.doorCode(of: number, at: $0) }),
                BroadcastCode.bytes(of: code.text) == nil
            {
                throw VenueFailure.tooLongToBroadcast
            }
            wanted = DoorBroadcasting(place: number, hours: hours)
        }
        let chosen = wanted
        try store.change { records in
            try Self.allow(call.number, ending: call.former, of: records.places.broadcast?.place)
            try records.places.setBroadcast(chosen)
        }
    }

    /// What the core is to broadcast from `now` on, longer than until this plugin is started again. A code that fits no broadcast is left out: its
    /// poster is still there.
    func showings(at now: Int64) -> [Door1.Showing] {
        let book = store.records.places
        let showings = book.broadcast?.showings(of: book, from: now, for: Self.broadcastSpan) ?? []
        return showings.compactMap { showing in
            BroadcastCode.bytes(of: showing.text).map {
                Door1.Showing(content: Base64.string($0), from: showing.from, until: showing.until)
            }
        }
    }

    /// Three hours: an hour more than the plugin's schedule, an hour less than the core takes.
    private static let broadcastSpan: Int64 = 3 * 3_600

    /// Without a code in the reply nobody need check in. So where there may be one that cannot be shown, because the time
    /// is not known or the code cannot be read back by visitors' rules, this throws.
    func screen(at now: Int64?) throws -> Checkin1.ScreenReply {
        guard store.records.places.screen != nil else { return Checkin1.ScreenReply(isOn: false) }
        guard let now else { throw VenueFailure.timeUnknown }
        guard let code = store.records.places.screenCode(at: now) else { return Checkin1.ScreenReply(isOn: true) }
        let poster = try poster(code.number, at: now)
        return Checkin1.ScreenReply(isOn: true, code: poster.code, text: poster.text, street: poster.street)
    }

    /// `nil` where no codes can be made.
    private func maker() -> PlaceBook.Maker? {
        guard followed.contains(.coronaWarnApp) else { return nil }
        var random = SystemRandomNumberGenerator()
        let seed = (0..<TraceLocation.seedByteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
        return PlaceBook.Maker(publicKey: ownKey, seed: seed)
    }
}

extension PlaceBook {
    fileprivate func shown(_ number: Int, _ now: Int64?) throws -> Checkin1.Place {
        guard let place = place(number) else { throw PlaceError(.unknownPlace) }
        return Checkin1.Place(place, now)
    }

    fileprivate func shownCode(_ number: Int, _ now: Int64?) throws -> Checkin1.Code {
        guard let code = code(number)?.code else { throw PlaceError(.unknownCode) }
        return Checkin1.Code(code, now)
    }
}

extension PlaceKind {
    init(_ kind: Checkin1.Kind) {
        self =
            switch kind {
            case .other: .other
            case .retail: .retail
            case .foodService: .foodService
            case .craft: .craft
            case .workplace: .workplace
            case .education: .education
            case .publicBuilding: .publicBuilding
            }
    }
}

extension Checkin1.Kind {
    init(_ kind: PlaceKind) {
        self =
            switch kind {
            case .other: .other
            case .retail: .retail
            case .foodService: .foodService
            case .craft: .craft
            case .workplace: .workplace
            case .education: .education
            case .publicBuilding: .publicBuilding
            }
    }
}

extension EventKind {
    init(_ kind: Checkin1.EventKind) {
        self =
            switch kind {
            case .other: .other
            case .culture: .culture
            case .club: .club
            case .privateEvent: .privateEvent
            case .worship: .worship
            }
    }
}

extension Checkin1.Place {
    init(_ place: HostPlace, _ now: Int64?) {
        self.init(
            number: place.number, name: ForeignText.line(place.name, limit: VisitDesk.nameLimit),
            street: ForeignText.line(place.street, limit: VisitDesk.nameLimit), kind: Checkin1.Kind(place.kind),
            stayMinutes: place.stayMinutes, codes: place.codes.map { Checkin1.Code($0, now) })
    }
}

extension Checkin1.Code {
    init(_ code: HostCode, _ now: Int64?) {
        let state: Checkin1.CodeState =
            switch code.state(at: now) {
            case .coming: .coming
            case .shown: .shown
            case .ended: .ended
            case .revoked: .revoked
            }
        self.init(
            number: code.number, system: Checkin1.System(code.system),
            name: ForeignText.line(code.name, limit: VisitDesk.nameLimit), state: state, own: code.isOwn,
            begins: code.begins, ends: code.ends)
    }
}
