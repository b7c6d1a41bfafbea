// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography

/// The rules of an exposure-notifications-server for the keys of one request (specification ens 6.1; KEY
/// `exposure_model.go`). They are checked before a request is made, because a server answers 200 even if it drops
/// keys, and refuses all keys if two of them overlap.
///
/// Each number is limited when it is set, so that sums cannot overflow: numbers of keys and of days to 0 to
/// 1,000,000, seconds to 1 to 100,000,000,000; our choice, beyond any server's numbers.
public struct ENSKeyRules: Sendable, Hashable {
    /// The most keys of one request; 30 by default, as servers have it (`internal/publish/config.go`).
    public var maximumKeys = 30 { didSet { maximumKeys = min(max(maximumKeys, 0), Self.most) } }
    /// The most keys that begin at the same interval; 3 by default, as servers have it (ens 6.1).
    public var maximumSameStart = 3 { didSet { maximumSameStart = min(max(maximumSameStart, 0), Self.most) } }
    /// A key that ended more than this many seconds ago is dropped: 15 days by default, as servers have it (ens
    /// 6.1).
    public var maximumAgeSeconds: Int64 = 360 * 3_600 {
        didSet { maximumAgeSeconds = min(max(maximumAgeSeconds, 1), Self.mostSeconds) }
    }
    /// The number of seconds to a multiple of which times of creation are rounded down: an hour by default, as
    /// servers have it (ens 6.1).
    public var truncateSeconds: Int64 = 3_600 {
        didSet { truncateSeconds = min(max(truncateSeconds, 1), Self.mostSeconds) }
    }
    /// A key further from the onset than this, in days either way, is dropped: 14 by default, as servers have it (ens 6.1).
    public var maximumOnsetDays: Int64 = 14 { didSet { maximumOnsetDays = min(max(maximumOnsetDays, 0), Self.mostDays) } }
    /// The most days that an onset can lie before the current UTC day; an earlier one is not believed, and neither
    /// is one of the current ten-minute interval or later: 28 by default, as servers have it (ens 6.1).
    public var maximumReportDays: Int64 = 28 {
        didSet { maximumReportDays = min(max(maximumReportDays, 0), Self.mostDays) }
    }
    /// The number of days before now at which the onset is assumed if none is believed: 4 by default, as servers
    /// have it (ens 6.1).
    public var defaultOnsetDays: Int64 = 4 { didSet { defaultOnsetDays = min(max(defaultOnsetDays, 0), Self.mostDays) } }
    /// Whether keys are published before they have ended; `false` by default, and then they are held back until
    /// then.
    public var releasesSameDayKeys = false

    // Beyond any server's numbers, and small enough to compute with.
    private static let most = 1_000_000
    private static let mostDays: Int64 = 1_000_000
    private static let mostSeconds: Int64 = 100_000_000_000

    /// The rules of a server with its defaults.
    public init() {}

    /// One key of a request, with its times and its level; nothing is checked.
    public struct Key: Sendable, Hashable {
        /// The key's 16 bytes in Base64, as the request has them; not checked. A secret until it is published.
        public let text: String
        /// The interval at which the key begins, as a number of ten-minute intervals since 1970.
        public let start: Int64
        /// The number of ten-minute intervals for which the key is used; a server accepts 1 to 144.
        public let period: Int64
        /// The transmission risk level; a server accepts 0 to 8. With 0 the level follows from the report type.
        public let risk: Int64

        /// Creates a key of these values, which ``judge(_:onset:certified:type:at:)`` checks later. The properties tell the
        /// units. Cannot fail.
        public init(text: String, start: Int64, period: Int64, risk: Int64 = 0) {
            self.text = text
            self.start = start
            self.period = period
            self.risk = risk
        }
    }

    /// The reason why the server drops a single key. Raw values are those of the test vectors.
    public enum DropReason: String, Sendable, Hashable {
        /// The text is not Base64.
        case badBase64 = "bad_base64"
        /// The key does not have 16 bytes.
        case keyLength = "key_length"
        /// The number of intervals is not 1 to 144.
        case rollingPeriod = "rolling_period"
        /// The key ended more than ``maximumAgeSeconds`` ago.
        case tooOld = "too_old"
        /// The key begins in the future, by the server's time.
        case futureStart = "future_start"
        /// The level of transmission risk is not 0 to 8.
        case transmissionRisk = "transmission_risk"
        /// The key is more than ``maximumOnsetDays`` away from the onset.
        case onsetOutOfRange = "onset_out_of_range"

        /// Whether the server reports this reason only as a warning, and not as a failure.
        public var isWarning: Bool { self == .onsetOutOfRange }
    }

    /// The reason why the server refuses a whole request. Raw values are those of the test vectors.
    public enum Refusal: String, Sendable, Hashable {
        /// The request has no key.
        case noKeys = "no_keys"
        /// The request has more keys than ``maximumKeys``.
        case tooManyKeys = "too_many_keys"
        /// No key is left, and at least one was dropped for a reason other than its distance from the onset.
        case noValidKey = "no_valid_key"
        /// A key begins before another one that began earlier has ended.
        case overlap
        /// More keys than ``maximumSameStart`` begin at the same interval.
        case tooManySameStart = "too_many_same_start"
        /// Every key was dropped because of its distance from the onset. The server answers with 200 all the same.
        case allDroppedByOnset = "all_keys_dropped_by_onset"
    }

    /// The source of the onset that counts: the request, the certificate, or the server's assumption. Raw values are those
    /// of the test vectors.
    public enum OnsetSource: String, Sendable, Hashable { case publish, certificate, `default` }

    /// A key that the server keeps, with the values that it stores beside it.
    public struct Kept: Sendable, Hashable {
        /// The key as it was sent, with its own level.
        public let key: Key
        /// The level that is published: the key's own if that is 1 to 8; for a key with level 0 the report type's, or 0 if
        /// there is no report type.
        public let risk: Int64
        /// The number of days from the day of onset to the key's day, negative before the onset.
        public let daysSinceOnset: Int64
        /// The creation time that the server stores, in Unix seconds, rounded down to a multiple of ``truncateSeconds``:
        /// the current time, or for an embargoed key the time ``truncateSeconds`` after its end.
        public let created: Int64
        /// Whether the server holds the key back until it has ended, because it is still in use; always `false` with
        /// ``releasesSameDayKeys``.
        public let isEmbargoed: Bool
    }

    /// A key that the server drops, and the reason.
    public struct Dropped: Sendable, Hashable {
        /// The key as it was sent, including its faults.
        public let key: Key
        /// The rule that the key breaks.
        public let reason: DropReason
    }

    /// The server's decision about a request: it is refused as a whole, or judged key by key.
    public struct Verdict: Sendable, Hashable {
        /// The reason why the whole request is refused; `nil` if it is not.
        public var refusal: Refusal?
        /// The keys that the server keeps, sorted by start, then by period; empty if the request is refused.
        public var kept: [Kept] = []
        /// The keys that the server drops one by one, in the order of the request; empty if the keys were not examined.
        public var dropped: [Dropped] = []
        /// The onset that counts, as a number of ten-minute intervals since 1970; `nil` if the keys were not examined,
        /// because there are none or too many.
        public var onset: Int64?
        /// The source of ``onset``; `nil` if the keys were not examined.
        public var onsetSource: OnsetSource?

        /// The HTTP status that the server answers with: 200 or 400.
        public var status: Int { refusal == nil || refusal == .allDroppedByOnset ? 200 : 400 }
        /// The server's word for the outcome: `bad_request`, `partial_failure`, or empty if all went well.
        public var code: String {
            if status == 400 { return "bad_request" }
            return refusal == nil && dropped.contains { !$0.reason.isWarning } ? "partial_failure" : ""
        }
    }

    /// Returns the server's verdict on these keys, without asking a server. Sums are not checked: numbers near the limits
    /// of `Int64` end the program.
    ///
    /// - Parameters:
    ///   - keys: The keys in the order of the request.
    ///   - onset: An interval of the day of onset, from the request; `nil` or at most 0 if the request has none.
    ///   - certified: An interval of the day of onset, from the certificate; it counts if the request's is missing or not
    ///     valid.
    ///   - type: The report type of the certificate; `nil` if there is none.
    ///   - now: The server's time in Unix seconds.
    public func judge(
        _ keys: [Key], onset: Int64? = nil, certified: Int64? = nil, type: ENSTestType? = nil, at now: Int64
    ) -> Verdict {
        var verdict = Verdict()
        guard !keys.isEmpty else {
            verdict.refusal = .noKeys
            return verdict
        }
        guard keys.count <= maximumKeys else {
            verdict.refusal = .tooManyKeys
            return verdict
        }
        let (day, source) = self.onset(onset, certified, at: now)
        verdict.onset = day
        verdict.onsetSource = source
        for key in keys {
            let days = key.start / 144 - day / 144
            if let reason = fault(key, at: now) {
                verdict.dropped.append(Dropped(key: key, reason: reason))
            } else if abs(days) > maximumOnsetDays {
                verdict.dropped.append(Dropped(key: key, reason: .onsetOutOfRange))
            } else {
                verdict.kept.append(kept(key, days, type, at: now))
            }
        }
        verdict.kept.sort { ($0.key.start, $0.key.period) < ($1.key.start, $1.key.period) }
        if verdict.kept.isEmpty {
            verdict.refusal = verdict.dropped.allSatisfy(\.reason.isWarning) ? .allDroppedByOnset : .noValidKey
        } else if let refusal = overlap(verdict.kept.map(\.key)) {
            verdict.refusal = refusal
            verdict.kept = []
        }
        return verdict
    }

    /// The onset that counts.
    private func onset(_ told: Int64?, _ certified: Int64?, at now: Int64) -> (Int64, OnsetSource) {
        let current = now / 600
        let oldest = (UTCDay(containing: now).number - maximumReportDays) * 144
        func isBelieved(_ interval: Int64) -> Bool { interval < current && interval >= oldest }
        if let told, told > 0, isBelieved(told) { return (told, .publish) }
        if let certified, certified > 0, isBelieved(certified) { return (certified, .certificate) }
        return ((now - defaultOnsetDays * UTCDay.seconds) / 600, .default)
    }

    private func fault(_ key: Key, at now: Int64) -> DropReason? {
        guard let bytes = LenientBase64.bytes(key.text) else { return .badBase64 }
        if bytes.count != 16 { return .keyLength }
        if !(1...144).contains(key.period) { return .rollingPeriod }
        if key.start + key.period < (now - maximumAgeSeconds) / 600 { return .tooOld }
        if key.start > now / 600 { return .futureStart }
        return (0...8).contains(key.risk) ? nil : .transmissionRisk
    }

    private func kept(_ key: Key, _ days: Int64, _ type: ENSTestType?, at now: Int64) -> Kept {
        let end = key.start + key.period
        let isEmbargoed = end > now / 600 && !releasesSameDayKeys
        let moment = isEmbargoed ? end * 600 + truncateSeconds : now
        return Kept(
            key: key, risk: key.risk == 0 ? type?.defaultRisk ?? 0 : key.risk, daysSinceOnset: days,
            created: moment / truncateSeconds * truncateSeconds, isEmbargoed: isEmbargoed)
    }

    /// `keys` are sorted.
    private func overlap(_ keys: [Key]) -> Refusal? {
        var (start, end, count): (Int64?, Int64, Int) = (nil, 0, 0)
        for key in keys {
            if key.start == start {
                count += 1
                if count > maximumSameStart { return .tooManySameStart }
                end = max(end, key.start + key.period)
            } else {
                if start != nil, key.start < end { return .overlap }
                (start, end, count) = (key.start, key.start + key.period, 1)
            }
        }
        return nil
    }

    /// Returns the number of days from the day of onset to the day of a key, both given as ten-minute intervals since 1970;
    /// negative before the onset. Cannot fail.
    public static func daysSinceOnset(start: Int64, onset: Int64) -> Int64 { start / 144 - onset / 144 }
}

/// Base64 as servers written in Go read it: either alphabet, with padding or without.
public enum LenientBase64 {
    /// Returns the bytes that `text` encodes; characters of both alphabets may be mixed. `nil` if it is not Base64,
    /// or is padded to a length that is not a multiple of four.
    public static func bytes(_ text: String) -> [UInt8]? {
        var characters = text.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        if !characters.count.isMultiple(of: 4) {
            guard !characters.contains(UInt8(ascii: "=")), characters.count % 4 != 1 else { return nil }
            while !characters.count.isMultiple(of: 4) { characters.append(UInt8(ascii: "=")) }
        }
        return Base64.bytes(String(decoding: characters, as: UTF8.self))
    }
}
