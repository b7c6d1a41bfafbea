// SPDX-License-Identifier: Apache-2.0

/// How the database is set up, and why.
///
/// Measured with a ledger of 0.6 MB in use, per transaction (write system calls, distinct 4 KiB blocks per sync, syncs):
///
/// | journal | page | bytes | blocks | syncs |
/// | --- | --- | --- | --- | --- |
/// | DELETE, not exclusive | 4096 | 19,993 | 6.8 | 4.0 |
/// | TRUNCATE, exclusive | 4096 | 11,863 | 4.8 | 4.0 |
/// | PERSIST, exclusive | 1024 | 4,096 | 4.7 | 4.0 |
/// | WAL, exclusive | 4096 | 6,107 | 2.5 | 1.0 |
/// | WAL, exclusive | 1024 | 2,245 to 1,832 | 1.7 to 1.5 | 1.0 |
///
/// So: a log that is written ahead (WAL) with small pages. Every commit is one sync, which `synchronous` FULL makes before it returns;
/// NORMAL would sync at checkpoints only and lose commits. EXTRA adds something for DELETE only. A torn commit has a wrong
/// checksum and is left out. One owner holds the lock throughout, so there is no shared-memory file.
enum LedgerPragmas {
    static let pageByteCount = 1_024
    /// Where a write fails with ``LedgerFailure/Code/full``. A busy ledger has 1 to 2 MB.
    static let maximumByteCount = 16 << 20
    /// The log is folded into the file when it has this many pages: half a megabyte.
    private static let checkpointPages = 512

    static func apply(to database: LedgerDatabase, isInMemory: Bool, isWritable: Bool) throws {
        try database.harden()
        // Before the first read: afterwards the page size and the lock's kind would stay as they are.
        try database.run("PRAGMA locking_mode = EXCLUSIVE")
        try database.run("PRAGMA page_size = \(pageByteCount)")
        try database.run("PRAGMA temp_store = MEMORY")
        try database.run("PRAGMA mmap_size = 0")
        try database.run("PRAGMA cell_size_check = ON")
        try database.run("PRAGMA trusted_schema = OFF")
        try database.run("PRAGMA foreign_keys = OFF")
        try database.run("PRAGMA cache_size = -512")
        try database.run("PRAGMA secure_delete = ON")
        guard isWritable else { return }
        // Pages that became free are used again; shrinking by moving pages about would write more.
        try database.run("PRAGMA auto_vacuum = NONE")
        if !isInMemory { try database.run("PRAGMA journal_mode = WAL") }
        try database.run("PRAGMA synchronous = FULL")
        try database.run("PRAGMA wal_autocheckpoint = \(checkpointPages)")
        try database.run("PRAGMA journal_size_limit = \(checkpointPages * pageByteCount)")
        try database.run("PRAGMA max_page_count = \(maximumByteCount / pageByteCount)")
    }
}
