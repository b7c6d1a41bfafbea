// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc

/// A clock that a test moves, with descriptors that a test makes ready. With nothing ready, a wait takes exactly until its deadline.
final class PlayedClock: LoopClock {
    var now = Duration.seconds(100)
    /// What each number is ready for, as `poll` would say it.
    var ready: [Int32: Int32] = [:]
    /// Deadlines of the waits so far that were not only looks.
    private(set) var waits: [Duration?] = []
    /// What each wait was given.
    private(set) var asked: [[Int32]] = []
    /// Happens when a wait begins.
    var onWait: (() -> Void)?

    func wait(for descriptors: inout [pollfd], until deadline: Duration?) {
        let isLook = deadline.map { $0 <= now } ?? false
        if !isLook {
            waits.append(deadline)
            asked.append(descriptors.map(\.fd))
            onWait?()
        }
        var count = 0
        for index in descriptors.indices {
            let events = ready[descriptors[index].fd, default: 0]
            let wanted = Int32(descriptors[index].events) | POLLHUP | POLLERR
            descriptors[index].revents = Int16(truncatingIfNeeded: events & wanted)
            if descriptors[index].revents != 0 { count += 1 }
        }
        if count == 0, let deadline { now = max(now, deadline) }
    }
}

/// A loop in played time, and what was served in it.
final class Stage {
    let clock = PlayedClock()
    let loop: EventLoop
    var log: [String] = []

    init() { loop = EventLoop(clock: clock) }

    /// Watches a number, writes `name` down when it is served, and takes the readiness away.
    @discardableResult
    func watch(
        _ name: String, _ descriptor: Int32, _ rank: EventLoop.Rank, keepsReady: Bool = false,
        then: @escaping () -> Void = {}
    ) -> EventLoop.Watch {
        loop.watch(descriptor, for: .reading, rank: rank) { [unowned self] _ in
            log.append(name)
            if !keepsReady { clock.ready[descriptor] = nil }
            then()
        }
    }

    func makeReady(_ descriptors: Int32...) { for descriptor in descriptors { clock.ready[descriptor] = POLLIN } }

    /// Rounds that end at once when nothing is ready.
    func turn(_ rounds: Int = 1) { for _ in 0..<rounds { loop.turn(until: clock.now) } }
}

extension pollfd {
    static func reading(_ descriptor: Int32) -> pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }
}
