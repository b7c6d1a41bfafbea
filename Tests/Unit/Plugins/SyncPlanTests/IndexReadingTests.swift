// SPDX-License-Identifier: Apache-2.0

import CivilTime
import SyncPlan
import Testing

@Suite struct IndexReadingTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func indexesAreReadStrictly() throws {
        #expect(
            try IndexReading.days(bytes(#"["2020-08-20","2020-08-19"]"#)).map(\.isoText) == ["2020-08-19", "2020-08-20"])
        #expect(try IndexReading.hours(bytes("[23, 0]")) == [0, 23])
        #expect(try IndexReading.hours(bytes("[]")) == [])
        for text in [
            "", "null", "{}", "2020-08-19\n2020-08-20", #"["2020-8-19"]"#, #"["2020-02-30"]"#, "[1]",
            #"["2020-08-19","2020-08-19"]"#,
            #"["2020-08-19"] "x""#, "<html></html>", #"["2020-08-19"#,
        ] { #expect(throws: IndexFault.self) { try IndexReading.days(bytes(text)) } }
        for text in ["[24]", "[-1]", "[1.5]", #"["1"]"#, "[1,1]", "[1,]", "1", "[[1]]", "[9999999999999999999]"] {
            #expect(throws: IndexFault.self) { try IndexReading.hours(bytes(text)) }
        }
        for text in [#"["D"]"#, #"["../x"]"#, "[1]", #"["DE/x"]"#] {
            #expect(throws: IndexFault.self) { try IndexReading.countries(bytes(text)) }
        }
        let long = "[" + (0..<4_000).map { _ in "\"DE\"" }.joined(separator: ",") + "]"
        #expect(throws: IndexFault.self) { try IndexReading.countries(bytes(long)) }
    }

    @Test func aListLosesWhatLeadsElsewhere() throws {
        let list = """
            keys/1591286400-1591293600-00001.zip\r
            keys/1591286400-1591293600-00001.zip

            ../etc/passwd.zip
            /keys/a.zip
            https://elsewhere.example/a.zip
            keys/.hidden.zip
            keys//a.zip
            keys/a.zip?x
            keys/a%2e.zip
            keys\\a.zip
            keys/a.txt
            keys/b.zip
            """
        let (paths, refused) = try IndexReading.paths(bytes(list))
        #expect(paths == ["keys/1591286400-1591293600-00001.zip", "keys/b.zip"])
        #expect(refused == 9)
        #expect(try IndexReading.paths([]).paths == [])
        #expect(throws: IndexFault.self) { try IndexReading.paths(bytes("<html>\n<body>\n")) }
        #expect(throws: IndexFault.self) { try IndexReading.paths([UInt8](repeating: 65, count: (1 << 20) + 1)) }
    }

    @Test func daysForWhichHoursAreGoneComeWhole() throws {
        let day = CivilDate(isoText: "2020-09-10").map { $0.dayNumber } ?? 0
        let now = day * 86_400 + 3 * 3_600 + 600
        func accepted(_ ids: [String]) -> SourceRecord {
            var record = SourceRecord()
            for id in ids { record.packages[id] = PackageRecord(state: .accepted, end: 1) }
            return record
        }
        func offers(_ record: SourceRecord, days: String, hours: [String: String]) throws -> [String] {
            var plan = CWAPlan(country: "EUR", now: now, record: record)
            while let path = plan.nextIndex() {
                let answer = path.hasSuffix("/date") ? days : hours[String(path.dropLast(5).suffix(10))]
                try plan.take(answer.map { Array($0.utf8) })
            }
            return plan.offers().map(\.id)
        }
        let all = "[\((0..<24).map(String.init).joined(separator: ","))]"
        // Nothing here: days as a whole, today by hours; an hour that has not begun is never there, nor today as a whole.
        #expect(
            try offers(
                accepted([]), days: #"["2020-09-08","2020-09-09","2020-09-10"]"#, hours: ["2020-09-10": "[0,1,2,3,4]"])
                == ["2020-09-08", "2020-09-09"] + (0...3).map { "2020-09-10/\($0)" })
        // Hours that are here are completed by hours; where they are gone the day comes.
        let some = accepted(["2020-09-08/4", "2020-09-09/0"] + (2..<24).map { "2020-09-09/\($0)" })
        #expect(
            try offers(some, days: #"["2020-09-08","2020-09-09"]"#, hours: ["2020-09-09": all, "2020-09-10": "[0]"])
                == ["2020-09-08", "2020-09-09/1", "2020-09-10/0"])
        // A bad hour is made up for by the day.
        var bad = some
        bad.packages["2020-09-09/1"] = PackageRecord(state: .refused, end: 1, count: 1, retryAt: now + 3_000)
        #expect(try offers(bad, days: #"["2020-09-09"]"#, hours: ["2020-09-09": all]).contains("2020-09-09"))
        // Just after midnight yesterday is not published as a whole yet.
        #expect(
            try offers(accepted([]), days: "[]", hours: ["2020-09-09": "[22,23]"]) == ["2020-09-09/22", "2020-09-09/23"])
    }
}
