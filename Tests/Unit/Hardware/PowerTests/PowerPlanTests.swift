// SPDX-License-Identifier: Apache-2.0

import Power
import Testing

@Suite struct BoardPowerTests {
    private func read(_ battery: String) throws -> BatteryRules? {
        try BoardPower(parsing: Array(#"{"name": "x", "hardware": {"battery": \#(battery)}}"#.utf8)).battery
    }

    @Test func aFileSaysWhenABatteryIsLow() throws {
        let rules = try #require(
            try read(
                #"{"supply": "bq27441-0", "low": 20, "stop": 8, "lowMillivolts": 3500, "stopMillivolts": 3300, "milliwattHours": 7400}"#
            ))
        #expect(rules.supply == "bq27441-0" && rules.low == 20 && rules.stop == 8)
        #expect(rules.lowMillivolts == 3_500 && rules.stopMillivolts == 3_300 && rules.milliwattHours == 7_400)
        let plain = try #require(try read("{}"))
        #expect(plain.low == 15 && plain.stop == 5 && plain.supply == nil)
        #expect(try BoardPower(parsing: Array("{}".utf8)) == BoardPower())
    }

    @Test(arguments: [
        "7", "[]", #"{"low": 5}"#, #"{"low": 91}"#, #"{"stop": 0}"#, #"{"stop": 15}"#, #"{"low": "20"}"#,
        #"{"supply": "../../etc"}"#, #"{"supply": ""}"#, #"{"supply": "a/b"}"#, #"{"supply": "a b"}"#,
        #"{"lowMillivolts": 3300, "stopMillivolts": 3300}"#, #"{"stopMillivolts": 3300, "lowMillivolts": 999}"#,
        #"{"milliwattHours": -1}"#,
    ])
    func whatMakesNoSenseIsRefused(_ battery: String) { #expect(throws: BoardPower.Refusal.self) { try read(battery) } }

    @Test(arguments: ["", "[]", "nul", "{", #"{"hardware": {"power": 1}}"#, #"{"hardware": {"power": {}}}"#])
    func whatIsNoFileIsRefused(_ text: String) {
        #expect(throws: BoardPower.Refusal.self) { try BoardPower(parsing: Array(text.utf8)) }
        #expect(throws: BoardPower.Refusal.self) {
            try BoardPower(parsing: [UInt8](repeating: 32, count: BoardPower.maximumByteCount + 1))
        }
    }

    @Test func figuresNameTheirSource() throws {
        let text = """
            {"hardware": {"power": {"millivolts": 5000, "idleMicroamps": 100000, "awakeMicroamps": 90000, "wakeMicroseconds": 500,
             "receiveMicroamps": 20000, "transmitMicroamps": 30000, "source": "a sheet", "confidence": "dataSheet"}}}
            """
        let figures = try #require(try BoardPower(parsing: Array(text.utf8)).figures)
        #expect(figures.converterPercent == 100 && figures.confidence == .dataSheet && figures.source == "a sheet")
        for (word, other) in [(#""a sheet""#, #""""#), ("dataSheet", "believed"), ("5000", "0"), ("500,", "\"500\",")] {
            #expect(throws: BoardPower.Refusal.self) {
                try BoardPower(parsing: Array(text.replacing(word, with: other).utf8))
            }
        }
    }
}

@Suite struct LowBatteryWatchTests {
    private static func at(_ percent: Int?, _ isPowered: Bool? = false, millivolts: Int? = nil) -> BatteryReading {
        BatteryReading(percent: percent, millivolts: millivolts, isPowered: isPowered)
    }

    private func verdicts(
        _ readings: [BatteryReading?], _ rules: BatteryRules = BatteryRules()
    ) -> [LowBatteryWatch.Verdict] {
        var watch = LowBatteryWatch(rules: rules)
        return readings.map { watch.take($0) }
    }

    @Test func twoInARowStop() {
        #expect(verdicts([Self.at(4), Self.at(4)]) == [.goOn, .stop])
        #expect(verdicts([Self.at(5), Self.at(5), Self.at(5)]) == [.goOn, .goOn, .goOn])
    }

    @Test func oneBadReadingDoesNot() {
        #expect(verdicts([Self.at(80), Self.at(0), Self.at(80), Self.at(0)]) == [.recovered, .goOn, .recovered, .goOn])
        #expect(verdicts([Self.at(2), nil, Self.at(2)]) == [.goOn, .goOn, .goOn])
    }

    @Test func aChargerKeepsItUp() {
        #expect(verdicts([Self.at(1), Self.at(1, true), Self.at(1)]) == [.goOn, .recovered, .goOn])
        // Nobody knows: it goes on until its power goes.
        #expect(verdicts([Self.at(1, nil), Self.at(1, nil)]) == [.goOn, .goOn])
    }

    @Test func theVoltageCountsWhereThereIsNoPercentage() {
        var rules = BatteryRules()
        rules.lowMillivolts = 3_500
        rules.stopMillivolts = 3_300
        #expect(verdicts([Self.at(nil, millivolts: 3_299), Self.at(nil, millivolts: 3_299)], rules) == [.goOn, .stop])
        // A burst of the radio pulls the voltage down; the gauge knows better.
        #expect(
            verdicts([Self.at(60, millivolts: 3_100), Self.at(60, millivolts: 3_100)], rules) == [.recovered, .recovered])
        #expect(verdicts([Self.at(nil, millivolts: 3_100), Self.at(nil, millivolts: 3_100)]) == [.recovered, .recovered])
        #expect(rules.isLow(Self.at(nil, millivolts: 3_499)) && !rules.isLow(Self.at(nil)))
    }

    @Test func itLooksSoonerWhenItMatters() {
        var watch = LowBatteryWatch(rules: BatteryRules())
        #expect(watch.pause == LowBatteryWatch.longPause)
        _ = watch.take(Self.at(50))
        #expect(watch.pause == LowBatteryWatch.pause)
        _ = watch.take(Self.at(3))
        #expect(watch.pause == LowBatteryWatch.shortPause)
    }
}

@Suite struct LowBatteryRecordTests {
    @Test func itCountsAndSaysOfWhichBoot() {
        var record = LowBatteryRecord()
        #expect(!record.isOf(boot: ""))
        let boots = ["a", "b"].map { String(repeating: $0, count: 36) }
        for (count, boot) in boots.enumerated() {
            record.stop(percent: 4, boot: boot)
            #expect(record.bytes.count <= LowBatteryRecord.maximumByteCount)
            record = LowBatteryRecord(parsing: record.bytes)
            #expect(record.count == count + 1 && record.percent == 4 && record.isOf(boot: boot))
        }
        #expect(!record.isOf(boot: boots[0]))
        record.stop(percent: nil, boot: "c")
        #expect(LowBatteryRecord(parsing: record.bytes).percent == 0)
    }

    @Test(arguments: [
        "", "vigil-battery 1 -1 4 b", "vigil-battery 1 99999999999999999999 4 b", "vigil-battery 2 1 4 b",
        "vigil-battery 1 1 101 b",
        "vigil-battery 1 1 4", "vigil-battery 1 1 4 b c", "\u{0}\u{0}",
        "vigil-battery 1 1 4 bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
    ])
    func aDamagedRecordCountsAsNone(_ text: String) {
        #expect(LowBatteryRecord(parsing: Array(text.utf8)) == LowBatteryRecord())
    }
}
