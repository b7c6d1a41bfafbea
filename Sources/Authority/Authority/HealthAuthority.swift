// SPDX-License-Identifier: Apache-2.0

import Cryptography
import SQLiteFile

/// One authority's keys, packages and history, over its state folder.
///
/// Several processes may have the same folder open. Handing in keys needs no lock; what changes the public tree takes the folder's.
/// Not thread-safe: each thread has its own.
public final class HealthAuthority {
    /// The folder of keys, settings and packages.
    public let folder: StateFolder
    /// The settings it was opened with; later changes of the file count for the next one opened.
    public let settings: AuthoritySettings
    let database: AuthorityDatabase

    /// Opens the database of the folder and makes it if there is none. `settings` as read, or as a command changed them.
    /// Throws `stateUnusable`, `stateTooNew`, `stateDamaged`, `inUse` or `full`.
    public init(folder: StateFolder, settings: AuthoritySettings) throws(AuthorityError) {
        self.folder = folder
        self.settings = settings
        database = try AuthorityDatabase(path: folder.database, schema: AuthoritySchema.schema)
        try database.run(Self.tallyTable)
    }

    /// The regions of the settings with their numbers in the database. A region that is new starts with the hour of `now`.
    func regions(now: Int64) throws(AuthorityError) -> [(name: String, number: Int64)] {
        var result: [(String, Int64)] = []
        for name in settings.regions {
            if let number = try database.first("SELECT id FROM region WHERE name = ?", [.text(name)])?.integer {
                result.append((name, number))
            } else {
                try database.run(
                    "INSERT INTO region (name, closed) VALUES (?, ?)",
                    [.text(name), .integer(Hour.containing(now) - 1)])
                result.append((name, database.lastRow))
            }
        }
        return result
    }
}
