// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import KeyExport
import KeyLevels

/// The rules for a submission (`cwa-protocols` section 5). Pure: the same payload at the same time gets the same
/// verdict.
public struct SubmissionRules: Sendable, Hashable {
    /// Codes of the countries that a payload may name as visited, such as DE; compared as they are written.
    public var supportedCountries: [String]
    /// The country that the origin of a payload must name, such as DE; a payload without an origin, or with an empty
    /// one, is taken too.
    public var origin: String
    /// The most bytes of a body, inclusive: 100 KiB (**srv**).
    public static let maximumBytes = 100 << 10
    static let maximumKeys = 14
    static let maximumAge: Int64 = 14 * UTCDay.seconds
    static let interval: Int64 = 600

    /// Rules of one country. Codes of two capital letters such as DE, unchecked.
    public init(origin: String = "DE", supportedCountries: [String] = ["DE"]) {
        self.origin = origin
        self.supportedCountries = supportedCountries
    }

    /// The rule that a submission breaks. Raw values are stable: they are counted by, and stand in details of errors.
    public enum Flaw: String, Sendable, CaseIterable {
        /// The body is too long or no valid protobuf message, or a number of a key does not fit 32 bits.
        case malformed
        /// The payload has no key.
        case noKeys
        /// The payload has more than 14 keys.
        case tooManyKeys
        /// A key does not have 16 bytes.
        case wrongKeyLength
        /// A key's first interval is negative, or not at midnight UTC (a multiple of 144).
        case wrongRollingStart
        /// A key's number of intervals is not within 1 to 144.
        case wrongRollingPeriod
        /// A key's transmission risk level is not within 1 to 8.
        case wrongLevel
        /// A key's days since onset are not within -15 to 4,000, where those above 14 are codes.
        case wrongOnset
        /// A key has neither a level nor days since onset.
        case neitherLevelNorOnset
        /// One key twice. Two keys of one day are taken, as **srv** takes them: a day on which keys were released has several.
        case repeatedKey
        /// The origin is neither empty nor the country of the rules.
        case wrongOrigin
        /// A visited country is none of the supported ones.
        case wrongVisitedCountry
        /// The type of the submission is neither a PCR test (0) nor a rapid test (1).
        case wrongSubmissionType
        /// A check-in is no message, or says what none can: no place, no time, more than a day, a level that there is not; or an encrypted one has
        /// other lengths than 32, 16, 16 and 32 bytes.
        case malformedCheckIn
        /// More check-ins than one person has: of one kind more than 220, or more than 20 plain ones that begin on one UTC day.
        case tooManyCheckIns
        /// Every key begins after now, or ended 14 days ago or earlier. **srv** answers 200 and spends the TAN; here
        /// the person can try again.
        case nothingLeft
    }

    /// The part of a submission that is taken.
    public struct Accepted: Sendable, Hashable {
        /// The keys that are taken, 1 to 14 in the order they were sent, each with level, onset and report type 1. A
        /// level or onset that was sent is kept; an onset above 14 is a code for what somebody stated.
        public var keys: [ExportedKey]
        /// The number of keys that were left out because they begin after now or ended 14 days ago or earlier; 0 to 13.
        public var droppedCount: Int
        /// The countries visited, as they were sent, empty when none was; each is one of
        /// ``SubmissionRules/supportedCountries``.
        public var visitedCountries: [String]
        /// Whether the keys may go to other health authorities, as the payload says; false when it says nothing.
        public var consentsToFederation: Bool
        /// The check-ins, all of them; who publishes chooses.
        public var checkIns: SubmittedCheckIns

        /// What is taken of a submission; nothing is checked.
        public init(
            keys: [ExportedKey], droppedCount: Int = 0, visitedCountries: [String] = [], consentsToFederation: Bool = false,
            checkIns: SubmittedCheckIns = SubmittedCheckIns()
        ) {
            self.keys = keys
            self.droppedCount = droppedCount
            self.visitedCountries = visitedCountries
            self.consentsToFederation = consentsToFederation
            self.checkIns = checkIns
        }
    }

    /// Reads the bytes of a payload and judges it as the other ``judge(_:now:)`` does, at `now` (Unix seconds). The
    /// failure is `malformed` for more than ``maximumBytes``, and for what ``SubmissionPayload`` cannot read. It never
    /// throws.
    public func judge(_ body: [UInt8], now: Int64) -> Result<Accepted, FlawFound> {
        guard body.count <= Self.maximumBytes, let payload = SubmissionPayload(body) else {
            return .failure(.init(.malformed))
        }
        return judge(payload, now: now)
    }

    /// The first rule that a submission breaks, as an error.
    public struct FlawFound: Error, Hashable, Sendable {
        /// The first rule that the submission breaks.
        public let flaw: Flaw

        /// The error of a submission that breaks that rule. Cannot fail.
        public init(_ flaw: Flaw) { self.flaw = flaw }
    }

    /// Judges what was read, at `now` (Unix seconds): the part that is taken, or the first ``Flaw`` that was found. It
    /// looks for faults of the payload first, then of each key in turn, then for repeated keys, for faults of check-ins and
    /// for keys that are left. It never throws.
    public func judge(_ payload: SubmissionPayload, now: Int64) -> Result<Accepted, FlawFound> {
        if let flaw = flaw(payload) { return .failure(FlawFound(flaw)) }
        let checkIns: SubmittedCheckIns
        do throws(FlawFound) {
            checkIns = try SubmittedCheckIns(plain: payload.plainCheckIns, reports: payload.reports)
        } catch { return .failure(error) }
        let kept = payload.keys.filter { entry in
            let start = Int64(entry.key.rollingStart) * Self.interval
            return start <= now && start + Int64(entry.key.rollingPeriod) * Self.interval > now - Self.maximumAge
        }
        guard !kept.isEmpty else { return .failure(FlawFound(.nothingLeft)) }
        // Without both halves a key does not get this far.
        let keys = kept.compactMap { entry in
            var key = LevelDerivation.completed(entry.key, hasLevel: entry.hasLevel)
            // What a warning rests on is known here, and not to whoever sends it.
            key?.reportType = 1
            key?.isRevised = false
            return key
        }
        return .success(
            Accepted(
                keys: keys, droppedCount: payload.keys.count - kept.count, visitedCountries: payload.visitedCountries,
                consentsToFederation: payload.consentsToFederation, checkIns: checkIns))
    }

    private func flaw(_ payload: SubmissionPayload) -> Flaw? {
        if payload.keys.isEmpty { return .noKeys }
        if payload.keys.count > Self.maximumKeys { return .tooManyKeys }
        // PCR and rapid test; venues have a route of their own, self-reports another credential.
        if !(0...1).contains(payload.submissionType) { return .wrongSubmissionType }
        if let named = payload.origin, !named.isEmpty, named != origin { return .wrongOrigin }
        if !payload.visitedCountries.allSatisfy(supportedCountries.contains) { return .wrongVisitedCountry }
        for entry in payload.keys {
            if let flaw = Self.flaw(entry) { return flaw }
        }
        return Set(payload.keys.map(\.key.data)).count == payload.keys.count ? nil : .repeatedKey
    }

    private static func flaw(_ entry: SubmissionPayload.Key) -> Flaw? {
        let key = entry.key
        if key.dataByteCount != 16 { return .wrongKeyLength }
        if key.isUnrepresentable { return .malformed }
        if key.rollingStart < 0 || key.rollingStart % 144 != 0 { return .wrongRollingStart }
        if !(1...144).contains(key.rollingPeriod) { return .wrongRollingPeriod }
        if !entry.hasLevel && !key.hasOnset { return .neitherLevelNorOnset }
        if entry.hasLevel, !(1...8).contains(key.transmissionRiskLevel) { return .wrongLevel }
        if key.hasOnset, !(-15...4_000).contains(key.daysSinceOnset) { return .wrongOnset }
        return nil
    }
}
