// SPDX-License-Identifier: Apache-2.0

import CivilTime
import JSON

/// Which place's code a device broadcasts, and in which hours of the day. It is what the host has chosen; the core puts it on
/// air (docs/decisions/0046-check-in-by-broadcast.md).
public struct DoorBroadcasting: Sendable, Hashable {
    /// The number of the place.
    public let place: Int
    /// The minutes of the UTC day, 0 to 1,439, at which the broadcast begins and ends; `nil` for the whole day. An end
    /// before the beginning is on the next day.
    public let hours: Hours?

    /// A daily time between two minutes of the UTC day.
    public struct Hours: Sendable, Hashable {
        /// The first minute, 0 to 1,439.
        public let opens: Int
        /// The minute at which it is over, 0 to 1,439; never ``opens``.
        public let closes: Int

        /// Creates hours. Returns `nil` for a minute that no day has, or if both are the same.
        public init?(opens: Int, closes: Int) {
            let minutes = 0..<1_440
            guard minutes.contains(opens), minutes.contains(closes), opens != closes else { return nil }
            self.opens = opens
            self.closes = closes
        }
    }

    /// Creates a choice of these values; the place is not checked. Cannot fail.
    public init(place: Int, hours: Hours?) {
        self.place = place
        self.hours = hours
    }

    /// A time, in Unix seconds, in which one text is broadcast.
    public struct Showing: Sendable, Hashable {
        /// The text of the code.
        public let text: String
        /// The beginning, Unix seconds.
        public let from: Int64
        /// The end, Unix seconds.
        public let until: Int64
    }

    /// The first moment after `moment` at which the hours begin or end; `nil` without hours.
    private func change(after moment: Int64) -> Int64? {
        guard let hours else { return nil }
        let day = moment - moment % UTCDay.seconds
        let minutes = [hours.opens, hours.closes]
        return [day, day + UTCDay.seconds].flatMap { day in minutes.map { day + Int64($0) * 60 } }.filter { $0 > moment }
            .min()
    }

    private func isOpen(at moment: Int64) -> Bool {
        guard let hours else { return true }
        let minute = Int(moment % UTCDay.seconds / 60)
        return hours.opens < hours.closes
            ? (hours.opens..<hours.closes).contains(minute) : minute >= hours.opens || minute < hours.closes
    }

    /// Returns what is broadcast from `now` on for `span` seconds at most, in the order of time; both in Unix seconds.
    /// Changes of hours and events are those that `book` knows now; at most ``mostShowings`` are returned.
    public func showings(of book: PlaceBook, from now: Int64, for span: Int64) -> [Showing] {
        let end = now + span
        let events = book.place(place)?.codes.flatMap { [$0.begins, $0.ends].compactMap(\.self) } ?? []
        var showings: [Showing] = []
        var start = now
        while start < end, showings.count < Self.mostShowings {
            let changes = [end, change(after: start)].compactMap(\.self) + events.filter { $0 > start }
            let next = changes.min() ?? end
            if isOpen(at: start), let code = book.doorCode(of: place, at: start) {
                if let last = showings.last, last.text == code.text, last.until == start {
                    showings[showings.count - 1] = Showing(text: code.text, from: last.from, until: min(next, end))
                } else {
                    showings.append(Showing(text: code.text, from: start, until: min(next, end)))
                }
            }
            start = next
        }
        return showings
    }

    /// The most showings at once, as many as the core takes (`org.vigil.door1.Broadcast`).
    public static let mostShowings = 8

    // MARK: On disk

    var json: JSON {
        var object: JSON.Object = ["place": .int(Int64(place))]
        object["opens"] = hours.map { .int(Int64($0.opens)) }
        object["closes"] = hours.map { .int(Int64($0.closes)) }
        return .object(object)
    }

    init?(_ json: JSON) {
        guard let place = json["place"]?.int, (1...Int64(Int32.max)).contains(place) else { return nil }
        var hours: Hours?
        if json["opens"] != nil || json["closes"] != nil {
            guard let opens = json["opens"]?.int, let closes = json["closes"]?.int,
                let known = Hours(opens: Int(clamping: opens), closes: Int(clamping: closes))
            else { return nil }
            hours = known
        }
        self.init(place: Int(place), hours: hours)
    }
}
