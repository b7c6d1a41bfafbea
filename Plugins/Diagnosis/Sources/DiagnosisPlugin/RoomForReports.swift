// SPDX-License-Identifier: Apache-2.0

package import DiagnosisPlan

/// The room for reports of visits that a warning has.
package enum RoomForReports: Sendable, Equatable {
    /// Room for so many, 1 to 32.
    case some(Int)
    /// Room for none, and why.
    case none(VisitsInWarning.Absence)

    /// The number of reports, 0 to 32.
    package var count: Int { if case .some(let count) = self { count } else { 0 } }
    /// Why there is room for none; `nil` if there is.
    package var absence: VisitsInWarning.Absence? { if case .none(let absence) = self { absence } else { nil } }
}
