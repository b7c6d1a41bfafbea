// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread of its own for a card, because the system may not come back from it.
enum FlashThread {
    private final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts it; `false` when the system gives none.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 1 << 20)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Box(body))
        let status = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, context.toOpaque())
        if status != 0 { context.release() }
        return status == 0
    }
}
