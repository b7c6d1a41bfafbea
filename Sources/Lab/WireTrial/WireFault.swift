// SPDX-License-Identifier: Apache-2.0

/// What is broken on purpose in devices or servers, to show that whoever listens would notice.
package enum WireFault: String, Sendable, Hashable, CaseIterable {
    /// Nothing.
    case none
    /// In a slot with something genuine to do, the fakes are left out.
    case bare
    /// Between slots the client is kept while a test is waited for, so that TLS sessions are resumed.
    case kept
    /// What is genuine is written to disk in the step's own time.
    case late
    /// The server answers when it is ready.
    case prompt
}
