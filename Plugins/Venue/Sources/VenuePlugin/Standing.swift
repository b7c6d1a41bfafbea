// SPDX-License-Identifier: Apache-2.0

package import Interfaces

/// What the core says about the device at a moment, as far as it matters here.
package struct Standing: Sendable, Equatable {
    /// Whose it is.
    package var role: Exposure1.Role
    /// Unix seconds; `nil` while the time is not known.
    package var now: Int64?
    /// A moment that is certainly past, Unix seconds: what may forget goes by it (docs/time.md). `nil` if none is.
    package var certain: Int64?

    package init(role: Exposure1.Role, now: Int64?, certain: Int64?) {
        self.role = role
        self.now = now
        self.certain = certain
    }

    /// By the core's own words, and the newest moment that an authority has signed a key file for (`Sync1.Source.newestEnd`): without a signed time
    /// both have to say that it is past.
    package init(_ status: Exposure1.Status, _ time: Device1.Time, newestEnd: Int64?) {
        role = status.role
        now = time.state == .untrusted ? nil : time.now.map { $0 / 1_000 }
        let earliest = now.flatMap { now in time.uncertainty.map { now - max(0, $0) } }
        certain =
            switch time.state {
            case .authenticated: earliest
            case .plausible: earliest.flatMap { earliest in newestEnd.map { min(earliest, $0) } }
            case .untrusted: nil
            }
    }
}
