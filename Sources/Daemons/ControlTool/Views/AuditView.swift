// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Interfaces

/// The audit log, and its verdict on itself in words.
enum AuditView {
    static func text(_ reply: Device1.AuditReply, _ screen: Screen) -> String {
        var table = TextTable("#No.", "When (UTC)", "By", "What")
        for entry in reply.entries {
            let details = entry.details.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
            let what = meanings[entry.kind].map { "\($0) (\(entry.kind))" } ?? entry.kind
            table.add([
                "\(entry.sequence)", entry.time.map { Words.moment($0).replacing(" UTC", with: "") } ?? "not known",
                entry.actor,
                details.isEmpty ? what : "\(what): \(details)",
            ])
        }
        return (table.isEmpty ? "No entry.\n" : table.text(screen)) + "\n" + verdict(reply, screen)
    }

    private static func verdict(_ reply: Device1.AuditReply, _ screen: Screen) -> String {
        let dropped =
            reply.droppedCount > 0
            ? " \(Words.count(reply.droppedCount, "older entry", "older entries")) \(reply.droppedCount == 1 ? "is" : "are") no longer kept."
            : ""
        guard reply.intact else {
            return screen.paragraph(
                "BROKEN: the log is not as it was written. Entries are missing or were changed, by a fault of the disk or by somebody. What is above may be incomplete."
                    + dropped, .bad)
        }
        return screen.paragraph("Intact: every entry that is kept is there and unchanged." + dropped, .good)
    }

    /// The kinds this version knows (docs/exposure-api.md); others are shown as they are.
    private static let meanings = [
        "enabled": "switched on", "disabled": "switched off", "consentGiven": "somebody agreed",
        "roleChanged": "the role was changed",
        "timeSet": "the time was set by hand", "filesMatched": "key files were matched",
        "mappingChanged": "the mapping was changed",
        "releaseBegun": "a release of own keys began", "keysReleased": "own keys were released",
        "pairingWritten": "a pairing file was written", "pairingRead": "a pairing file was read",
        "pairingForgotten": "a paired device was forgotten", "resetBegun": "a reset began",
        "dataExported": "the wearer's data were shown", "rulesTaken": "the health authority's rules were taken",
        "pluginRestarted": "a plugin was started again", "pluginEnabled": "a plugin was enabled",
        "pluginDisabled": "a plugin was disabled", "pluginSet": "a plugin's settings were changed",
        "configurationTaken": "a configuration of the fleet was tried or kept",
        "networkTried": "the network was changed on trial", "networkConfirmed": "the network's change was confirmed",
        "rebooted": "the board was restarted", "batteryStop": "the board stopped because its battery was nearly empty",
        "signedIn": "somebody signed in", "signInFailed": "somebody could not sign in",
        "secretChanged": "a secret was changed",
        "tokenMade": "a token was made", "tokenRevoked": "a token was taken back",
        "contentTaken": "the health authority's content was taken", "correctionSet": "the receiver's correction was set",
        "keysChanged": "the keys of an authority were changed",
        "consentWithdrawn": "somebody took a consent back",
        "errorLogReleased": "sending of an error log was allowed",
        "recordingBegun": "a recording of the radio began", "recordingEnded": "a recording of the radio ended",
        "calibrationBegun": "a calibration of the receiver began",
        "placesChanged": "places or their codes were to be changed",
        "lifeBegun": "everything of before was erased, and a new life began",
    ]
}
