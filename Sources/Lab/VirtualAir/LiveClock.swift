// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Virtual time that follows the machine's monotonic clock at some speed, or stands still.
struct LiveClock {
    private var base: Duration = .zero
    private var anchor = LiveClock.monotonic()
    private(set) var speed: Double
    private(set) var isPaused: Bool

    init(speed: Double, isPaused: Bool) {
        self.speed = speed
        self.isPaused = isPaused
    }

    var now: Duration { isPaused ? base : base + (Self.monotonic() - anchor) * speed }

    /// How long until virtual `moment`; `nil` while standing still.
    func wait(until moment: Duration) -> Duration? {
        isPaused ? nil : max(.zero, (moment - now) / speed)
    }

    mutating func set(speed: Double) {
        jump(to: now)
        self.speed = speed
    }

    mutating func set(isPaused: Bool) {
        jump(to: now)
        self.isPaused = isPaused
    }

    mutating func jump(to moment: Duration) {
        base = moment
        anchor = Self.monotonic()
    }

    static func monotonic() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
