// SPDX-License-Identifier: Apache-2.0

/// The weight of a finding, the heaviest first.
public enum Severity: String, Sendable, CaseIterable, Comparable {
    /// People are not warned, or not protected, until this is corrected.
    case serious
    /// The board works, but not for long, or not well.
    case attention
    /// The finding is for information: nothing needs to be done.
    case hint

    /// Returns whether `one` is more serious than `other`: the more serious one is the lesser, so that sorting puts it
    /// first.
    public static func < (one: Severity, other: Severity) -> Bool {
        allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
    }
}

/// The catalogue of findings of the self-check. Identifiers are stable; the texts say what each means, and what helps.
public enum Finding: String, Sendable, CaseIterable {
    /// The wearer has not agreed, or has switched the device off: it neither sends nor listens.
    case switchedOff = "switched-off"
    /// The board finds no controller, so it can neither send nor listen.
    case noController = "no-controller"
    /// The way to the controller (UART, USB or the kernel) does not work.
    case transportProblem = "transport-problem"
    /// Consent, time and controller are there, but no identifier is on air. Not reported in a place.
    case radioSilent = "radio-silent"
    /// No scan has taken place since the start, though more than one identifier was due.
    case radioDeaf = "radio-deaf"
    /// Nine of ten scans, of at least 20, heard nothing. In an empty room this is normal.
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
    /// A server's clock differs from the board's by ``SelfCheck/clockOffset`` or more.
    case clockOffset = "clock-offset"
    /// No source of warnings is set, so no encounter can be recognised. This finding and those about keys that are old, missing or were never compared are not
    /// reported in a place, which compares none.
    case noSources = "no-sources"
    /// The last run of this source failed; the detail says why.
    case sourceProblem = "source-problem"
    /// The newest keys of this source are older than ``SelfCheck/oldKeys``, or ``SelfCheck/oldFiles`` for servers of files.
    case keysOld = "keys-old"
    /// The source lists packages that were not compared yet.
    case packagesMissing = "packages-missing"
    /// Nothing of this source has been compared since the device was set up.
    case neverCompared = "never-compared"
    /// The source answers correctly, but has published nothing yet.
    case sourceEmpty = "source-empty"
    /// There are no signed rules, so no risk is reported. Not reported in a place.
    case noRules = "no-rules"
    /// The plugin failed too often, and is not started again automatically.
    case pluginQuarantined = "plugin-quarantined"
    /// The operator has switched the plugin off.
    case pluginDisabled = "plugin-disabled"
    /// The plugin was restarted three times or more.
    case pluginRestarts = "plugin-restarts"
    /// A part of what confines this process is not in force on this kernel.
    case weakConfinement = "weak-confinement"
    /// The last starts of the board did not last (`StartRecord.safeModeAfter`); of the plugins only the web page
    /// runs.
    case safeMode = "safe-mode"
    /// The operator's files have mistakes; the faulty parts are not in force.
    case configurationProblems = "configuration-problems"
    /// The disk refuses to store: what is heard now is lost.
    case storageProblem = "storage-problem"
    /// Data on the disk were damaged, which their checksum showed, and were set aside.
    case storageFindings = "storage-findings"
    /// Entries of the audit log are missing or were changed.
    case auditBroken = "audit-broken"
    /// A change of the network waits to be confirmed, and is otherwise taken back automatically.
    case networkUnconfirmed = "network-unconfirmed"
    /// A configuration of the board's fleet is tried, and kept if it comes again or a person keeps it.
    case configurationOnTrial = "configuration-on-trial"
    /// The newest configuration of the board's fleet did not hold, and what was before it holds again.
    case configurationTakenBack = "configuration-taken-back"
    /// A configuration of the board's fleet was brought and refused; nothing was changed.
    case configurationRefused = "configuration-refused"
    /// A part of the board that is not a plugin ended and was restarted.
    case partRestarted = "part-restarted"
    /// Vigil ended without a stop in order while the board ran on, and was started again.
    case endedUnexpectedly = "ended-unexpectedly"
    /// The board was switched off, or started anew, without a stop in order.
    case powerLost = "power-lost"
    /// The system's clock differs from the believed time by ``SelfCheck/systemOffset`` or more.
    case systemClockOff = "system-clock-off"
    /// A clock contradicted a better one, or showed an impossible time; it was not believed.
    case timeRefused = "time-refused"
    /// Less than one part in ``SelfCheck/roomShare`` of the disk is free.
    case diskNearlyFull = "disk-nearly-full"
    /// A partition is missing or cannot be used: what belongs there is lost with the next power cut.
    case partitionInMemory = "partition-in-memory"
    /// A partition could not be read and was created anew: its data are lost.
    case partitionAnew = "partition-anew"
    /// The file system of a partition was repaired at the start; files may be missing.
    case partitionMended = "partition-mended"
    /// The battery is low: when it is nearly empty the board switches itself off.
    case batteryLow = "battery-low"
    /// A certificate expires within ``SelfCheck/certificateSeconds``, has expired, or is not valid yet; the last
    /// only if a signed time has confirmed the clock.
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
            .batteryLow, .certificateExpiring, .configurationTakenBack, .configurationRefused:
            .attention
        case .configurationOnTrial, .timePlausible, .sourceEmpty, .pluginDisabled, .pluginRestarts, .powerLost,
            .partitionMended:
            .hint
        }
    }

    /// Whether the finding concerns the board itself, as ``HealthVerdict`` counts. A cause outside the board (`false`),
    /// such as a clock that cannot be set, a source that does not answer or a person's choice, says nothing about whether
    /// the board's software is sound.
    public var isOfTheBoard: Bool {
        switch self {
        case .timeUntrusted, .timePlausible, .clockOffset, .noSources, .sourceProblem, .keysOld, .packagesMissing,
            .neverCompared, .sourceEmpty, .noRules, .switchedOff, .pluginDisabled, .networkUnconfirmed, .quietScans,
            .powerLost,
            .systemClockOff, .timeRefused, .batteryLow, .certificateExpiring, .configurationOnTrial,
            .configurationTakenBack, .configurationRefused:
            false
        default: true
        }
    }
}
