// SPDX-License-Identifier: Apache-2.0

public import AppConfig
import JSON
public import Trust

/// A venue and a period for which the NHS warns.
public struct RiskyVenue: Sendable, Hashable {
    /// The advice for the visitors. Raw values are those of the list (`messageType`).
    public enum Advice: String, Sendable, Hashable {
        /// Look out for symptoms (`M1`); also used for messages that this software does not know, because telling
        /// nothing would be worse.
        case inform = "M1"
        /// Book a test (`M2`).
        case bookATest = "M2"
    }

    /// The venue's id on posters, 1 to 64 bytes in a list that was read.
    public let id: String
    /// The start of the period, inclusive, in Unix seconds.
    public let from: Int64
    /// The end of the period, exclusive, in Unix seconds; after ``from`` in a list that was read.
    public let until: Int64
    /// The advice for the visitors of the venue.
    public let advice: Advice

    /// Creates a venue and a period, which are not checked; `from` is inclusive and `until` exclusive, both in Unix
    /// seconds.
    public init(id: String, from: Int64, until: Int64, advice: Advice = .inform) {
        self.id = id
        self.from = from
        self.until = until
        self.advice = advice
    }

    /// Whether the visit overlaps with the period, the ends of both excluded. A visit without length counts as its
    /// single moment.
    public func meets(_ visit: PosterVisit) -> Bool {
        guard visit.venueID == id, from < until else { return false }
        return visit.from < visit.to
            ? max(from, visit.from) < min(until, visit.to) : visit.from == visit.to && (from..<until).contains(visit.from)
    }
}

/// A stay at a venue with a poster, as recorded in the wearer's diary.
public struct PosterVisit: Sendable, Hashable {
    /// The number of the visit in the wearer's diary; any number, not checked.
    public let number: Int
    /// The venue's id on the poster (``VenuePoster/id``), which is compared byte by byte with ``RiskyVenue/id``.
    public let venueID: String
    /// The time of arrival, in Unix seconds.
    public let from: Int64
    /// The time of departure, exclusive, in Unix seconds; equal to ``from`` for a visit without length.
    public let to: Int64
    /// Whether the wearer was already told about this visit. ``RiskyVenueList/matches(_:)`` then leaves it out.
    public let wasTold: Bool

    /// Creates a visit from these parts, which are not checked; times are in Unix seconds.
    public init(number: Int, venueID: String, from: Int64, to: Int64, wasTold: Bool = false) {
        self.number = number
        self.venueID = venueID
        self.from = from
        self.to = to
        self.wasTold = wasTold
    }
}

/// The NHS's list of venues for which it warns (`/distribution/risky-venues`).
public struct RiskyVenueList: Sendable, Hashable {
    /// The maximum size of a list in bytes, inclusive; 1 MiB, enough for about 6,000 venues. The number is this
    /// project's own.
    public static let maximumBytes = 1 << 20
    /// The maximum number of venues in a list, which is more than ``maximumBytes`` of real ones. The number is this
    /// project's own.
    public static let maximumVenues = 10_000

    /// The usable entries, in the order of the list; 0 to ``maximumVenues``.
    public let venues: [RiskyVenue]
    /// The number of entries that were left out because they state no venue or no period; 0 to ``maximumVenues``. The
    /// other entries are used, so that one error of the server does not lose them all.
    public let implausible: Int

    /// A visit and the entry of the list with which it overlaps.
    public struct Match: Sendable, Hashable {
        /// The visit, about which the wearer was not told yet.
        public let visit: PosterVisit
        /// The entry of the list with which the visit overlaps.
        public let venue: RiskyVenue
    }

    /// Verifies and reads a list. `signature` comes from its two headers; the key must have the role `config` and the
    /// id that the headers state, and be valid at `time` (Unix seconds, `nil` when the clock is not trusted). Throws
    /// `listTooLarge` or `tooManyVenues` beyond the limits, `listNotSigned` when no such key signed it, and
    /// `malformedList` when it is not JSON with an array `venues`.
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

    /// Reads a list without verifying a signature. Throws `listTooLarge` or `tooManyVenues` beyond the limits, and
    /// `malformedList` when it is not JSON with an array `venues`; single entries that cannot be used are counted in
    /// ``implausible``.
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

    /// Returns a list as JSON, for servers; nothing is checked, and the same venues result in the same bytes. Times
    /// must be of the years 1970 to 9999.
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

    /// Returns each visit that the wearer was not told about and that overlaps with an entry
    /// (``RiskyVenue/meets(_:)``), with the first such entry that advises a test, or else the first. Matches are in
    /// the order of `visits`; empty if there are none.
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
