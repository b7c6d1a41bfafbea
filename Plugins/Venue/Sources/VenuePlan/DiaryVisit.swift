// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import Cryptography
import JSON

/// One stay of the wearer at a venue, as the diary stores it.
public struct DiaryVisit: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The number of the visit, from 1. It is never used again, unless the stored diary could not be read: then numbers
    /// begin again.
    public let number: Int
    /// The venue, from its code.
    public internal(set) var place: DiaryPlace
    /// The time of arrival, in Unix seconds, in the years 1970 to 9999; of a hidden visit that is over the beginning of its UTC day.
    public internal(set) var arrival: Int64
    /// The time of departure, in Unix seconds, at most 31 days after ``arrival``; while ``isOpen`` is `true`, the time at
    /// which the visit will end automatically. Of a hidden visit that is over the end of its UTC day.
    public internal(set) var departure: Int64
    /// Whether the visit has not ended, as far as the diary knows.
    public internal(set) var isOpen: Bool
    /// Whether the visit was published to warn others: then it does not count as a contact of the wearer's. `false` at
    /// first, and never again once it is `true`.
    public internal(set) var isSubmitted: Bool
    /// Whether the visit may have been published, with a warning of which nobody knows whether it arrived: then it does not count as a contact of the
    /// wearer's either, and can go along with another warning all the same. `false` at first, and never again once it is `true`.
    public internal(set) var mayBeSubmitted: Bool
    /// The times that reports of this visit to others have, in Unix seconds: they can begin earlier and end later than the visit. Empty if none
    /// was handed out; at most ``maximumReported``.
    public internal(set) var reported: [Range<Int64>] = []
    /// The most times of reports that are kept for a visit: 32, as many as one warning has; our choice.
    public static let maximumReported = 32
    /// Whether the wearer got a notice of SwissCovid or the NHS about the visit; there is at most one.
    public internal(set) var wasTold: Bool
    /// Whether the visit is published when the wearer warns others; `true` unless the wearer has excluded it.
    public internal(set) var warns: Bool

    /// By what a hidden visit that is open is found again if the same check-in comes once more; `nil` for others.
    public internal(set) var mark: CheckInMark?

    init(number: Int, place: DiaryPlace, arrival: Int64, departure: Int64) {
        self.number = number
        self.place = place
        self.arrival = arrival
        self.departure = departure
        isOpen = true
        isSubmitted = false
        mayBeSubmitted = false
        wasTold = false
        warns = true
    }

    /// Whether a report of this visit is public, or may be: a warning that it meets may be the wearer's own.
    public var mayMeetItself: Bool { isSubmitted || mayBeSubmitted }

    /// The time in which the wearer is reminded that the visit ends automatically, in Unix seconds: the last quarter of an
    /// hour of a stay of an hour or more, our choice. `nil` for a shorter one, and once the visit has ended.
    public var reminder: Range<Int64>? {
        guard isOpen, departure - arrival >= Self.longStay else { return nil }
        return departure - Self.reminderSeconds..<departure
    }

    private static let longStay: Int64 = 3_600
    private static let reminderSeconds: Int64 = 900

    /// The number of the visit, without anything else, because visits do not belong in logs.
    public var description: String { "visit \(number)" }
    /// A mirror without children, so that a dump does not show where the wearer has been.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension DiaryVisit {
    var json: JSON {
        var object: JSON.Object = [
            "number": .int(Int64(number)), "arrival": .int(arrival), "departure": .int(departure), "open": .bool(isOpen),
            "submitted": .bool(isSubmitted), "told": .bool(wasTold), "warns": .bool(warns),
        ]
        if mayBeSubmitted { object["uncertain"] = true }
        if let mark { object["mark"] = .string(Base64.string(mark.bytes)) }
        if !reported.isEmpty {
            object["reported"] = .array(reported.flatMap { [.int($0.lowerBound), .int($0.upperBound)] })
        }
        switch place {
        case .coronaWarnApp(let payload): object["coronaWarnApp"] = .string(Base64.string(payload))
        case .swissCovid(let payload): object["swissCovid"] = .string(Base64.string(payload))
        case .nhs(let id, let name, let postcode):
            object["nhs"] = .string(id)
            object["name"] = .string(name)
            if let postcode { object["postcode"] = .string(postcode) }
        case .hidden(let visit): object["hidden"] = visit.json
        }
        return .object(object)
    }

    init?(_ json: JSON) {
        let place: DiaryPlace? =
            if let payload = json["coronaWarnApp"]?.string.flatMap(Base64.bytes) {
                .coronaWarnApp(payload: payload)
            } else if let payload = json["swissCovid"]?.string.flatMap(Base64.bytes) {
                .swissCovid(payload: payload)
            } else if let id = json["nhs"]?.string, let name = json["name"]?.string {
                .nhs(id: id, name: name, postcode: json["postcode"]?.string)
            } else if let visit = json["hidden"].flatMap(HiddenVisit.init) {
                .hidden(visit)
            } else {
                nil
            }
        guard let place, let number = json["number"]?.int, (1...Int64(Int32.max)).contains(number),
            let arrival = json["arrival"]?.int, let departure = json["departure"]?.int,
            VisitDiary.areTimes(arrival, departure), let isOpen = json["open"]?.bool,
            let isSubmitted = json["submitted"]?.bool, let wasTold = json["told"]?.bool, let warns = json["warns"]?.bool
        else { return nil }
        let mark = json["mark"].map { $0.string.flatMap(Base64.bytes).flatMap(CheckInMark.init(stored:)) }
        guard mark != .some(nil) else { return nil }
        self.init(number: Int(number), place: place, arrival: arrival, departure: departure)
        self.mark = mark ?? nil
        self.isOpen = isOpen
        self.isSubmitted = isSubmitted
        mayBeSubmitted = json["uncertain"]?.bool ?? false
        let ends = (json["reported"]?.array ?? []).compactMap(\.int)
        for first in stride(from: 0, to: min(ends.count - 1, 2 * Self.maximumReported), by: 2)
        where ends[first] < ends[first + 1] {
            reported.append(ends[first]..<ends[first + 1])
        }
        self.wasTold = wasTold
        self.warns = warns
    }
}
