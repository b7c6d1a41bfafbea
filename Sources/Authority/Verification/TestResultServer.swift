// SPDX-License-Identifier: Apache-2.0

import CivilTime
import SQLiteFile

/// The test-result server, with a database of its own: laboratories report results to it, and the verification server asks
/// for them (**tr** `TestResultService`).
///
/// It does not store which laboratory reported, since nothing needs that. Not thread-safe, but the file may have several
/// connections. Calls block, for up to a minute while another connection writes.
public final class TestResultServer: TestResultSource {
    /// A laboratory's report about one test.
    public struct Report: Hashable, Sendable {
        /// The test that the report is about.
        public var test: TestIdentity
        /// The result that the laboratory reports. If it has no sample time, the time of the report is stored instead.
        public var result: TestResult

        /// Creates a report about one test; nothing is checked.
        public init(_ test: TestIdentity, _ result: TestResult) {
            self.test = test
            self.result = result
        }
    }

    /// The outcome of a batch of reports; the two numbers add up to the number of reports.
    public struct Receipt: Hashable, Sendable {
        /// The number of reports that were stored, new ones and corrections; 0 or more.
        public var stored = 0
        /// The number of reports that changed nothing, 0 or more: the first report about their test is 21 days old or
        /// older, or the stored result is redeemed.
        public var redeemed = 0
    }

    /// A result is redeemed after so long, and deleted after (**tr** `testresult.cleanup`; 60 days by `cwa-protocols` section 4.3).
    static let redeemSeconds: Int64 = 21 * UTCDay.seconds
    static let keepSeconds: Int64 = 60 * UTCDay.seconds

    private let database: SQLiteDatabase<VerificationError>

    /// Opens the database file at `path`, and creates it, readable by its owner only, if there is none; its folder must
    /// exist. Throws `storageUnusable` when the file cannot be opened or created, `storageTooNew` when a newer release
    /// wrote it, `storageDamaged` when it is not what this program writes, `storageInUse` when another process keeps it
    /// busy, and `full` when the disk has no room.
    public init(path: String) throws(VerificationError) {
        database = try SQLiteDatabase(
            path: path,
            schema: SQLiteSchema(
                version: 1,
                statements: [
                    """
                    CREATE TABLE result (test BLOB PRIMARY KEY, code INTEGER NOT NULL, sample INTEGER NOT NULL, \
                    time INTEGER NOT NULL) WITHOUT ROWID
                    """,
                    "CREATE INDEX result_time ON result (time)",
                ]))
    }

    /// Stores a batch of reports at `now` (Unix seconds), all or none; durable when this returns. A later report about the
    /// same test replaces an earlier one until 21 days after the first, unless the stored result is redeemed. The age
    /// counts from the first report, rounded down to the full hour. Throws `storageUnusable`, `storageDamaged`,
    /// `storageInUse` or `full` when the database fails; then nothing was stored.
    public func take(_ reports: [Report], now: Int64) throws(VerificationError) -> Receipt {
        try database.transaction { () throws(VerificationError) in
            var receipt = Receipt()
            for report in reports {
                // The age counts from the first report, so that corrections do not keep anything for ever.
                try database.run(
                    """
                    INSERT INTO result VALUES (?, ?, ?, ?) ON CONFLICT (test) DO UPDATE SET code = excluded.code, \
                    sample = excluded.sample WHERE code % 5 != 4 AND time > ?
                    """,
                    [
                        .blob(report.test.bytes), .integer(report.result.code),
                        .integer(report.result.sampleTime ?? now), .integer(now - now % 3_600),
                        .integer(now - Self.redeemSeconds),
                    ])
                if database.changes == 1 { receipt.stored += 1 } else { receipt.redeemed += 1 }
            }
            return receipt
        }
    }

    /// Returns the result of the test at `now` (Unix seconds). It is `pending`, without a time, if no report is stored or
    /// the first one is 60 days old or older; it is `redeemed` from 21 days after the first report. Ages count from the
    /// full hour of the first report. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the
    /// database fails.
    public func result(of test: TestIdentity, now: Int64) throws(VerificationError) -> TestResult {
        var row: [SQLiteValue] = []
        try database.run(
            "SELECT code, sample, time FROM result WHERE test = ? AND time > ?",
            [.blob(test.bytes), .integer(now - Self.keepSeconds)]
        ) { row = $0 }
        guard row.count == 3 else { return TestResult(.pending) }
        guard let code = row[0].integer, var result = TestResult(code: code, sampleTime: row[1].integer),
            let time = row[2].integer
        else { throw VerificationError(.storageDamaged, "a result") }
        if time <= now - Self.redeemSeconds { result.finding = .redeemed }
        return result
    }

    /// Returns the number of stored results, for metrics. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or
    /// `full` when the database cannot be read.
    package func count() throws(VerificationError) -> Int64 {
        try database.first("SELECT count(*) FROM result")?.integer ?? 0
    }

    /// Deletes the results whose first report is 60 days old or older at `now` (Unix seconds), counted from its full hour,
    /// and returns their number. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the database
    /// fails.
    public func clean(now: Int64) throws(VerificationError) -> Int {
        try database.run("DELETE FROM result WHERE time <= ?", [.integer(now - Self.keepSeconds)])
        return database.changes
    }
}
