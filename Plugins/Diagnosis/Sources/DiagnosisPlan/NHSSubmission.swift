// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import Cryptography
public import GAEN
import JSON

/// The request that warns others through NHS COVID-19's server (specification rules-and-nhs 3). The server answers 200 with
/// an empty body even to a request that it rejects, so its rules are checked here.
public struct NHSSubmission: Sendable, Hashable, CustomStringConvertible {
    /// One key of the request, with its times and its level; nothing is checked.
    public struct Key: Sendable, Hashable {
        /// The key's 16 bytes in Base64. A secret until it is published.
        public let key: String
        /// The interval at which the key begins, as a number of ten-minute intervals since 1970.
        public let start: Int64
        /// The number of ten-minute intervals for which the key is used; a server accepts 1 to 144.
        public let period: Int64
        /// The transmission risk level; a server accepts 0 to 7. ``NHSSubmission/defaultLevel`` if not set.
        public let level: Int64
        /// The number of days from the day of onset to the key's day, negative before the onset; `nil` if the server is not
        /// told.
        public let daysSinceOnset: Int64?

        /// Creates a key of these values, which ``NHSSubmission/encoded(at:)`` checks later. `daysSinceOnset` is `nil` if
        /// the server is not told.
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
    /// The keys, 1 to ``maximumKeys``, newest first; ``encoded(at:)`` checks the number, and nothing checks the order.
    public let keys: [Key]
    /// The kind of test that gave the result; `nil` if the server is not told: it uses the kind that belongs to the token
    /// anyway.
    public let kit: NHSResult.Kit?

    /// The most keys of one submission: 14. Of a submission with more the server stores nothing (rules-and-nhs 3).
    public static let maximumKeys = 14
    /// The level that the server gives to a key without one: 7 (rules-and-nhs 3).
    public static let defaultLevel: Int64 = 7
    static let keySeconds: Int64 = 14 * UTCDay.seconds

    /// Creates a submission of these values, which ``encoded(at:)`` checks later. `kit` is `nil` if the server is not told.
    public init(token: String, keys: [Key], kit: NHSResult.Kit?) {
        self.token = token
        self.keys = keys
        self.kit = kit
    }

    /// The number of keys, without the keys themselves.
    public var description: String { "\(keys.count) keys" }

    /// Returns those of the device's own keys whose days are in `range`, newest first, with the level and the days since
    /// onset that follow from `onset`. If there are more than ``maximumKeys``, those that were used longest are kept. Empty
    /// if there is none.
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

    /// Encodes the body as JSON.
    /// - Parameter now: The time in Unix seconds at which the keys are checked.
    /// - Throws: `DiagnosisPlanError.noKeys` if there is no key; `DiagnosisPlanError.tooManyKeys` if there are more than
    ///   ``maximumKeys``; `DiagnosisPlanError.malformedKey` if a key does not have 16 bytes, or the server would drop it
    ///   (``isTaken(_:at:)``).
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

    /// Returns whether a server keeps the key at `now`, in Unix seconds: Base64 of at most 31 bytes (a sender should only
    /// send 16), a current key (``isCurrent(start:period:at:)``), a period of 1 to 144 and a level of 0 to 7.
    public static func isTaken(_ key: Key, at now: Int64) -> Bool {
        guard let bytes = LenientBase64.bytes(key.key), bytes.count < 32 else { return false }
        return isCurrent(start: key.start, period: key.period, at: now) && (1...144).contains(key.period)
            && (0...7).contains(key.level)
    }

    /// Returns whether a key that begins at interval `start` and lasts `period` intervals has begun by `now`, in Unix
    /// seconds, and ended no more than 14 days before. `false` for a start outside 0 to 4,294,967,295 or a period outside
    /// −1,000 to 1,000.
    public static func isCurrent(start: Int64, period: Int64, at now: Int64) -> Bool {
        guard start >= 0, start <= Int64(UInt32.max), (-1_000...1_000).contains(period) else { return false }
        return start + period >= (now - keySeconds) / 600 && start <= now / 600
    }
}
