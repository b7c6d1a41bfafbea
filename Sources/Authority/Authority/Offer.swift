// SPDX-License-Identifier: Apache-2.0

import KeyLevels

/// Which days and hours are offered at a time.
struct Offer {
    let today: Int64
    /// Days from here to yesterday have day packages.
    let firstDay: Int64
    /// Hours from here on have hour packages.
    let firstHour: Int64
    /// Hours from here on are kept as batches.
    let firstBatchHour: Int64

    init(_ rules: PublishingRules, now: Int64) {
        today = Hour.day(Hour.containing(now))
        firstDay = rules.filter.firstDay(today: today)
        firstHour = (today - rules.hourDays + 1) * 24
        firstBatchHour = firstDay * 24
    }
}

/// A step of a publication at which a trial may stop it. There is one after each change that another process or the next
/// start could see; the cases are in the order in which the steps happen.
public enum PublicationStep: String, Sendable, CaseIterable {
    /// The steps up to the switch: an hour or a day is closed, a package or document is written, a generation of the tree
    /// is filled, named and switched to.
    case hourClosed, dayClosed, packageWritten, packageBuilt, documentWritten, generationFilled, generationNamed, switched
    /// The steps after the switch: the published packages are recorded, and old generations are removed.
    case announced, cleaned
}

typealias Checkpoint = (PublicationStep) throws(AuthorityError) -> Void
