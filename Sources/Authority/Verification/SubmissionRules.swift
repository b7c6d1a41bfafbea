// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import KeyExport
import KeyLevels

/// The rules for a submission (`cwa-protocols` section 5). They depend on nothing else: the same payload at the same time
/// gets the same verdict.
public struct SubmissionRules: Sendable, Hashable {
    /// The codes of the countries that a payload may name as visited, such as DE; upper and lower case differ.
    public var supportedCountries: [String]
    /// The country that a payload must name as its origin, such as DE; a payload with no origin, or an empty one, is
    /// accepted too.
    public var origin: String
    /// The most bytes that a body may have: 100 KiB (**srv**).
    public static let maximumBytes = 100 << 10
    static let maximumKeys = 14
    static let maximumAge: Int64 = 14 * UTCDay.seconds
    static let interval: Int64 = 600

    /// Creates rules for one country. Codes have two capital letters, such as DE, which is not checked.
    public init(origin: String = "DE", supportedCountries: [String] = ["DE"]) {
        self.origin = origin
        self.supportedCountries = supportedCountries
    }

    /// The rule that a submission breaks. Raw values are stable: they name counters and appear in the details of errors.
    public enum Flaw: String, Sendable, CaseIterable {
        /// The body has more than 100 KiB, is not a valid protobuf message, or has a key with a number that does not fit 32
        /// bits.
        case malformed
        /// The payload has no key.
        case noKeys
        /// The payload has more than 14 keys.
        case tooManyKeys
        /// The data of a key do not have 16 bytes.
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
        /// A key appears twice. Two different keys of one day are accepted, as in **srv**, because a day on which keys were
        /// released has several.
        case repeatedKey
        /// The origin is neither empty nor the country of the rules.
        case wrongOrigin
        /// A visited country is not one of the supported ones.
        case wrongVisitedCountry
        /// The type of the submission is neither a PCR test (0) nor a rapid test (1).
        case wrongSubmissionType
        /// A check-in is not a protobuf message of its version, or one of its parts is wrong. In a plain one: a
        /// venue's id of other than 32 bytes, an end that is not after the start, a stay of more than a day, or a
        /// level outside 1 to 8. In an encrypted one: a hash, initialization vector, record or message code of
        /// other than 32, 16, 16 and 32 bytes.
        case malformedCheckIn
        /// There are more than 220 check-ins of one version, or more than 20 plain ones that begin on one UTC day
        /// (``SubmittedCheckIns``).
        case tooManyCheckIns
        /// Every key begins after now, or ended 14 days ago or earlier. **srv** answers 200 and spends the TAN; here
        /// the person can try again.
        case nothingLeft
    }

    /// The part of a submission that is accepted.
    public struct Accepted: Sendable, Hashable {
        /// The accepted keys, 1 to 14, in the order in which they were sent. Each has a level of 1 to 8, an onset of -15 to
        /// 4,000, and report type 1. A level or onset that was sent is kept, a missing one is derived from the other. An
        /// onset above 14 is a code for what the person stated about symptoms.
        public var keys: [ExportedKey]
        /// The number of keys that were dropped because they begin after now, or ended 14 days ago or earlier; 0 to 13.
        public var droppedCount: Int
        /// The visited countries as they were sent, each one of ``SubmissionRules/supportedCountries``; empty if none was
        /// sent.
        public var visitedCountries: [String]
        /// Whether the keys may be passed on to other health authorities, as the payload states; `false` if it does not
        /// say.
        public var consentsToFederation: Bool
        /// The check-ins of the payload, all of them; the publisher selects.
        public var checkIns: SubmittedCheckIns

        /// Creates the accepted part of a submission; nothing is checked.
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

    /// Reads the bytes of a payload and judges it at `now` (Unix seconds), as the other ``judge(_:now:)`` does. The failure
    /// is `malformed` for more than ``maximumBytes`` and for bytes that ``SubmissionPayload`` cannot read. Never throws.
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

        /// Creates the error of a submission that breaks the rule `flaw`. Cannot fail.
        public init(_ flaw: Flaw) { self.flaw = flaw }
    }

    /// Judges a payload at `now` (Unix seconds). Returns the accepted part, or the first ``Flaw`` found. The
    /// payload's own fields are checked first, then each key in turn, then whether a key is repeated, then the
    /// check-ins, and last whether any key is left. Never throws.
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
