// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Cryptography
public import DiagnosisPlan
public import GAEN
import VirtualAir

/// A person who tests positive, with the keys that her board had in use on the days before. Everything follows from the
/// seed.
public struct InfectedPerson: Sendable {
    /// The seed of her keys: the same seed is the same person.
    public let seed: UInt64
    /// The time when the person submits the keys, Unix seconds.
    public let submission: Int64

    /// The number of days before the day of submission of which a board still has keys: 14, as GAEN keeps them.
    public static let days: UInt32 = 14

    /// Creates the person for trials. `submission` is in Unix seconds, from 1970 on: a day before that stops the program.
    /// See the properties for units.
    public init(seed: UInt64, submission: Int64) {
        self.seed = seed
        self.submission = submission
    }

    /// The UTC day of the submission, counted from 1970.
    public var day: UInt32 { UInt32(UTCDay(containing: submission).number) }

    /// The 16 bytes of the key that was in use `age` days (any number) before the submission; they follow from seed and
    /// age. Cannot fail.
    public func secret(age: UInt32) -> Block {
        var generator = SplitMix64(seed: seed &* 0x9E37_79B9 &+ UInt64(age))
        return Block(low: generator.next(), high: generator.next())
    }

    /// The keys that the core hands out at the submission, the newest first: that of the day of submission, ended with the interval under way, and
    /// one for each of the 14 whole days before (fewer at the beginning of 1970).
    public var keys: [DiagnosisKey] {
        (0...min(Self.days, day)).compactMap { age in
            let start = (day - age) * ENIN.perDay
            let period = age == 0 ? UInt32(submission / ENIN.seconds) - start + 1 : ENIN.perDay
            return DiagnosisKey(data: secret(age: age), rollingStart: ENIN(start), rollingPeriod: period)
        }
    }

    /// The body that the plugin would send, as ``SymptomStatement`` has the keys: protobuf, padded. Throws when the payload breaks a
    /// rule.
    public func submissionBody(stating statement: SymptomStatement) throws -> [UInt8] {
        let payload = SubmissionPayload(keys: SubmissionPayload.keys(keys, stating: statement, day: day))
        try payload.check()
        var generator = SplitMix64(seed: seed)
        return try payload.encoded(as: .standard, using: &generator)
    }
}
