// SPDX-License-Identifier: Apache-2.0

/// Decides when a source is asked next. Pure and small: a simulation holds one for each of a million clients.
///
/// The owner calls ``secondsUntilRun(at:timing:)``, waits, calls ``begin(at:)``, runs, and calls
/// ``succeeded(at:timing:using:)`` or ``failed(at:retryAfter:timing:using:)``. It stores ``stored(at:)`` after each of
/// these calls: a schedule that was restored while a run was in progress counts that run as failed, so a program that
/// crashes on what it downloads does not ask again at once.
public struct SyncSchedule: Sendable, Hashable {
    /// The time at which the next run is due without a wish, in seconds of the steady clock: the regular one, or
    /// the next try after a failed or stopped run.
    public internal(set) var due: Int64
    /// The time before which no run begins, regular or wished for, in seconds of the steady clock, as a server has asked;
    /// it may be past.
    public internal(set) var notBefore: Int64
    /// The time at which the last run began, in seconds of the steady clock; `nil` if none has begun since the board was
    /// switched on.
    public internal(set) var lastBegin: Int64?
    /// The number of failed runs since the last successful one, at most 255. Stopped runs are not counted.
    public internal(set) var failures: UInt8
    /// Whether a run is in progress.
    public internal(set) var isRunning: Bool
    /// Whether a person asked for a run that has not begun yet; not part of ``stored(at:)``.
    public internal(set) var isWished: Bool
    /// Whether the next success keeps the place in the interval for one more (see ``succeeded(at:timing:using:)``).
    var keepsPlace: Bool

    /// Creates the schedule of a board that never ran, or whose schedule is lost: the first run comes at a random
    /// time within ``SyncTiming/spread`` of `now`, because after a blackout all boards of a region start at once.
    /// Cannot fail.
    public init(at now: SyncMoment, timing: SyncTiming, using random: inout some RandomNumberGenerator) {
        let wait = SyncTiming.uniform(below: timing.spread, using: &random)
        due = now.steady + wait
        keepsPlace = wait < timing.secondsToNextInterval(wall: now.wall)
        notBefore = now.steady
        lastBegin = nil
        failures = 0
        isRunning = false
        isWished = false
    }

    /// Returns the number of whole seconds until the next run may begin, 0 if it is due; `nil` while a run is in progress.
    public func secondsUntilRun(at now: SyncMoment, timing: SyncTiming) -> Int64? {
        guard !isRunning else { return nil }
        var start = due
        if isWished { start = min(start, lastBegin.map { $0 + timing.onDemandGap } ?? now.steady) }
        return max(0, max(start, notBefore) - now.steady)
    }

    /// Notes that a person asked for keys: the next run begins as soon as permitted, after the one in progress if there is
    /// one. Cannot fail.
    public mutating func wish() { isWished = true }

    /// Notes that a run begins at `now`. A wish that comes later is for the run after it. Cannot fail.
    public mutating func begin(at now: SyncMoment) {
        isRunning = true
        isWished = false
        lastBegin = now.steady
    }

    /// Notes that the run succeeded at `now`: the next one comes at a random time within ``SyncTiming/spread`` of
    /// the beginning of the next interval. Cannot fail.
    ///
    /// There is one exception, after the first run of a board that was switched on in the same interval: its next
    /// run comes at the same point of the next interval. Of boards that were switched on together, say 20 minutes
    /// into an hour, all run within an hour from then, and a third of them in the first 20 minutes of the next
    /// hour. If the others drew from all of that hour, its first 20 minutes would get 1.7 times the usual load.
    /// Because they keep their point, those minutes are left to the third, and every minute of every interval has
    /// the same load from the first one on (docs/fleet-load.md).
    public mutating func succeeded(
        at now: SyncMoment, timing: SyncTiming, using random: inout some RandomNumberGenerator
    ) {
        isRunning = false
        failures = 0
        let start = now.steady + timing.secondsToNextInterval(wall: now.wall)
        let regular = now.steady + timing.regularDelay(wall: now.wall, using: &random)
        let place = due.addingReportingOverflow(timing.interval).partialValue
        // A clock that jumped meanwhile makes the place one of another interval; then it means nothing.
        due = keepsPlace && place >= start && place < start + timing.spread ? place : regular
        keepsPlace = false
    }

    /// Notes that the run failed at `now`: the next one comes after ``SyncTiming/backoffDelay(failures:using:)``,
    /// and not before the end of a wait that the server asks for. Cannot fail.
    ///
    /// - Parameter retryAfter: The number of seconds that the server asked to wait, `nil` if it asked for none. No
    ///   run begins earlier, not even one that a person asks for; it begins up to twice as late
    ///   (``SyncTiming/retryAfterDelay(_:using:)``). More than ``SyncTiming/retryAfterLimit`` counts as that limit.
    public mutating func failed(
        at now: SyncMoment, retryAfter: Int64? = nil, timing: SyncTiming, using random: inout some RandomNumberGenerator
    ) {
        isRunning = false
        keepsPlace = false
        failures = failures == .max ? .max : failures + 1
        due = now.steady + timing.backoffDelay(failures: Int(failures), using: &random)
        if let retryAfter {
            notBefore = max(notBefore, now.steady + timing.retryAfterDelay(retryAfter, using: &random))
            due = max(due, notBefore)
        }
    }

    /// Notes that the run was stopped before its end, which says nothing about the server: the next run is due at a
    /// random time within ``SyncTiming/backoff``, and ``failures`` stays. Cannot fail.
    public mutating func stopped(
        at now: SyncMoment, timing: SyncTiming, using random: inout some RandomNumberGenerator
    ) {
        isRunning = false
        keepsPlace = false
        due = now.steady + SyncTiming.uniform(below: timing.backoff, using: &random)
    }

    /// Brings the next run forward to a random time within ``SyncTiming/backoff``, however the last one ended: something there is
    /// to be seen again soon. A server's wish to wait (``notBefore``) counts all the same, and failures stay counted. Cannot
    /// fail.
    public mutating func hasten(
        at now: SyncMoment, timing: SyncTiming, using random: inout some RandomNumberGenerator
    ) {
        keepsPlace = false
        due = max(notBefore, min(due, now.steady + SyncTiming.uniform(below: timing.backoff, using: &random)))
    }
}
