// SPDX-License-Identifier: Apache-2.0

/// The tables by which a Corona-Warn-App server fills in the half that a submission lacks, and writes levels into packages
/// (cwa-server `derivation-maps.yaml`, `transmission-risk-encoding.yaml`; specification cwa-protocols 5.1 and 7.2).
public enum LevelDerivation {
    /// Of days the table does not have.
    public static let defaultLevel: UInt8 = 1

    /// The level, 1 to 8, of a key that came with days since onset only.
    public static func level(daysSinceOnset days: Int32) -> UInt8 {
        for (first, digits) in runs where days >= first {
            let (offset, isOverflowing) = days.subtractingReportingOverflow(first)
            guard !isOverflowing, Int(offset) < digits.utf8CodeUnitCount else { continue }
            return digits.withUTF8Buffer { $0[Int(offset)] - UInt8(ascii: "0") }
        }
        return defaultLevel
    }

    /// The days since onset of a key that came with a level only; `nil` unless the level is 1 to 8.
    public static func daysSinceOnset(level: UInt8) -> Int32? {
        let days: [Int32] = [3_986, 3_992, 3_993, 3_994, 4_000, 3_995, 3_996, 3_997]
        return (1...8).contains(level) ? days[Int(level) - 1] : nil
    }

    /// What a package says instead of the level: report type 1 to 4, and days since onset 1 (standard infectiousness) or 2 (high).
    /// `nil` unless the level is 1 to 8.
    public static func published(level: UInt8) -> (reportType: UInt8, daysSinceOnset: Int32)? {
        guard (1...8).contains(level) else { return nil }
        return (4 - (level - 1) / 2, level.isMultiple(of: 2) ? 2 : 1)
    }

    /// First day and the levels from there on, a digit each; days before and after are not in the table.
    private static let runs: [(first: Int32, digits: StaticString)] = [
        (-5, "246788865322"),
        (194, "235788875432"),
        (294, "3458887765322"),
        (393, "245788765432"),
        (492, "2356887754322"),
        (591, "2346787764432"),
        (690, "23456777654322"),
        (790, "24567776543322"),
        (889, "23456776554322"),
        (988, "234566666543322"),
        (1087, "2345566655443222"),
        (1186, "2344566655443322"),
        (1286, "2345555555433222"),
        (1386, "345555555443322"),
        (1486, "445555544433222"),
        (1586, "44555544433322"),
        (1686, "44554444433222"),
        (1786, "44444444333222"),
        (1992, "235788865"),
        (2997, "2344"),
        (3992, "234677765"),
    ]
}
