// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// A database in one file, for servers: one connection, used by one thread, with its prepared statements. Every
/// result code is checked. Calls block; while another process writes, they wait up to a minute (our own choice).
///
/// Several processes may have the file open, such as a service and a command. The database uses a write-ahead log,
/// each commit is on the disk when it returns (`synchronous` FULL), and writers wait for each other. Errors have
/// the caller's own type (`Failure`), which is created from a ``SQLiteFault``.
package final class SQLiteDatabase<Failure: SQLiteFailure> {
    /// A cell of a row, or a value for a statement.
    package typealias Value = SQLiteValue

    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]
    private static var busyTimeoutMilliseconds: Int32 { 60_000 }

    /// Opens the file at `path` and brings it to `schema`. If there is no file, creates one that only its owner can
    /// read and write; its folder must exist. Throws faults of the kinds `unusable` (the file cannot be created or
    /// opened), `tooNew` (its schema is newer than `schema`), `damaged` (it is not a database of this schema),
    /// `inUse` (another process wrote for more than a minute) and `full`.
    ///
    /// The log is moved into the file after `logPages` pages of 4 KiB, 1 or more. After 32 MiB, if nothing is said: random keys touch the same
    /// pages again meanwhile. Whoever is killed while it moves the log begins again with the whole of it, so a log that takes longer than such
    /// a program lives never gets shorter.
    package init(path: String, schema: SQLiteSchema, logPages: Int = 8_192) throws(Failure) {
        if let reason = Self.make(path) { throw Failure(SQLiteFault(.unusable, "\(path): \(reason)")) }
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let status = sqlite3_open_v2(path, &opened, flags, nil)
        guard status == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw Failure(SQLiteFault(.unusable, "\(path): \(String(cString: sqlite3_errstr(status)))"))
        }
        handle = opened
        sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds)
        _ = vigil_sqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = vigil_sqlite_configure(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        for pragma in [
            "journal_mode = WAL", "synchronous = FULL", "temp_store = MEMORY", "cache_size = -65536",
            "wal_autocheckpoint = \(logPages)",
        ] {
            try run("PRAGMA \(pragma)")
        }
        try apply(schema)
    }

    /// An empty file that only its owner can read, unless there is one; what went wrong. SQLite would let everybody read it, and gives
    /// its logs the rights of the file.
    ///
    /// Never opens a file that may be a database already: closing it again would drop the locks that other connections of this process
    /// have on it (POSIX: all of the process, whichever descriptor took them). The next process to close it would then take itself for
    /// the last, and delete the log into which this one goes on writing.
    private static func make(_ path: String) -> String? {
        var found = stat()
        if stat(path, &found) == 0 { return nil }
        let partial = "\(path).\(getpid()).\(UInt64.random(in: 0 ... .max)).partial"
        let descriptor = Glibc.open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return strerror(errno).map { String(cString: $0) } ?? "" }
        close(descriptor)
        defer { unlink(partial) }
        // Another one may have been first.
        if link(partial, path) == 0 || errno == EEXIST { return nil }
        return strerror(errno).map { String(cString: $0) } ?? ""
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Runs `sql`, one statement, with `values` for its question marks in order (NULL for those that are left), and
    /// calls `row` with each row of the result. A real number in a row becomes `null`. `row` must not run the same
    /// statement. The statement stays prepared, so its text must not contain values. Throws faults of the kinds
    /// `damaged`, `inUse` (another connection wrote for more than a minute), `full`, and `unusable` for every other
    /// failure.
    package func run(_ sql: String, _ values: [Value] = [], row: ([Value]) -> Void = { _ in }) throws(Failure) {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            let status =
                switch value {
                case .null: sqlite3_bind_null(statement, place)
                case .integer(let number): sqlite3_bind_int64(statement, place, number)
                case .text(let text): vigil_bind_text(statement, place, text, Int32(text.utf8.count))
                case .blob(let bytes): vigil_bind_blob(statement, place, bytes, Int32(bytes.count))
                }
            guard status == SQLITE_OK else { throw failure(status, "bind") }
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: row((0..<sqlite3_column_count(statement)).map { Self.value(statement, $0) })
            case SQLITE_DONE: return
            case let status: throw failure(status, String(sql.prefix(60)))
            }
        }
    }

    private static func value(_ statement: OpaquePointer, _ column: Int32) -> Value {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_TEXT:
            let count = Int(sqlite3_column_bytes(statement, column))
            guard let start = sqlite3_column_text(statement, column) else { return .text("") }
            return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, column))
            guard count > 0, let start = sqlite3_column_blob(statement, column) else { return .blob([]) }
            return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
        default: return .null
        }
    }

    /// Returns the first value of the first row, which may be `null`; Swift's `nil` if there are no rows. Throws as
    /// ``run(_:_:row:)`` does.
    package func first(_ sql: String, _ values: [Value] = []) throws(Failure) -> Value? {
        var result: Value?
        try run(sql, values) { row in if result == nil { result = row.first } }
        return result
    }

    /// Runs `body` in a transaction: all of its changes are made or none, and other processes never see a part of
    /// them. If `body` throws, its changes are undone and the error is passed on. Waits up to a minute for other
    /// writers. Transactions cannot be nested: the inner one throws `damaged`. Throws as ``run(_:_:row:)`` does.
    package func transaction<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs `body`, which must only read, on one state of the database: the state at its first read. Neither it nor
    /// a writer waits for the other. Passes on the error of `body`. Cannot be nested, nor run inside
    /// ``transaction(_:)``. Throws as ``run(_:_:row:)`` does.
    package func snapshot<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try transaction("BEGIN", body)
    }

    private func transaction<Result>(
        _ begin: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try run(begin)
        do throws(Failure) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Some failures end the transaction by themselves.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE of this connection changed, not counting triggers;
    /// other statements leave it as it is.
    package var changes: Int { Int(sqlite3_changes(handle)) }
    /// The key (`rowid`) of the row that this connection inserted last; 0 if it has inserted none.
    package var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    private func prepared(_ sql: String) throws(Failure) -> OpaquePointer {
        if let known = statements[sql] { return known }
        var statement: OpaquePointer?
        let status = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard status == SQLITE_OK, let statement else { throw failure(status, String(sql.prefix(60))) }
        statements[sql] = statement
        return statement
    }

    private func apply(_ schema: SQLiteSchema) throws(Failure) {
        let found = try first("PRAGMA user_version")?.integer ?? 0
        guard found <= schema.version else {
            throw Failure(SQLiteFault(.tooNew, "schema \(found), known is \(schema.version)"))
        }
        guard found < schema.version else { return }
        try transaction { () throws(Failure) in
            // Another process may have been first.
            let found = try first("PRAGMA user_version")?.integer ?? 0
            guard found < schema.version else { return }
            for step in schema.steps.dropFirst(Int(max(0, found))) { for statement in step { try run(statement) } }
            try run("PRAGMA user_version = \(schema.version)")
        }
    }

    private func failure(_ status: Int32, _ action: String) -> Failure {
        let kind: SQLiteFault.Kind =
            switch status & 0xff {
            case SQLITE_FULL: .full
            // The statements are ours: an error in one means that the file has another schema.
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: .damaged
            case SQLITE_BUSY, SQLITE_LOCKED: .inUse
            case SQLITE_IOERR where [ENOSPC, EDQUOT].contains(sqlite3_system_errno(handle)): .full
            default: .unusable
            }
        return Failure(SQLiteFault(kind, "\(action): \(String(cString: sqlite3_errstr(status))), \(status)"))
    }
}
