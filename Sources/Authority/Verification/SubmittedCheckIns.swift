// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import PresenceTracing

/// The check-ins of one submission: the visits of a person who warns others (`cwa-protocols` sections 5 and 8.2).
/// The two versions state the same visits in two forms, and the publisher selects. Times are not compared with now.
public struct SubmittedCheckIns: Sendable, Hashable {
    /// The check-ins of the first version, which everybody can read; at most ``maximumCount``, in the order in
    /// which they were sent.
    public private(set) var plain: [PlainCheckIn] = []
    /// The check-ins of the second version, which can be read only with the venue's code; at most ``maximumCount``,
    /// in the order in which they were sent.
    public private(set) var reports: [ProtectedReport] = []

    /// The most plain check-ins that may begin on one UTC day: 20 (cwa-server `EventCheckinDataFilter`).
    public static let maximumPerDay = 20
    /// The most check-ins of each version: 220, which is ``maximumPerDay`` for each of the eleven UTC days of which
    /// visits are sent (``CheckInSubmission/maximumAgeInDays`` and today). Of an encrypted one no server can see
    /// the day, so only this number limits them.
    public static let maximumCount = maximumPerDay * (CheckInSubmission.maximumAgeInDays + 1)

    /// Creates an empty set of check-ins.
    public init() {}

    /// Reads messages as they were sent: `plain` as `CheckIn`, `reports` as `CheckInProtectedReport`. Throws
    /// `tooManyCheckIns` for more than ``maximumCount`` of one version or more than ``maximumPerDay`` plain ones of
    /// one day, and `malformedCheckIn` if any message is wrong.
    public init(plain: [[UInt8]], reports: [[UInt8]]) throws(SubmissionRules.FlawFound) {
        guard plain.count <= Self.maximumCount, reports.count <= Self.maximumCount else { throw .init(.tooManyCheckIns) }
        do throws(PresenceTracingError) {
            for message in plain { self.plain.append(try PlainCheckIn(decoding: message)) }
            for message in reports { self.reports.append(try ProtectedReport(decoding: message)) }
        } catch { throw .init(.malformedCheckIn) }
        let days = self.plain.reduce(into: [:]) { days, checkIn in
            days[UTCDay(containing: checkIn.record.seconds.lowerBound).number, default: 0] += 1
        }
        guard days.values.allSatisfy({ $0 <= Self.maximumPerDay }) else { throw .init(.tooManyCheckIns) }
    }

    /// Whether there are no check-ins of either version.
    public var isEmpty: Bool { plain.isEmpty && reports.isEmpty }
}
