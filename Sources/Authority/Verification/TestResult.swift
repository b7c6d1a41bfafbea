// SPDX-License-Identifier: Apache-2.0

/// The result of a laboratory's test (`cwa-protocols` section 4: codes 0 to 4, and 5 to 9 with the same meanings for rapid
/// tests).
public struct TestResult: Hashable, Sendable {
    /// The state of a test; raw values are the codes of laboratory tests, 0 to 4.
    public enum Finding: Int64, Sendable, CaseIterable {
        /// There is no result yet, or no such test is known.
        case pending = 0
        /// Not infected, as far as the test can tell.
        case negative = 1
        /// Infected: the person may warn others.
        case positive = 2
        /// The test could not be evaluated; another one is needed.
        case invalid = 3
        /// The result was reported so long ago that nobody may rely on it any more.
        case redeemed = 4
    }

    /// The state of the test.
    public var finding: Finding
    /// Whether the result has the code of a rapid test; `false` for a laboratory test and for an unknown test.
    public var isRapid: Bool
    /// The time at which the sample was taken, in Unix seconds. A stored result without it has the time of its last
    /// report; a registration by teleTAN has its full hour. `nil` when no result is stored, and when a report or
    /// another server does not state it.
    public var sampleTime: Int64?

    /// Creates a result of these parts, which are not checked; `sampleTime` is in Unix seconds, `nil` if it is not known.
    public init(_ finding: Finding, isRapid: Bool = false, sampleTime: Int64? = nil) {
        self.finding = finding
        self.isRapid = isRapid
        self.sampleTime = sampleTime
    }

    /// The code in messages: 0 to 4 for laboratory tests, 5 to 9 for rapid tests.
    public var code: Int64 { finding.rawValue + (isRapid ? 5 : 0) }

    /// Creates the result with this ``code``, 0 to 9; `nil` for any other number. `sampleTime` is in Unix seconds and not
    /// checked.
    public init?(code: Int64, sampleTime: Int64? = nil) {
        guard (0...9).contains(code), let finding = Finding(rawValue: code % 5) else { return nil }
        self.init(finding, isRapid: code >= 5, sampleTime: sampleTime)
    }
}

/// A server that knows results: a ``TestResultServer`` in this process, or a client of one elsewhere.
public protocol TestResultSource: AnyObject {
    /// Returns the result of a test at `now` (Unix seconds); `pending` if nothing is known, so that the answer does not
    /// tell whether a test exists. May block for as long as a disk or another server takes. Throws `storageUnusable`,
    /// `storageDamaged`, `storageInUse` or `full` when the storage fails, and `partnerFailed` when a server elsewhere does
    /// not answer as it should.
    func result(of test: TestIdentity, now: Int64) throws(VerificationError) -> TestResult
}
