// SPDX-License-Identifier: Apache-2.0

public import JSON
import PresenceTracing

/// The places of a host and their codes, as the plugin stores them on a device that stands for a place. It is a value:
/// write it to disk after each change, before you report the change. It has no clock: times are passed in, in Unix seconds.
///
/// Only codes of the Corona-Warn-App are made here. The NHS signs its own codes, and a code of SwissCovid contains a public
/// key on a curve that this software does not support; both are imported.
public struct PlaceBook: Sendable, Hashable {
    /// The most places of one device: 16, our choice.
    public static let maximumPlaces = 16
    /// The most codes of one place: 16, our choice, including those that are no longer valid. A new code beyond
    /// that replaces the oldest one that is revoked or has ended.
    public static let maximumCodes = 16
    /// The number of UTC days for which a code is stored after its end, as long as its visitors can be warned:
    /// ``VisitDiary/retentionDays``.
    public static let retentionDays = VisitDiary.retentionDays

    /// The places in the order in which they were first described; at most ``maximumPlaces``.
    public private(set) var places: [HostPlace] = []
    /// The number of the place whose codes a screen at the door shows; `nil` if none. There is a place of that number.
    public private(set) var screen: Int?
    /// The place whose code is broadcast at the door, and in which hours; `nil` if none. There is a place of that number.
    public private(set) var broadcast: DoorBroadcasting?
    private var lastPlace = 0
    private var lastCode = 0

    /// Creates a book without places.
    public init() {}

    /// Returns the place with this number; `nil` if there is none.
    public func place(_ number: Int) -> HostPlace? { places.first { $0.number == number } }

    /// Returns the code with this number, and its place; `nil` if there is none.
    public func code(_ number: Int) -> (place: HostPlace, code: HostCode)? {
        for place in places {
            if let code = place.codes.first(where: { $0.number == number }) { return (place, code) }
        }
        return nil
    }

    /// The material from which a code is made here.
    public struct Maker: Sendable {
        /// The public key of the health authority, which the code contains; may be empty, because the Corona-Warn-App does
        /// not use it.
        public let publicKey: [UInt8]
        /// The code's random bytes, ``TraceLocation/seedByteCount`` of them and new ones for each code; not checked here.
        public let seed: [UInt8]

        /// Creates a maker of these values, unchecked. Cannot fail.
        public init(publicKey: [UInt8], seed: [UInt8]) {
            self.publicKey = publicKey
            self.seed = seed
        }
    }

    /// Describes the place with this number, or a new one if `number` is `nil`, and returns its number. The place's own
    /// code is revoked, and with a maker the place gets a new one. The same description again changes nothing, unless there
    /// is a maker and the place has no own code. `now` is in Unix seconds, `nil` if the time is not known. After an error
    /// everything is as it was.
    /// - Throws: `PlaceError`: `invalidStay`, `invalidName` or `invalidStreet` if that value is out of its range;
    ///   `codeTooLong` if they do not fit into a code together; `unknownPlace` if there is no such place; `tooManyPlaces`
    ///   or `tooManyCodes` if there is no room for a new place or code.
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

    /// Forgets the place with this number and its codes at once; a screen that shows it shows nothing any more.
    /// - Throws: `PlaceError.unknownPlace` if there is no such place.
    public mutating func forgetPlace(_ number: Int) throws(PlaceError) {
        places.remove(at: try index(number))
        if screen == number { screen = nil }
        if broadcast?.place == number { broadcast = nil }
    }

    /// Sets the place whose codes a screen at the door shows (``screenCode(at:)``); `nil` for none.
    /// - Throws: `PlaceError.unknownPlace` if there is no such place.
    public mutating func setScreen(_ number: Int?) throws(PlaceError) {
        if let number { _ = try index(number) }
        screen = number
    }

    /// Returns the code that a screen at the door shows at `now`, in Unix seconds. Of several valid codes it is
    /// that of the event that began last; without an event the newest code made here, else the newest imported one.
    /// `nil` if no screen is set, or its place has no valid code.
    public func screenCode(at now: Int64) -> HostCode? { screen.flatMap { doorCode(of: $0, at: now) } }

    /// Sets the place whose code is broadcast, and its hours; `nil` for none.
    /// - Throws: `PlaceError.unknownPlace` if there is no such place.
    public mutating func setBroadcast(_ new: DoorBroadcasting?) throws(PlaceError) {
        if let new { _ = try index(new.place) }
        broadcast = new
    }

    /// Returns the code at the door of this place at `now`, in Unix seconds, as ``screenCode(at:)`` chooses it; `nil` if there
    /// is none, or no such place.
    public func doorCode(of number: Int, at now: Int64) -> HostCode? {
        let shown = place(number)?.codes.filter { $0.state(at: now) == .shown } ?? []
        let events = shown.filter { $0.begins != nil }
        return events.max { ($0.begins ?? 0, $0.number) < ($1.begins ?? 0, $1.number) } ?? shown.last(where: \.isOwn)
            ?? shown.last
    }

    /// The length, in seconds, up to which people are taken to stay for all of an event: 12 hours, our choice. Nobody sits through
    /// a festival of three days; whoever left without checking out would count for hours in which they were not there.
    static let longestSitting: Int64 = 12 * 3_600

    /// Makes a code for an event at the place with this number, and returns the code's number. The event has the place's
    /// name if `name` is `nil`; times are in Unix seconds. Guests are checked out by themselves after the event's length, or after
    /// the place's usual stay if that is longer, or if the event is longer than ``longestSitting``.
    /// - Throws: `PlaceError`: `unknownPlace` if there is no such place; `invalidTimes` unless the event ends after it
    ///   begins and after `now`, lasts at most 31 days and is in the years 1970 to 9999; `invalidName` or `invalidStreet`
    ///   if that text is out of its range; `codeTooLong` if the texts do not fit into a code together; `tooManyCodes` if
    ///   there is no room for a new code.
    public mutating func start(
        _ number: Int, name: String?, kind: EventKind, begins: Int64, ends: Int64, making maker: Maker, at now: Int64
    ) throws(PlaceError) -> Int {
        let index = try index(number)
        let place = places[index]
        guard begins >= 0, ends > begins, ends > now, ends <= 253_402_300_799, ends - begins <= VisitDiary.longestSeconds
        else { throw PlaceError(.invalidTimes) }
        let name = name ?? place.name
        let sitting = ends - begins <= Self.longestSitting ? Int((ends - begins + 59) / 60) : 0
        let minutes = min(max(sitting, place.stayMinutes), AutoCheckOut.minutes.upperBound)
        let text = try Self.text(
            name, place.street, kind.traceKind, minutes, maker, begins: UInt64(begins), ends: UInt64(ends))
        return try add(
            to: index, at: now,
            {
                .init(
                    number: $0, system: .coronaWarnApp, text: text, name: name, isOwn: true, begins: begins, ends: ends)
            })
    }

    /// Ends the event of the code with this number at `now`, in Unix seconds, even before its beginning.
    /// - Throws: `PlaceError`: `unknownCode` if there is no such code; `notAnEvent` if the code is that of a place, or was
    ///   imported; `alreadyOver` if the event has ended or the code is revoked.
    public mutating func end(_ number: Int, at now: Int64) throws(PlaceError) {
        let (index, code) = try indices(number)
        guard places[index].codes[code].begins != nil else { throw PlaceError(.notAnEvent) }
        guard ![.ended, .revoked].contains(places[index].codes[code].state(at: now)) else {
            throw PlaceError(.alreadyOver)
        }
        places[index].codes[code].ends = now
    }

    /// Adds a verified code with the text that it was read from, and returns its number. `now` is in Unix seconds; `nil` if
    /// the time is not known, and then only a revoked code can be replaced.
    /// - Throws: `PlaceError`: `unknownPlace` if there is no such place; `alreadyThere` if a code with this text that is
    ///   not revoked is at any place here; `codeTooLong` if the text has more than ``VenueCode/maximumBytes`` bytes;
    ///   `tooManyCodes` if there is no room for a new code.
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

    /// Revokes the code with this number at `now`, in Unix seconds, `nil` if the time is not known. If it is the place's
    /// own code and there is a maker, the place gets a new one with the same texts. After an error everything is as it was.
    /// - Throws: `PlaceError`: `unknownCode` if there is no such code; `alreadyOver` if it is revoked already;
    ///   `codeTooLong` or `tooManyCodes` if the new code cannot be made.
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

    /// Removes codes whose end lies before the UTC day that is ``retentionDays`` before `now` (in Unix seconds), and at
    /// once those that were revoked while the time was not known. `now` must certainly be past, so that a wrong clock does
    /// not erase anything. Cannot fail.
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

    /// The book as JSON, to be written to disk; ``init(_:)`` reads it.
    public var json: JSON {
        var object: JSON.Object = [
            "lastPlace": .int(Int64(lastPlace)), "lastCode": .int(Int64(lastCode)), "places": .array(places.map(\.json)),
        ]
        object["screen"] = screen.map { .int(Int64($0)) }
        object["broadcast"] = broadcast?.json
        return .object(object)
    }

    /// Reads a book that ``json`` has produced.
    /// - Throws: `PlaceError.damagedPlaces` if the JSON is not such a book.
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
        // Books of before broadcast nothing.
        if let json = json["broadcast"] {
            guard let kept = DoorBroadcasting(json), places.contains(where: { $0.number == kept.place }) else {
                throw PlaceError(.damagedPlaces)
            }
            broadcast = kept
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
