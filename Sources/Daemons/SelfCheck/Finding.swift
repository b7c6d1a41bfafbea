// SPDX-License-Identifier: Apache-2.0

/// How much a finding matters.
public enum Severity: String, Sendable, CaseIterable, Comparable {
    /// People are not warned, or not protected, until it is mended.
    case serious
    /// It works, but not for long, or not well.
    case attention
    /// Good to know.
    case hint

    /// Orders by weight: the more serious one is the lesser.
    public static func < (one: Severity, other: Severity) -> Bool {
        allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
    }
}

/// Everything the self-check can find. Identifiers are stable; what each means, and what helps, is in the texts.
public enum Finding: String, Sendable, CaseIterable {
    case switchedOff = "switched-off"
    case noController = "no-controller"
    case transportProblem = "transport-problem"
    case radioSilent = "radio-silent"
    case radioDeaf = "radio-deaf"
    case quietScans = "quiet-scans"
    case lateRotation = "late-rotation"
    case lostScans = "lost-scans"
    case ladderClimbed = "ladder-climbed"
    case timeUntrusted = "time-untrusted"
    case timePlausible = "time-plausible"
    case clockOffset = "clock-offset"
    case noSources = "no-sources"
    case sourceProblem = "source-problem"
    case keysOld = "keys-old"
    case packagesMissing = "packages-missing"
    case neverCompared = "never-compared"
    case sourceEmpty = "source-empty"
    case noRules = "no-rules"
    case pluginQuarantined = "plugin-quarantined"
    case pluginDisabled = "plugin-disabled"
    case pluginRestarts = "plugin-restarts"
    case weakConfinement = "weak-confinement"
    case safeMode = "safe-mode"
    case configurationProblems = "configuration-problems"
    case storageProblem = "storage-problem"
    case storageFindings = "storage-findings"
    case auditBroken = "audit-broken"
    case networkUnconfirmed = "network-unconfirmed"
    case partRestarted = "part-restarted"
    case endedUnexpectedly = "ended-unexpectedly"
    case powerLost = "power-lost"
    case systemClockOff = "system-clock-off"
    case timeRefused = "time-refused"
    case diskNearlyFull = "disk-nearly-full"
    case partitionInMemory = "partition-in-memory"
    case partitionAnew = "partition-anew"
    case partitionMended = "partition-mended"
    case batteryLow = "battery-low"
    case certificateExpiring = "certificate-expiring"

    /// How much it matters, always the same for one finding.
    public var severity: Severity {
        switch self {
        case .noController, .transportProblem, .radioSilent, .radioDeaf, .timeUntrusted, .keysOld, .noSources, .safeMode,
            .storageProblem,
            .auditBroken, .noRules, .partitionInMemory:
            .serious
        case .switchedOff, .lateRotation, .lostScans, .ladderClimbed, .clockOffset, .sourceProblem, .packagesMissing,
            .neverCompared,
            .pluginQuarantined, .weakConfinement, .configurationProblems, .storageFindings, .networkUnconfirmed,
            .quietScans, .partRestarted, .endedUnexpectedly, .systemClockOff, .timeRefused, .diskNearlyFull, .partitionAnew,
            .batteryLow, .certificateExpiring:
            .attention
        case .timePlausible, .sourceEmpty, .pluginDisabled, .pluginRestarts, .powerLost, .partitionMended: .hint
        }
    }

    /// Whether it tells of the board itself. What comes from outside — a clock nobody can tell, a source that is away — says nothing about
    /// whether the software of the board is sound.
    public var isOfTheBoard: Bool {
        switch self {
        case .timeUntrusted, .timePlausible, .clockOffset, .noSources, .sourceProblem, .keysOld, .packagesMissing,
            .neverCompared, .sourceEmpty, .noRules, .switchedOff, .pluginDisabled, .networkUnconfirmed, .quietScans,
            .powerLost,
            .systemClockOff, .timeRefused, .batteryLow, .certificateExpiring:
            false
        default: true
        }
    }
}
