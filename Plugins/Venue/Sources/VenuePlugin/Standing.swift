// SPDX-License-Identifier: Apache-2.0

package import Interfaces

/// The core's statement about the device at a moment, as far as this plugin needs it.
package struct Standing: Sendable, Equatable {
    /// The role of the device, for a person or for a place.
    package var role: Exposure1.Role
    /// The current time in Unix seconds; `nil` if it is not known.
    package var now: Int64?
    /// A time that is certainly past, in Unix seconds, by which records may be forgotten (docs/time.md); `nil` if there is
    /// none.
    package var certain: Int64?

    /// Creates a standing of these values, unchecked; see the properties for `nil`. Cannot fail.
    package init(role: Exposure1.Role, now: Int64?, certain: Int64?) {
        self.role = role
        self.now = now
        self.certain = certain
    }

    /// Derives the standing from the core's answers and from the end of the newest key file that an authority has signed
    /// (`Sync1.Source.newestEnd`). While the time is not authenticated, a time counts as certainly past only if both say
    /// so.
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
