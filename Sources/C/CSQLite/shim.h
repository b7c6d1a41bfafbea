// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CSQLITE_SHIM_H
#define VIGIL_CSQLITE_SHIM_H
#include <sqlite3.h>
// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift cannot import.
static inline int vigil_bind_blob(sqlite3_stmt *s, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(s, index, bytes, length, SQLITE_TRANSIENT);
}
static inline int vigil_bind_text(sqlite3_stmt *s, int index, const char *text, int length) {
    return sqlite3_bind_text(s, index, text, length, SQLITE_TRANSIENT);
}
// Variadic functions cannot be imported either.
static inline int vigil_sqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}
#endif
