// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// The only place that talks to SQLite: one connection, its statements, every result code checked.
final class LedgerDatabase {
    /// How a file is opened.
    enum Access {
        case readWrite
        /// For a disk that cannot be written to. Locks would need writing, so there are none.
        case readOnly
        /// The same when there is no log beside the file.
        case immutable
    }

    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// `nil` for a database in memory.
    init(path: String?, vfs: String?, access: Access) throws(LedgerFailure) {
        var name = ":memory:"
        var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        if let path {
            name = access == .immutable ? "file:\(Self.escaped(path))?immutable=1" : path
            if access != .readWrite { flags = SQLITE_OPEN_READONLY }
            if access == .immutable { flags |= SQLITE_OPEN_URI }
        }
        flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let status = sqlite3_open_v2(name, &opened, flags, access == .readOnly && vfs == nil ? "unix-none" : vfs)
        guard status == SQLITE_OK, let opened else {
            let failure = Self.failure(status, "open", opened)
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                let digits = Array("0123456789abcdef")
                return "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            default: return String(UnicodeScalar(byte))
            }
        }.joined()
    }

    /// Defence against a file made by somebody else: its triggers, views and sizes are not trusted.
    func harden() throws(LedgerFailure) {
        sqlite3_extended_result_codes(handle, 1)
        // A row is 1.3 MB at most (the fullest match).
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 4 << 20)
        // One for VACUUM, which attaches what it writes.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        var status = vigil_sqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        if status == SQLITE_OK { status = vigil_sqlite_configure(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0) }
        guard status == SQLITE_OK else { throw failure(status, "harden") }
    }

    /// One value of a row.
    enum Value: Equatable {
        case integer(Int64)
        case blob([UInt8])
        case other
    }

    /// Runs one statement, giving every row to `row`.
    func run(
        _ sql: String, _ values: [Value] = [], row: ([Value]) throws -> Void = { _ in }
    ) throws {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            let status: Int32
            switch value {
            case .integer(let number): status = sqlite3_bind_int64(statement, Int32(index + 1), number)
            case .blob(let bytes):
                status =
                    bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, Int32(index + 1), 0)
                    : vigil_bind_blob(statement, Int32(index + 1), bytes, Int32(bytes.count))
            case .other: status = SQLITE_MISUSE
            }
            guard status == SQLITE_OK else { throw failure(status, "bind") }
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try row((0..<sqlite3_column_count(statement)).map { Self.value(statement, $0) })
            case SQLITE_DONE: return
            case let status: throw failure(status, sql)
            }
        }
    }

    private static func value(_ statement: OpaquePointer, _ column: Int32) -> Value {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, column))
            guard count > 0, let start = sqlite3_column_blob(statement, column) else { return .blob([]) }
            return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
        case SQLITE_TEXT:
            let count = Int(sqlite3_column_bytes(statement, column))
            guard count > 0, let start = sqlite3_column_text(statement, column) else { return .blob([]) }
            return .blob(Array(UnsafeBufferPointer(start: start, count: count)))
        default: return .other
        }
    }

    /// The first value of the first row, if it is an integer.
    func integer(_ sql: String) throws -> Int64? {
        var result: Int64?
        try run(sql) { row in if result == nil, case .integer(let number)? = row.first { result = number } }
        return result
    }

    private func prepared(_ sql: String) throws(LedgerFailure) -> OpaquePointer {
        if let known = statements[sql] { return known }
        var statement: OpaquePointer?
        let status = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard status == SQLITE_OK, let statement else { throw failure(status, sql) }
        statements[sql] = statement
        return statement
    }

    /// Whether the file says that it must not be written to. Known once something was read.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether a transaction is open; some failures end it by themselves.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    private func failure(_ status: Int32, _ action: String) -> LedgerFailure { Self.failure(status, action, handle) }

    private static func failure(_ status: Int32, _ action: String, _ handle: OpaquePointer?) -> LedgerFailure {
        let code: LedgerFailure.Code
        let system = handle.map { sqlite3_system_errno($0) } ?? 0
        switch status & 0xff {
        case SQLITE_FULL: code = .full
        case SQLITE_READONLY: code = .readOnly
        // The statements are ours and always the same, so an error in one means that the file has another schema or form.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: code = .damaged
        case SQLITE_BUSY, SQLITE_LOCKED: code = .inUse
        case SQLITE_TOOBIG: code = .invalid
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            switch system {
            case ENOSPC, EDQUOT: code = .full
            case EROFS: code = .readOnly
            default: code = .failed
            }
        default: code = .failed
        }
        return LedgerFailure(code, "\(action): \(String(cString: sqlite3_errstr(status))), \(status)")
    }
}
