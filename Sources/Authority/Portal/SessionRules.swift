// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The limits of a session: how long it lasts, and how much one user may do in an hour. Values are not checked.
public struct SessionRules: Hashable, Sendable {
    /// The seconds without a request after which a session is over: 15 minutes (OWASP's Session Management Cheat Sheet: 15
    /// to 30 minutes for low, 2 to 5 for high value).
    public var idleSeconds: Int64 = 15 * 60
    /// The seconds after sign-in at which a session is over in any case: eight hours, a working day. Our own choice.
    public var totalSeconds: Int64 = 8 * 3_600
    /// The most teleTANs that one user may issue in any 3,600 seconds: 120, more than one person can read out. Our own
    /// choice.
    public var teleTANLimit: Int64 = 120
    /// The most warnings that one user may look for in any 3,600 seconds: 20. Our own choice: an officer corrects few
    /// mistakes, and a stolen session must not reveal who warned.
    public var warningLimit: Int64 = 20
    /// The seconds after the last sign-in for which a browser counts as known: 90 days. Our own choice.
    public var knownBrowserSeconds: Int64 = 90 * UTCDay.seconds

    /// Creates rules with the defaults stated.
    public init() {}

    /// Returns whether a session that began at `created` and was last used at `seen` is good at `now`, all in Unix seconds.
    /// It is not good once ``idleSeconds`` or ``totalSeconds`` have passed, and when the three times are not in this order,
    /// so that a clock that was set back ends it.
    public func isAlive(created: Int64, seen: Int64, now: Int64) -> Bool {
        guard created <= seen, seen <= now else { return false }
        return now - seen < idleSeconds && now - created < totalSeconds
    }
}
