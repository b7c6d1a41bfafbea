// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// The parameters of ``SyncSchedule``, in seconds. One value can serve any number of schedules.
public struct SyncTiming: Sendable, Hashable {
    /// The number of seconds between two publications of the server, 60 to 86,400; 3,600 if not set. A run is planned once per interval; intervals
    /// begin at multiples of it since 1970.
    public let interval: Int64
    /// Runs of one interval are spread evenly over so many seconds after it begins, 0 to ``interval``; 3,600 if not set (CWA: 3600; spec 7.4).
    public let spread: Int64
    /// The mean wait in seconds after the first failure in a row, 1 to ``backoffLimit``; it doubles with each further one. 480 if not set (CWA on
    /// Android: 8 minutes).
    public let backoff: Int64
    /// The mean wait after many failures, in seconds, 1 to 86,400; 3,600 if not set. It should not be above ``interval``, or a server that is back
    /// would be found late; nor far below it, or a failing server would be asked more often than a working one.
    public let backoffLimit: Int64
    /// The longest wait that a server can ask for with Retry-After, in seconds, 0 to 604,800; a day if not set, our
    /// choice. A random part is added (``retryAfterDelay(_:using:)``).
    public let retryAfterLimit: Int64
    /// The least number of seconds between the beginnings of the last run and of one that a person asked for, 0 to
    /// 3,600, unless a regular run is due sooner; 30 if not set, our choice. A server's wish to wait
    /// (``SyncSchedule/notBefore``) counts besides.
    public let onDemandGap: Int64

    /// Creates the parameters. Each is limited to its range: interval 60 to 86,400, spread 0 to interval, backoff 1 to
    /// backoffLimit, backoffLimit 1 to 86,400, retryAfterLimit 0 to 604,800, onDemandGap 0 to 3,600.
    public init(
        interval: Int64 = 3_600, spread: Int64 = 3_600, backoff: Int64 = 480, backoffLimit: Int64 = 3_600,
        retryAfterLimit: Int64 = UTCDay.seconds, onDemandGap: Int64 = 30
    ) {
        self.interval = min(max(interval, 60), UTCDay.seconds)
        self.spread = min(max(spread, 0), self.interval)
        self.backoffLimit = min(max(backoffLimit, 1), UTCDay.seconds)
        self.backoff = min(max(backoff, 1), self.backoffLimit)
        self.retryAfterLimit = min(max(retryAfterLimit, 0), 604_800)
        self.onDemandGap = min(max(onDemandGap, 0), 3_600)
    }

    /// The parameters of runs every hour, spread over the hour, as in the Corona-Warn-App; all of them are the defaults.
    public static let hourly = SyncTiming()

    /// Returns the number of seconds until the next interval begins on the system clock, 1 to ``interval``; `wall` is in
    /// Unix seconds. Cannot fail.
    public func secondsToNextInterval(wall: Int64) -> Int64 {
        let phase = wall % interval
        return interval - (phase < 0 ? phase + interval : phase)
    }

    /// Returns the number of seconds until the next regular run: the rest of this interval and a random part of the spread,
    /// 1 to less than ``interval`` + ``spread`` (1 to ``interval`` without a spread). `wall` is in Unix seconds. Cannot
    /// fail.
    public func regularDelay(wall: Int64, using random: inout some RandomNumberGenerator) -> Int64 {
        secondsToNextInterval(wall: wall) + Self.uniform(below: spread, using: &random)
    }

    /// Returns the wait in seconds, at least 1, after `failures` failures in a row (less than 1 counts as 1): half to one
    /// and a half times the mean, which doubles with each failure up to ``backoffLimit``, so that clients that failed
    /// together do not return together.
    public func backoffDelay(failures: Int, using random: inout some RandomNumberGenerator) -> Int64 {
        let doublings = min(max(failures, 1) - 1, 20)
        let mean = min(backoff << Int64(doublings), backoffLimit)
        return max(1, mean / 2 + Self.uniform(below: mean + 1, using: &random))
    }

    /// Returns the number of seconds that a server asked to wait, limited to 0 to ``retryAfterLimit``, plus a random part
    /// of as much again (at most ``spread``), because the server told all clients the same.
    public func retryAfterDelay(_ seconds: Int64, using random: inout some RandomNumberGenerator) -> Int64 {
        let bounded = min(max(seconds, 0), retryAfterLimit)
        return bounded + Self.uniform(below: min(bounded, spread), using: &random)
    }

    static func uniform(below bound: Int64, using random: inout some RandomNumberGenerator) -> Int64 {
        bound > 0 ? Int64.random(in: 0..<bound, using: &random) : 0
    }
}
