// SPDX-License-Identifier: Apache-2.0

public import CommandFiles
public import GAEN

/// One afternoon with phones of the real framework (DP-3T/bt-measurements, `exp34-epfl-soldiers`, 30 July 2020): their
/// captures, and the windows that they reported.
public struct RecordedAfternoon: Sendable {
    /// The numbers of the phones with a capture.
    public static let phones = [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20]
    /// The receivers whose windows may be looked at while code is written (spec reality, section 3), and when each had
    /// its keys checked, in seconds after 12:39:20 UTC. The others are kept for independent checks.
    public static let checks: [Int: Int64] = [
        1: 12_081, 2: 12_069, 6: 11_864, 8: 11_889, 10: 11_812, 11: 11_879, 13: 11_650, 17: 11_637, 19: 11_588,
    ]
    /// 2020-07-30 12:38:20 UTC in microseconds since 1970: what was received before is in no reported window.
    public static let start: Int64 = 1_596_112_700_000_000
    /// 2020-07-30 12:39:20 UTC in microseconds since 1970, from which ``checks`` count.
    public static let checksStart: Int64 = 1_596_112_760_000_000
    /// The phones wrote local time, two hours ahead of UTC; in seconds.
    public static let clockOffset: Int64 = 7_200

    /// The captures by the number of the phone.
    public let captures: [Int: PhoneCapture]
    /// Who sent an identifier, by the captures.
    public let identifiers: [RollingProximityIdentifier: Int]
    let folder: String

    /// Reads the captures of `folder`, which has `pcaps` and `backend-checks`. Calls `progress` after each with the number
    /// of captures that were read. Throws `InputError` with the path of a file that cannot be used.
    public init(folder: String, progress: (Int) -> Void = { _ in }) throws(InputError) {
        self.folder = folder
        var captures: [Int: PhoneCapture] = [:]
        for phone in Self.phones {
            let name = phone < 10 ? "0\(phone)" : "\(phone)"
            captures[phone] = try PhoneCapture(
                path: "\(folder)/pcaps/\(name).btsnoop", clockOffset: Self.clockOffset, keepsReports: true)
            progress(captures.count)
        }
        self.captures = captures
        var identifiers: [RollingProximityIdentifier: Int] = [:]
        for (phone, capture) in captures { for sent in capture.sent { identifiers[sent.payload.identifier] = phone } }
        self.identifiers = identifiers
    }

    /// Compares the windows of each receiver of ``checks``, in the order of their numbers. Throws `InputError` if the
    /// reported ones cannot be read, and what ``BoardReplay`` throws.
    public func compare(
        _ calibration: RebuiltWindows.Calibration
    ) throws -> [(receiver: Int, comparison: WindowComparison)] {
        let reported = try ReportedWindow.reported(in: "\(folder)/backend-checks")
        return try Self.checks.keys.sorted().compactMap { receiver in
            guard let rebuilt = try rebuilt(receiver, calibration), let windows = reported[receiver] else { return nil }
            return (receiver, WindowComparison(reported: windows, rebuilt: rebuilt.windows))
        }
    }

    /// The windows of one receiver of ``checks`` until its keys were checked; `nil` for another number.
    /// Throws what ``BoardReplay`` throws.
    public func rebuilt(_ receiver: Int, _ calibration: RebuiltWindows.Calibration) throws -> RebuiltWindows? {
        guard let capture = captures[receiver], let seconds = Self.checks[receiver] else { return nil }
        let times = (Self.start + 1)..<(Self.checksStart + seconds * 1_000_000)
        return try RebuiltWindows(of: capture, number: receiver, identifiers: identifiers, calibration: calibration) {
            time, _ in times.contains(time)
        }
    }
}
