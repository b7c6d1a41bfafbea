// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// The one loop of a plugin: descriptors and times, in turn, on one thread. Nothing in it may wait; ``PluginHost/work(_:then:)`` is for
/// what has to.
public final class PluginLoop {
    /// What a descriptor is watched for.
    public struct Interest: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let reading = Interest(rawValue: 1)
        public static let writing = Interest(rawValue: 2)
    }

    /// A time that was asked for. Letting go of it changes nothing.
    public final class Timer {
        fileprivate(set) var due: Duration
        fileprivate let interval: Duration?
        fileprivate var action: (() -> Void)?

        fileprivate init(due: Duration, interval: Duration?, action: @escaping () -> Void) {
            self.due = due
            self.interval = interval
            self.action = action
        }

        /// It does not come any more.
        public func cancel() { action = nil }
    }

    /// A descriptor that is watched. Whoever closes the descriptor cancels this first.
    public final class Watch {
        public let descriptor: Int32
        /// What for; empty for nothing at the moment.
        public var interest: Interest
        fileprivate var action: ((Interest) -> Void)?

        fileprivate init(descriptor: Int32, interest: Interest, action: @escaping (Interest) -> Void) {
            self.descriptor = descriptor
            self.interest = interest
            self.action = action
        }

        public func cancel() { action = nil }
    }

    /// Something with descriptors and deadlines of its own.
    struct Participant {
        let descriptors: () -> [pollfd]
        let deadline: () -> Duration?
        let serve: ([pollfd], Duration) -> Void
    }

    private let clock: any LoopClock
    private var timers: [Timer] = []
    private var watches: [Watch] = []
    private var participants: [Participant] = []

    public init(clock: any LoopClock = SystemLoopClock()) { self.clock = clock }

    /// Of the loop's clock.
    public var now: Duration { clock.now }

    /// Once, after `delay`.
    @discardableResult
    public func after(_ delay: Duration, _ action: @escaping () -> Void) -> Timer {
        add(Timer(due: now + max(.zero, delay), interval: nil, action: action))
    }

    /// Every `interval`, for the first time after one. What was missed while the machine was busy comes once.
    ///
    /// - Parameter interval: At least a millisecond; shorter ones are taken for one.
    @discardableResult
    public func every(_ interval: Duration, _ action: @escaping () -> Void) -> Timer {
        let interval = max(.milliseconds(1), interval)
        return add(Timer(due: now + interval, interval: interval, action: action))
    }

    /// Whenever the descriptor is ready for what is wanted, or was hung up.
    @discardableResult
    public func watch(_ descriptor: Int32, for interest: Interest, _ action: @escaping (Interest) -> Void) -> Watch {
        let watch = Watch(descriptor: descriptor, interest: interest, action: action)
        watches.append(watch)
        return watch
    }

    /// Has something with descriptors and deadlines of its own take part: `serve` is called in every round, with whatever is ready.
    public func join(
        descriptors: @escaping () -> [pollfd], deadline: @escaping () -> Duration?,
        serve: @escaping (_ ready: [pollfd], _ now: Duration) -> Void
    ) {
        add(Participant(descriptors: descriptors, deadline: deadline, serve: serve))
    }

    func add(_ participant: Participant) { participants.append(participant) }

    private func add(_ timer: Timer) -> Timer {
        timers.append(timer)
        return timer
    }

    /// When something is due next.
    public var deadline: Duration? {
        (timers.filter { $0.action != nil }.map(\.due) + participants.compactMap { $0.deadline() }).min()
    }

    /// One round: waits for a descriptor or a time, at most until `limit`, and does what there is to do.
    public func turn(until limit: Duration? = nil) {
        timers.removeAll { $0.action == nil }
        watches.removeAll { $0.action == nil }
        var list = participants.flatMap { $0.descriptors() }
        for watch in watches where !watch.interest.isEmpty {
            let events =
                (watch.interest.contains(.reading) ? POLLIN : 0) | (watch.interest.contains(.writing) ? POLLOUT : 0)
            list.append(pollfd(fd: watch.descriptor, events: Int16(events), revents: 0))
        }
        clock.wait(for: &list, until: [deadline, limit].compactMap { $0 }.min())
        let ready = list.filter { $0.revents != 0 }
        for participant in participants { participant.serve(ready, now) }
        for watch in watches {
            guard let entry = ready.first(where: { $0.fd == watch.descriptor }) else { continue }
            // Hung up: whoever reads or writes finds out.
            let isEnd = Int32(entry.revents) & (POLLHUP | POLLERR | POLLNVAL) != 0
            var found: Interest = []
            if isEnd || Int32(entry.revents) & POLLIN != 0 { found.insert(.reading) }
            if isEnd || Int32(entry.revents) & POLLOUT != 0 { found.insert(.writing) }
            watch.action?(found)
        }
        let moment = now
        for timer in timers where timer.due <= moment {
            guard let action = timer.action else { continue }
            if let interval = timer.interval {
                timer.due = timer.due + interval > moment ? timer.due + interval : moment + interval
            } else {
                timer.action = nil
            }
            action()
        }
    }
}
