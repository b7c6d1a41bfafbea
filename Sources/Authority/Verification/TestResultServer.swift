// SPDX-License-Identifier: Apache-2.0

import CivilTime
import SQLiteFile

/// The test-result server: laboratories report, the verification server asks (**tr** `TestResultService`). A storage of its own.
///
/// Which laboratory reported is not kept: nothing here needs it. Not thread-safe; the file may have several connections.
public final class TestResultServer: TestResultSource {
    /// The report of a laboratory about one test.
    public struct Report: Hashable, Sendable {
        /// The test that the report is about.
        public var test: TestIdentity
        /// The finding of the laboratory, with its details.
        public var result: TestResult

        /// A report of one test by a laboratory; nothing is checked.
        public init(_ test: TestIdentity, _ result: TestResult) {
            self.test = test
            self.result = result
        }
    }

    /// The outcome of a batch of reports, in counts.
    public struct Receipt: Hashable, Sendable {
        /// How many results were stored or changed, 0 or more.
        public var stored = 0
        /// How many results were told too long ago to be changed, 0 or more.
        public var redeemed = 0
    }

    /// A result is redeemed after so long, and deleted after (**tr** `testresult.cleanup`; 60 days by `cwa-protocols` section 4.3).
    static let redeemSeconds: Int64 = 21 * UTCDay.seconds
    static let keepSeconds: Int64 = 60 * UTCDay.seconds

    private let database: SQLiteDatabase<VerificationError>

    /// Opens the file, and makes it when there is none. Throws `storageUnusable`, `storageTooNew`, `storageDamaged`,
    /// `storageInUse` or `full`, as every call here.
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

    /// Takes a batch at `now` (Unix seconds), all or nothing; durable when this returns. A later report of the same test
    /// replaces an earlier one. Throws what the storage refuses.
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

    /// The result of the test at `now` (Unix seconds): pending without a report of the last 60 days, redeemed 21 days after
    /// the first one. Throws what the storage refuses.
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

    /// How many results are kept, for an operator's metrics. Throws what the storage refuses.
    package func count() throws(VerificationError) -> Int64 {
        try database.first("SELECT count(*) FROM result")?.integer ?? 0
    }

    /// Deletes results that are older than 60 days at `now` (Unix seconds); gives how many. Throws what the storage
    /// refuses.
    public func clean(now: Int64) throws(VerificationError) -> Int {
        try database.run("DELETE FROM result WHERE time <= ?", [.integer(now - Self.keepSeconds)])
        return database.changes
    }
}
