// SPDX-License-Identifier: Apache-2.0

/// The result of a laboratory's test (`cwa-protocols` section 4: codes 0 to 4, and 5 to 9 the same for rapid tests).
public struct TestResult: Hashable, Sendable {
    /// The state of a test; raw values are the codes of laboratory tests, 0 to 4.
    public enum Finding: Int64, Sendable, CaseIterable {
        /// There is no result yet; also for tests that nobody knows.
        case pending = 0
        /// Not infected, as far as the test can tell.
        case negative = 1
        /// Infected: the wearer may warn others.
        case positive = 2
        /// The test could not be evaluated; another one is needed.
        case invalid = 3
        /// The result was told long ago; nobody may build on it any more.
        case redeemed = 4
    }

    /// The state of the test.
    public var finding: Finding
    /// Whether the code is that of a rapid test; false for a laboratory test, and for a test that nobody knows.
    public var isRapid: Bool
    /// The time when the sample was taken, Unix seconds; of a stored result without one the time of its last report, of
    /// a registration by teleTAN its hour. `nil` while pending, in a report that does not tell, and when another server
    /// does not tell.
    public var sampleTime: Int64?

    /// A result of these parts, unchecked; `sampleTime` is in Unix seconds, `nil` when it is not told.
    public init(_ finding: Finding, isRapid: Bool = false, sampleTime: Int64? = nil) {
        self.finding = finding
        self.isRapid = isRapid
        self.sampleTime = sampleTime
    }

    /// The code on the wire: 0 to 4 for laboratory tests, 5 to 9 for rapid tests.
    public var code: Int64 { finding.rawValue + (isRapid ? 5 : 0) }

    /// The result of a code from 0 to 9, as ``code`` has them; `nil` for any other number. `sampleTime` is in Unix
    /// seconds, unchecked.
    public init?(code: Int64, sampleTime: Int64? = nil) {
        guard (0...9).contains(code), let finding = Finding(rawValue: code % 5) else { return nil }
        self.init(finding, isRapid: code >= 5, sampleTime: sampleTime)
    }
}

/// The source of results: a ``TestResultServer`` in this process, or a client of one elsewhere.
public protocol TestResultSource: AnyObject {
    /// The result of a test at `now` (Unix seconds); pending when nothing is known, so that asking does not tell
    /// whether a test exists. May block for as long as a disk or another server takes. Throws `storageUnusable`,
    /// `storageDamaged`, `storageInUse` or `full`; `partnerFailed` when the source is elsewhere.
    func result(of test: TestIdentity, now: Int64) throws(VerificationError) -> TestResult
}
