// SPDX-License-Identifier: Apache-2.0

/// Every kind of entry in the audit log: `kind` of `org.vigil.device1.AuditEntry`.
///
/// The core writes no others, and each has words in every language of the pages (a test compares them). Raw values are stable: they
/// are on disks and in interfaces (docs/exposure-api.md).
public enum AuditKind: String, Sendable, CaseIterable {
    /// Acts around taking part and keys: somebody agreed to take part or stopped, gave a consent, or changed the role; the
    /// time was set; files were matched; another mapping holds; keys were about to be released, and were.
    case enabled, disabled, consentGiven, roleChanged, timeSet, filesMatched, mappingChanged, releaseBegun, keysReleased
    /// A pairing was written, read or forgotten; a reset has begun; data were exported; new rules were taken.
    case pairingWritten, pairingRead, pairingForgotten, resetBegun, dataExported, rulesTaken
    /// A technician restarted, enabled, disabled or set a plugin; network settings were tried or confirmed; the board was
    /// rebooted.
    case pluginRestarted, pluginEnabled, pluginDisabled, pluginSet, networkTried, networkConfirmed, rebooted
    /// Somebody signed in, or failed to; a secret was changed; a token was made or revoked; content or changed keys of an
    /// authority were taken; the correction of received strength was set.
    case signedIn, signInFailed, secretChanged, tokenMade, tokenRevoked, contentTaken, correctionSet, keysChanged
    /// The board stopped because its battery was almost empty.
    case batteryStop
}
