// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// The encoding of a transmission risk level for receivers that judge by exposure windows and know no levels: the key
/// gets a report type and days since onset that are codes, not facts (cwa-server `transmission-risk-encoding.yaml`;
/// specification rules-and-nhs 6.5).
///
/// The encoding and the rules of the receivers belong together: a mapping for real days cannot read the codes. Stored
/// keys keep their own onset and report type.
public struct LevelEncoding: Hashable, Sendable {
    /// The transmission risk levels that can be encoded (cwa-server `transmission-risk-encoding.yaml`).
    public static let levels: ClosedRange<Int32> = 1...8
    /// The days since onset that are used as codes: 1 for standard and 2 for high infectiousness (cwa-server
    /// `transmission-risk-encoding.yaml`).
    public static let onsets: ClosedRange<Int32> = 1...2
    /// The numbers of report types in key files (`TemporaryExposureKey.ReportType`).
    public static let reportTypes: ClosedRange<Int32> = 0...5
    /// The report type of a revoked key, which is published whatever the level and never replaced by a code.
    public static let revoked: Int32 = 5

    /// The report type and the days since onset that stand for a level in a package.
    public struct Code: Hashable, Sendable {
        /// The report type as a number of key files; 0 to 5 in an encoding.
        public let reportType: Int32
        /// The number published as days since onset; 1 or 2 in an encoding, as a code and not a number of days.
        public let daysSinceOnset: Int32

        /// Creates a code from a report type of key files and days since onset, which are not checked.
        public init(reportType: Int32, daysSinceOnset: Int32) {
            self.reportType = reportType
            self.daysSinceOnset = daysSinceOnset
        }
    }

    /// By level, from 1 on.
    private let codes: [Code]

    /// The encoding that the Corona-Warn-App was released with: levels 1 and 2 are recursive, 3 and 4 self-reports, 5
    /// and 6 clinical diagnoses, 7 and 8 confirmed tests; odd levels are of standard infectiousness, even ones of
    /// high.
    public static let coronaWarnApp = LevelEncoding(
        codes: levels.map { Code(reportType: 4 - ($0 - 1) / 2, daysSinceOnset: $0.isMultiple(of: 2) ? 2 : 1) })

    private init(codes: [Code]) { self.codes = codes }

    /// Creates an encoding from two maps whose keys are levels. Returns `nil` unless both have all levels from 1 to
    /// 8, all days since onset are 1 or 2, and all report types are 0 to 5 (cwa-server
    /// `TransmissionRiskLevelEncoding`). Entries of other levels must be in these ranges too and have no other
    /// effect.
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

    /// Returns the code of a level; `nil` unless the level is 1 to 8.
    public func code(level: Int32) -> Code? {
        Self.levels.contains(level) ? codes[Int(level - Self.levels.lowerBound)] : nil
    }

    /// Returns a stored key as it is published in a package: its report type and days since onset are the code of its
    /// level, and the level is kept. A revoked key keeps its report type. Returns `nil` unless the key's level is 1
    /// to 8.
    public func published(_ key: ExportedKey) -> ExportedKey? {
        guard let code = code(level: key.transmissionRiskLevel) else { return nil }
        var published = key
        if key.reportType != Self.revoked { published.reportType = code.reportType }
        published.hasOnset = true
        published.daysSinceOnset = code.daysSinceOnset
        return published
    }
}
