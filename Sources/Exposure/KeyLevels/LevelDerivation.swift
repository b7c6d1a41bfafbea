// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// The tables by which a Corona-Warn-App server derives a key's transmission risk level from its days since onset, or
/// the days from the level, when a key was submitted with one of them only (cwa-server `derivation-maps.yaml`;
/// specification cwa-protocols 5.1, rules-and-nhs 6; vectors `derivation-maps`).
public enum LevelDerivation {
    /// The transmission risk level of days that are not in the table (cwa-server `derivation-maps.yaml`).
    public static let defaultLevel: UInt8 = 1

    /// Returns the transmission risk level, 1 to 8, of a key that was submitted with days since onset only;
    /// ``defaultLevel`` for days that are not in the table. Cannot fail.
    public static func level(daysSinceOnset days: Int32) -> UInt8 {
        for (first, digits) in runs where days >= first {
            let (offset, isOverflowing) = days.subtractingReportingOverflow(first)
            guard !isOverflowing, Int(offset) < digits.utf8CodeUnitCount else { continue }
            return digits.withUTF8Buffer { $0[Int(offset)] - UInt8(ascii: "0") }
        }
        return defaultLevel
    }

    /// Returns the days since onset of a key that was submitted with a level only: a code from 3,986 to 4,000, not a
    /// real number of days. Returns `nil` unless the level is 1 to 8.
    public static func daysSinceOnset(level: UInt8) -> Int32? {
        let days: [Int32] = [3_986, 3_992, 3_993, 3_994, 4_000, 3_995, 3_996, 3_997]
        return (1...8).contains(level) ? days[Int(level) - 1] : nil
    }

    /// Returns a submitted key with both a transmission risk level and days since onset (cwa-server
    /// `SubmissionKeyNormalizer`). The one that is absent is derived from the tables; what was sent is kept without a
    /// check. `hasLevel` says whether the submission had a level; if not, the level of `key` is ignored. Returns
    /// `nil` when both are absent, or when only a level was sent and it is not 1 to 8.
    public static func completed(_ key: ExportedKey, hasLevel: Bool) -> ExportedKey? {
        var completed = key
        switch (hasLevel, key.hasOnset) {
        case (true, true): break
        case (false, true): completed.transmissionRiskLevel = Int32(level(daysSinceOnset: key.daysSinceOnset))
        case (true, false):
            guard let level = UInt8(exactly: key.transmissionRiskLevel), let days = daysSinceOnset(level: level) else {
                return nil
            }
            completed.hasOnset = true
            completed.daysSinceOnset = days
        case (false, false): return nil
        }
        return completed
    }

    /// Returns a key that another health authority sent, as this server stores it (cwa-server
    /// `FederationKeyNormalizer`, `ValidFederationKeyFilter`). Its level is always derived from the days since onset,
    /// because levels of other countries mean something else; an onset that was not sent counts as 0 days. Returns
    /// `nil` for a key that is not a confirmed test or clinical diagnosis, or does not start at midnight UTC.
    public static func federated(_ key: ExportedKey) -> ExportedKey? {
        guard key.reportType == 1 || key.reportType == 2, key.rollingStart % 144 == 0 else { return nil }
        var received = key
        received.hasOnset = true
        received.transmissionRiskLevel = Int32(level(daysSinceOnset: key.hasOnset ? key.daysSinceOnset : 0))
        return received
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
