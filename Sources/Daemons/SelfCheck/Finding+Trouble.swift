// SPDX-License-Identifier: Apache-2.0

public import Interfaces

extension Donation1.Trouble {
    /// The finding of the self-check that this trouble is.
    public var finding: Finding {
        switch self {
        case .noController: .noController
        case .transportProblem: .transportProblem
        case .radioSilent: .radioSilent
        case .radioDeaf: .radioDeaf
        case .lateRotation: .lateRotation
        case .lostScans: .lostScans
        case .ladderClimbed: .ladderClimbed
        case .storageProblem: .storageProblem
        case .storageFindings: .storageFindings
        case .auditBroken: .auditBroken
        case .diskNearlyFull: .diskNearlyFull
        }
    }

    /// The trouble that a finding is; `nil` for those that are never told.
    public init?(_ finding: Finding) {
        guard let trouble = Self.allCases.first(where: { $0.finding == finding }) else { return nil }
        self = trouble
    }
}
