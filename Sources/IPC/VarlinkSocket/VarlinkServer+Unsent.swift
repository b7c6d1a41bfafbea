// SPDX-License-Identifier: Apache-2.0

import Glibc

extension VarlinkServer {
    /// Whether bytes wait for a caller who has not read them yet. Callers of an edge that rests now (``EdgePace``) do not count.
    public var hasUnsent: Bool { descriptors().contains { Int32($0.events) & POLLOUT != 0 } }
}
