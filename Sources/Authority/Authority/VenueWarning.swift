// SPDX-License-Identifier: Apache-2.0

/// A warning of a venue's visitors that the operator makes, as SwissCovid's health authority did.
public struct VenueWarning: Sendable, Hashable {
    /// The time since which visitors are warned, inclusive, in Unix seconds.
    public var from: Int64
    /// The time until which visitors are warned, in Unix seconds; after ``from``.
    public var until: Int64
    /// The text that visitors read, at most ``maximumMessageBytes`` bytes of UTF-8; may be empty.
    public var message: String
    /// Whether devices shall treat the warning as urgent; boards make no difference today.
    public var isUrgent: Bool

    /// The most bytes of a message: 200. With it, as many trace keys as are kept fit into the list that boards read
    /// (``TraceKeyList/Limits``). Our own bound.
    public static let maximumMessageBytes = 200

    /// Creates a warning of these parts, which are not checked; times are in Unix seconds.
    public init(from: Int64, until: Int64, message: String, isUrgent: Bool = false) {
        self.from = from
        self.until = until
        self.message = message
        self.isUrgent = isUrgent
    }
}

/// The result of handing in hours at venues: how many were taken, known, or not to be published.
public struct VenueHourReport: Sendable, Hashable {
    /// The reason why an hour is not published. Raw values are stable: they appear in answers and in the audit.
    public enum Reason: String, Sendable, CaseIterable {
        /// This authority offers no trace keys (``AuthoritySettings/swissCovid``).
        case notOffered
        /// The stay begins more than half an hour after now, which apps add to its end.
        case inTheFuture
        /// The hour's day is over for longer than trace keys are offered (14 days).
        case tooOld
        /// The warning that the hour came with was taken back.
        case takenBack
    }

    /// The number of hours that were taken and new, 0 or more.
    public var accepted = 0
    /// The number of hours that were taken before, 0 or more.
    public var known = 0
    /// The number of hours that are not published, by reason. Each number is 1 or more; a reason that applied to
    /// none is absent.
    public var filtered: [Reason: Int] = [:]

    /// Creates a report of nothing.
    public init() {}
}
