// SPDX-License-Identifier: Apache-2.0

import SQLiteFile

/// Somebody who is signed in.
struct PortalSession: Hashable {
    /// SHA-256 of the cookie.
    let code: [UInt8]
    let user: PortalUser
    /// The form that is taken next.
    let form: Int64
}

extension PortalStore {
    /// Begins a session under a new cookie, ends `former`, and says both in the audit; `false`, and nothing is done, if the user's password is no
    /// longer the one that was compared. Time passes between comparing and this, and meanwhile an operator may have replaced the password, or removed
    /// the user and added another of that name.
    func begin(
        _ code: [UInt8], user: String, comparedWith password: PasswordHash, insteadOf former: PortalSession?, now: Int64
    ) throws(PortalError) -> Bool {
        try database.transaction { () throws(PortalError) in
            guard try self.password(of: user) == password else { return false }
            if let former { try close(former, now: now) }
            try database.run(
                "INSERT INTO session VALUES (?, ?, ?, ?, 0)", [.blob(code), .text(user), .integer(now), .integer(now)])
            try append(.signedIn, user: user, now: now)
            return true
        }
    }

    /// The session of a cookie, if it is good; it is used now.
    func session(_ code: [UInt8], rules: SessionRules, now: Int64) throws(PortalError) -> PortalSession? {
        var found: (user: String, created: Int64, seen: Int64, form: Int64)?
        try database.run("SELECT user, created, seen, form FROM session WHERE code = ?", [.blob(code)]) { row in
            guard let user = row[0].text, let created = row[1].integer, let seen = row[2].integer, let form = row[3].integer
            else { return }
            found = (user, created, seen, form)
        }
        guard let found else { return nil }
        guard rules.isAlive(created: found.created, seen: found.seen, now: now), let user = try user(found.user) else {
            try database.run("DELETE FROM session WHERE code = ?", [.blob(code)])
            return nil
        }
        if found.seen != now {
            try database.run("UPDATE session SET seen = ? WHERE code = ?", [.integer(now), .blob(code)])
        }
        return PortalSession(code: code, user: user, form: found.form)
    }

    /// Takes a form of the session, once. `false` when it was taken before.
    func takeForm(_ session: PortalSession) throws(PortalError) -> Bool {
        try database.run(
            "UPDATE session SET form = form + 1 WHERE code = ? AND form = ?", [.blob(session.code), .integer(session.form)])
        return database.changes == 1
    }

    /// Ends a session; the audit says so.
    func end(_ session: PortalSession, now: Int64) throws(PortalError) {
        try database.transaction { () throws(PortalError) in try close(session, now: now) }
    }

    /// Within a transaction.
    private func close(_ session: PortalSession, now: Int64) throws(PortalError) {
        try database.run("DELETE FROM session WHERE code = ?", [.blob(session.code)])
        try append(.signedOut, user: session.user.name, now: now)
    }
}
