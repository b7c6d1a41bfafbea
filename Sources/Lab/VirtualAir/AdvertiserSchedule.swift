// SPDX-License-Identifier: Apache-2.0

/// The times at which a sender transmits: every advertising interval plus 0 to 10 ms (Core Specification, Vol 6 Part B
/// 4.4.2.2.1, "advDelay").
///
/// One advertising event stands for the packets on all three channels: they take some 4.5 ms, less than any scan window, so
/// a scanner that listens at that moment gets one of them whatever its channel.
struct AdvertiserSchedule {
    private static let maximumDelay: Microseconds = 10_000
    /// After a pause of at most this length the phase is exact; after a longer one advDelay has blurred it, and a
    /// random phase is as good.
    private static let memory: Microseconds = 10_000_000

    let interval: Microseconds
    private(set) var next: Microseconds

    init(start: Microseconds, interval: Microseconds, using generator: inout SplitMix64) {
        self.interval = interval
        next = start + Self.delay(using: &generator)
    }

    mutating func step(using generator: inout SplitMix64) { next += interval + Self.delay(using: &generator) }

    /// Finds the next event at or after `now` when nobody listened for a while.
    mutating func wake(at now: Microseconds, using generator: inout SplitMix64) {
        if now - next <= Self.memory {
            while next < now { step(using: &generator) }
        } else {
            next = now + .random(in: 0..<interval + Self.delay(using: &generator), using: &generator)
        }
    }

    /// How long `count` events take, with the delays between them.
    static func length(of count: Int, interval: Microseconds, using generator: inout SplitMix64) -> Microseconds {
        (0..<count).reduce(0) { sum, _ in sum + interval + delay(using: &generator) }
    }

    private static func delay(using generator: inout SplitMix64) -> Microseconds {
        .random(in: 0...maximumDelay, using: &generator)
    }
}
