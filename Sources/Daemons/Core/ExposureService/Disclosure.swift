// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Ledger

/// What about the wearer is nobody else's to learn, and by which words of the core's interfaces it could be learned: the one place where that is
/// decided (docs/access.md says it in words). A switch without a default: whatever is added to the interfaces has to be decided here, too.
enum Secret: Sendable, CaseIterable {
    /// That the wearer agreed to something, warned others, or has devices that are paired.
    case consents
    /// That somebody was met who warned, and what follows from it.
    case matches
}

extension Caller {
    /// Whether this call may learn of `secret`: the console, the wearer, and programs that were granted it and stand for nobody.
    func mayLearn(_ secret: Secret) -> Bool {
        if presence == Self.console { return true }
        if isBoundToSessions, session?.role != .wearer { return false }
        return switch secret {
        case .consents: session?.role == .wearer || isPartyToConsents
        case .matches: reading != .nothing
        }
    }
}

extension Exposure1.Event {
    /// What somebody learns who is told of it at the moment it happens; `nil` for what anybody may know who may watch.
    var secret: Secret? {
        switch self {
        case .consentGiven, .keysReleased, .pairingChanged: .consents
        case .matchesChanged: .matches
        case .current, .enabled, .disabled, .stateChanged, .roleChanged, .timeChanged, .filesProvided, .mappingChanged,
            .troubled, .recovered:
            nil
        }
    }
}

extension AuditKind {
    /// Whether it is the wearer's alone: that keys were released says that somebody is ill.
    var isPersonal: Bool {
        switch self {
        case .consentGiven, .consentWithdrawn, .releaseBegun, .keysReleased, .pairingWritten, .pairingRead,
            .pairingForgotten, .dataExported, .errorLogReleased:
            true
        case .enabled, .disabled, .roleChanged, .timeSet, .filesMatched, .mappingChanged, .resetBegun, .rulesTaken,
            .signedIn, .signInFailed, .secretChanged, .tokenMade, .tokenRevoked, .contentTaken, .correctionSet,
            .keysChanged, .configurationTaken,
            .pluginRestarted, .pluginEnabled,
            .pluginDisabled, .pluginSet, .networkTried, .networkConfirmed, .rebooted, .batteryStop,
            .placesChanged, .recordingBegun, .recordingEnded, .calibrationBegun, .lifeBegun:
            false
        }
    }
}

extension AuditEntry {
    /// Whether it is not shown to technicians: what is the wearer's alone, and when the wearer signed in.
    var isPersonal: Bool {
        let wearer = Access1.Role.wearer.rawValue
        guard let kind = AuditKind(rawValue: kind), details["as"] ?? wearer == wearer else { return false }
        return kind.isPersonal || kind == .signedIn && details["role"] == wearer
    }
}
