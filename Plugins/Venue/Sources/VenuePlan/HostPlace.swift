// SPDX-License-Identifier: Apache-2.0

import JSON
import PresenceTracing

/// What a place is; raw values are stable, they are on the disk.
public enum PlaceKind: String, Sendable, Hashable, CaseIterable {
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

/// What an event is.
public enum EventKind: String, Sendable, Hashable, CaseIterable {
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
    /// From 1 on; never used again.
    public let number: Int
    public internal(set) var name: String
    public internal(set) var street: String
    public internal(set) var kind: PlaceKind
    /// Minutes after which a visitor is usually gone: ``AutoCheckOut/minutes``.
    public internal(set) var stayMinutes: Int
    /// In the order in which they came.
    public internal(set) var codes: [HostCode]
}

/// A code of a place.
public struct HostCode: Sendable, Hashable {
    /// Whether it hangs at the door.
    public enum State: Sendable, Hashable { case coming, shown, ended, revoked }

    /// From 1 on; never used again.
    public let number: Int
    public let system: VenueSystem
    /// What is drawn: a link, or the text of a poster.
    public let text: String
    public let name: String
    /// Whether it was made here.
    public let isOwn: Bool
    /// Of its event, Unix seconds; `nil` for the code of a place.
    public let begins: Int64?
    /// Unix seconds.
    public internal(set) var ends: Int64?
    /// When another one took its place, Unix seconds; `nil` while it counts. 0 where the time was not known.
    public internal(set) var revoked: Int64?

    /// At `now`, Unix seconds; without a known time an event is taken to be on.
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
