// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// How long somebody stays signed in. Times are Unix seconds.
public struct SessionRules: Hashable, Sendable {
    /// Seconds without a request after which a session is over (OWASP's Session Management Cheat Sheet: 15 to 30 minutes
    /// for low, 2 to 5 for high value).
    public var idleSeconds: Int64 = 15 * 60
    /// Seconds after which a session is over in any case: eight hours, a working day.
    public var totalSeconds: Int64 = 8 * 3_600
    /// Most teleTANs of one user in an hour (ours): more than one person can read out.
    public var teleTANLimit: Int64 = 120
    /// Most warnings that one user may look for in an hour (ours): an officer corrects few mistakes, and a stolen session
    /// must not learn who warned.
    public var warningLimit: Int64 = 20
    /// Seconds for which a browser is known that somebody signed in from: 90 days (ours).
    public var knownBrowserSeconds: Int64 = 90 * UTCDay.seconds

    /// Rules with the defaults stated, to be changed.
    public init() {}

    /// Whether a session that began at `created` and was used last at `seen` is good at `now`, all in Unix seconds; the
    /// ends are exclusive. A clock that was set back ends it.
    public func isAlive(created: Int64, seen: Int64, now: Int64) -> Bool {
        guard created <= seen, seen <= now else { return false }
        return now - seen < idleSeconds && now - created < totalSeconds
    }
}
