// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Something done a while from now, on a thread of its own: tests that wait hold up those that tasks would run on.
final class Later: Sendable {
    private let microseconds: UInt32
    private let body: @Sendable () -> Void

    private init(_ microseconds: UInt32, _ body: @escaping @Sendable () -> Void) {
        self.microseconds = microseconds
        self.body = body
    }

    static func run(milliseconds: UInt32, _ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Later(milliseconds * 1_000, body))
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let later = Unmanaged<Later>.fromOpaque(context).takeRetainedValue()
                usleep(later.microseconds)
                later.body()
                return nil
            }, context.toOpaque())
        guard status == 0 else { return context.release() }
        pthread_detach(thread)
    }
}
