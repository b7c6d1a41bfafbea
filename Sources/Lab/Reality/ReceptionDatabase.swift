// SPDX-License-Identifier: Apache-2.0

import CSQLite
import CommandFiles

/// A database of receptions of DP-3T/bt-measurements (table `results`). It is only read, also where nothing can be written beside it.
enum ReceptionDatabase {
    /// A database with more rows is refused.
    static let mostReceptions = 1_000_000

    /// Calls `take` for each row that `query` finds; the columns are valid until it returns. Throws `InputError` with the path of a file that cannot be read or has too many
    /// rows; `columns` names what it must have.
    static func forEachRow(
        of path: String, _ query: String, columns: String, take: (OpaquePointer) -> Void
    ) throws(InputError) {
        guard !path.utf8.contains(where: { [UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%")].contains($0) }) else {
            throw InputError(file: path, "has a name with ?, # or %; rename it")
        }
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard
            sqlite3_open_v2("file:\(path)?immutable=1", &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil) == SQLITE_OK
        else { throw InputError(file: path, "cannot be opened as a database") }
        var opened: OpaquePointer?
        defer { sqlite3_finalize(opened) }
        guard sqlite3_prepare_v2(database, query, -1, &opened, nil) == SQLITE_OK, let statement = opened else {
            throw InputError(file: path, "is no database of receptions: the table results has no \(columns)")
        }
        var count = 0
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                count += 1
                guard count <= mostReceptions else { throw InputError(file: path, "has more than a million receptions") }
                take(statement)
            case SQLITE_DONE: return
            default: throw InputError(file: path, "is damaged: \(String(cString: sqlite3_errmsg(database)))")
            }
        }
    }
}
