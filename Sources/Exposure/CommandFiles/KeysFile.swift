// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
public import KeyExport

/// The reader and writer of diagnosis keys as a text table, the input of `vigil export create`
/// (docs/file-formats.md).
public enum KeysFile {
    private static let required = ["key", "rolling_start"]
    private static let optional = [
        "rolling_period", "transmission_risk", "report_type", "days_since_onset", "variant", "revised",
    ]

    /// Reads keys without flaws, in the order of the file, any number of them. Columns that are left out have the
    /// defaults of key files: 144 intervals, level and report type 0, no onset, no variant, not revised. Blocks.
    /// Throws ``InputError`` when the file cannot be read, or with the number of the first line that is wrong.
    public static func read(path: String) throws(InputError) -> [ExportedKey] {
        var table = try CSVTable(path: path, required: required, optional: optional)
        var keys: [ExportedKey] = []
        while let row = try table.next() {
            guard let data = row.text(0).flatMap({ Hex.bytes(utf8: $0) }).flatMap(Block.init) else {
                throw row.refusal("key must be 32 hexadecimal digits")
            }
            guard let start = try row.number(1, "rolling_start", in: 0...Int(Int32.max) - 144) else {
                throw row.refusal("rolling_start is missing")
            }
            let type = try row.number(4, "report_type", in: 0...5) ?? 0
            let onset = try row.number(5, "days_since_onset", in: -14...14)
            let variant = try row.number(6, "variant", in: 0...4)
            guard
                let key = DiagnosisKey(
                    data: data, rollingStart: ENIN(UInt32(start)),
                    rollingPeriod: UInt32(try row.number(2, "rolling_period", in: 1...144) ?? 144),
                    transmissionRiskLevel: UInt8(try row.number(3, "transmission_risk", in: 0...8) ?? 0),
                    reportType: ReportType(rawValue: UInt8(type)) ?? .unknown, daysSinceOnset: onset.map(Int32.init),
                    variantOfConcern: variant.map(UInt8.init))
            else { throw row.refusal("is not a valid key") }
            let isRevised = try row.number(7, "revised", in: 0...1) == 1
            keys.append(ExportedKey(key, isRevised: isRevised))
        }
        return keys
    }

    /// The first line of the table: the names of its eight columns, separated by commas, without a line end.
    public static let header = (required + optional).joined(separator: ",")

    /// Returns the table of the keys: ``header`` and one line for each key, each with a line feed at its end. Cannot
    /// fail.
    public static func text(_ keys: [ExportedKey]) -> String {
        var text = header + "\n"
        for key in keys { text += line(key) + "\n" }
        return text
    }

    /// Returns a key as a line of the table, without a line end; flawed keys are written too, as far as
    /// ``ExportedKey`` holds them, but ``read(path:)`` refuses such a line. The key is public. Cannot fail.
    public static func line(_ key: ExportedKey) -> String {
        let data = Hex.string(key.data.bytes.prefix(Int(min(key.dataByteCount, 16))))
        let onset = key.hasOnset ? "\(key.daysSinceOnset)" : ""
        let variant = key.hasVariant ? "\(key.variantOfConcern)" : ""
        let numbers = "\(key.rollingStart),\(key.rollingPeriod),\(key.transmissionRiskLevel),\(key.reportType)"
        return "\(data),\(numbers),\(onset),\(variant),\(key.isRevised ? 1 : 0)"
    }
}
