// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import Cryptography
public import GAEN
import JSON

/// The request that warns others at NHS COVID-19's server (specification rules-and-nhs 3). It answers 200 with an empty
/// body whatever it thinks of it, so its rules are checked here.
public struct NHSSubmission: Sendable, Hashable, CustomStringConvertible {
    /// A key with its times and its level, as the request has it; nothing is checked.
    public struct Key: Sendable, Hashable {
        /// The key's 16 bytes in Base64. A secret until it is published.
        public let key: String
        /// The interval at which it begins, ten minutes each since 1970.
        public let start: Int64
        /// The number of intervals that it holds, 1 to 144 for a server that takes it.
        public let period: Int64
        /// The level of transmission risk, 0 to 7 for a server that takes it; ``NHSSubmission/defaultLevel`` if not set.
        public let level: Int64
        /// Days from the day of onset to the key's day, negative before it; `nil` if they are not told.
        public let daysSinceOnset: Int64?

        /// A key with these values, as they are; ``NHSSubmission/encoded(at:)`` checks them. `daysSinceOnset` is `nil` if
        /// it is not told.
        public init(key: String, start: Int64, period: Int64, level: Int64 = defaultLevel, daysSinceOnset: Int64? = nil) {
            self.key = key
            self.start = start
            self.period = period
            self.level = level
            self.daysSinceOnset = daysSinceOnset
        }
    }

    /// The submission token that came with the result. A secret.
    public let token: String
    /// The keys, newest first, 1 to ``maximumKeys``; ``encoded(at:)`` checks the number, and nothing checks the order.
    public let keys: [Key]
    /// The kind of test that the result was of; `nil` leaves it to the server, which takes the token's anyway.
    public let kit: NHSResult.Kit?

    /// The most keys of one submission; of a longer one the server stores nothing (rules-and-nhs 3).
    public static let maximumKeys = 14
    /// The level that the server gives a key without one (rules-and-nhs 3).
    public static let defaultLevel: Int64 = 7
    static let keySeconds: Int64 = 14 * UTCDay.seconds

    /// A submission with these values, as they are; ``encoded(at:)`` checks them. `kit` is `nil` if it is not told.
    public init(token: String, keys: [Key], kit: NHSResult.Kit?) {
        self.token = token
        self.keys = keys
        self.kit = kit
    }

    /// The number of keys, and never which.
    public var description: String { "\(keys.count) keys" }

    /// Own keys of the days of `range`, newest first, with the level and the days by the distance from the onset; of more than ``maximumKeys``
    /// those that were in use longest. Empty if there is none.
    public static func keys(_ own: [DiagnosisKey], in range: KeySubmissionRange, onset: CivilDate) -> [Key] {
        own.filter { range.contains(Int64($0.rollingStart.day)) }
            .sorted { ($0.rollingPeriod, $0.rollingStart) > ($1.rollingPeriod, $1.rollingStart) }
            .prefix(maximumKeys).sorted { $0.rollingStart > $1.rollingStart }
            .map { key in
                let day = CivilDate(day: Int64(key.rollingStart.day))
                return Key(
                    key: Base64.string(key.data.bytes), start: Int64(key.rollingStart.number),
                    period: Int64(key.rollingPeriod), level: Int64(range.level(day: day, onset: onset)),
                    daysSinceOnset: KeySubmissionRange.daysSinceOnset(day: day, onset: onset))
            }
    }

    /// The body as JSON.
    /// - Throws: `DiagnosisPlanError`: `noKeys`, `tooManyKeys` or `malformedKey` for what the server would drop without a word at `now` (Unix
    ///   seconds).
    public func encoded(at now: Int64) throws(DiagnosisPlanError) -> [UInt8] {
        guard !keys.isEmpty else { throw DiagnosisPlanError(.noKeys) }
        guard keys.count <= Self.maximumKeys else { throw DiagnosisPlanError(.tooManyKeys, "there are \(keys.count)") }
        guard keys.allSatisfy({ Self.isTaken($0, at: now) && Base64.bytes($0.key)?.count == 16 }) else {
            throw DiagnosisPlanError(.malformedKey)
        }
        var object: JSON.Object = [
            "diagnosisKeySubmissionToken": .string(token),
            "temporaryExposureKeys": .array(
                keys.map { key in
                    var object: JSON.Object = [
                        "key": .string(key.key), "rollingStartNumber": .int(key.start), "rollingPeriod": .int(key.period),
                        "transmissionRiskLevel": .int(key.level),
                    ]
                    if let days = key.daysSinceOnset { object["daysSinceOnsetOfSymptoms"] = .int(days) }
                    return .object(object)
                }),
        ]
        object["isPrivateJourney"] = false
        if let kit { object["testKit"] = .string(kit.rawValue) }
        return JSON.object(object).bytes
    }

    /// Whether a server keeps that key at `now`, in Unix seconds: Base64 of at most 31 bytes (no sender should send other than 16), current
    /// (``isCurrent(start:period:at:)``), with a period of 1 to 144 and a level of 0 to 7.
    public static func isTaken(_ key: Key, at now: Int64) -> Bool {
        guard let bytes = LenientBase64.bytes(key.key), bytes.count < 32 else { return false }
        return isCurrent(start: key.start, period: key.period, at: now) && (1...144).contains(key.period)
            && (0...7).contains(key.level)
    }

    /// Whether a key that begins at interval `start` and holds `period` intervals ended at most 14 days before `now`, in Unix seconds, and begins
    /// no later. `false` for a start outside 0 to 4,294,967,295 and a period outside −1,000 to 1,000.
    public static func isCurrent(start: Int64, period: Int64, at now: Int64) -> Bool {
        guard start >= 0, start <= Int64(UInt32.max), (-1_000...1_000).contains(period) else { return false }
        return start + period >= (now - keySeconds) / 600 && start <= now / 600
    }
}
