// SPDX-License-Identifier: Apache-2.0

import GAEN

/// What was checked on the way.
struct Judgement {
    /// A changed report type at one observer.
    struct Change {
        let person: Int
        let type: ReportType
        let windowsBefore: Int
        let windowsAfter: Int
        let ofNewType: Int
        /// Whether the wearer's answers changed by this and by nothing else.
        let isAllThatChanged: Bool

        var isRight: Bool {
            guard isAllThatChanged else { return false }
            return type == .revoked ? windowsAfter == 0 : windowsAfter == windowsBefore && ofNewType == windowsAfter
        }
    }

    private(set) var checks: [EncounterSimulationReport.Check] = []
    var changes: [Change] = []
    var wasTampered = false
    var filesGiven = 0
    /// For each release, whether the consent was good for it only.
    var releases: [Bool] = []
    /// Calls during which the power was cut or the process killed.
    var interruptedCalls = 0
    /// How often answers were compared with the reference, and where they differed.
    var comparisons = 0
    var differences: [String] = []
    /// Windows that were read under another mapping, changes that came too early and were refused, and what went wrong.
    var remapped = 0
    var refusedMappings = 0
    var mappingProblems: [String] = []
    /// Calls to boards that stand for a place, and those that were not refused.
    var placeCalls = 0
    var placeAnswers = 0

    /// Adds a check; `problem` is `nil` if it holds.
    mutating func add(_ claim: String, _ problem: String?) {
        checks.append(EncounterSimulationReport.Check(claim: claim, problem: problem))
    }
}
