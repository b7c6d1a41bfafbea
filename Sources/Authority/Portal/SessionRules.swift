// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The limits of a session: its length, and the number of acts that one user may do in an hour. Values are not checked.
public struct SessionRules: Hashable, Sendable {
    /// Seconds without a request after which a session is over: 15 minutes (OWASP's Session Management Cheat Sheet: 15
    /// to 30 minutes for low, 2 to 5 for high value).
    public var idleSeconds: Int64 = 15 * 60
    /// Seconds after sign-in at which a session is over in any case: eight hours, a working day (ours).
    public var totalSeconds: Int64 = 8 * 3_600
    /// The most teleTANs of one user in any 3,600 seconds, inclusive: 120 (ours), more than one person can read out.
    public var teleTANLimit: Int64 = 120
    /// The most warnings that one user may look for in any 3,600 seconds, inclusive: 20 (ours); an officer corrects few
    /// mistakes, and a stolen session must not learn who warned.
    public var warningLimit: Int64 = 20
    /// Seconds for which a browser is known that somebody signed in from, from the last sign-in on: 90 days (ours).
    public var knownBrowserSeconds: Int64 = 90 * UTCDay.seconds

    /// Rules with the defaults stated, to be changed.
    public init() {}

    /// Whether a session that began at `created` and was used last at `seen` is good at `now`, all in Unix seconds.
    /// False from the moment on when ``idleSeconds`` or ``totalSeconds`` have passed, and when the times do not follow
    /// one another: a clock that was set back ends it.
    public func isAlive(created: Int64, seen: Int64, now: Int64) -> Bool {
        guard created <= seen, seen <= now else { return false }
        return now - seen < idleSeconds && now - created < totalSeconds
    }
}
