// SPDX-License-Identifier: Apache-2.0

/// Every kind of entry in the audit log: `kind` of `org.vigil.device1.AuditEntry`.
///
/// The core writes no others, and each has words in every language of the pages (a test compares them). Raw values are stable: they
/// are on disks and in interfaces (docs/exposure-api.md).
public enum AuditKind: String, Sendable, CaseIterable {
    case enabled, disabled, consentGiven, roleChanged, timeSet, filesMatched, mappingChanged, releaseBegun, keysReleased
    case pairingWritten, pairingRead, pairingForgotten, resetBegun, dataExported, rulesTaken
    case pluginRestarted, pluginEnabled, pluginDisabled, pluginSet, networkTried, networkConfirmed, rebooted
    case signedIn, signInFailed, secretChanged, tokenMade, tokenRevoked, contentTaken, correctionSet, keysChanged
    case batteryStop
}
