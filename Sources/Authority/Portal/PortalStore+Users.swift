// SPDX-License-Identifier: Apache-2.0

import Cryptography
import SQLiteFile

extension PortalStore {
    /// Adds a user at `now` (Unix seconds) under the normalised form of `name` (``PortalUser/normalized(_:)``), and notes
    /// it in the audit; durable when this returns. Throws `invalidName` when `name` breaks the rules, `userExists` when the
    /// name is taken, and `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the database fails; then
    /// nothing was changed.
    public func add(_ name: String, role: PortalRole, password: PasswordHash, now: Int64) throws(PortalError) {
        guard let name = PortalUser.normalized(name) else { throw PortalError(.invalidName) }
        try database.transaction { () throws(PortalError) in
            guard try !has(name) else { throw PortalError(.userExists) }
            try database.run(
                "INSERT INTO user VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    .text(name), .text(role.rawValue), .integer(now), .integer(now), .blob(password.salt),
                    .integer(Int64(password.iterations)), .blob(password.hash.withBytes { Array($0) }),
                ])
            try append(.userAdded, user: name, detail: role.rawValue, now: now)
        }
    }

    /// Removes a user at `now` (Unix seconds), ends the user's sessions, and notes it in the audit; durable when this
    /// returns. The case of `name` does not matter. Throws `unknownUser` when no user has that name, and `storageUnusable`,
    /// `storageDamaged`, `storageInUse` or `full` when the database fails; then nothing was changed.
    public func remove(_ name: String, now: Int64) throws(PortalError) {
        let name = PortalUser.normalized(name) ?? ""
        try database.transaction { () throws(PortalError) in
            guard try has(name) else { throw PortalError(.unknownUser) }
            try database.run("DELETE FROM user WHERE name = ?", [.text(name)])
            try database.run("DELETE FROM session WHERE user = ?", [.text(name)])
            try append(.userRemoved, user: name, now: now)
        }
    }

    /// Replaces a user's password at `now` (Unix seconds), ends the user's sessions, and notes it in the audit; durable
    /// when this returns. The case of `name` does not matter. Throws `unknownUser` when no user has that name, and
    /// `storageUnusable`, `storageDamaged`, `storageInUse` or `full` when the database fails; then nothing was changed.
    public func setPassword(of name: String, to password: PasswordHash, now: Int64) throws(PortalError) {
        let name = PortalUser.normalized(name) ?? ""
        try database.transaction { () throws(PortalError) in
            try database.run(
                "UPDATE user SET changed = ?, salt = ?, iterations = ?, hash = ? WHERE name = ?",
                [
                    .integer(now), .blob(password.salt), .integer(Int64(password.iterations)),
                    .blob(password.hash.withBytes { Array($0) }), .text(name),
                ])
            guard database.changes == 1 else { throw PortalError(.unknownUser) }
            try database.run("DELETE FROM session WHERE user = ?", [.text(name)])
            try append(.passwordChanged, user: name, now: now)
        }
    }

    /// Returns all users, sorted by name; a row or role that this release cannot read is skipped. Throws `storageUnusable`,
    /// `storageDamaged`, `storageInUse` or `full` when the database cannot be read.
    public func users() throws(PortalError) -> [PortalUser] {
        var users: [PortalUser] = []
        try database.run("SELECT name, role, added, changed FROM user ORDER BY name") { row in
            if let user = Self.user(row) { users.append(user) }
        }
        return users
    }

    /// Whether there is a user of that name, also one whose role this release does not know.
    private func has(_ name: String) throws(PortalError) -> Bool {
        try database.first("SELECT 1 FROM user WHERE name = ?", [.text(name)]) != nil
    }

    /// The user; `nil` where there is none, and for one whose row or role this release cannot read: such a person may do nothing.
    func user(_ name: String) throws(PortalError) -> PortalUser? {
        var user: PortalUser?
        try database.run("SELECT name, role, added, changed FROM user WHERE name = ?", [.text(name)]) {
            user = Self.user($0)
        }
        return user
    }

    private static func user(_ row: [SQLiteValue]) -> PortalUser? {
        guard row.count == 4, let name = row[0].text, let role = row[1].text.flatMap(PortalRole.init),
            let added = row[2].integer, let changed = row[3].integer
        else { return nil }
        return PortalUser(name: name, role: role, added: added, passwordSet: changed)
    }

    func password(of name: String) throws(PortalError) -> PasswordHash? {
        var row: [SQLiteValue] = []
        try database.run("SELECT salt, iterations, hash FROM user WHERE name = ?", [.text(name)]) { row = $0 }
        guard !row.isEmpty else { return nil }
        guard row.count == 3, let salt = row[0].blob, let iterations = row[1].integer.flatMap({ UInt32(exactly: $0) }),
            let hash = row[2].blob, hash.count == PasswordHash.hashCount
        else { throw PortalError(.storageDamaged, "a user") }
        return PasswordHash(salt: salt, iterations: iterations, hash: hash)
    }
}
