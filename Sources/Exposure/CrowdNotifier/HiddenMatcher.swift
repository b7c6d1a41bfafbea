// SPDX-License-Identifier: Apache-2.0

import BLS12381
import CivilTime
public import Cryptography

/// Compares trace keys with hidden visits: what a published key opens was an hour at that venue. Each key is tried with each stored hour of its day,
/// since nobody can tell which one it might be for; a trial takes the time of a pairing.
///
/// Only a key that belongs to the identity under the authority's own key opens anything: a list with others, also a signed one, warns nobody.
public struct HiddenMatcher: Sendable {
    /// A hidden visit that is compared.
    public struct Stay: Sendable {
        /// The number of the visit in the diary, not checked.
        public let number: Int
        /// The visit.
        public let visit: HiddenVisit
        /// Until when the visit lasts, in Unix seconds, while it is open; `nil` once it has ended, for then the record says it.
        public let openUntil: Int64?

        /// Creates a stay of these parts, unchecked.
        public init(number: Int, visit: HiddenVisit, openUntil: Int64? = nil) {
            self.number = number
            self.visit = visit
            self.openUntil = openUntil
        }
    }

    private struct Trial: Sendable {
        let stay: Stay
        let text: IdentityCiphertext
    }

    private let trials: [Int64: [Trial]]

    /// Reads all hours of these visits, of which the numbers must differ. One that is none, because the disk has changed it, is left out. Takes the time of
    /// a multiplication for each hour.
    public init(_ stays: [Stay]) {
        var trials: [Int64: [Trial]] = [:]
        for stay in stays {
            for hour in stay.visit.hours {
                guard let text = IdentityCiphertext(packed: hour.sealed, message: HiddenVisit.messageByteCount) else {
                    continue
                }
                trials[hour.day, default: []].append(Trial(stay: stay, text: text))
            }
        }
        self.trials = trials
    }

    /// The UTC days of which there is an hour, by their first seconds.
    public var days: Set<Int64> { Set(trials.keys) }

    /// How many pairings a key of this day takes.
    public func trialCount(day: Int64) -> Int { trials[day]?.count ?? 0 }

    /// Returns what one key says about the visits: for each visit with an hour that it opens a match, if the time that its text names has a moment in common with the
    /// visit, ends included. `index` is what the matches have as their position. Empty for a key that is none, or for others. Throws
    /// `operationFailed` if Mbed TLS fails.
    public func matches(_ key: TraceKey, index: Int = 0) throws(CryptographyError) -> [CrowdNotifierMatch] {
        guard let trials = trials[key.day], let secretKey = try? IdentityKey(key.secretKey) else { return [] }
        var found: [CrowdNotifierMatch] = []
        for trial in trials where !found.contains(where: { $0.visit == trial.stay.number }) {
            guard let message = try trial.text.opened(identity: key.identity, key: secretKey),
                let match = try Self.match(message, trial.stay, key, index)
            else { continue }
            found.append(match)
        }
        return found
    }

    private static func match(
        _ message: [UInt8], _ stay: Stay, _ key: TraceKey, _ index: Int
    ) throws(CryptographyError) -> CrowdNotifierMatch? {
        guard message.count == HiddenVisit.messageByteCount else { return nil }
        let notificationKey = SecretBytes(copying: message[Scalar.byteCount..<Scalar.byteCount + VenueKeys.keyByteCount])
        let times = message.suffix(16)
        guard let arrival = BigEndian.int64(times.prefix(8)), let hour = BigEndian.int64(times.suffix(8)),
            UTCDay(containing: hour).start == key.day,
            let data = AssociatedData(opening: key.encryptedData, notificationKey: notificationKey, nonce: key.nonce)
        else { return nil }
        var departure = stay.openUntil
        if departure == nil, let secret = try? Scalar(SecretBytes(copying: message.prefix(Scalar.byteCount))) {
            departure = try stay.visit.departure(secret)
        }
        // What cannot be read says nothing: then the visit lasts to the end of the hour.
        let last = departure ?? hour + Int64(VisitHours.seconds)
        guard max(arrival, data.start) <= min(last, data.end) else { return nil }
        return CrowdNotifierMatch(visit: stay.number, hour: hour, data: data, index: index)
    }
}
