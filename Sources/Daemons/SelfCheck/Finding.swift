// SPDX-License-Identifier: Apache-2.0

/// The weight of a finding, the heaviest first.
public enum Severity: String, Sendable, CaseIterable, Comparable {
    /// People are not warned, or not protected, until it is mended.
    case serious
    /// It works, but not for long, or not well.
    case attention
    /// Good to know: nothing needs to be done.
    case hint

    /// Orders by weight: the more serious one is the lesser, so sorting puts it first.
    public static func < (one: Severity, other: Severity) -> Bool {
        allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
    }
}

/// The catalogue of findings of the self-check. Identifiers are stable; what each means, and what helps, is in the texts.
public enum Finding: String, Sendable, CaseIterable {
    /// The wearer has not agreed, or has switched the device off: it neither sends nor listens.
    case switchedOff = "switched-off"
    /// The board finds no controller, so it can neither send nor listen.
    case noController = "no-controller"
    /// The way to the controller (UART, USB or the kernel) does not work.
    case transportProblem = "transport-problem"
    /// Consent, time and controller are there, but no identifier is on air. Not told of a place.
    case radioSilent = "radio-silent"
    /// No scan has come about since the start, though more than one identifier was due.
    case radioDeaf = "radio-deaf"
    /// Nine scans of ten heard nothing, of 20 at least. In an empty room this is right.
    case quietScans = "quiet-scans"
    /// An identifier stayed on air longer than planned, by ``SelfCheck/lateRotation`` or more.
    case lateRotation = "late-rotation"
    /// At least one scan could not be stored: what it heard is missing from the comparison.
    case lostScans = "lost-scans"
    /// The board has taken at least one step against trouble with the controller.
    case ladderClimbed = "ladder-climbed"
    /// The time is not known: nothing is sent and nothing compared.
    case timeUntrusted = "time-untrusted"
    /// The clock may be right, but no signed time has confirmed it.
    case timePlausible = "time-plausible"
    /// A server's clock differs from ours by ``SelfCheck/clockOffset`` or more.
    case clockOffset = "clock-offset"
    /// No source of warnings is set, so no encounter can be recognised.
    case noSources = "no-sources"
    /// The last run of this source did not go well; the sentence is the detail.
    case sourceProblem = "source-problem"
    /// The newest keys of this source are older than ``SelfCheck/oldKeys``, or ``SelfCheck/oldFiles`` for servers of files.
    case keysOld = "keys-old"
    /// The source lists packages that were not compared yet.
    case packagesMissing = "packages-missing"
    /// Nothing of this source has been compared since the device was set up.
    case neverCompared = "never-compared"
    /// The source answers as it should, and has published nothing yet.
    case sourceEmpty = "source-empty"
    /// There are no signed rules, so no risk is told. Not told of a place.
    case noRules = "no-rules"
    /// The plugin failed too often and is not started again by itself.
    case pluginQuarantined = "plugin-quarantined"
    /// The operator has switched the plugin off.
    case pluginDisabled = "plugin-disabled"
    /// The plugin was started again three times or more.
    case pluginRestarts = "plugin-restarts"
    /// A part of what confines this process is not in force on this kernel.
    case weakConfinement = "weak-confinement"
    /// The board started too often in a short time; plugins do not run.
    case safeMode = "safe-mode"
    /// The operator's files have mistakes; what is wrong there is not in force.
    case configurationProblems = "configuration-problems"
    /// The disk refuses to store: what is heard now is lost.
    case storageProblem = "storage-problem"
    /// Something on the disk was damaged, was noticed by its checksum, and was set aside.
    case storageFindings = "storage-findings"
    /// Entries of the audit log are missing or were changed.
    case auditBroken = "audit-broken"
    /// A change of the network waits to be confirmed, and is taken back by itself otherwise.
    case networkUnconfirmed = "network-unconfirmed"
    /// A part of the board that is no plugin ended and was started again.
    case partRestarted = "part-restarted"
    /// Vigil ended without a stop in order while the board ran on, and was started again.
    case endedUnexpectedly = "ended-unexpectedly"
    /// The board was switched off, or started anew, without a stop in order.
    case powerLost = "power-lost"
    /// The system's clock differs from the believed time by ``SelfCheck/systemOffset`` or more.
    case systemClockOff = "system-clock-off"
    /// A clock contradicts a better one, or says a time that cannot be; it was not believed.
    case timeRefused = "time-refused"
    /// Less than one part in ``SelfCheck/roomShare`` of the disk is free.
    case diskNearlyFull = "disk-nearly-full"
    /// A partition is missing or cannot be used: what belongs there is lost with the next power cut.
    case partitionInMemory = "partition-in-memory"
    /// A partition could not be read and was made anew: what was on it is lost.
    case partitionAnew = "partition-anew"
    /// The file system of a partition had faults at the start; files may be missing.
    case partitionMended = "partition-mended"
    /// The battery is low: when it is nearly empty the board switches itself off.
    case batteryLow = "battery-low"
    /// A certificate ends within ``SelfCheck/certificateSeconds``, has ended, or is not good yet.
    case certificateExpiring = "certificate-expiring"

    /// The weight of the finding, always the same for one finding.
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

    /// Whether it tells of the board itself (`true`), as ``HealthVerdict`` counts. What comes from outside (`false`) — a clock nobody can tell, a
    /// source that is away, a choice of a person — says nothing about whether the software of the board is sound.
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
