// SPDX-License-Identifier: Apache-2.0

/// A fault that is made on purpose in devices or servers, to show that a listener on the wire would notice it.
package enum WireFault: String, Sendable, Hashable, CaseIterable {
    /// There is no fault.
    case none
    /// In a slot with a genuine request, the fake requests are left out.
    case bare
    /// The client is kept between slots while a test is waited for, so that TLS sessions are resumed.
    case kept
    /// The data of genuine requests are written to disk while a step is timed.
    case late
    /// The server answers as soon as the answer is ready.
    case prompt
}
