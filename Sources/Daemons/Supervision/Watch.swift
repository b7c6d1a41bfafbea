// SPDX-License-Identifier: Apache-2.0

/// Judges a running process by measurements from outside: signs of life, memory, processor time. Pure.
public struct Watch: Sendable {
    /// The reason why a process has to be ended.
    public enum Fault: Sendable, Equatable, CustomStringConvertible {
        /// It has not said that it serves, so long after its start; time in which nobody listened is not counted.
        case notReady(after: Duration)
        /// It gave no sign of life for so long; time in which nobody listened is not counted.
        case noSignOfLife(for: Duration)
        /// It holds more memory than it may have: resident bytes, and the limit in bytes.
        case tooMuchMemory(UInt64, limit: UInt64)
        /// It took more than four fifths of a processor for so long without a pause.
        case busyWithoutEnd(Duration)
        /// Bytes in one of its folders, bytes at most in its files without a name on that file system, and what it may have of both.
        case folderTooLarge(named: UInt64, hidden: UInt64, limit: UInt64)
        /// Its folder has more files and folders than `limit`.
        case folderTooFull(limit: Int)
        /// Its folder cannot be measured: folders in it lie too deep, or cannot be read.
        case folderUnmeasurable

        /// A sentence without a full stop, for the log and the technician's page; only numbers come from outside.
        public var description: String {
            switch self {
            case .notReady(let time): "it did not say READY within \(time.components.seconds) s of its start"
            case .noSignOfLife(let time): "it gave no sign of life for \(time.components.seconds) s"
            case .tooMuchMemory(let bytes, let limit):
                "it holds \(bytes >> 10) KiB of memory, and may hold \(limit >> 10) (quotas.memory)"
            case .busyWithoutEnd(let time): "it kept a processor busy for \(time.components.seconds) s without a pause"
            case .folderTooLarge(let named, 0, let limit):
                "its folder holds \(named >> 10) KiB, and may hold \(limit >> 10) (quotas.state or quotas.spool)"
            case .folderTooLarge(let named, let hidden, let limit):
                "its folder holds \(named >> 10) KiB, and files without a name that it keeps open or mapped take up to \(hidden >> 10) KiB more; together it may have \(limit >> 10) (quotas.state or quotas.spool)"
            case .folderTooFull(let limit): "its folder holds more than \(limit) files and folders"
            case .folderUnmeasurable:
                "its folder cannot be measured: folders in it lie deeper than 32 levels, or cannot be read"
            }
        }
    }

    /// The number of heartbeats without a sign after which a process is at fault, so that it may miss two; a choice of ours, part of the plugins'
    /// contract (docs/plugins.md).
    public static let missedSigns = 3
    /// The longest time at more than four fifths of a processor: five minutes, a choice of ours. A sync that catches up two
    /// weeks takes less than a minute.
    public static let busyTimeout = Duration.seconds(300)

    private let heartbeat: Duration
    private let memoryLimit: UInt64?
    private let startTimeout: Duration
    private var started: Duration
    private var isReady = false
    private var lastSign: Duration
    private var measured: (at: Duration, processor: Duration)?
    private var busySince: Duration?

    /// Watches a process that was started at `now`.
    ///
    /// - Parameters:
    ///   - heartbeat: The time between two signs of life that the process has promised.
    ///   - memoryLimit: Resident bytes that it may have; `nil` if they are not watched.
    ///   - startTimeout: The longest time until it says that it serves.
    ///   - now: The time of a clock that never goes back, the same in all calls.
    public init(heartbeat: Duration, memoryLimit: UInt64?, startTimeout: Duration, startedAt now: Duration) {
        self.heartbeat = heartbeat
        self.memoryLimit = memoryLimit
        self.startTimeout = startTimeout
        started = now
        lastSign = now
    }

    /// Notes that the process said at `now` that it serves; from now on signs of life are expected. Cannot fail.
    public mutating func didBecomeReady(at now: Duration) {
        isReady = true
        lastSign = now
    }

    /// Notes a sign of life of the process at `now`, on the clock of the calls. Cannot fail.
    public mutating func didGiveSign(at now: Duration) { lastSign = now }

    /// Notes that the supervisor did not listen for `time`: messages of the process wait unread, so its silence means
    /// nothing. ``due`` is put off by as much. Cannot fail.
    public mutating func wasUnheard(for time: Duration) {
        started += time
        lastSign += time
    }

    /// Takes what the system says of it at `now`, on the clock of the calls, and returns what is wrong; `nil` if nothing is. The first measurement
    /// tells nothing of the processor. A process at fault is told again each time.
    /// - Parameters:
    ///   - memory: Resident bytes.
    ///   - processor: Processor time since its start, of all its threads.
    public mutating func measure(memory: UInt64, processor: Duration, at now: Duration) -> Fault? {
        defer { measured = (now, processor) }
        if let memoryLimit, memory > memoryLimit { return .tooMuchMemory(memory, limit: memoryLimit) }
        guard let before = measured, now > before.at else { return nil }
        // Five times the processor time is more than four times the time that passed.
        guard (processor - before.processor) * 5 > (now - before.at) * 4 else {
            busySince = nil
            return nil
        }
        let since = busySince ?? before.at
        busySince = since
        return now - since >= Self.busyTimeout ? .busyWithoutEnd(now - since) : nil
    }

    /// The moment from which on ``check(at:)`` finds something if nothing is heard until then, on the clock of the calls; it may be past.
    public var due: Duration { isReady ? lastSign + heartbeat * Self.missedSigns : started + startTimeout }

    /// The fault at `now`, on the clock of the calls: it is not ready in time, or gave no sign of life. `nil` before ``due``.
    public func check(at now: Duration) -> Fault? {
        guard now >= due else { return nil }
        return isReady ? .noSignOfLife(for: now - lastSign) : .notReady(after: now - started)
    }
}
