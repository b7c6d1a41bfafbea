// SPDX-License-Identifier: Apache-2.0

import Glibc

extension EventLoop {
    /// A part of the loop. It stays in the loop until it is cancelled, even if nothing else refers to this object. For the
    /// loop's thread only.
    public class Source {
        /// The part's place in the order of service; never changes.
        public let rank: EventLoop.Rank
        /// Whether the part has left the loop. A timer that runs one time is cancelled before its action runs.
        public internal(set) var isCancelled = false
        /// It is to have a turn in every round and was held back: the next round in which it is not does not wait.
        var isOwedTurn = false
        /// By order of joining.
        var number: UInt64 = 0
        /// Number of its last turn.
        var lastTurn: UInt64 = 0
        /// The place of its descriptors in the list of the round or of the last look.
        var span = 0..<0
        /// Its deadline, asked for before the wait; nothing changes while the loop waits.
        var roundDue: Duration?

        init(_ rank: EventLoop.Rank) { self.rank = rank }

        /// Removes the part from the loop: it gets no further turn, not even in this round. Cannot fail.
        public func cancel() { isCancelled = true }

        var joinsEveryRound: Bool { false }
        var due: Duration? { nil }

        func appendDescriptors(to list: inout [pollfd]) {}

        /// One turn; whether it has more to do, for which ``proceed(at:)`` is called.
        func serve(_ ready: [pollfd], at now: Duration) -> Bool { false }

        func proceed(at now: Duration) -> Bool { false }
    }

    /// A timer, which runs one time or at intervals; created by ``EventLoop/after(_:rank:_:)`` and
    /// ``EventLoop/every(_:rank:_:)``.
    public final class Timer: Source {
        private var moment: Duration
        private let interval: Duration?
        private var action: (() -> Void)?

        init(_ rank: Rank, due: Duration, interval: Duration?, action: @escaping () -> Void) {
            moment = due
            self.interval = interval
            self.action = action
            super.init(rank)
        }

        /// Removes the timer from the loop and releases its action. Cannot fail.
        public override func cancel() {
            super.cancel()
            action = nil
        }

        override var due: Duration? { moment }

        override func serve(_ ready: [pollfd], at now: Duration) -> Bool {
            let action = action
            if let interval {
                moment = moment + interval > now ? moment + interval : now + interval
            } else {
                cancel()
            }
            action?()
            return false
        }
    }

    /// A watch on a descriptor. Cancel it before you close the descriptor. For the loop's thread only.
    public final class Watch: Source {
        /// The file descriptor that is watched. It belongs to the caller who asked for the watch.
        public let descriptor: Int32
        /// The events for which the descriptor is watched. Empty: none at present, not even a hang-up.
        public var interest: Interest {
            didSet { if interest != oldValue, !isCancelled { loop?.update(self) } }
        }
        /// In its ``WatchTable``.
        var place = 0
        weak var loop: EventLoop?
        private var action: ((Interest) -> Void)?

        init(_ rank: Rank, descriptor: Int32, interest: Interest, action: @escaping (Interest) -> Void) {
            self.descriptor = descriptor
            self.interest = interest
            self.action = action
            super.init(rank)
        }

        /// Removes the watch from the loop and releases its action. Does not close the descriptor. Cannot fail.
        public override func cancel() {
            guard !isCancelled else { return }
            super.cancel()
            action = nil
            loop?.remove(self)
        }

        /// `poll` passes over negative numbers.
        var entry: pollfd {
            let events = (interest.contains(.reading) ? POLLIN : 0) | (interest.contains(.writing) ? POLLOUT : 0)
            return pollfd(fd: interest.isEmpty ? -1 : descriptor, events: Int16(events), revents: 0)
        }

        override func appendDescriptors(to list: inout [pollfd]) { list.append(entry) }

        override func serve(_ ready: [pollfd], at now: Duration) -> Bool {
            let events = ready.reduce(Int32(0)) { $0 | Int32($1.revents) }
            // Hung up: reading or writing tells more.
            let isEnd = events & (POLLHUP | POLLERR | POLLNVAL) != 0
            var found: Interest = []
            if isEnd || events & POLLIN != 0 { found.insert(.reading) }
            if isEnd || events & POLLOUT != 0 { found.insert(.writing) }
            action?(found)
            return false
        }
    }
}

/// A part with its own descriptors and deadlines.
final class Participant: EventLoop.Source {
    private struct Parts {
        let descriptors: () -> [pollfd]
        let deadline: () -> Duration?
        let begin: ([pollfd], Duration) -> Void
        let proceed: ((Duration) -> Bool)?
    }

    private var parts: Parts?
    private let isInEveryRound: Bool

    init(
        _ rank: EventLoop.Rank, descriptors: @escaping () -> [pollfd], deadline: @escaping () -> Duration?,
        begin: @escaping ([pollfd], Duration) -> Void, proceed: ((Duration) -> Bool)?, joinsEveryRound: Bool
    ) {
        parts = Parts(descriptors: descriptors, deadline: deadline, begin: begin, proceed: proceed)
        isInEveryRound = joinsEveryRound
        super.init(rank)
    }

    override func cancel() {
        super.cancel()
        parts = nil
    }

    override var joinsEveryRound: Bool { isInEveryRound }

    override var due: Duration? { parts?.deadline() }

    override func appendDescriptors(to list: inout [pollfd]) { if let parts { list += parts.descriptors() } }

    override func serve(_ ready: [pollfd], at now: Duration) -> Bool {
        guard let parts else { return false }
        parts.begin(ready, now)
        return parts.proceed?(now) ?? false
    }

    override func proceed(at now: Duration) -> Bool { parts?.proceed?(now) ?? false }
}
