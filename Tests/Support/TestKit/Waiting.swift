// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Looks every 5 milliseconds until something holds, on the thread that calls; two minutes at most, so that nothing hangs. Returns whether it came to
/// hold. What `holds` throws ends the wait.
@discardableResult public func eventually(_ holds: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(120)
    // Looked at again and again, because nothing tells: what is waited for happens in other processes and threads.
    while try !holds() {
        guard ContinuousClock.now < end else { return false }
        usleep(5_000)
    }
    return true
}

/// Runs a function on a thread of its own, which nobody waits for.
public func onThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let error = pthread_create(
        &thread, nil,
        { pointer in
            if let pointer { Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body() }
            return nil
        }, box.toOpaque())
    precondition(error == 0, "no thread")
    pthread_detach(thread)
}
