// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CSQLITE_SHIM_H
#define VIGIL_CSQLITE_SHIM_H
#include <sqlite3.h>
// Both bind a copy of `length` bytes to parameter `index`, from 1, and return SQLite's result code. They exist because SQLITE_TRANSIENT is a
// cast of -1 to a function pointer, which Swift cannot import.
static inline int vigil_bind_blob(sqlite3_stmt *s, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(s, index, bytes, length, SQLITE_TRANSIENT);
}
static inline int vigil_bind_text(sqlite3_stmt *s, int index, const char *text, int length) {
    return sqlite3_bind_text(s, index, text, length, SQLITE_TRANSIENT);
}
// Sets a yes-or-no option (SQLITE_DBCONFIG_) of an open database; returns SQLite's result code. Variadic functions cannot be imported either.
static inline int vigil_sqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}
#endif
