// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import SQLiteFile

/// Devices that want to be woken while exposure notification is off (SwissCovid's `POST v3/register`). Boards are woken by
/// the broker, without a name; what is kept here says how many of them count on it, and no more.
extension HealthAuthority {
    /// Devices register anew after two weeks (swisscovid-doc, 03-background-synchronisation); after four they are gone.
    static let registrationSeconds: Int64 = 28 * UTCDay.seconds
    /// What is kept at most after a publication; then the oldest go. Whoever registers proves nothing, so it must not
    /// fill the disk.
    static let maximumRegistrations: Int64 = 1_000_000

    /// Registers a device, or takes its registration back; durable when this returns. One of the same device or token is
    /// replaced, as SwissCovid's servers do.
    func register(_ message: PushRegistrationMessage, now: Int64) throws(AuthorityError) {
        let device: AuthorityDatabase.Value = .blob(SHA256.digest(of: Array(message.deviceID.utf8)))
        guard !message.pushToken.isEmpty else {
            return try database.run("DELETE FROM push_registration WHERE device = ?", [device])
        }
        let token: AuthorityDatabase.Value = .blob(SHA256.digest(of: Array(message.pushToken.utf8)))
        // The day is enough to forget by.
        try database.run(
            "INSERT OR REPLACE INTO push_registration VALUES (?, ?, ?, ?)",
            [device, token, .integer(Int64(message.pushType)), .integer(UTCDay(containing: now).start)])
    }

    /// Forgets devices that did not register again, and the oldest of more than `count`, in a transaction.
    func forgetRegistrations(now: Int64, keeping count: Int64 = maximumRegistrations) throws(AuthorityError) {
        try database.run("DELETE FROM push_registration WHERE time <= ?", [.integer(now - Self.registrationSeconds)])
        let excess = try registrationCount() - count
        guard excess > 0 else { return }
        try database.run(
            """
            DELETE FROM push_registration WHERE device IN \
            (SELECT device FROM push_registration ORDER BY time LIMIT ?)
            """, [.integer(excess)])
    }

    /// The same, in a transaction of its own.
    func trimRegistrations(now: Int64, keeping count: Int64) throws(AuthorityError) {
        try database.transaction { () throws(AuthorityError) in try forgetRegistrations(now: now, keeping: count) }
    }

    func registrationCount() throws(AuthorityError) -> Int64 {
        try database.first("SELECT count(*) FROM push_registration")?.integer ?? 0
    }
}
