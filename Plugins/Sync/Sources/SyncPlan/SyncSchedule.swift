// SPDX-License-Identifier: Apache-2.0

/// Decides when a source is looked at next. Pure and small: a simulation holds one for each of a million clients.
///
/// The owner asks ``secondsUntilRun(at:timing:)``, waits, calls ``begin(at:)``, runs, and calls ``succeeded(at:timing:using:)`` or
/// ``failed(at:retryAfter:timing:using:)``. It stores ``stored(at:)`` after each of these calls: a schedule that was restored while a run was
/// under way counts that run as failed, so a program that dies on what it downloads does not ask again at once.
public struct SyncSchedule: Sendable, Hashable {
    /// The moment when the next regular run is due, on the steady clock in seconds.
    public internal(set) var due: Int64
    /// The moment before which no run begins, wished for or not, on the steady clock in seconds: a server said so, or it is past.
    public internal(set) var notBefore: Int64
    /// The moment when the last run began, on the steady clock in seconds; `nil` if none did since the board was switched
    /// on.
    public internal(set) var lastBegin: Int64?
    /// The number of runs that failed since the last one that ended well; it stays at 255. Runs that were stopped do not count.
    public internal(set) var failures: UInt8
    /// Whether a run is under way.
    public internal(set) var isRunning: Bool
    /// Whether somebody asked for a run that has not begun yet.
    public internal(set) var isWished: Bool
    /// Whether the next success keeps the place in the interval for one more (see ``succeeded(at:timing:using:)``).
    var keepsPlace: Bool

    /// A board that never ran, or whose schedule is lost: the first run comes at a random moment of the spread, because after
    /// a blackout all of a region starts at once.
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

    /// Whole seconds to wait before the next run begins, 0 when it is due; `nil` while one is under way.
    public func secondsUntilRun(at now: SyncMoment, timing: SyncTiming) -> Int64? {
        guard !isRunning else { return nil }
        var start = due
        if isWished { start = min(start, lastBegin.map { $0 + timing.onDemandGap } ?? now.steady) }
        return max(0, max(start, notBefore) - now.steady)
    }

    /// Notes a wish for keys: the next run begins as soon as it may, after the one under way if there is one. Cannot fail.
    public mutating func wish() { isWished = true }

    /// Notes that a run begins at `now`. A wish that comes later is for the next one. Cannot fail.
    public mutating func begin(at now: SyncMoment) {
        isRunning = true
        isWished = false
        lastBegin = now.steady
    }

    /// Notes that the run ended well at `now`: the next one comes in the next interval, at a random place of it. Cannot
    /// fail.
    ///
    /// Except after the first run of a board that was switched on in the same interval: that one comes at the same place again.
    /// Boards that were switched on together, say 20 minutes into an hour, have their first run within an hour from there; a
    /// third of them has it in the first 20 minutes of the next hour. Were the others to draw from all of that hour, its first 20
    /// minutes would get 1.7 times the usual load. Keeping their place leaves those minutes to the third, and every minute of every
    /// interval has the same load from the first one on (docs/fleet-load.md).
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

    /// Notes that the run failed at `now`: the next one comes after ``SyncTiming/backoffDelay(failures:using:)``.
    ///
    /// - Parameter retryAfter: The number of seconds that the server asked to wait, `nil` if it did not. No run begins earlier, but a wait longer
    ///   than ``SyncTiming/retryAfterLimit`` counts as that.
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

    /// Notes that we stopped the run before its end, which says nothing about the server: it is due again within
    /// ``SyncTiming/backoff``.
    public mutating func stopped(
        at now: SyncMoment, timing: SyncTiming, using random: inout some RandomNumberGenerator
    ) {
        isRunning = false
        keepsPlace = false
        due = now.steady + SyncTiming.uniform(below: timing.backoff, using: &random)
    }
}
