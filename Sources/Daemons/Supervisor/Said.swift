// SPDX-License-Identifier: Apache-2.0

import GPIOLines
import HCITransport
import Sandbox

/// What the log was told, so that it is told once.
struct Said {
    /// Parts of the confinement that this machine lacks.
    var missing: Set<Primitive> = []
    var radioProblem: TransportFailure?
    var lineProblem: LineFailure?
}
