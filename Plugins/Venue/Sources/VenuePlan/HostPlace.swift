// SPDX-License-Identifier: Apache-2.0

import JSON
import PresenceTracing

/// The kind of a place, as its code of the Corona-Warn-App tells it. Raw values are stable: they are on the disk.
public enum PlaceKind: String, Sendable, Hashable, CaseIterable {
    /// The kinds: anything else, a shop, a restaurant or bar, a workshop, a place of work, a school or the like, a building of the authorities.
    case other, retail, foodService, craft, workplace, education, publicBuilding

    var traceKind: TraceLocation.Kind {
        switch self {
        case .other: .permanentOther
        case .retail: .permanentRetail
        case .foodService: .permanentFoodService
        case .craft: .permanentCraft
        case .workplace: .permanentWorkplace
        case .education: .permanentEducationalInstitution
        case .publicBuilding: .permanentPublicBuilding
        }
    }
}

/// The kind of an event, as its code of the Corona-Warn-App tells it.
public enum EventKind: String, Sendable, Hashable, CaseIterable {
    /// The kinds: anything else, a concert or the like, a club's meeting, a private party, a religious service.
    case other, culture, club, privateEvent, worship

    var traceKind: TraceLocation.Kind {
        switch self {
        case .other: .temporaryOther
        case .culture: .temporaryCulturalEvent
        case .club: .temporaryClubActivity
        case .privateEvent: .temporaryPrivateEvent
        case .worship: .temporaryWorshipService
        }
    }
}

/// A place at whose door codes hang. Nothing in it is about a visitor, and all of it is on the poster.
public struct HostPlace: Sendable, Hashable {
    /// The number of the place, from 1 on. Not used again, unless what was kept could not be read: then numbers begin anew.
    public let number: Int
    /// The place's name, as the host gave it: one line of 1 to 255 UTF-16 units.
    public internal(set) var name: String
    /// Street and town, as the host gave them: one line of 1 to 255 UTF-16 units.
    public internal(set) var street: String
    /// The kind of the place.
    public internal(set) var kind: PlaceKind
    /// The number of minutes after which a visitor is usually gone, within ``AutoCheckOut/minutes`` (15 to 1,425).
    public internal(set) var stayMinutes: Int
    /// The codes of the place in the order in which they came, those that are over too; at most ``PlaceBook/maximumCodes``.
    public internal(set) var codes: [HostCode]
}

/// A code of a place.
public struct HostCode: Sendable, Hashable {
    /// The state of a code at the door: its event has not begun, it hangs there, its time is over, or it was revoked.
    public enum State: Sendable, Hashable { case coming, shown, ended, revoked }

    /// The number of the code on this device, from 1 on. Not used again, unless what was kept could not be read: then numbers begin anew.
    public let number: Int
    /// The system that the code is of.
    public let system: VenueSystem
    /// The text that is drawn as a code, a link or the text of a poster: at most ``VenueCode/maximumBytes`` bytes.
    public let text: String
    /// The name that the code gives its place or event. Of an imported code it is somebody else's: show it by `ForeignText`.
    public let name: String
    /// Whether it was made here; otherwise it was imported.
    public let isOwn: Bool
    /// The beginning of its event, Unix seconds; `nil` for the code of a place, and for every imported code.
    public let begins: Int64?
    /// The end of its event, or of an imported code's time, Unix seconds; `nil` for a code that counts for ever.
    public internal(set) var ends: Int64?
    /// The moment when it was taken off the door or another one took its place, Unix seconds; 0 where the time was not known. `nil` if neither
    /// happened.
    public internal(set) var revoked: Int64?

    /// The state at `now`, Unix seconds; `nil` while the time is not known, and then a code that is not revoked is taken to be shown.
    public func state(at now: Int64?) -> State {
        if revoked != nil { return .revoked }
        guard let now else { return .shown }
        if let ends, ends <= now { return .ended }
        if let begins, begins > now { return .coming }
        return .shown
    }

    /// Since when it is over, Unix seconds; `nil` if it is not.
    func over(at now: Int64) -> Int64? {
        if let revoked { return revoked }
        return ends.flatMap { $0 <= now ? $0 : nil }
    }
}

extension HostPlace {
    var json: JSON {
        [
            "number": .int(Int64(number)), "name": .string(name), "street": .string(street), "kind": .string(kind.rawValue),
            "stay": .int(Int64(stayMinutes)), "codes": .array(codes.map(\.json)),
        ]
    }

    init?(_ json: JSON) {
        guard let number = json["number"]?.int, (1...Int64(Int32.max)).contains(number), let name = json["name"]?.string,
            let street = json["street"]?.string, let kind = json["kind"]?.string.flatMap(PlaceKind.init(rawValue:)),
            let stay = json["stay"]?.int, AutoCheckOut.minutes.contains(Int(clamping: stay)),
            let entries = json["codes"]?.array, entries.count <= PlaceBook.maximumCodes
        else { return nil }
        let codes = entries.compactMap(HostCode.init)
        guard codes.count == entries.count else { return nil }
        self.init(
            number: Int(number), name: name, street: street, kind: kind, stayMinutes: Int(stay), codes: codes)
    }
}

extension HostCode {
    var json: JSON {
        var object: JSON.Object = [
            "number": .int(Int64(number)), "system": .string(system.rawValue), "text": .string(text),
            "name": .string(name), "own": .bool(isOwn),
        ]
        object["begins"] = begins.map(JSON.int)
        object["ends"] = ends.map(JSON.int)
        object["revoked"] = revoked.map(JSON.int)
        return .object(object)
    }

    init?(_ json: JSON) {
        guard let number = json["number"]?.int, (1...Int64(Int32.max)).contains(number),
            let system = json["system"]?.string.flatMap(VenueSystem.init(rawValue:)), let text = json["text"]?.string,
            text.utf8.count <= VenueCode.maximumBytes, let name = json["name"]?.string, let isOwn = json["own"]?.bool
        else { return nil }
        self.init(
            number: Int(number), system: system, text: text, name: name, isOwn: isOwn, begins: json["begins"]?.int,
            ends: json["ends"]?.int, revoked: json["revoked"]?.int)
    }
}
