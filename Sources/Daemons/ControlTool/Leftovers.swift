// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The files that must not stay behind, however the command ends: done, refused, Ctrl-C or hang-up. Only SIGKILL
/// and a power cut leave them; a later command removes them when they are a day old (``SpoolFolder``). May be used
/// on any thread.
public final class Leftovers: Sendable {
    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private let paths = Mutex<Set<String>>([])

    /// Creates a list without files. No signal is watched yet, so an interruption would leave files behind. Cannot
    /// fail.
    public init() {}

    /// Makes SIGINT, SIGTERM, SIGHUP and SIGQUIT remove the files first, on a thread of its own, and then end the
    /// program. Call it once, before any thread is started. Cannot fail: if the system provides no thread, the
    /// signals end the program as before, and files stay behind.
    public func watchSignals() {
        var signals = Self.signals
        // Threads started later inherit this: the one below is the only one that takes them.
        guard pthread_sigmask(SIG_BLOCK, &signals, nil) == 0 else { return }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let status = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Leftovers>.fromOpaque(context).takeRetainedValue().awaitSignal() }
                return nil
            }, context)
        if status != 0 {
            Unmanaged<Leftovers>.fromOpaque(context).release()
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        }
    }

    private func awaitSignal() {
        var signals = Self.signals
        var number: Int32 = 0
        while sigwait(&signals, &number) != 0 {}
        removeAll()
        // Ends as the signal would have, so that the shell sees what it was.
        signal(number, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        kill(getpid(), number)
        _exit(128 + number)
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in ending { sigaddset(&signals, number) }
        return signals
    }

    /// To be called before the file is made.
    func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    /// The file stays, or is gone.
    func forget(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    func remove(_ path: String) {
        unlink(path)
        forget(path)
    }

    private func removeAll() {
        paths.withLock { paths in
            for path in paths { unlink(path) }
            paths = []
        }
    }
}
