// SPDX-License-Identifier: Apache-2.0

import Donation

/// Where a wearer's donations and error logs are at one moment. The raw values are words of reports.
package enum DonationState: String, CaseIterable, Sendable {
    /// Nobody has agreed to anything yet.
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
    /// The wearer takes the consent to donations back, or has, and there is none to logs.
    case withdrawn
    /// A new document is being taken, or the one that holds names other servers than a consent.
    case termsChanged = "terms changed"
    /// There is a consent to error logs and none to donations, and nothing is noted.
    case logsAlone = "logs alone"
    /// A trouble is noted, for the wearer to read; there is no consent to donations.
    case logNoted = "trouble noted"
    /// A request for the month's token is with the issuer, or its answer on the way.
    case logAsked = "month asked"
    /// The wearer lets a log go, or has; it is not sent.
    case logReleased = "log let go"
    /// A log is with the server, or its answer on the way.
    case logSent = "log sent"
    /// The last log was taken today or yesterday; there is no consent to donations.
    case logTaken = "log taken"
    /// The wearer takes the consent to logs back.
    case logWithdrawn = "logs withdrawn"

    /// Whether it is one of error logs.
    var isOfLogs: Bool {
        switch self {
        case .logsAlone, .logNoted, .logAsked, .logReleased, .logSent, .logTaken, .logWithdrawn: true
        default: false
        }
    }

    /// The state that `book` has at `now`, Unix seconds, as far as a board knows it.
    init(_ book: DonationBook, isFrozen: Bool, at now: Int64) {
        let (today, log) = (now / 86_400, book[.log])
        if isFrozen {
            self = .frozen
        } else if log?.isReleased == true {
            self = .logReleased
        } else if let consent = book.consent {
            if now < consent.since + DonationBook.pause {
                self = .paused
            } else if let last = book.history.last, last.outcome == .taken, last.day >= today {
                self = .taken
            } else {
                self = book.tokenCount(at: now) > 0 ? .ready : .waiting
            }
        } else if let log {
            if let last = log.history.last, last.outcome == .taken, last.day >= today - 1 {
                self = .logTaken
            } else {
                self = log.seen.isEmpty ? .logsAlone : .logNoted
            }
        } else {
            self = .noConsent
        }
    }
}
