// SPDX-License-Identifier: Apache-2.0

/// A ``SyncSchedule`` as it is stored over a restart of the program or of the board.
public struct StoredSchedule: Sendable, Hashable {
    /// The time at which it was stored, on both clocks.
    public var moment: SyncMoment
    /// The value of ``SyncSchedule/due`` when it was stored, in seconds of the steady clock.
    public var due: Int64
    /// The value of ``SyncSchedule/notBefore`` when it was stored, before which no run begins, in seconds of the steady
    /// clock.
    public var notBefore: Int64
    /// The value of ``SyncSchedule/lastBegin`` when it was stored, in seconds of the steady clock; `nil` if no run had
    /// begun.
    public var lastBegin: Int64?
    /// The value of ``SyncSchedule/failures`` when it was stored, the number of failures in a row, 0 to 255.
    public var failures: UInt8
    /// Whether a run was in progress when it was stored.
    public var isRunning: Bool

    /// Creates a stored schedule of these values, in seconds of the steady clock; impossible values are corrected when the
    /// schedule is restored. `lastBegin` is `nil` if no run had begun.
    public init(
        moment: SyncMoment, due: Int64, notBefore: Int64, lastBegin: Int64?, failures: UInt8, isRunning: Bool
    ) {
        self.moment = moment
        self.due = due
        self.notBefore = notBefore
        self.lastBegin = lastBegin
        self.failures = failures
        self.isRunning = isRunning
    }
}

extension SyncSchedule {
    /// Returns the part of the schedule to store, from which ``init(_:at:timing:using:)`` restores it. A wish is not part
    /// of it. Cannot fail.
    public func stored(at now: SyncMoment) -> StoredSchedule {
        StoredSchedule(
            moment: now, due: due, notBefore: notBefore, lastBegin: lastBegin, failures: failures, isRunning: isRunning)
    }

    /// Restores a stored schedule.
    ///
    /// - In the same run of the board the steady clock goes on: the times still count, whatever the system clock did.
    /// - After a restart of the board only the system clock can tell how much time has passed. A stored time in the future
    ///   tells nothing (the clock jumped, or has not been set yet), and is discarded, so that no run waits for a day that
    ///   never comes. A run that became due in between gets a new random time, because other boards got their power back at
    ///   the same moment.
    /// - No wait is longer than the schedule itself could have asked for.
    /// - A run that was in progress counts as failed.
    public init(
        _ stored: StoredSchedule, at now: SyncMoment, timing: SyncTiming, using random: inout some RandomNumberGenerator
    ) {
        self.init(at: now, timing: timing, using: &random)
        failures = stored.failures
        let longest = timing.interval + timing.spread
        let longestRefusal = timing.retryAfterLimit + timing.spread
        if stored.moment.boot == now.boot, stored.moment.steady <= now.steady {
            due = min(stored.due, now.steady + max(longest, longestRefusal))
            keepsPlace = false
            notBefore = min(stored.notBefore, now.steady + longestRefusal)
            lastBegin = stored.lastBegin.flatMap { $0 <= now.steady ? $0 : nil }
        } else if let passed = Self.passed(from: stored.moment.wall, to: now.wall) {
            let refusal = Self.remaining(stored.notBefore, since: stored.moment.steady, passed: passed)
            if refusal > 0, refusal <= longestRefusal { notBefore = now.steady + refusal }
            let wait = Self.remaining(stored.due, since: stored.moment.steady, passed: passed)
            // What was due meanwhile keeps the fresh random moment of the line above.
            if wait > 0, wait <= max(longest, longestRefusal) {
                due = now.steady + wait
                keepsPlace = false
            }
        }
        if stored.isRunning { failed(at: now, timing: timing, using: &random) }
    }

    /// Seconds between two readings of the system clock; `nil` when it went back.
    private static func passed(from stored: Int64, to now: Int64) -> Int64? {
        let (passed, overflow) = now.subtractingReportingOverflow(stored)
        return overflow || passed < 0 ? nil : passed
    }

    /// Seconds left at the start of another run of the board; 0 and below when the time has come, or cannot be reckoned.
    private static func remaining(_ time: Int64, since stored: Int64, passed: Int64) -> Int64 {
        let (wait, overflow) = time.subtractingReportingOverflow(stored)
        guard !overflow else { return 0 }
        let (left, tooFar) = wait.subtractingReportingOverflow(passed)
        return tooFar ? 0 : left
    }
}
