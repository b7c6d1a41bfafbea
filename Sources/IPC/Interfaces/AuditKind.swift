// SPDX-License-Identifier: Apache-2.0

/// The kinds of entries in the audit log: `kind` of `org.vigil.device1.AuditEntry`.
///
/// The core writes no others, and the pages have a text for each in every language, which a test checks. Raw values are
/// stable, because they are stored and used in interfaces (docs/exposure-api.md).
public enum AuditKind: String, Sendable, CaseIterable {
    /// Participation and keys: a person agreed to take part or stopped, gave a consent, or changed the role; the time was
    /// set; files were matched; the mapping changed; the release of keys began, or was completed.
    case enabled, disabled, consentGiven, roleChanged, timeSet, filesMatched, mappingChanged, releaseBegun, keysReleased
    /// A pairing file was written or read, or a pairing was removed; a reset began; data was exported; new rules were
    /// accepted.
    case pairingWritten, pairingRead, pairingForgotten, resetBegun, dataExported, rulesTaken
    /// A technician restarted, enabled, disabled or configured a plugin; network settings were tried or confirmed; the
    /// board was rebooted.
    case pluginRestarted, pluginEnabled, pluginDisabled, pluginSet, networkTried, networkConfirmed, rebooted
    /// A person signed in or failed to; a secret changed; a token was made or revoked; content or changed keys of an
    /// authority were accepted; the correction of signal strength was set.
    case signedIn, signInFailed, secretChanged, tokenMade, tokenRevoked, contentTaken, correctionSet, keysChanged
    /// A configuration of the board's fleet was tried, or kept.
    case configurationTaken
    /// The board stopped because its battery was almost empty.
    case batteryStop
    /// A technician wanted to change a host's places, or their codes; the plugin that has them may have refused.
    case placesChanged
    /// A recording of what the radio and its controller say began, or ended.
    case recordingBegun, recordingEnded
    /// The console began to measure how loud its neighbours are, for a quarter of an hour at most.
    case calibrationBegun
    /// The wearer took a consent back.
    case consentWithdrawn
    /// The wearer let an error log go.
    case errorLogReleased
    /// A life of the device began after everything was erased: the first entry of its log.
    case lifeBegun
}
