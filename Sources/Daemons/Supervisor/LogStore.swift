// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Logging
import ProcessLink
import Synchronization

/// The newest lines of all processes' logs, for the core to read: the files `log` and, before it, `log.before`, of
/// at most half a mebibyte each (our choice). They are in the run folder, in memory, so nothing of them reaches a
/// disk. May be used on any thread.
public final class LogStore: Sendable {
    static let fileName = "log"
    static let formerName = "log.before"
    static let fileByteCount = 512 << 10
    /// Lines of before there is a folder.
    private static let mostEarly = 64

    private struct State {
        var folder: String?
        var descriptor: Int32 = -1
        var byteCount = 0
        var next: Int64 = 1
        var early: [[UInt8]] = []
    }

    private let state = Mutex(State())

    /// Creates a store that keeps the first 64 lines in memory until it is given a folder; further ones are
    /// dropped.
    public init() {}

    deinit { state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } } }

    /// From now on there; what was there is of an earlier start, and goes.
    func keep(in folder: String) throws {
        try state.withLock { state in
            for name in [Self.fileName, Self.formerName] { unlink("\(folder)/\(name)") }
            state.folder = folder
            guard Self.begin(&state) else { throw Folders.Failure("\(folder)/\(Self.fileName)", "cannot be made") }
            for line in state.early { Self.write(line, &state) }
            state.early = []
        }
    }

    /// What was said so far goes: it is of a life that was reset. Numbers go on, because readers go by them.
    func forget() {
        state.withLock { state in
            state.early = []
            guard let folder = state.folder else { return }
            for name in [Self.fileName, Self.formerName] { unlink("\(folder)/\(name)") }
            _ = Self.begin(&state)
        }
    }

    /// A line that a process wrote, without its end.
    func keep(_ line: String, of process: String) {
        let (level, text) = KeptLine.reading(line)
        keep(text, level: level, of: process)
    }

    func keep(_ text: String, level: KeptLine.Level, of process: String) {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        let time = max(0, Int64(clock.tv_sec)) * 1_000 + Int64(clock.tv_nsec) / 1_000_000
        state.withLock { state in
            let line = KeptLine(number: state.next, time: time, process: process, level: level, text: text)
            state.next += 1
            guard state.folder != nil else {
                if state.early.count < Self.mostEarly { state.early.append(line.bytes) }
                return
            }
            Self.write(line.bytes, &state)
        }
    }

    /// Written at once and whole, or not at all: a log that cannot be kept stops nobody.
    private static func write(_ bytes: [UInt8], _ state: inout State) {
        if state.byteCount + bytes.count > fileByteCount, let folder = state.folder {
            guard rename("\(folder)/\(fileName)", "\(folder)/\(formerName)") == 0, begin(&state) else { return }
        }
        guard state.descriptor >= 0 else { return }
        let count = bytes.withUnsafeBytes { Glibc.write(state.descriptor, $0.baseAddress, $0.count) }
        if count > 0, count < bytes.count {
            ftruncate(state.descriptor, off_t(state.byteCount))
        } else if count > 0 {
            state.byteCount += count
        }
    }

    private static func begin(_ state: inout State) -> Bool {
        if state.descriptor >= 0 { close(state.descriptor) }
        let path = "\(state.folder ?? "")/\(fileName)"
        state.descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o644)
        state.byteCount = 0
        return state.descriptor >= 0
    }
}

/// A log handler that keeps the supervisor's own entries in a ``LogStore``, and passes them on.
public struct KeptLogHandler: LogHandler {
    private var base: any LogHandler
    private let store: LogStore

    /// Creates a handler that keeps every entry in `store`, and passes it on. Cannot fail.
    ///
    /// - Parameters:
    ///   - base: The handler that gets every entry as well, unchanged.
    ///   - store: The store that keeps the entries for the technician's page.
    public init(_ base: any LogHandler, store: LogStore) {
        self.base = base
        self.store = store
    }

    /// The base handler's values, which every entry carries, also in the store.
    public var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    /// The base handler's provider, `nil` if it has none; its values are not kept in the store.
    public var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    /// The base handler's level; entries below it are not made, and so are not kept.
    public var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    /// One of the base handler's values, which every entry carries; `nil` removes it.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    /// Gives the entry to the base handler and keeps it as a line of `supervisor`, cleaned of control characters. May be
    /// called on any thread. Cannot fail.
    public func log(event: LogEvent) {
        base.log(event: event)
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.map { ($0.key, "\($0.value)") }.sorted { $0.0 < $1.0 }
        store.keep(
            LogPipe.clean(Array(("\(event.message)" + fields.map { " \($0.0)=\($0.1)" }.joined()).utf8)),
            level: KeptLine.Level(rawValue: event.level.rawValue) ?? .debug, of: "supervisor")
    }
}
