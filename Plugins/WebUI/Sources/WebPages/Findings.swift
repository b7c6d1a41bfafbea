// SPDX-License-Identifier: Apache-2.0

import SelfCheck

/// What the pages add to a finding.
extension Finding {
    /// Where it is seen and mended.
    var area: TechnicianArea {
        switch self {
        case .switchedOff, .endedUnexpectedly, .powerLost, .batteryLow, .configurationOnTrial, .configurationTakenBack,
            .configurationRefused:
            .overview
        case .noController, .transportProblem, .radioSilent, .radioDeaf, .quietScans, .lateRotation, .lostScans,
            .ladderClimbed:
            .radio
        case .timeUntrusted, .timePlausible, .clockOffset, .systemClockOff, .timeRefused: .time
        case .noSources, .sourceProblem, .keysOld, .packagesMissing, .neverCompared, .sourceEmpty, .noRules: .sync
        case .pluginQuarantined, .pluginDisabled, .pluginRestarts, .weakConfinement, .safeMode, .configurationProblems,
            .partRestarted, .certificateExpiring:
            .plugins
        case .storageProblem, .storageFindings, .diskNearlyFull, .partitionInMemory, .partitionAnew, .partitionMended:
            .storage
        case .auditBroken: .audit
        case .networkUnconfirmed: .network
        }
    }

    /// What a button can do about it at once.
    func fix(about name: String?) -> (action: FormAction, path: [String])? {
        switch self {
        case .sourceProblem, .keysOld, .packagesMissing, .neverCompared: (.syncNow, ["tech", "sync"])
        case .pluginQuarantined: name.map { (.restartPlugin, ["tech", "plugins", $0]) }
        case .pluginDisabled: name.map { (.enablePlugin, ["tech", "plugins", $0]) }
        case .safeMode: (.reboot, ["tech", "reboot"])
        case .networkUnconfirmed: (.confirmNetwork, ["tech", "network"])
        default: nil
        }
    }
}
