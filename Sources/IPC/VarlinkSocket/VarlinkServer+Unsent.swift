// SPDX-License-Identifier: Apache-2.0

import Glibc

extension VarlinkServer {
    /// Whether bytes are waiting for a caller who has not read them. Callers of an edge that has used up its share of time
    /// (``Edge/isPaced``) do not count.
    public var hasUnsent: Bool { descriptors().contains { Int32($0.events) & POLLOUT != 0 } }
}
