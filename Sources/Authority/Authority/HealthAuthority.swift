// SPDX-License-Identifier: Apache-2.0

import Cryptography
import SQLiteFile

/// One authority over its state folder: its keys, packages and history.
///
/// Several processes may have the same folder open. Handing in keys needs no lock; calls that change the public
/// tree take the folder's lock. Not thread-safe: each thread needs an instance of its own.
public final class HealthAuthority {
    /// The folder of keys, settings and packages.
    public let folder: StateFolder
    /// The settings that the authority was opened with; a later change of the file has no effect on this instance.
    public let settings: AuthoritySettings
    let database: AuthorityDatabase

    /// Opens the folder's database, and creates it if there is none. `settings` may come from the file or have been changed
    /// by a command. Throws `stateUnusable` when the database cannot be opened, `stateTooNew` when a newer release wrote
    /// it, `stateDamaged` when it is not what this program writes, `inUse` when another process keeps it busy, and `full`
    /// when the disk has no room.
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
