// SPDX-License-Identifier: Apache-2.0

import CivilTime
import GAEN
public import KeyExport
import KeyLevels

/// A key that was handed in and is not yet checked.
public struct SubmittedKey: Sendable, Hashable {
    /// The key as it was handed in, unchecked.
    public var key: ExportedKey
    /// The names of the regions in which the key is to be published; `nil` for every region of the authority.
    public var regions: [String]?

    /// Creates a key for `regions`, or for every region if that is `nil`. Nothing is checked.
    public init(_ key: ExportedKey, regions: [String]? = nil) {
        self.key = key
        self.regions = regions
    }

    /// Returns the key as one that came from another health authority (``LevelDerivation/federated(_:)``), in the same
    /// regions. The failure is `wrongRollingStart` for a key whose period does not begin at midnight UTC, and
    /// `wrongReportType` for any other key that is not taken.
    public func federated() -> Result<SubmittedKey, RefusedKey> {
        guard let key = LevelDerivation.federated(key) else {
            return .failure(RefusedKey(flaw: key.rollingStart % 144 == 0 ? .wrongReportType : .wrongRollingStart))
        }
        return .success(SubmittedKey(key, regions: regions))
    }

    /// A rule that a key breaks, as an error.
    public struct RefusedKey: Error, Hashable {
        /// The rule that the key breaks.
        public let flaw: Flaw
    }

    /// The reason why a key is not accepted (exposure-notifications-server, docs/tek_validation.md).
    public enum Flaw: String, Sendable, CaseIterable {
        /// The data do not have 16 bytes.
        case wrongKeyLength
        /// The number of intervals is not within 1 to 144, or a number of the key does not fit 32 bits.
        case wrongRollingPeriod
        /// The first interval is negative, or, for a key of another authority, not at midnight UTC (a multiple of
        /// 144).
        case wrongRollingStart
        /// The first interval begins after now.
        case startsInTheFuture
        /// The key starts more than 15 days before now, when nobody keeps sightings of it any more.
        case tooOld
        /// The transmission risk level is not within 0 to 8.
        case wrongTransmissionRiskLevel
        /// The report type cannot be handed in: it is not 0 to 3.
        case wrongReportType
        /// The days since onset are not within -15 to 4,000, where those above 14 are codes.
        case wrongOnset
        /// Keys are published by their level, and this key has neither a level nor an onset from which one follows.
        case neitherLevelNorOnset
        /// The variant of concern is not within 0 to 4.
        case wrongVariant
        /// The warning that the key belongs to was taken back.
        case takenBack
    }

    /// Oldest start, in seconds before now.
    static let maximumAge: Int64 = 15 * UTCDay.seconds

    /// Days, and above 14 codes for what somebody stated (cwa-server; `SubmissionRules` takes the same).
    static let onsets: ClosedRange<Int32> = -15...4_000

    /// The first rule `key` breaks at `now` (Unix seconds).
    static func flaw(_ key: ExportedKey, now: Int64) -> Flaw? {
        if key.dataByteCount != 16 { return .wrongKeyLength }
        if key.isUnrepresentable || !(1...144).contains(key.rollingPeriod) { return .wrongRollingPeriod }
        if key.rollingStart < 0 { return .wrongRollingStart }
        let start = Int64(key.rollingStart) * ENIN.seconds
        if start > now { return .startsInTheFuture }
        if start < now - maximumAge { return .tooOld }
        if !(0...8).contains(key.transmissionRiskLevel) { return .wrongTransmissionRiskLevel }
        // A key that was never published cannot be revoked, and recursive ones (4) do not exist: matchers pass over them (Google's
        // exposure-notifications-internals). Only an encoded level is published as a 4.
        if !(0...3).contains(key.reportType) { return .wrongReportType }
        if key.hasOnset, !onsets.contains(key.daysSinceOnset) { return .wrongOnset }
        if key.hasVariant, !(0...4).contains(key.variantOfConcern) { return .wrongVariant }
        return nil
    }
}

/// The outcome of a submission, in numbers of keys and check-ins.
public struct AcceptanceReport: Sendable, Hashable {
    /// The number of keys that were new, 0 or more; they are durable.
    public var accepted = 0
    /// The number of keys that were handed in before, 0 or more; nothing changed for them.
    public var known = 0
    /// The number of keys that break a rule, by rule; rules that no key breaks are absent, so each is 1 or more.
    public var refused: [SubmittedKey.Flaw: Int] = [:]

    /// The number of check-ins that were new, 0 or more; they are durable.
    public var checkIns = 0
    /// The number of check-ins that were handed in before, 0 or more; nothing changed for them.
    public var knownCheckIns = 0
    /// The number of check-ins that are not published, by reason; reasons of none are absent, so each is 1 or more.
    public var filteredCheckIns: [CheckInFilter.Reason: Int] = [:]

    /// The number of keys that were neither accepted nor known, 0 or more.
    public var refusedCount: Int { refused.values.reduce(0, +) }
}
