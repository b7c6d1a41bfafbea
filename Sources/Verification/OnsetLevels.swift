// SPDX-License-Identifier: Apache-2.0

/// The level of a key whose sender said only days since onset (**srv** `derivation-maps.yaml`; vectors `derivation-maps`).
enum OnsetLevels {
    /// Where a run of days begins, and the level of each of its days as a digit.
    private static let runs: [(first: Int32, levels: String)] = [
        (-5, "246788865322"), (194, "235788875432"), (294, "3458887765322"), (393, "245788765432"),
        (492, "2356887754322"), (591, "2346787764432"), (690, "23456777654322"), (790, "24567776543322"),
        (889, "23456776554322"), (988, "234566666543322"), (1087, "2345566655443222"), (1186, "2344566655443322"),
        (1286, "2345555555433222"), (1386, "345555555443322"), (1486, "445555544433222"), (1586, "44555544433322"),
        (1686, "44554444433222"), (1786, "44444444333222"), (1992, "235788865"), (2997, "2344"), (3992, "234677765"),
    ]

    private static let levels: [Int32: Int32] = {
        var result: [Int32: Int32] = [:]
        for run in runs {
            for (index, character) in run.levels.utf8.enumerated() {
                result[run.first + Int32(index)] = Int32(character - UInt8(ascii: "0"))
            }
        }
        return result
    }()

    /// 1...8; 1 where the table has nothing.
    static func level(onset: Int32) -> Int32 { levels[onset] ?? 1 }
}
