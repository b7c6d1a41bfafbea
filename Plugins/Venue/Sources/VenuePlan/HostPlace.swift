// SPDX-License-Identifier: Apache-2.0

import JSON
import PresenceTracing

/// The kind of a place, in the categories of the Corona-Warn-App's codes. Raw values are stable: they are stored on disk.
public enum PlaceKind: String, Sendable, Hashable, CaseIterable {
    /// The kinds, in this order: any other place, a shop, a restaurant or bar, a workshop, a place of work, a school or
    /// similar, a public building.
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

/// The kind of an event, in the categories of the Corona-Warn-App's codes. Raw values are stable.
public enum EventKind: String, Sendable, Hashable, CaseIterable {
    /// The kinds, in this order: any other event, a concert or similar, a club's meeting, a private party, a religious
    /// service.
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

/// A place with codes at its door. It contains nothing about visitors, and all of it is printed on the poster.
public struct HostPlace: Sendable, Hashable {
    /// The number of the place, from 1. It is never used again, unless the stored places could not be read: then numbers
    /// begin again.
    public let number: Int
    /// The place's name, as the host gave it: one line of 1 to 255 UTF-16 units.
    public internal(set) var name: String
    /// The street and town, as the host gave them: one line of 1 to 255 UTF-16 units.
    public internal(set) var street: String
    /// The kind of the place.
    public internal(set) var kind: PlaceKind
    /// The number of minutes that a visitor usually stays, within ``AutoCheckOut/minutes`` (15 to 1,425).
    public internal(set) var stayMinutes: Int
    /// The codes of the place in the order in which they were added, including those that are no longer valid; at most
    /// ``PlaceBook/maximumCodes``.
    public internal(set) var codes: [HostCode]
}

/// A code of a place.
public struct HostCode: Sendable, Hashable {
    /// The state of a code: its event has not begun (`coming`), it is valid (`shown`), its time is over (`ended`),
    /// or it was revoked (`revoked`). An imported code is never `coming`, even if its validity has not begun.
    public enum State: Sendable, Hashable { case coming, shown, ended, revoked }

    /// The number of the code on this device, from 1. It is never used again, unless the stored places could not be read:
    /// then numbers begin again.
    public let number: Int
    /// The system that the code belongs to.
    public let system: VenueSystem
    /// The text that is drawn as a QR code, a link or the text of a poster: at most ``VenueCode/maximumBytes`` bytes.
    public let text: String
    /// The name of the place or event in the code. In an imported code it is foreign text: show it with `ForeignText`.
    public let name: String
    /// Whether the code was made here; otherwise it was imported.
    public let isOwn: Bool
    /// The beginning of the code's event, in Unix seconds; `nil` for the code of a place, and for every imported code.
    public let begins: Int64?
    /// The end of the code's event, or of an imported code's validity, in Unix seconds; `nil` for a code without an end.
    public internal(set) var ends: Int64?
    /// The time at which the code was revoked or replaced by another one, in Unix seconds; 0 if the time was not known
    /// then. `nil` if neither happened.
    public internal(set) var revoked: Int64?

    /// Returns the state at `now`, in Unix seconds; `nil` if the time is not known, and then a code that is not revoked
    /// counts as shown.
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
