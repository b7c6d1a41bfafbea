// SPDX-License-Identifier: Apache-2.0

/// The English texts about a finding for the console: what it means, and what helps. The web page's English texts are
/// identical, which a test checks.
public struct FindingWords: Sendable, Equatable {
    /// The name of the problem in a few words, without a full stop.
    public let title: String
    /// The consequence for the wearer or the board, in one or two English sentences.
    public let meaning: String
    /// The remedy, in one or two English sentences.
    public let fix: String

    init(_ title: String, meaning: String, fix: String) {
        self.title = title
        self.meaning = meaning
        self.fix = fix
    }
}

extension Finding {
    /// The finding's fixed English texts, which contain nothing from the board.
    public var words: FindingWords {
        switch self {
        case .switchedOff:
            FindingWords(
                "The device is switched off",
                meaning:
                    "Nobody has agreed that it sends and listens, or somebody has switched it off. It does neither. Codes of a place can be used all the same.",
                fix:
                    "On a person's device only the wearer can switch it on, on the settings page. In a place a technician can, on the page “Overview”, and so can its operator, with “vigil ctl enable”."
            )
        case .noController:
            FindingWords(
                "No Bluetooth controller",
                meaning: "The board finds no controller, so it can neither send nor listen.",
                fix: "Check that it is plugged in and powered. Then restart the board.")
        case .transportProblem:
            FindingWords(
                "The controller cannot be reached",
                meaning: "The way to the controller (UART, USB or the kernel) does not work.",
                fix: "Read the sentence below, check the cable and the profile of the board.")
        case .radioSilent:
            FindingWords(
                "No Bluetooth signal is sent out",
                meaning: "Consent and time are there, but no identifier is on air.",
                fix: "Look at the last trouble on the radio page; if it stays for ten minutes, restart the board.")
        case .radioDeaf:
            FindingWords(
                "The device did not look for other devices",
                meaning: "Since the start no scan has come about.",
                fix: "Look at the last trouble on the radio page; check the antenna.")
        case .quietScans:
            FindingWords(
                "Scans hear nothing",
                meaning: "Nine scans of ten heard no signal at all. In an empty room this is right.",
                fix: "Hold a phone with Bluetooth beside it. If it still hears nothing, check the antenna.")
        case .lateRotation:
            FindingWords(
                "A random number was changed too late",
                meaning: "An identifier stayed on air more than a minute longer than planned.",
                fix: "If it comes again, look in the log for what kept the board busy then.")
        case .lostScans:
            FindingWords(
                "What was heard of other devices could not be stored",
                meaning: "What they heard is missing from the comparison with warnings.",
                fix: "Look at the storage page.")
        case .ladderClimbed:
            FindingWords(
                "The Bluetooth part had faults",
                meaning: "The board has taken steps against trouble with the controller.",
                fix: "If the numbers rise every day, change the controller.")
        case .timeUntrusted:
            FindingWords(
                "The time is not known",
                meaning: "Without the time nothing is sent and nothing compared.",
                fix: "Give the board a network, or set the time by hand.")
        case .timePlausible:
            FindingWords(
                "The time is not confirmed",
                meaning: "The clock may be right, but no signed time has confirmed it.",
                fix: "Give the board a network: it asks the authority by itself.")
        case .clockOffset:
            FindingWords(
                "The servers have another time",
                meaning: "They differ by more than two hours. Keys may be held for days they do not belong to.",
                fix: "Check the time of the board. If it is right, call the source's operator.")
        case .noSources:
            FindingWords(
                "No source of warnings",
                meaning: "No encounter can be recognised.",
                fix: "Set a source in the settings of the sync plugin.")
        case .sourceProblem:
            FindingWords(
                "A source has trouble",
                meaning: "Its last run did not go well. The board tries again by itself.",
                fix: "Read the sentence below; then fetch now.")
        case .keysOld:
            FindingWords(
                "Warnings are older than a day",
                meaning: "People learn of encounters late. After two days their risk is shown as out of date.",
                fix: "Check the network, then fetch now.")
        case .packagesMissing:
            FindingWords(
                "Packages are missing",
                meaning: "The source lists packages that were not compared yet.",
                fix: "Fetch now. If it stays, the source's list is ahead of its packages.")
        case .neverCompared:
            FindingWords(
                "Never compared",
                meaning: "Nothing of this source has been compared since the device was set up.",
                fix: "Check the source's address in the settings of the sync plugin, then fetch now.")
        case .sourceEmpty:
            FindingWords(
                "Nothing has been published yet",
                meaning: "The source answers as it should and has no package yet. Nothing is wrong with it.",
                fix:
                    "Nothing needs to be done. If the health authority says that it has published warnings, check the source’s address and region."
            )
        case .noRules:
            FindingWords(
                "No rules of the health authority",
                meaning: "Without signed rules no risk is told.",
                fix: "Check that the authority's key is set (configKeys) and that the source offers its rules.")
        case .pluginQuarantined:
            FindingWords(
                "A plugin is in quarantine",
                meaning: "It failed too often and is not started again by itself.",
                fix: "Read how its last life ended, mend that, then restart it.")
        case .pluginDisabled:
            FindingWords(
                "A plugin is disabled",
                meaning: "The operator has switched it off.",
                fix: "Enable it if it is needed.")
        case .pluginRestarts:
            FindingWords(
                "A plugin was started again several times",
                meaning: "It ends by itself again and again.",
                fix: "Read how its last life ended and look in the log.")
        case .weakConfinement:
            FindingWords(
                "A process is held less tightly than it should be",
                meaning: "A part of what should hold it is not in force on this kernel.",
                fix: "See the plugin's page for which part, and docs/sandbox.md for what the kernel needs.")
        case .safeMode:
            FindingWords(
                "Safe mode",
                meaning: "The board started too often in a short time. Plugins do not run.",
                fix: "Look in the log for what failed, mend it, then restart the board.")
        case .configurationProblems:
            FindingWords(
                "Mistakes in the operator's files",
                meaning: "What is wrong there is not in force; the rest is.",
                fix: "Read the sentences below and correct the files they name.")
        case .storageProblem:
            FindingWords(
                "Nothing can be stored",
                meaning: "What is heard now is lost.",
                fix: "Check whether the disk is full or worn; exchange it if it is.")
        case .storageFindings:
            FindingWords(
                "Something on the disk was damaged",
                meaning: "It was noticed by its checksum and set aside; the rest is whole.",
                fix: "If it comes again, exchange the disk and look at the power supply.")
        case .auditBroken:
            FindingWords(
                "The record of changes has gaps",
                meaning: "Entries are missing or were changed. Somebody may have written to the disk.",
                fix: "Keep the disk for an investigation, and set the device up anew.")
        case .networkUnconfirmed:
            FindingWords(
                "A network change is not confirmed",
                meaning: "It will be taken back by itself.",
                fix: "Confirm it, or wait until it is taken back.")
        case .configurationOnTrial:
            FindingWords(
                "A configuration of the fleet is tried",
                meaning: "It is taken back by itself unless it comes again or a person keeps it.",
                fix:
                    "Nothing needs to be done if the board can fetch. If it cannot and everything works, keep it: “vigil ctl configuration keep”."
            )
        case .configurationTakenBack:
            FindingWords(
                "A configuration of the fleet was taken back",
                meaning: "It did not hold on this board, and what was before it holds again.",
                fix:
                    "Read the sentence below. The operator corrects the configuration and signs a newer version."
            )
        case .configurationRefused:
            FindingWords(
                "A configuration of the fleet was refused",
                meaning: "It was brought to this board, and nothing of it was taken.",
                fix:
                    "Read the sentence below, and tell the operator of the fleet."
            )
        case .partRestarted:
            FindingWords(
                "A part of the board was started again",
                meaning: "It ended by itself or was ended, and was started again at once. What it had stored is there.",
                fix: "Read how its last life ended; if it comes again, look in the log.")
        case .endedUnexpectedly:
            FindingWords(
                "Everything was started again",
                meaning:
                    "Vigil ended without a stop in order while the board ran on, and was started again. What was stored is there.",
                fix: "If it comes again, look in the system's log for what ended it.")
        case .powerLost:
            FindingWords(
                "The power was cut",
                meaning:
                    "The board was switched off, or started anew, without a stop in order. What was stored is there; at most the scan under way is lost.",
                fix: "If nobody pulled the plug, look at the power supply.")
        case .systemClockOff:
            FindingWords(
                "The system's clock is wrong",
                meaning:
                    "It differs by more than ten minutes from the time that is believed. Servers' certificates may be refused for that; identifiers go by the believed time.",
                fix: "Give the board a network with a time server; after a restart of the board the clock chip counts.")
        case .timeRefused:
            FindingWords(
                "A clock was not believed",
                meaning:
                    "It contradicts a better one, or says a time that cannot be. Nothing was deleted and no identifier changed by it.",
                fix: "Read the sentence below, and check that clock.")
        case .diskNearlyFull:
            FindingWords(
                "The disk is nearly full",
                meaning: "Less than a tenth is free. When nothing is left, what is heard is lost; the beacon goes on.",
                fix: "Look which folder takes the room, or use a larger disk.")
        case .partitionInMemory:
            FindingWords(
                "Nothing outlasts the next power cut",
                meaning: "A partition is missing or cannot be used; what belongs there is kept in memory.",
                fix: "Read the sentence below, and exchange the disk.")
        case .partitionAnew:
            FindingWords(
                "A partition was made anew",
                meaning: "What was on it could not be read and is lost. The device began as new there.",
                fix: "If nobody did that on purpose, exchange the disk; check what the operator set.")
        case .partitionMended:
            FindingWords(
                "A partition was mended",
                meaning: "Its file system had faults when the board started. Files may be missing.",
                fix: "If it comes again, exchange the disk and look at the power supply.")
        case .batteryLow:
            FindingWords(
                "The battery is low",
                meaning:
                    "When it is nearly empty the board stores everything and switches itself off; until it is charged it neither sends nor listens.",
                fix: "Charge it, or exchange it.")
        case .certificateExpiring:
            FindingWords(
                "A certificate is about to end",
                meaning:
                    "It ends within three weeks, has ended, or is not good yet. Connections that need it fail then.",
                fix: "Set a new one in the plugin's settings. The page renews its own by itself when it is started.")
        }
    }

    /// The place in the documentation that explains the finding, as a path in the repository with an anchor.
    public var documentation: String { "docs/health.md#\(rawValue)" }
}
