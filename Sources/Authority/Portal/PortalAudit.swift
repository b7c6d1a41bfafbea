// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import JSON

/// One thing somebody did. Never holds a teleTAN, a password or an address.
public struct PortalEvent: Hashable, Sendable {
    /// The kind of an event. Raw values are stable: they are in the database.
    public enum Kind: String, Sendable, CaseIterable {
        /// Somebody signed in.
        case signedIn = "signed-in"
        /// Somebody gave a wrong password, or a name that there is not.
        case signInFailed = "sign-in-failed"
        /// Somebody tried too often and was told to wait.
        case signInSlowed = "sign-in-slowed"
        /// Somebody signed out.
        case signedOut = "signed-out"
        /// Somebody asked for a teleTAN: written before it is issued, so that none is issued unwritten.
        case teleTANRequested = "teletan-requested"
        /// A teleTAN was issued to the user.
        case teleTANIssued = "teletan-issued"
        /// The verification server refused a teleTAN.
        case teleTANRefused = "teletan-refused"
        /// A user reached the limit of teleTANs, or of questions about warnings.
        case limitHit = "limit-hit"
        /// Somebody asked for a warning by its code: written before it is looked for.
        case warningAsked = "warning-asked"
        /// A user proposed to take a warning back.
        case warningProposed = "warning-proposed"
        /// A second user confirmed a proposal.
        case warningConfirmed = "warning-confirmed"
        /// A user dropped a proposal.
        case warningDropped = "warning-dropped"
        /// The publishing authority refused what a user asked.
        case warningRefused = "warning-refused"
        /// An operator added a user.
        case userAdded = "user-added"
        /// An operator removed a user.
        case userRemoved = "user-removed"
        /// A user's password was changed.
        case passwordChanged = "password-changed"
    }

    /// Number of the event: from 1, without gaps.
    public var sequence: Int64
    /// The time when it happened, by this machine's clock: Unix seconds.
    public var time: Int64
    /// Name of the user; empty when there is no such user, since people type passwords into the wrong field.
    public var user: String
    /// A ``Kind``'s raw value; whatever the database says when somebody changed it.
    public var kind: String
    /// Kind of teleTAN, role, number of a proposal, or code of a refusal.
    public var detail: String
    /// SHA-256 over the chain before it and the event, 32 bytes.
    public var chain: [UInt8]

    /// What the chain must be after `before`. Each text comes with its length: no two events read the same.
    static func chain(
        _ before: [UInt8], sequence: Int64, time: Int64, user: String, kind: String, detail: String
    ) -> [UInt8] {
        var content = before + Array("\(sequence)\n\(time)\n".utf8)
        for text in [user, kind, detail] { content += Array("\(text.utf8.count):\(text)\n".utf8) }
        return SHA256.digest(of: content)
    }

    /// The event as one line of JSON, the chain in hexadecimal.
    public var json: JSON {
        [
            "sequence": .int(sequence), "time": .int(time), "user": .string(user), "event": .string(kind),
            "detail": .string(detail), "chain": .string(Hex.string(chain)),
        ]
    }
}

/// Follows a chain of events, oldest first.
public struct PortalAuditCheck: Sendable {
    /// Sequence of the first event that does not fit to those before it; `nil` while all fit.
    public private(set) var firstFault: Int64?
    /// The last event, 0 and empty before the first, with which its owner can say later that nothing was cut off: note it
    /// where this machine cannot write.
    public private(set) var head: (sequence: Int64, chain: [UInt8]) = (0, [])

    /// A check that has seen no event yet.
    public init() {}

    /// Takes the next event, which must follow the one before; a fault is in ``firstFault`` then. Cannot fail.
    public mutating func take(_ event: PortalEvent) {
        let expected = PortalEvent.chain(
            head.chain, sequence: event.sequence, time: event.time, user: event.user, kind: event.kind, detail: event.detail
        )
        if event.sequence != head.sequence + 1 || event.chain != expected { firstFault = firstFault ?? event.sequence }
        head = (event.sequence, event.chain)
    }
}
