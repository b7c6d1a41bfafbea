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

        var isRight: Bool {
            type == .revoked ? windowsAfter == 0 : windowsAfter == windowsBefore && ofNewType == windowsAfter
        }
    }

    private(set) var checks: [FortnightReport.Check] = []
    var changes: [Change] = []
    var wasTampered = false
    var filesGiven = 0

    /// Adds a check; `problem` is `nil` if it holds.
    mutating func add(_ claim: String, _ problem: String?) {
        checks.append(FortnightReport.Check(claim: claim, problem: problem))
    }
}
