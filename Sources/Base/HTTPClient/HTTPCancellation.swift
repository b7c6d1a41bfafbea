// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets another thread end requests that are under way.
public final class HTTPCancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    public init() {}

    /// Ends the requests within a second, with ``HTTPError/Code/cancelled``. There is no way back.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    public var isCancelled: Bool { flag.load(ordering: .relaxed) }
}
