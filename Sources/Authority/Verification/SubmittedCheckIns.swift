// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import PresenceTracing

/// The check-ins of one submission: where somebody was who warns others (spec cwa-protocols 5 and 8.2). The two kinds are two ways to say the same,
/// and whoever publishes chooses. Times are not compared with now.
public struct SubmittedCheckIns: Sendable, Hashable {
    /// Check-ins of the first version, which everybody can read; at most ``maximumCount``, in the order in which they were sent.
    public private(set) var plain: [PlainCheckIn] = []
    /// Check-ins of the second version, which whoever has the venue's code can read; at most ``maximumCount``, in the order in which they were sent.
    public private(set) var reports: [ProtectedReport] = []

    /// Most plain check-ins that begin on one UTC day (cwa-server `EventCheckinDataFilter`).
    public static let maximumPerDay = 20
    /// Most of each kind: ``maximumPerDay`` for each of the eleven UTC days of which visits are sent (``CheckInSubmission/maximumAgeInDays`` and today).
    /// When an encrypted one was, no server can see.
    public static let maximumCount = maximumPerDay * (CheckInSubmission.maximumAgeInDays + 1)

    /// No check-ins.
    public init() {}

    /// Reads messages as they were sent: `CheckIn` and `CheckInProtectedReport`. Throws `tooManyCheckIns` or `malformedCheckIn`; one that is wrong
    /// is a fault of the whole.
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

    /// Whether there is none of either kind.
    public var isEmpty: Bool { plain.isEmpty && reports.isEmpty }
}
