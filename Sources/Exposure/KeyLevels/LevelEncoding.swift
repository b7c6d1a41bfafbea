// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// The encoding of a transmission risk level in packages for receivers that look at windows, which know nothing of levels:
/// as a report type and days since onset that are codes and no facts (cwa-server `transmission-risk-encoding.yaml`;
/// specification rules-and-nhs 6.5).
///
/// Encoding and the rules that receivers judge by belong together: a mapping of real days reads nothing out of codes. Pure; what is stored
/// keeps its own onset and report type.
public struct LevelEncoding: Hashable, Sendable {
    /// Transmission risk levels that can be encoded (cwa-server `transmission-risk-encoding.yaml`).
    public static let levels: ClosedRange<Int32> = 1...8
    /// Days since onset that stand for levels: 1 for standard and 2 for high infectiousness.
    public static let onsets: ClosedRange<Int32> = 1...2
    /// Numbers of report types in key files (`TemporaryExposureKey.ReportType`).
    public static let reportTypes: ClosedRange<Int32> = 0...5
    /// Report type of a key that was taken back. It says so whatever its level, so it is never encoded.
    public static let revoked: Int32 = 5

    /// The pair of numbers that a package carries for a level.
    public struct Code: Hashable, Sendable {
        /// Number of the report type as in key files, 0 to 5 in an encoding.
        public let reportType: Int32
        /// The number published as days since onset, 1 or 2 in an encoding: a code and no number of days.
        public let daysSinceOnset: Int32

        /// A code of these numbers, unchecked: a report type of key files, and days since onset.
        public init(reportType: Int32, daysSinceOnset: Int32) {
            self.reportType = reportType
            self.daysSinceOnset = daysSinceOnset
        }
    }

    /// By level, from 1 on.
    private let codes: [Code]

    /// The table that the Corona-Warn-App was published with: 1 and 2 are recursive, 3 and 4 self-reports, 5 and 6 clinical
    /// diagnoses, 7 and 8 confirmed tests; odd levels are standard, even ones high.
    public static let coronaWarnApp = LevelEncoding(
        codes: levels.map { Code(reportType: 4 - ($0 - 1) / 2, daysSinceOnset: $0.isMultiple(of: 2) ? 2 : 1) })

    private init(codes: [Code]) { self.codes = codes }

    /// An encoding by two maps from level to number. `nil` unless both have each of the levels 1 to 8, and all their
    /// onsets are 1 or 2 and report types 0 to 5 (cwa-server `TransmissionRiskLevelEncoding`), those of further levels
    /// too, which have no effect otherwise.
    public init?(daysSinceOnset: [Int32: Int32], reportType: [Int32: Int32]) {
        guard daysSinceOnset.values.allSatisfy(Self.onsets.contains),
            reportType.values.allSatisfy(Self.reportTypes.contains)
        else { return nil }
        let codes = Self.levels.compactMap { level -> Code? in
            guard let days = daysSinceOnset[level], let type = reportType[level] else { return nil }
            return Code(reportType: type, daysSinceOnset: days)
        }
        guard codes.count == Self.levels.count else { return nil }
        self.codes = codes
    }

    /// The pair of numbers that a package carries for the level; `nil` unless it is 1 to 8.
    public func code(level: Int32) -> Code? {
        Self.levels.contains(level) ? codes[Int(level - Self.levels.lowerBound)] : nil
    }

    /// A stored key as a package has it: report type and onset are the level's code; the level itself is there, too. A key that was taken
    /// back keeps its report type, and has the onset that it was published with. `nil` unless its level is 1 to 8.
    public func published(_ key: ExportedKey) -> ExportedKey? {
        guard let code = code(level: key.transmissionRiskLevel) else { return nil }
        var published = key
        if key.reportType != Self.revoked { published.reportType = code.reportType }
        published.hasOnset = true
        published.daysSinceOnset = code.daysSinceOnset
        return published
    }
}
