// SPDX-License-Identifier: Apache-2.0

/// Where a wearer's donations are at one moment. The raw values are words of reports.
package enum DonationState: String, CaseIterable, Sendable {
    /// Nobody has agreed yet.
    case noConsent = "no consent"
    /// The day after a consent, in which nothing happens.
    case paused
    /// There is a consent and no token yet, or no more.
    case waiting = "no token yet"
    /// A request is with the issuer, or its answer on the way.
    case asked = "asked, not answered"
    /// There are tokens.
    case ready = "token ready"
    /// A donation is on the disk, and not on its way.
    case frozen
    /// A donation is with the server, or its answer on the way.
    case sent = "sent, not answered"
    /// The last donation was taken, and there is none for another day yet.
    case taken
    /// The wearer takes the consent back, or has.
    case withdrawn
    /// A new document is being taken, or the one that holds names other servers than the consent.
    case termsChanged = "terms changed"
}
