// SPDX-License-Identifier: Apache-2.0

import SQLiteFile

/// The tables. Hours count from 1970, in UTC.
enum AuthoritySchema {
    private static let keyColumns = """
        data BLOB NOT NULL, start INTEGER NOT NULL, period INTEGER NOT NULL, level INTEGER NOT NULL, type INTEGER NOT NULL, \
        onset INTEGER, variant INTEGER, padding INTEGER NOT NULL
        """

    private static let first = [
        "CREATE TABLE region (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, closed INTEGER NOT NULL)",
        // Every key that was accepted, so that nobody hands it in twice; forgotten when its age alone would refuse it.
        "CREATE TABLE known (data BLOB PRIMARY KEY, start INTEGER NOT NULL) WITHOUT ROWID",
        // Accepted and not public yet; `hour` is the first that may hold it.
        """
        CREATE TABLE pending (region INTEGER NOT NULL, hour INTEGER NOT NULL, \(keyColumns), \
        PRIMARY KEY (region, hour, data)) WITHOUT ROWID
        """,
        // Public; `hour` is the one that holds it, for good.
        """
        CREATE TABLE released (region INTEGER NOT NULL, hour INTEGER NOT NULL, \(keyColumns), \
        PRIMARY KEY (region, hour, data)) WITHOUT ROWID
        """,
        // `hours` is 1 or 24. A row without `tag` is decided and not built yet. `announced` once it stood in the public tree.
        """
        CREATE TABLE package (id INTEGER PRIMARY KEY AUTOINCREMENT, region INTEGER NOT NULL, hour INTEGER NOT NULL, \
        hours INTEGER NOT NULL, revision INTEGER NOT NULL, time INTEGER NOT NULL, keys INTEGER, bytes INTEGER, tag TEXT, \
        digest TEXT, announced INTEGER NOT NULL DEFAULT 0, UNIQUE (region, hour, hours, revision))
        """,
        "CREATE TABLE revoked (package INTEGER PRIMARY KEY, time INTEGER NOT NULL, reason TEXT NOT NULL)",
        // What was published besides packages: the last good source and the object made of it.
        """
        CREATE TABLE document (name TEXT PRIMARY KEY, version INTEGER NOT NULL, source BLOB NOT NULL, digest TEXT NOT NULL, \
        time INTEGER NOT NULL)
        """,
        "CREATE TABLE wake (region INTEGER PRIMARY KEY, since INTEGER NOT NULL)",
        """
        CREATE TABLE audit (sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, event TEXT NOT NULL, detail TEXT NOT NULL, \
        chain BLOB NOT NULL)
        """,
    ]

    /// Taking warnings back.
    private static let second = [
        // What only somebody who presents the warning's handle can recognise; see docs/decisions/0028.
        "ALTER TABLE known ADD COLUMN mark BLOB",
        // Random keys beside a real one: they are taken back with it, so that this does not show which of them was real.
        """
        CREATE TABLE companion (data BLOB PRIMARY KEY, beside BLOB NOT NULL, start INTEGER NOT NULL) WITHOUT ROWID
        """,
        "CREATE INDEX companion_beside ON companion (beside)",
        // Decided changes of public keys. `since` is the first hour that may hold one, `hour` the one that does.
        """
        CREATE TABLE revision (region INTEGER NOT NULL, since INTEGER NOT NULL, hour INTEGER, \(keyColumns), \
        PRIMARY KEY (region, data, type)) WITHOUT ROWID
        """,
        // `bar` recognises what comes later under the same handle.
        """
        CREATE TABLE proposal (id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, person TEXT NOT NULL, \
        type INTEGER NOT NULL, reason TEXT NOT NULL, bar BLOB)
        """,
        "CREATE TABLE proposed (proposal INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (proposal, data)) WITHOUT ROWID",
        "CREATE TABLE barred (bar BLOB PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID",
    ]

    /// Check-ins.
    private static let third = [
        // `hour` is the one whose package holds it. `id` names it for good, so that the same submission adds it once; `mark` as in `known`. A plain one
        // has a venue's hash, and a stay; an encrypted one the message. The venue's id itself, which opens encrypted ones, is not kept.
        """
        CREATE TABLE check_in (version INTEGER NOT NULL, hour INTEGER NOT NULL, id BLOB NOT NULL, hash BLOB, start INTEGER, \
        period INTEGER, level INTEGER, report BLOB, mark BLOB, padding INTEGER NOT NULL, PRIMARY KEY (version, hour, id)) WITHOUT ROWID
        """,
        "CREATE UNIQUE INDEX check_in_id ON check_in (id)",
        // Those of a warning that somebody has proposed to take back, random ones included.
        "CREATE TABLE proposed_check_in (proposal INTEGER NOT NULL, id BLOB NOT NULL, PRIMARY KEY (proposal, id)) WITHOUT ROWID",
        // Of hours with warnings only. A row without `tag` is decided and not built yet.
        """
        CREATE TABLE trace_package (id INTEGER PRIMARY KEY AUTOINCREMENT, region INTEGER NOT NULL, version INTEGER NOT NULL, \
        hour INTEGER NOT NULL, time INTEGER NOT NULL, warnings INTEGER, bytes INTEGER, tag TEXT, \
        UNIQUE (region, version, hour))
        """,
        // One row: the last hour whose packages of warnings are decided.
        "CREATE TABLE trace_hours (id INTEGER PRIMARY KEY CHECK (id = 1), closed INTEGER NOT NULL)",
    ]

    /// Venues that the operator has listed, as the NHS lists them; times are Unix seconds.
    private static let fourth = [
        """
        CREATE TABLE venue (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, starts INTEGER NOT NULL, \
        ends INTEGER NOT NULL, advice TEXT NOT NULL)
        """
    ]

    /// SwissCovid's trace keys.
    private static let fifth = [
        // `hour` is the one that it became public with; `day` is the first second of the UTC day of the visit. `id` names it for good, so that the
        // same warning adds it once.
        """
        CREATE TABLE trace_key (id BLOB PRIMARY KEY, hour INTEGER NOT NULL, identity BLOB NOT NULL, day INTEGER NOT NULL, \
        data BLOB NOT NULL, nonce BLOB NOT NULL) WITHOUT ROWID
        """,
        "CREATE INDEX trace_key_hour ON trace_key (hour)",
        "CREATE INDEX trace_key_identity ON trace_key (identity)",
        // The headers of public lists: a signature stays as long as its list does, for a day at most.
        """
        CREATE TABLE trace_list (tag INTEGER PRIMARY KEY, digest TEXT NOT NULL, lines BLOB NOT NULL, time INTEGER NOT NULL)
        """,
        // Devices that want to be woken, as hashes of what they call themselves; `time` is the start of a day.
        """
        CREATE TABLE push_registration (device BLOB PRIMARY KEY, token BLOB NOT NULL UNIQUE, type INTEGER NOT NULL, \
        time INTEGER NOT NULL) WITHOUT ROWID
        """,
        "CREATE INDEX push_registration_time ON push_registration (time)",
    ]

    /// What a clock that was ahead leaves behind.
    private static let sixth = [
        // The last hour whose trace keys were public before it was decided.
        "ALTER TABLE trace_hours ADD COLUMN open INTEGER"
    ]

    /// Wakes for warnings about venues.
    private static let seventh = [
        // One row: the warnings that boards were woken for last, by the latest package, the latest hour of trace keys and how many that hour has, and the
        // version of the list of venues.
        """
        CREATE TABLE venue_wake (id INTEGER PRIMARY KEY CHECK (id = 1), package INTEGER NOT NULL, hour INTEGER NOT NULL, \
        keys INTEGER NOT NULL, list INTEGER NOT NULL)
        """
    ]

    /// Keys for the privacy mode of SwissCovid.
    private static let eighth = [
        // What opens the hour of hidden visits; none is computed yet, or there is no secret.
        "ALTER TABLE trace_key ADD COLUMN secret_key BLOB",
        // One row: of which public key they are, by its SHA-256; none without a secret.
        "CREATE TABLE trace_secret (id INTEGER PRIMARY KEY CHECK (id = 1), digest BLOB NOT NULL)",
    ]

    /// Taking hours at venues back.
    private static let ninth = [
        // As in `check_in`.
        "ALTER TABLE trace_key ADD COLUMN mark BLOB",
        // Those of a warning that somebody has proposed to take back, random ones included.
        "CREATE TABLE proposed_trace_key (proposal INTEGER NOT NULL, id BLOB NOT NULL, PRIMARY KEY (proposal, id)) WITHOUT ROWID",
        // Whether another proposal has it is asked for each one.
        "CREATE INDEX proposed_trace_key_id ON proposed_trace_key (id)",
    ]

    /// Telling older configurations from newer ones.
    private static let tenth = [
        // One row: the number of the public configuration, and the SHA-256 of its message without the number.
        "CREATE TABLE configuration_number (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL, digest TEXT NOT NULL)"
    ]

    static let schema = SQLiteSchema(
        steps: [first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth])
}
