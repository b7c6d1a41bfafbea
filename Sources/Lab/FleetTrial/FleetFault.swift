// SPDX-License-Identifier: Apache-2.0

/// A fault that boards or their registry have on purpose: the judge must find it.
package enum FleetFault: String, CaseIterable, Sendable {
    /// A board deletes its claim as soon as the answer is there, before the certificate is on its disk.
    case claimBurntEarly
    /// A board that has no certificate yet makes a new key at each start.
    case newKeyAtStart
    /// The registry's answer is out before it is in the database.
    case answeredBeforeCommit
    /// The registry takes a repeated question for a new one: another certificate.
    case answeredAnew
    /// All boards renew at the same moment.
    case sameMoment

    /// A word of the judge's verdict.
    package var word: String {
        switch self {
        case .claimBurntEarly, .newKeyAtStart: "is not enrolled"
        case .answeredBeforeCommit: "does not know"
        case .answeredAnew: "certificates"
        case .sameMoment: "busiest"
        }
    }
}
