// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Cryptography

/// A visit as the server-based mode stores it (spec checkin-and-nhs A.9).
///
/// A reader of it who has a venue's code can tell whether and in which hours the venue was visited. The privacy
/// mode stores nothing of that kind (``HiddenVisit``).
public struct CrowdNotifierVisit: Sendable {
    /// An hour of the visit, with the identity that warnings of it carry.
    public struct Hour: Sendable, Hashable {
        /// The first second of the hour, in Unix seconds.
        public let start: Int64
        /// The venue's identity in that hour, SHA-256, 32 bytes (``VenueKeys/identity(start:length:)``).
        public let identity: [UInt8]
        /// The first second of the UTC day that contains the hour, in Unix seconds. One of the original apps writes
        /// the day of arrival for all hours, and so never matches those after midnight.
        public var day: Int64 { UTCDay(containing: start).start }

        /// Creates an hour that starts at `start` (Unix seconds) with an identity of 32 bytes; nothing is checked.
        public init(start: Int64, identity: [UInt8]) {
            self.start = start
            self.identity = identity
        }
    }

    /// The number of the visit in the wearer's diary, not checked.
    public let number: Int
    /// The time of arrival, in Unix seconds, from 1970 to the year 9999; not after ``departure``.
    public let arrival: Int64
    /// The time of departure, in Unix seconds; at most ``longestSeconds`` after ``arrival``.
    public let departure: Int64
    /// The venue's key that opens warnings for its visitors, 32 bytes.
    public let notificationKey: SecretBytes
    /// The hours that the visit touches, in time order; at least one.
    public let hours: [Hour]

    /// The length of the longest visit in seconds: 31 days, more than any real one; each hour takes 72 bytes and two
    /// hashes. The number is this project's own.
    public static let longestSeconds = 31 * UTCDay.seconds
    /// The end of the year 9999.
    private static let latest: Int64 = 253_402_300_799

    /// Creates a visit from `arrival` to `departure`, both in Unix seconds; they are swapped when in the wrong order.
    /// Returns `nil` when they are negative, after the year 9999, or more than ``longestSeconds`` apart.
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
    /// The number of the visit in the wearer's diary.
    public let visit: Int
    /// The first second of the hour that matched, in Unix seconds.
    public let hour: Int64
    /// The warning's text and times, opened with the venue's key.
    public let data: AssociatedData
    /// The position of the warning in the given keys, from 0.
    public let index: Int
}

/// Compares lists of trace keys with visits by the identity of each hour.
///
/// It trusts the list: whether the secret key of a warning belongs to the health authority's public key is not
/// checked, because that would need a pairing. The list's signature must therefore have been verified.
public struct IdentityMatcher: Sendable {
    private struct Stay: Sendable {
        let visit: CrowdNotifierVisit
        let hour: CrowdNotifierVisit.Hour
    }

    private let stays: [[UInt8]: [Stay]]

    /// Creates a matcher for all hours of these visits, any number of them. Cannot fail.
    public init(_ visits: [CrowdNotifierVisit]) {
        stays = Dictionary(
            grouping: visits.flatMap { visit in visit.hours.map { Stay(visit: visit, hour: $0) } }, by: \.hour.identity)
    }

    /// The identities to look for in lists, 32 bytes each; empty without visits.
    public var wanted: Set<[UInt8]> { Set(stays.keys) }

    /// Returns the warnings for the visits' hours and days, whether or not the visitor was there at the time that the
    /// warning is about; in the order of `keys`. One key can result in several.
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

    /// Returns those warnings of ``opened(_:)`` whose time overlaps with their visit, ends included. The numbers of
    /// the visits must differ: of two visits with the same number either may be used. Cannot fail.
    public func matches(_ keys: [TraceKey]) -> [CrowdNotifierMatch] {
        let visits = Dictionary(
            stays.values.joined().map { ($0.visit.number, $0.visit) }, uniquingKeysWith: { first, _ in first })
        return opened(keys).filter { match in
            guard let visit = visits[match.visit] else { return false }
            return max(visit.arrival, match.data.start) <= min(visit.departure, match.data.end)
        }
    }
}
