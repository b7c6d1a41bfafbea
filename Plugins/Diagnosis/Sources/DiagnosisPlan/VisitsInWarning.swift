// SPDX-License-Identifier: Apache-2.0

/// The visits that go along with a warning, as far as this side knows them: how many there are, and what they are called
/// together. Where and when they were is in the sealed reports of the submission alone.
public struct VisitsInWarning: Sendable, Hashable, Codable {
    /// The number of visits, 0 to ``maximumVisits``.
    public let count: Int
    /// The name under which the diary's side has noted them, a random number; `nil` without a visit.
    public let batch: Int64?

    /// Why there is none; `nil` with visits, and in a file of an earlier version.
    public let absence: Absence?

    /// Why no visit goes along with a warning. Raw values are stable: they are in the file and the interface.
    public enum Absence: String, Sendable, Hashable, Codable, CaseIterable {
        /// The diary has none left that the wearer lets be published and that counts by the authority's rules.
        case noneCounts
        /// The diary has none left, and visits wait to go out with another test's warning.
        case underWay
        /// There are ``TestRegistry/maximumPublished`` earlier batches, or too many that were handed out.
        case tooMany
        /// The diary did not answer, or could not hand any out.
        case unanswered
        /// The keys leave no room in the submission.
        case noRoom
    }

    /// The most visits of one warning: 32, as many as a submission has room for reports.
    public static let maximumVisits = SubmissionPayload.maximumReports
    /// All possible names: 1 to 2⁵³ - 1 (`org.vigil.checkin1`).
    public static let names: ClosedRange<Int64> = 1...(1 << 53 - 1)

    /// No visit goes along, for this reason; `nil` where it is not known.
    public static func none(_ absence: Absence?) -> VisitsInWarning { VisitsInWarning(0, nil, absence) }

    private init(_ count: Int, _ batch: Int64?, _ absence: Absence?) {
        self.count = count
        self.batch = batch
        self.absence = absence
    }

    /// Creates a note of `count` visits with this name. Returns `nil` for a count outside 1 to ``maximumVisits``, and for a
    /// name outside ``names``.
    public init?(count: Int, batch: Int64) {
        guard (1...Self.maximumVisits).contains(count), Self.names.contains(batch) else { return nil }
        self.init(count, batch, nil)
    }

    /// Whether it is one that can come of reports: what is read from the disk is looked at.
    var isSane: Bool {
        count == 0
            ? batch == nil : absence == nil && batch.map { VisitsInWarning(count: count, batch: $0) != nil } ?? false
    }
}

/// A batch of visits that went out with a warning, or may have gone out, to be said to whoever keeps the visits.
public struct PublishedBatch: Sendable, Hashable, Codable {
    /// The name of the batch (``VisitsInWarning/batch``).
    public let name: Int64
    /// The time at which the server accepted the warning, or at which it ended with nobody knowing, in Unix seconds.
    public let sent: Int64
    /// Whether nobody knows that the server has it: each answer was lost. `nil` for one that was accepted, as in files of earlier versions.
    public let isUncertain: Bool?
}
