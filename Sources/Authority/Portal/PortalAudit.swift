// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import JSON

/// One entry of the portal's audit. Never holds a teleTAN, a password or an address. Nothing is checked.
public struct PortalEvent: Hashable, Sendable {
    /// The kind of an event. Raw values are stable: they are in the database.
    public enum Kind: String, Sendable, CaseIterable {
        /// A user signed in.
        case signedIn = "signed-in"
        /// A sign-in failed because of a wrong password or an unknown name.
        case signInFailed = "sign-in-failed"
        /// A sign-in was refused because of too many tries, and the person was told to wait; written at most once a minute,
        /// without a name.
        case signInSlowed = "sign-in-slowed"
        /// A user signed out, or signed in again in the same browser.
        case signedOut = "signed-out"
        /// A user asked for a teleTAN. Written before the teleTAN is issued, so that none is issued without an entry.
        case teleTANRequested = "teletan-requested"
        /// A teleTAN was issued to the user.
        case teleTANIssued = "teletan-issued"
        /// The verification server refused to issue a teleTAN, or could not be reached.
        case teleTANRefused = "teletan-refused"
        /// A limit was reached: a user's limit of teleTANs or of questions about warnings, or the verification server's
        /// limit of teleTANs.
        case limitHit = "limit-hit"
        /// A user asked for a warning by its code. Written before the warning is looked for.
        case warningAsked = "warning-asked"
        /// A user proposed to take a warning back.
        case warningProposed = "warning-proposed"
        /// Another user confirmed a proposal.
        case warningConfirmed = "warning-confirmed"
        /// A user dropped a proposal.
        case warningDropped = "warning-dropped"
        /// The verification server or the publishing authority refused a user's request about a warning, or did not answer.
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
    /// The time of the event by this machine's clock, in Unix seconds.
    public var time: Int64
    /// The name of the user, as ``PortalUser/normalized(_:)`` returns it. Empty when a sign-in was slowed, or failed for an
    /// unknown name, because people type passwords into the wrong field.
    public var user: String
    /// The raw value of a ``Kind``; any text if somebody changed the database.
    public var kind: String
    /// A detail that depends on ``kind``: the raw value of a teleTAN's ``WarningType``, the role of an added user, the
    /// number of a proposal, the code of a refusal, or `warning-asked` when the limit of questions was reached; empty for
    /// any other event.
    public var detail: String
    /// The SHA-256 over the chain value of the event before and the content of this one, 32 bytes. It is checked by
    /// ``PortalAuditCheck``, not by this type.
    public var chain: [UInt8]

    /// What the chain must be after `before`. Each text comes with its length: no two events read the same.
    static func chain(
        _ before: [UInt8], sequence: Int64, time: Int64, user: String, kind: String, detail: String
    ) -> [UInt8] {
        var content = before + Array("\(sequence)\n\(time)\n".utf8)
        for text in [user, kind, detail] { content += Array("\(text.utf8.count):\(text)\n".utf8) }
        return SHA256.digest(of: content)
    }

    /// The event as a JSON object, with the chain value in 64 hexadecimal digits. Cannot fail.
    public var json: JSON {
        [
            "sequence": .int(sequence), "time": .int(time), "user": .string(user), "event": .string(kind),
            "detail": .string(detail), "chain": .string(Hex.string(chain)),
        ]
    }
}

/// Checks the chain of audit events, oldest first, and finds the first event that does not fit.
public struct PortalAuditCheck: Sendable {
    /// The sequence number of the first event that does not fit the events before it, as that event states it; `nil` while
    /// all fit.
    public private(set) var firstFault: Int64?
    /// The sequence number and chain value (32 bytes) of the last event taken, whether it fits or not; 0 and empty before
    /// the first. An operator who notes them outside this machine can later prove that no event up to this one was cut off.
    public private(set) var head: (sequence: Int64, chain: [UInt8]) = (0, [])

    /// Creates a check that has seen no event yet.
    public init() {}

    /// Takes the next event. Sets ``firstFault``, if it is `nil`, when the event does not have the next number or its chain
    /// value does not follow from its content and the event before. Cannot fail.
    public mutating func take(_ event: PortalEvent) {
        let expected = PortalEvent.chain(
            head.chain, sequence: event.sequence, time: event.time, user: event.user, kind: event.kind, detail: event.detail
        )
        if event.sequence != head.sequence + 1 || event.chain != expected { firstFault = firstFault ?? event.sequence }
        head = (event.sequence, event.chain)
    }
}
