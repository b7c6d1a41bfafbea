// SPDX-License-Identifier: Apache-2.0

/// Judges a running process by measurements from outside: signs of life, memory and processor time. Pure.
public struct Watch: Sendable {
    /// The reason why a process has to be ended.
    public enum Fault: Sendable, Equatable, CustomStringConvertible {
        /// It did not report that it serves within this time from its start; time in which the supervisor did not listen is
        /// not counted.
        case notReady(after: Duration)
        /// It gave no sign of life for this time; time in which the supervisor did not listen is not counted.
        case noSignOfLife(for: Duration)
        /// It holds more memory than it may: the resident bytes, and the limit in bytes.
        case tooMuchMemory(UInt64, limit: UInt64)
        /// It used more than four fifths of a processor for this time without a pause.
        case busyWithoutEnd(Duration)
        /// One of its folders is too large: the bytes in the folder, the most bytes that its unlinked files may have on
        /// that file system, and the limit for both together.
        case folderTooLarge(named: UInt64, hidden: UInt64, limit: UInt64)
        /// One of its folders has more files and folders than `limit`.
        case folderTooFull(limit: Int)
        /// One of its folders cannot be measured: folders in it lie deeper than 32 levels, or cannot be read.
        case folderUnmeasurable

        /// A sentence without a full stop, for the log and the technician's page; only its numbers come from the process.
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

    /// The number of heartbeat intervals without a sign of life after which a process is at fault: 3, so that it may miss
    /// two signs. Our choice, and part of the contract with plugins (docs/plugins.md).
    public static let missedSigns = 3
    /// The longest time at more than four fifths of a processor: five minutes, our choice. A sync that catches up on two
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

    /// Creates a watch for a process that was started at `now`.
    ///
    /// - Parameters:
    ///   - heartbeat: The longest time between two signs of life that the process has promised.
    ///   - memoryLimit: The most resident bytes; `nil` if memory is not watched.
    ///   - startTimeout: The longest time until the process reports that it serves.
    ///   - now: The time on a monotonic clock, the same one in all calls.
    public init(heartbeat: Duration, memoryLimit: UInt64?, startTimeout: Duration, startedAt now: Duration) {
        self.heartbeat = heartbeat
        self.memoryLimit = memoryLimit
        self.startTimeout = startTimeout
        started = now
        lastSign = now
    }

    /// Notes that the process reported READY at `now`, on the clock of the calls. From then on, signs of life are
    /// expected. Cannot fail.
    public mutating func didBecomeReady(at now: Duration) {
        isReady = true
        lastSign = now
    }

    /// Notes a sign of life of the process at `now`, on the clock of the calls. Cannot fail.
    public mutating func didGiveSign(at now: Duration) { lastSign = now }

    /// Notes that the supervisor did not listen for `time`: messages of the process waited unread, so its silence means
    /// nothing. ``due`` is put off by `time`. Cannot fail.
    public mutating func wasUnheard(for time: Duration) {
        started += time
        lastSign += time
    }

    /// Judges a measurement of the process at `now`, on the clock of the calls, and returns its fault; `nil` if there is
    /// none. The first measurement says nothing about the processor. A fault that lasts is returned at each call.
    /// - Parameters:
    ///   - memory: The resident bytes; `nil` if they are not judged, because the kernel limits them.
    ///   - processor: The processor time since the process's start, of all its threads.
    public mutating func measure(memory: UInt64?, processor: Duration, at now: Duration) -> Fault? {
        defer { measured = (now, processor) }
        if let memory, let memoryLimit, memory > memoryLimit { return .tooMuchMemory(memory, limit: memoryLimit) }
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

    /// The time from which on ``check(at:)`` returns a fault if the process stays silent, on the clock of the calls; it may
    /// be past.
    public var due: Duration { isReady ? lastSign + heartbeat * Self.missedSigns : started + startTimeout }

    /// Returns the fault at `now`, on the clock of the calls: not ready in time, or no sign of life; `nil` before ``due``.
    public func check(at now: Duration) -> Fault? {
        guard now >= due else { return nil }
        return isReady ? .noSignOfLife(for: now - lastSign) : .notReady(after: now - started)
    }
}
