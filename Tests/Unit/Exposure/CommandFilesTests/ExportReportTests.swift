// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Cryptography
import GAEN
import Testing

@testable import KeyExport

@Suite struct ExportReportTests {
    /// Days after the year 9999 share one text. A file whose keys have two of them, signed or not, must not end the program.
    @Test func daysBeyondTheCalendarAreCountedTogether() throws {
        var census = KeyCensus()
        for start: UInt32 in [144 * 3_000_000, 144 * 3_000_001, 144 * 3_000_001, 144 * 20_000] {
            census.add(ExportedKey(try #require(DiagnosisKey(data: Block(low: 1, high: 2), rollingStart: ENIN(start)))))
        }
        let report = ExportReport(path: "x", summary: ExportSummary(), signatures: [], census: census)
        #expect(report.keysPerDay == ["9999-12-31": 3, "2024-10-04": 1])
        #expect(try report.json().contains("9999-12-31") && report.text().contains("9999-12-31"))
    }
}
