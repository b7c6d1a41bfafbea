// SPDX-License-Identifier: Apache-2.0

import CBaseline
import CSQLite
import CommandFiles
import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import KeyArchive
import KeyExport
import KeyIntake
import Matching

/// Measures the matching of 100,000 keys with 50,000 sightings: the bare kernel, the matcher, the whole path, and what a
/// user would write instead, in one run on one processor.
public enum MatchingBenchmark {
    private static let keyCount = 100_000
    private static let sightingCount = 50_000
    private static let baselineKeys = 10_000
    private static let sqliteKeys = 300

    /// Measures, and returns the figures; blocks, and keeps the calling thread on one processor from now on. The
    /// least time of `rounds` turns (1 or more, not checked) counts; slow parts take a third of the turns, but at
    /// least two, and SQLite two. Stops the program when a planted key is not found, or when the matcher finds any
    /// other. Throws when a file or SQLite fails.
    public static func run(rounds: Int = 9) throws -> BenchmarkResult {
        baseline_pin_to_one_processor()
        let full = Workload(keys: keyCount, sightings: sightingCount)
        let day = Workload(keys: keyCount, sightings: sightingCount, hours: 8..<20)
        let indexStart = Measurement.threadNanoseconds()
        let index = SightingIndex(full.sightings)
        let indexTime = Double(Measurement.threadNanoseconds() - indexStart)
        let dayIndex = SightingIndex(day.sightings)
        let bare = BareScan(index: index, keys: full.keys)
        let barePortable = BareScan(index: index, keys: full.keys, kernel: .portable)
        let archive = try Archive(full)
        defer { archive.remove() }
        let baseline = try Baseline(full)

        var failure: (any Error)?
        func match(_ workload: Workload, _ index: SightingIndex, _ kernel: MatchKernel = .best) {
            let matcher = Matcher(index: index, now: Workload.now, kernel: kernel)
            workload.keys.withUnsafeBufferPointer { matcher.add($0) }
            let found = matcher.finish().count
            precondition(found == Workload.planted, "every planted key must be found, and no other")
        }
        let fast = Measurement.least(
            rounds: rounds,
            [
                { _ = bare.run() }, { match(full, index) }, { match(day, dayIndex) },
                {
                    do { try archive.match(index, full) } catch { failure = error }
                },
            ])
        if let failure { throw failure }
        let portable = Measurement.least(
            rounds: max(2, rounds / 3), [{ _ = barePortable.run() }, { match(full, index, .portable) }])
        let slow = Measurement.least(rounds: max(2, rounds / 3), [{ baseline.run(aesInstructions: true) }])
        let questions = baseline_aes_questions()
        let slower = Measurement.least(rounds: max(2, rounds / 3), [{ baseline.run(aesInstructions: false) }])
        // A library that asks the processor by itself leaves nothing to compare with. Debian's 2.28 and 3.6 can be switched.
        let canSwitch = questions > 0
        let sqlite = try SQLiteBaseline(full)
        let sql = Measurement.least(rounds: 2, [{ sqlite.run(full.keys.prefix(sqliteKeys)) }])

        let keys = Double(keyCount)
        let matcher = fast[1] / keys
        let whole = fast[3] / keys
        let naive = slow[0] / Double(baselineKeys)
        let naiveTables = slower[0] / Double(baselineKeys)
        let portableMatcher = portable[1] / keys
        let sqlPerKey = sql[0] / Double(sqliteKeys)
        let best = MatchKernel.best
        var figures = [
            Figure("bare kernel (\(best.name))", fast[0] / keys, "ns/key"),
            Figure("matcher (\(best.name))", matcher, "ns/key"),
            Figure("matcher, sightings 8-20 h only", fast[2] / keys, "ns/key"),
            Figure("whole path, zip to matches", whole, "ns/key"),
            Figure("bare kernel (portable)", portable[0] / keys, "ns/key"),
            Figure("matcher (portable)", portableMatcher, "ns/key"),
            Figure("Mbed TLS call by call", naive, "ns/key"),
            Figure("SQLite look-up per identifier", sqlPerKey, "ns/key"),
            Figure("index of 50,000 sightings", indexTime / 1e6, "ms"),
            Figure("matcher / bare kernel", matcher / (fast[0] / keys), "ratio"),
            Figure("whole path / matcher", whole / matcher, "ratio"),
            Figure("full day / realistic day", fast[1] / fast[2], "ratio"),
            Figure("SQLite / matcher", sqlPerKey / matcher, "ratio"),
        ]
        if best == .portable {
            figures.append(Figure("Mbed TLS / portable matcher", naive / portableMatcher, "ratio"))
        } else {
            figures.append(Figure("Mbed TLS / matcher", naive / matcher, "ratio"))
            if canSwitch {
                figures.append(Figure("Mbed TLS call by call, AES instructions off", naiveTables, "ns/key"))
                figures.append(
                    Figure("Mbed TLS without AES instructions / portable matcher", naiveTables / portableMatcher, "ratio"))
            }
        }
        return BenchmarkResult("matching", figures)
    }

    /// The keys as a file on disk.
    private struct Archive {
        let path: String
        let run: (SightingIndex, Workload) throws -> Void

        init(_ workload: Workload) throws {
            let (zip, trust) = try workload.file()
            let path = FileManager.default.temporaryDirectory.path + "/vigil-bench-\(getpid()).zip"
            try Files.write(zip, to: path)
            self.path = path
            run = { index, workload in
                // In one process, so that unpacking is counted with everything else; the intake benchmark has the two of them.
                let matcher = Matcher(index: index, now: Workload.now)
                let feed = MatcherFeed(matcher)
                _ = try KeyFileReader(path: path).read(trust: trust, time: Workload.now.unixSeconds) { feed.add($0) }
                let found = matcher.finish().count
                precondition(found == Workload.planted, "every planted key must be found, and no other")
            }
        }

        func match(_ index: SightingIndex, _ workload: Workload) throws { try run(index, workload) }
        func remove() { unlink(path) }
    }

    /// Mbed TLS call by call, over the first keys of the workload.
    private final class Baseline {
        private let table: OpaquePointer
        private let keys: [UInt8]
        private let starts: [UInt32]

        init(_ workload: Workload) throws {
            let identifiers = workload.sightings.flatMap(\.identifier.bytes)
            guard let table = baseline_table_create(identifiers, workload.sightings.count) else {
                throw InputError(file: "benchmark", "there is not enough memory")
            }
            self.table = table
            keys = workload.keys.prefix(baselineKeys).flatMap(\.data.bytes)
            starts = workload.keys.prefix(baselineKeys).map(\.rollingStart.number)
        }

        deinit { baseline_table_free(table) }

        func run(aesInstructions: Bool) {
            baseline_allow_aes_instructions(aesInstructions ? 1 : 0)
            let found = baseline_match(table, keys, starts, starts.count)
            baseline_allow_aes_instructions(1)
            precondition(found >= Workload.planted, "the baseline must find the planted identifiers")
        }
    }
}

/// One prepared SELECT per identifier against an indexed table in memory.
private final class SQLiteBaseline {
    private var database: OpaquePointer?
    private var statement: OpaquePointer?

    init(_ workload: Workload) throws {
        guard sqlite3_open(":memory:", &database) == SQLITE_OK else { throw InputError(file: "SQLite", "cannot be opened") }
        sqlite3_exec(
            database, "CREATE TABLE sighting(rpi BLOB PRIMARY KEY, time INTEGER) WITHOUT ROWID; BEGIN", nil, nil, nil)
        var insert: OpaquePointer?
        sqlite3_prepare_v2(database, "INSERT OR IGNORE INTO sighting VALUES(?, ?)", -1, &insert, nil)
        for sighting in workload.sightings {
            vigil_bind_blob(insert, 1, sighting.identifier.bytes, 16)
            sqlite3_bind_int64(insert, 2, Int64(sighting.time))
            sqlite3_step(insert)
            sqlite3_reset(insert)
        }
        sqlite3_finalize(insert)
        sqlite3_exec(database, "COMMIT", nil, nil, nil)
        sqlite3_prepare_v2(database, "SELECT time FROM sighting WHERE rpi = ?", -1, &statement, nil)
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    func run(_ keys: some Collection<DiagnosisKey>) {
        var found = 0
        for key in keys {
            let intervals = Array(key.rollingStart.number..<key.end.number)
            // Deriving costs next to nothing beside the look-ups.
            let identifiers = MatchKernel.best.identifiers(ofPublishedKey: key.data.bytes, intervals: intervals)
            identifiers.withUnsafeBytes { bytes in
                for position in stride(from: 0, to: bytes.count, by: 16) {
                    vigil_bind_blob(statement, 1, bytes.baseAddress! + position, 16)
                    if sqlite3_step(statement) == SQLITE_ROW { found += 1 }
                    sqlite3_reset(statement)
                }
            }
        }
        precondition(found >= Workload.planted, "the database must find the planted identifiers")
    }
}
