// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import JSON

/// One thing that somebody did, as the audit has it. Never holds a teleTAN, a password or an address. Nothing is
/// checked.
public struct PortalEvent: Hashable, Sendable {
    /// The kind of an event. Raw values are stable: they are in the database.
    public enum Kind: String, Sendable, CaseIterable {
        /// Somebody signed in.
        case signedIn = "signed-in"
        /// Somebody gave a wrong password, or a name that there is not.
        case signInFailed = "sign-in-failed"
        /// Somebody tried too often and was told to wait; written at most once a minute, without a name.
        case signInSlowed = "sign-in-slowed"
        /// Somebody signed out, or signed in anew in the same browser.
        case signedOut = "signed-out"
        /// Somebody asked for a teleTAN: written before it is issued, so that none is issued unwritten.
        case teleTANRequested = "teletan-requested"
        /// A teleTAN was issued to the user.
        case teleTANIssued = "teletan-issued"
        /// The verification server refused a teleTAN, or could not be asked.
        case teleTANRefused = "teletan-refused"
        /// A user reached the limit of teleTANs or of questions about warnings, or the verification server its own of
        /// teleTANs.
        case limitHit = "limit-hit"
        /// Somebody asked for a warning by its code: written before it is looked for.
        case warningAsked = "warning-asked"
        /// A user proposed to take a warning back.
        case warningProposed = "warning-proposed"
        /// Another user confirmed a proposal.
        case warningConfirmed = "warning-confirmed"
        /// A user dropped a proposal.
        case warningDropped = "warning-dropped"
        /// The verification server or the publishing authority refused what a user asked, or did not answer.
        case warningRefused = "warning-refused"
        /// An operator added a user.
        case userAdded = "user-added"
        /// An operator removed a user.
        case userRemoved = "user-removed"
        /// An operator changed the password of a user.
        case passwordChanged = "password-changed"
    }

    /// The number of the event: from 1, without gaps, unless somebody changed the database.
    public var sequence: Int64
    /// The time when it happened, by the clock of this machine: Unix seconds.
    public var time: Int64
    /// The name of the user, as ``PortalUser/normalized(_:)`` makes it. Empty when a sign-in was slowed, or failed for
    /// a name that there is not, since people type passwords into the wrong field.
    public var user: String
    /// The raw value of a ``Kind``; any text when somebody changed the database.
    public var kind: String
    /// The kind of a teleTAN (raw value of the ``WarningType``), the role of an added user, the number of a proposal,
    /// the code of a refusal, or at a limit of questions `warning-asked`; empty for any other event.
    public var detail: String
    /// SHA-256 over the chain of the event before and this event, 32 bytes; ``PortalAuditCheck`` checks it, this type
    /// does not.
    public var chain: [UInt8]

    /// What the chain must be after `before`. Each text comes with its length: no two events read the same.
    static func chain(
        _ before: [UInt8], sequence: Int64, time: Int64, user: String, kind: String, detail: String
    ) -> [UInt8] {
        var content = before + Array("\(sequence)\n\(time)\n".utf8)
        for text in [user, kind, detail] { content += Array("\(text.utf8.count):\(text)\n".utf8) }
        return SHA256.digest(of: content)
    }

    /// The event as a JSON object, the chain in 64 hexadecimal digits. Cannot fail.
    public var json: JSON {
        [
            "sequence": .int(sequence), "time": .int(time), "user": .string(user), "event": .string(kind),
            "detail": .string(detail), "chain": .string(Hex.string(chain)),
        ]
    }
}

/// Follows a chain of events, oldest first, and finds the first that was changed.
public struct PortalAuditCheck: Sendable {
    /// The sequence of the first event that does not fit to those before it, as that event has it; `nil` while all fit.
    public private(set) var firstFault: Int64?
    /// Sequence and chain (32 bytes) of the last event taken, fitting or not; 0 and empty before the first. Its owner
    /// notes it where this machine cannot write, and can say later that nothing was cut off.
    public private(set) var head: (sequence: Int64, chain: [UInt8]) = (0, [])

    /// A check that has seen no event yet.
    public init() {}

    /// Takes the next event. ``firstFault`` is set, unless it was set before, when the event does not have the next
    /// number, or its chain is not that of its content after the one before. Cannot fail.
    public mutating func take(_ event: PortalEvent) {
        let expected = PortalEvent.chain(
            head.chain, sequence: event.sequence, time: event.time, user: event.user, kind: event.kind, detail: event.detail
        )
        if event.sequence != head.sequence + 1 || event.chain != expected { firstFault = firstFault ?? event.sequence }
        head = (event.sequence, event.chain)
    }
}
