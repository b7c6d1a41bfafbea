// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// The only place that talks to SQLite: one connection of one thread, its statements, every result code checked.
///
/// Several processes may have the file open (the service, and a command that hands in keys): a log written ahead, each commit on the
/// disk before it returns (`synchronous` FULL), writers wait for each other.
final class AuthorityDatabase {
    enum Value: Equatable {
        case null
        case integer(Int64)
        case text(String)
        case blob([UInt8])

        var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
        var text: String? { if case .text(let text) = self { text } else { nil } }
        var blob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
    }

    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]
    private static let patienceMilliseconds: Int32 = 60_000

    init(path: String) throws(AuthorityError) {
        // SQLite would let everybody read it, and gives its logs the rights of the file.
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileWork.failure(path, "open it") }
        close(descriptor)
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let status = sqlite3_open_v2(path, &opened, flags, nil)
        guard status == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw AuthorityError(.stateUnusable, "\(path): \(String(cString: sqlite3_errstr(status)))")
        }
        handle = opened
        sqlite3_busy_timeout(handle, Self.patienceMilliseconds)
        _ = vigil_sqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = vigil_sqlite_configure(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        for pragma in ["journal_mode = WAL", "synchronous = FULL", "temp_store = MEMORY", "cache_size = -65536"] {
            try run("PRAGMA \(pragma)")
        }
        try AuthoritySchema.apply(to: self)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Runs one statement; gives every row to `row`.
    func run(_ sql: String, _ values: [Value] = [], row: ([Value]) -> Void = { _ in }) throws(AuthorityError) {
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

    /// The first value of the first row.
    func first(_ sql: String, _ values: [Value] = []) throws(AuthorityError) -> Value? {
        var result: Value?
        try run(sql, values) { row in if result == nil { result = row.first } }
        return result
    }

    /// All of `body` or nothing; what one process does between no other sees by half.
    func transaction<Result>(_ body: () throws(AuthorityError) -> Result) throws(AuthorityError) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(AuthorityError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Some failures end the transaction by themselves.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }
    /// The key of the row that was inserted last.
    var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    private func prepared(_ sql: String) throws(AuthorityError) -> OpaquePointer {
        if let known = statements[sql] { return known }
        var statement: OpaquePointer?
        let status = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard status == SQLITE_OK, let statement else { throw failure(status, String(sql.prefix(60))) }
        statements[sql] = statement
        return statement
    }

    private func failure(_ status: Int32, _ action: String) -> AuthorityError {
        let code: AuthorityError.Code =
            switch status & 0xff {
            case SQLITE_FULL: .full
            // The statements are ours: an error in one means that the file has another schema.
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: .stateDamaged
            case SQLITE_BUSY, SQLITE_LOCKED: .inUse
            case SQLITE_IOERR where [ENOSPC, EDQUOT].contains(sqlite3_system_errno(handle)): .full
            default: .stateUnusable
            }
        return AuthorityError(code, "\(action): \(String(cString: sqlite3_errstr(status))), \(status)")
    }
}
