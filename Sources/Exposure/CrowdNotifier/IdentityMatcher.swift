// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Cryptography

/// A visit, as the server-based mode keeps it (spec checkin-and-nhs A.9).
///
/// Whoever reads it can tell from a code whether its venue was visited, and for which hours. The privacy mode, which keeps nothing of that kind,
/// does not exist yet.
public struct CrowdNotifierVisit: Sendable {
    /// An hour of the visit, with the identity that warnings of it carry.
    public struct Hour: Sendable, Hashable {
        /// First second of the hour, Unix seconds.
        public let start: Int64
        /// The venue's identity in that hour, SHA-256, 32 bytes (``VenueKeys/identity(start:length:)``).
        public let identity: [UInt8]
        /// First second of the UTC day that has the hour, Unix seconds. One of the original apps writes the day of arrival
        /// for all hours, and so never matches those after midnight.
        public var day: Int64 { UTCDay(containing: start).start }

        /// An hour that starts at `start` (Unix seconds) with its identity of 32 bytes; unchecked.
        public init(start: Int64, identity: [UInt8]) {
            self.start = start
            self.identity = identity
        }
    }

    /// The number that the wearer's diary gives the visit, as it was handed in; unchecked.
    public let number: Int
    /// Arrival, Unix seconds, from 1970 to the year 9999; not after ``departure``.
    public let arrival: Int64
    /// Departure, Unix seconds; at most ``longestSeconds`` after ``arrival``.
    public let departure: Int64
    /// The venue's key that opens warnings for its visitors, 32 bytes.
    public let notificationKey: SecretBytes
    /// Every hour that the visit touches, in the order of time; one at least.
    public let hours: [Hour]

    /// Seconds of the longest visit: 31 days. Our own bound: nobody stays longer, and each hour costs 72 bytes and two
    /// hashes.
    public static let longestSeconds = 31 * UTCDay.seconds
    /// The end of the year 9999.
    private static let latest: Int64 = 253_402_300_799

    /// A visit from `arrival` to `departure`, both in Unix seconds, swapped when it ends before it begins. `nil` when they
    /// are negative, after the year 9999, or more than ``longestSeconds`` apart.
    public init?(number: Int, keys: VenueKeys, arrival: Int64, departure: Int64) {
        let (first, last) = (min(arrival, departure), max(arrival, departure))
        guard first >= 0, last <= Self.latest, last - first <= Self.longestSeconds else { return nil }
        self.number = number
        self.arrival = first
        self.departure = last
        notificationKey = keys.notificationKey
        hours = VisitHours(from: first, to: last).map { Hour(start: $0, identity: keys.identity(start: $0)) }
    }
}

/// A warning about a visit: the visit, the hour and the message.
public struct CrowdNotifierMatch: Sendable, Hashable {
    /// The number that the wearer's diary gives the visit.
    public let visit: Int
    /// First second of the hour that matched, Unix seconds.
    public let hour: Int64
    /// The warning's text and times, opened with the venue's key.
    public let data: AssociatedData
    /// Position of the warning among the keys that were given, from 0.
    public let index: Int
}

/// Compares lists of trace keys with visits by the identity of each hour.
///
/// It believes the list: whether the secret key of a warning belongs to the health authority's public key is not looked at, which would need a
/// pairing. So the list's signature must have been verified.
public struct IdentityMatcher: Sendable {
    private struct Stay: Sendable {
        let visit: CrowdNotifierVisit
        let hour: CrowdNotifierVisit.Hour
    }

    private let stays: [[UInt8]: [Stay]]

    /// A matcher for these visits, any number of them; each hour of each is looked for. Cannot fail.
    public init(_ visits: [CrowdNotifierVisit]) {
        stays = Dictionary(
            grouping: visits.flatMap { visit in visit.hours.map { Stay(visit: visit, hour: $0) } }, by: \.hour.identity)
    }

    /// The identities to look for in lists, 32 bytes each; empty without visits.
    public var wanted: Set<[UInt8]> { Set(stays.keys) }

    /// Warnings of the right hour and day that are for those visitors, whether or not they were there at the time the warning is about. In the order
    /// of `keys`; one key can give several.
    public func opened(_ keys: [TraceKey]) -> [CrowdNotifierMatch] {
        keys.enumerated().flatMap { index, key in
            (stays[key.identity] ?? []).compactMap { stay in
                guard stay.hour.day == key.day,
                    let data = AssociatedData(
                        opening: key.encryptedData, notificationKey: stay.visit.notificationKey, nonce: key.nonce)
                else { return nil }
                return CrowdNotifierMatch(visit: stay.visit.number, hour: stay.hour.start, data: data, index: index)
            }
        }
    }

    /// The warnings of ``opened(_:)`` that have a moment in common with their visit, the ends included. Visits must have
    /// numbers of their own: of two with one number either may be looked at. Cannot fail.
    public func matches(_ keys: [TraceKey]) -> [CrowdNotifierMatch] {
        let visits = Dictionary(
            stays.values.joined().map { ($0.visit.number, $0.visit) }, uniquingKeysWith: { first, _ in first })
        return opened(keys).filter { match in
            guard let visit = visits[match.visit] else { return false }
            return max(visit.arrival, match.data.start) <= min(visit.departure, match.data.end)
        }
    }
}
