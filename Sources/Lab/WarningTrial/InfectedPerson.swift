// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Cryptography
public import DiagnosisPlan
public import GAEN
import VirtualAir

/// A person with a positive test, and the keys that her board used on the days before. Everything follows from the seed.
public struct InfectedPerson: Sendable {
    /// The seed of the person's keys; the same seed means the same person.
    public let seed: UInt64
    /// The time at which the person submits the keys, in Unix seconds.
    public let submission: Int64

    /// The number of days before the submission for which a board still has keys: 14, as GAEN keeps them.
    public static let days: UInt32 = 14

    /// Creates a person. `submission` is in Unix seconds, 0 or more; for a day before 1970 ``day`` stops the program.
    public init(seed: UInt64, submission: Int64) {
        self.seed = seed
        self.submission = submission
    }

    /// The UTC day of the submission, in days since 1970-01-01.
    public var day: UInt32 { UInt32(UTCDay(containing: submission).number) }

    /// Returns the 16 bytes of the key that was used `age` days (any number) before the submission; they follow from seed
    /// and age. Cannot fail.
    public func secret(age: UInt32) -> Block {
        var generator = SplitMix64(seed: seed &* 0x9E37_79B9 &+ UInt64(age))
        return Block(low: generator.next(), high: generator.next())
    }

    /// The keys that the core releases at the submission, the newest first: that of the day of submission, which ends with
    /// the present interval, and one for each of the 14 days before (fewer at the beginning of 1970).
    public var keys: [DiagnosisKey] {
        (0...min(Self.days, day)).compactMap { age in
            let start = (day - age) * ENIN.perDay
            let period = age == 0 ? UInt32(submission / ENIN.seconds) - start + 1 : ENIN.perDay
            return DiagnosisKey(data: secret(age: age), rollingStart: ENIN(start), rollingPeriod: period)
        }
    }

    /// Returns the body that the plugin would send, with the keys as `statement` describes them: protobuf, padded. Throws
    /// when the payload breaks a rule.
    public func submissionBody(stating statement: SymptomStatement) throws -> [UInt8] {
        let payload = SubmissionPayload(keys: SubmissionPayload.keys(keys, stating: statement, day: day))
        try payload.check()
        var generator = SplitMix64(seed: seed)
        return try payload.encoded(as: .standard, using: &generator)
    }
}
