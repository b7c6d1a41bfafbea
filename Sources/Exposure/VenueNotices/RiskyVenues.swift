// SPDX-License-Identifier: Apache-2.0

public import AppConfig
import JSON
public import Trust

/// A venue and a time of which the NHS warns.
public struct RiskyVenue: Sendable, Hashable {
    /// The advice for the visitors. Raw values are those of the list (`messageType`).
    public enum Advice: String, Sendable, Hashable {
        /// To look out for symptoms (`M1`); also for messages that this software does not know, for nothing told is worse.
        case inform = "M1"
        /// To book a test (`M2`).
        case bookATest = "M2"
    }

    /// The venue's id on posters, 1 to 64 bytes in a list that was read.
    public let id: String
    /// Start of the time that is warned about, Unix seconds, included.
    public let from: Int64
    /// End of the time that is warned about, Unix seconds, excluded; after ``from`` in a list that was read.
    public let until: Int64
    /// The advice for the visitors of the venue.
    public let advice: Advice

    /// A venue and a time, unchecked; `from` is included and `until` excluded, both in Unix seconds.
    public init(id: String, from: Int64, until: Int64, advice: Advice = .inform) {
        self.id = id
        self.from = from
        self.until = until
        self.advice = advice
    }

    /// Whether a visit has a moment in common with the time, both without their ends. A visit without length is the moment that it is.
    public func meets(_ visit: PosterVisit) -> Bool {
        guard visit.venueID == id, from < until else { return false }
        return visit.from < visit.to
            ? max(from, visit.from) < min(until, visit.to) : visit.from == visit.to && (from..<until).contains(visit.from)
    }
}

/// A stay at a venue with a poster, as the wearer's diary has it.
public struct PosterVisit: Sendable, Hashable {
    /// The number that the wearer's diary gives the visit; any, unchecked.
    public let number: Int
    /// The venue's id on the poster (``VenuePoster/id``), compared byte by byte with ``RiskyVenue/id``.
    public let venueID: String
    /// Arrival, Unix seconds.
    public let from: Int64
    /// Departure, Unix seconds, excluded; equal to ``from`` for a visit without length.
    public let to: Int64
    /// Whether the wearer was told of it already: once is enough, and ``RiskyVenueList/matches(_:)`` leaves the visit out.
    public let wasTold: Bool

    /// A visit of these parts, unchecked; times are in Unix seconds.
    public init(number: Int, venueID: String, from: Int64, to: Int64, wasTold: Bool = false) {
        self.number = number
        self.venueID = venueID
        self.from = from
        self.to = to
        self.wasTold = wasTold
    }
}

/// The NHS's list of venues that it warns of (`/distribution/risky-venues`).
public struct RiskyVenueList: Sendable, Hashable {
    /// Bytes of the largest list that is read, inclusive; 1 MiB. Some 6,000 venues fit. Our own bound.
    public static let maximumBytes = 1 << 20
    /// Most venues of a list. Our own bound: more than ``maximumBytes`` can hold of real ones.
    public static let maximumVenues = 10_000

    /// The entries that can be used, in the order of the list; 0 to ``maximumVenues``.
    public let venues: [RiskyVenue]
    /// The number of entries that name no venue or no time. They are passed over, or one slip of the server would cost everybody the others'
    /// notices. 0 to ``maximumVenues``.
    public let implausible: Int

    /// A visit and the venue of the list that it met.
    public struct Match: Sendable, Hashable {
        /// The visit, which the wearer was not told about yet.
        public let visit: PosterVisit
        /// The entry of the list that it met.
        public let venue: RiskyVenue
    }

    /// Verifies and reads a list. `signature` is from its two headers; the key must have the role `config`, the id of the headers, and be valid at
    /// `time` (Unix seconds, `nil` when the clock is not trusted). Throws `listTooLarge`, `listNotSigned`, `malformedList` or `tooManyVenues`.
    public init(
        body: [UInt8], signature: NHSSignature, trust: TrustStore, time: Int64?
    ) throws(VenueNoticesError) {
        guard body.count <= Self.maximumBytes else { throw VenueNoticesError(.listTooLarge, "\(body.count) bytes") }
        let content = NHSSignature.content(date: signature.dateText, body: body)
        guard signature.signer(of: content, trust: trust, time: time) != nil else {
            throw VenueNoticesError(.listNotSigned)
        }
        try self.init(decoding: body)
    }

    /// Reads a list whose signature was verified, or need not be. Throws `listTooLarge`, `malformedList` or
    /// `tooManyVenues`; single entries that cannot be used are ``implausible``.
    public init(decoding body: [UInt8]) throws(VenueNoticesError) {
        guard body.count <= Self.maximumBytes else { throw VenueNoticesError(.listTooLarge, "\(body.count) bytes") }
        guard let json = try? JSON(parsing: body, maximumDepth: 8), let entries = json["venues"]?.array else {
            throw VenueNoticesError(.malformedList)
        }
        guard entries.count <= Self.maximumVenues else {
            throw VenueNoticesError(.tooManyVenues, "there are \(entries.count)")
        }
        venues = entries.compactMap(RiskyVenue.init)
        implausible = entries.count - venues.count
    }

    /// Writes a list, for servers; nothing is checked, and the same venues give the same bytes. Times must be of the years 1970 to 9999.
    public static func encoded(_ venues: [RiskyVenue]) -> [UInt8] {
        let entries = venues.map { venue -> JSON in
            [
                "id": .string(venue.id),
                "riskyWindow": [
                    "from": .string(UTCInstant.text(venue.from)), "until": .string(UTCInstant.text(venue.until)),
                ],
                "messageType": .string(venue.advice.rawValue),
            ]
        }
        return JSON.object(["venues": .array(entries)]).bytes
    }

    /// For each visit that the wearer was not told about and that met an entry: the first entry that advises a test, or else the first; in the
    /// order of `visits`, empty if none.
    public func matches(_ visits: [PosterVisit]) -> [Match] {
        let byID = Dictionary(grouping: venues, by: \.id)
        return visits.filter { !$0.wasTold }.compactMap { visit in
            let met = (byID[visit.venueID] ?? []).filter { $0.meets(visit) }
            return (met.first { $0.advice == .bookATest } ?? met.first).map { Match(visit: visit, venue: $0) }
        }
    }
}

extension RiskyVenue {
    fileprivate init?(_ json: JSON) {
        guard let id = json["id"]?.string, (1...VenuePoster.maximumIDBytes).contains(id.utf8.count),
            let window = json["riskyWindow"], let from = window["from"]?.string.flatMap(UTCInstant.unixSeconds),
            let until = window["until"]?.string.flatMap(UTCInstant.unixSeconds), from < until
        else { return nil }
        self.init(
            id: id, from: from, until: until, advice: json["messageType"]?.string.flatMap(Advice.init) ?? .inform)
    }
}
