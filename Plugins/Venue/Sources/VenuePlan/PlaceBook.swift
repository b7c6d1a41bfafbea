// SPDX-License-Identifier: Apache-2.0

public import JSON
import PresenceTracing

/// The places of a host and their codes: what the plugin keeps on a device that stands for a place. A value; whoever changes it writes it to disk
/// before telling anybody. It has no clock: times are given, in Unix seconds.
///
/// Only codes of the Corona-Warn-App are made here. The NHS signs its own, and a code of SwissCovid has a public key on a curve that this software
/// does not have; both are imported.
public struct PlaceBook: Sendable, Hashable {
    /// The most places of one device, a choice of ours.
    public static let maximumPlaces = 16
    /// The most codes of one place, a choice of ours, those that are over too: the oldest of these makes room.
    public static let maximumCodes = 16
    /// The number of days of UTC that a code is kept after it is over, ``VisitDiary/retentionDays``: so long its visitors can be warned.
    public static let retentionDays = VisitDiary.retentionDays

    /// The places in the order in which they were described first; at most ``maximumPlaces``.
    public private(set) var places: [HostPlace] = []
    /// The number of the place whose codes a screen at the door shows; `nil` if none. There is a place of that number.
    public private(set) var screen: Int?
    private var lastPlace = 0
    private var lastCode = 0

    /// A book without places.
    public init() {}

    /// The place of this number; `nil` if there is none, or not any more.
    public func place(_ number: Int) -> HostPlace? { places.first { $0.number == number } }

    /// The code of this number, and the place that it is of; `nil` if there is none, or not any more.
    public func code(_ number: Int) -> (place: HostPlace, code: HostCode)? {
        for place in places {
            if let code = place.codes.first(where: { $0.number == number }) { return (place, code) }
        }
        return nil
    }

    /// The material that an own code is made of.
    public struct Maker: Sendable {
        /// The public key of the health authority, as the code carries it; may be empty, for the Corona-Warn-App does not use it.
        public let publicKey: [UInt8]
        /// ``TraceLocation/seedByteCount`` random bytes, other ones for each code; not checked here.
        public let seed: [UInt8]

        /// A maker with these values, as they are. Cannot fail.
        public init(publicKey: [UInt8], seed: [UInt8]) {
            self.publicKey = publicKey
            self.seed = seed
        }
    }

    /// Describes a place, a new one if `number` is `nil`; gives its number. Its own code for the place is revoked, and with a maker it gets another
    /// one; a description that is the same changes nothing, unless there is a maker and no own code. `now` is Unix seconds, `nil` while the time is
    /// not known. What throws leaves everything as it was.
    /// - Throws: `invalidStay`, `invalidName`, `invalidStreet` or `codeTooLong` for what a code cannot say, `unknownPlace`, `tooManyPlaces`, or
    ///   `tooManyCodes`.
    public mutating func describe(
        _ number: Int?, name: String, street: String, kind: PlaceKind, stayMinutes: Int, making maker: Maker?,
        at now: Int64?
    ) throws(PlaceError) -> Int {
        guard AutoCheckOut.minutes.contains(stayMinutes) else { throw PlaceError(.invalidStay) }
        let text = try Self.text(name, street, kind.traceKind, stayMinutes, maker ?? Self.trial)
        var book = self
        var index = places.count
        if let number {
            index = try self.index(number)
            let place = places[index]
            let isSame =
                place.name == name && place.street == street && place.kind == kind && place.stayMinutes == stayMinutes
            if isSame, maker == nil || place.codes.contains(where: \.isOwnAndPermanent) { return number }
            book.places[index].name = name
            book.places[index].street = street
            book.places[index].kind = kind
            book.places[index].stayMinutes = stayMinutes
        } else {
            guard places.count < Self.maximumPlaces, lastPlace < Int(Int32.max) else { throw PlaceError(.tooManyPlaces) }
            book.lastPlace += 1
            book.places.append(
                HostPlace(
                    number: book.lastPlace, name: name, street: street, kind: kind, stayMinutes: stayMinutes, codes: []))
        }
        book.revokeOwn(at: index, now)
        if maker != nil {
            _ = try book.add(
                to: index, at: now,
                { .init(number: $0, system: .coronaWarnApp, text: text, name: name, isOwn: true, begins: nil) })
        }
        self = book
        return places[index].number
    }

    /// Forgets a place and its codes at once. Throws `unknownPlace`.
    public mutating func forgetPlace(_ number: Int) throws(PlaceError) {
        places.remove(at: try index(number))
        if screen == number { screen = nil }
    }

    /// Has a screen at the door show the codes of the place of this number, or nothing for `nil`. Throws `unknownPlace`.
    public mutating func setScreen(_ number: Int?) throws(PlaceError) {
        if let number { _ = try index(number) }
        screen = number
    }

    /// The code that a screen at the door shows at `now`, Unix seconds; `nil` if no screen is on, or no code is at its door. Of several the one whose
    /// event began last; without an event the newest own one, else the newest that was imported.
    public func screenCode(at now: Int64) -> HostCode? {
        let shown = screen.flatMap { place($0) }?.codes.filter { $0.state(at: now) == .shown } ?? []
        let events = shown.filter { $0.begins != nil }
        return events.max { ($0.begins ?? 0, $0.number) < ($1.begins ?? 0, $1.number) } ?? shown.last(where: \.isOwn)
            ?? shown.last
    }

    /// Makes a code for an event at the place of this number; gives the code's number. Its name is the place's if `name` is `nil`; times are Unix
    /// seconds.
    /// - Throws: `unknownPlace`; `invalidTimes` unless the event ends after it begins and after `now`, lasts at most 31 days and is in the years
    ///   1970 to 9999; `invalidName`, `invalidStreet` or `codeTooLong` for what a code cannot say; `tooManyCodes`.
    public mutating func start(
        _ number: Int, name: String?, kind: EventKind, begins: Int64, ends: Int64, making maker: Maker, at now: Int64
    ) throws(PlaceError) -> Int {
        let index = try index(number)
        let place = places[index]
        guard begins >= 0, ends > begins, ends > now, ends <= 253_402_300_799, ends - begins <= VisitDiary.longestSeconds
        else { throw PlaceError(.invalidTimes) }
        let name = name ?? place.name
        let text = try Self.text(
            name, place.street, kind.traceKind, place.stayMinutes, maker, begins: UInt64(begins), ends: UInt64(ends))
        return try add(
            to: index, at: now,
            {
                .init(
                    number: $0, system: .coronaWarnApp, text: text, name: name, isOwn: true, begins: begins, ends: ends)
            })
    }

    /// Ends the event of the code of this number at `now`, Unix seconds, also one that has not begun. Throws `unknownCode`, `notAnEvent` (also for
    /// imported codes), or `alreadyOver` if it has ended or is revoked.
    public mutating func end(_ number: Int, at now: Int64) throws(PlaceError) {
        let (index, code) = try indices(number)
        guard places[index].codes[code].begins != nil else { throw PlaceError(.notAnEvent) }
        guard ![.ended, .revoked].contains(places[index].codes[code].state(at: now)) else {
            throw PlaceError(.alreadyOver)
        }
        places[index].codes[code].ends = now
    }

    /// Takes in a code that was verified, with its text as it was read; gives its number. `now` is Unix seconds, `nil` while the time is not known:
    /// then only a revoked code makes room.
    /// - Throws: `unknownPlace`, `alreadyThere` if the same text is a code of any place here and not revoked, `codeTooLong` or `tooManyCodes`.
    public mutating func add(
        _ ticket: VenueTicket, text: String, to number: Int, at now: Int64?
    ) throws(PlaceError) -> Int {
        let index = try index(number)
        // Of several codes of one system at a door nobody would know which to scan, but rooms and events have them.
        guard !places.contains(where: { $0.codes.contains { $0.text == text && $0.revoked == nil } }) else {
            throw PlaceError(.alreadyThere)
        }
        guard text.utf8.count <= VenueCode.maximumBytes else { throw PlaceError(.codeTooLong) }
        let words = ticket.words
        return try add(
            to: index, at: now,
            {
                .init(
                    number: $0, system: ticket.system, text: text, name: words.name, isOwn: false, begins: nil,
                    ends: ticket.ends)
            })
    }

    /// Takes the code of this number off the door at `now`, Unix seconds, `nil` while the time is not known. A place whose own code it is gets
    /// another one with the same words, if there is a maker. What throws leaves everything as it was.
    /// - Throws: `unknownCode`, or `alreadyOver` if it is revoked already; with a maker also what
    ///   ``describe(_:name:street:kind:stayMinutes:making:at:)`` throws for a code.
    public mutating func revoke(_ number: Int, making maker: Maker?, at now: Int64?) throws(PlaceError) {
        let (index, position) = try indices(number)
        let code = places[index].codes[position]
        guard code.revoked == nil else { throw PlaceError(.alreadyOver) }
        var book = self
        book.places[index].codes[position].revoked = now ?? 0
        if code.isOwnAndPermanent, let maker {
            let place = places[index]
            let text = try Self.text(place.name, place.street, place.kind.traceKind, place.stayMinutes, maker)
            _ = try book.add(
                to: index, at: now,
                { .init(number: $0, system: .coronaWarnApp, text: text, name: place.name, isOwn: true, begins: nil) })
        }
        self = book
    }

    /// Forgets codes that were over before the UTC day that lies ``retentionDays`` before `now` (Unix seconds), which must
    /// be certainly past: a wrong clock must not erase. One that was revoked while the time was not known goes at once.
    /// Cannot fail.
    public mutating func forget(at now: Int64) {
        for index in places.indices {
            places[index].codes.removeAll { code in
                code.over(at: now).map { !Visit.isRecent(end: $0, now: now, days: Self.retentionDays) } ?? false
            }
        }
    }

    /// What is said when nothing is made: a description has to fit a code, whether there is one or not.
    private static let trial = Maker(publicKey: [], seed: [UInt8](repeating: 0, count: TraceLocation.seedByteCount))

    private static func text(
        _ name: String, _ street: String, _ kind: TraceLocation.Kind, _ stayMinutes: Int, _ maker: Maker,
        begins: UInt64 = 0, ends: UInt64 = 0
    ) throws(PlaceError) -> String {
        let location: TraceLocation
        do throws(PresenceTracingError) {
            location = try TraceLocation(
                name: name, address: street, start: begins, end: ends, kind: kind, defaultMinutes: UInt32(stayMinutes),
                publicKey: maker.publicKey, seed: maker.seed)
        } catch {
            throw PlaceError(
                error.code == .invalidAddress ? .invalidStreet : error.code == .invalidTimes ? .invalidTimes : .invalidName)
        }
        let text = VenueCode.text(location)
        guard text.utf8.count <= VenueCode.maximumBytes else { throw PlaceError(.codeTooLong) }
        return text
    }

    private mutating func add(
        to index: Int, at now: Int64?, _ make: (Int) -> HostCode
    ) throws(PlaceError) -> Int {
        guard lastCode < Int(Int32.max) else { throw PlaceError(.tooManyCodes) }
        if places[index].codes.count >= Self.maximumCodes {
            guard
                let old = places[index].codes.firstIndex(where: { [.ended, .revoked].contains($0.state(at: now)) })
            else { throw PlaceError(.tooManyCodes) }
            places[index].codes.remove(at: old)
        }
        lastCode += 1
        places[index].codes.append(make(lastCode))
        return lastCode
    }

    private mutating func revokeOwn(at index: Int, _ now: Int64?) {
        for code in places[index].codes.indices where places[index].codes[code].isOwnAndPermanent {
            places[index].codes[code].revoked = now ?? 0
        }
    }

    private func index(_ number: Int) throws(PlaceError) -> Int {
        guard let index = places.firstIndex(where: { $0.number == number }) else { throw PlaceError(.unknownPlace) }
        return index
    }

    private func indices(_ number: Int) throws(PlaceError) -> (place: Int, code: Int) {
        for (index, place) in places.enumerated() {
            if let code = place.codes.firstIndex(where: { $0.number == number }) { return (index, code) }
        }
        throw PlaceError(.unknownCode)
    }

    // MARK: On disk

    /// The book as JSON, to be written: ``init(_:)`` reads it.
    public var json: JSON {
        var object: JSON.Object = [
            "lastPlace": .int(Int64(lastPlace)), "lastCode": .int(Int64(lastCode)), "places": .array(places.map(\.json)),
        ]
        object["screen"] = screen.map { .int(Int64($0)) }
        return .object(object)
    }

    /// The book that ``json`` has given.
    /// - Throws: `damagedPlaces` for anything else.
    public init(_ json: JSON) throws(PlaceError) {
        let numbers = 0...Int64(Int32.max)
        guard let lastPlace = json["lastPlace"]?.int, numbers.contains(lastPlace), let lastCode = json["lastCode"]?.int,
            numbers.contains(lastCode), let entries = json["places"]?.array, entries.count <= Self.maximumPlaces
        else { throw PlaceError(.damagedPlaces) }
        let places = entries.compactMap(HostPlace.init)
        let codes = places.flatMap(\.codes).map(\.number)
        guard places.count == entries.count, Set(places.map(\.number)).count == places.count,
            places.allSatisfy({ $0.number <= lastPlace }), Set(codes).count == codes.count,
            codes.allSatisfy({ $0 <= lastCode })
        else { throw PlaceError(.damagedPlaces) }
        // Books of before had no screen.
        if let number = json["screen"] {
            guard let number = number.int, let place = places.first(where: { Int64($0.number) == number }) else {
                throw PlaceError(.damagedPlaces)
            }
            screen = place.number
        }
        self.places = places
        self.lastPlace = Int(lastPlace)
        self.lastCode = Int(lastCode)
    }
}

extension HostCode {
    /// The code of the place itself, at the door.
    var isOwnAndPermanent: Bool { isOwn && begins == nil && revoked == nil }
}
