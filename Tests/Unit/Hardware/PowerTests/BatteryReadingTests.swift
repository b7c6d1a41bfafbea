// SPDX-License-Identifier: Apache-2.0

import Power
import Testing

@Suite struct BatteryReadingTests {
    private func reading(_ files: [String: String]) throws -> BatteryReading {
        try BatteryReading { files.merging(["type": "Battery"]) { one, _ in one }[$0] }
    }

    /// As a gauge of the kernel says it (drivers/power/supply: µV, µA, µAh, seconds).
    @Test func aGaugeSaysItAll() throws {
        let files = [
            "capacity": "57", "status": "Discharging", "voltage_now": "3712000", "current_now": "-120000",
            "charge_now": "1140000",
        ]
        #expect(
            try reading(files)
                == BatteryReading(
                    percent: 57, millivolts: 3_712, isPowered: false, milliwatts: 445, secondsLeft: 34_200))
        #expect(try reading(files.merging(["time_to_empty_now": "3600"]) { $1 }).secondsLeft == 3_600)
        #expect(try reading(files.merging(["status": "Charging"]) { $1 }).secondsLeft == nil)
        #expect(
            try reading([
                "energy_now": "5000000", "energy_full": "10000000", "power_now": "500000", "status": "Discharging",
            ])
                == BatteryReading(percent: 50, isPowered: false, milliwatts: 500, secondsLeft: 36_000))
    }

    @Test func theVoltageAloneIsEnough() throws {
        #expect(
            try reading(["voltage_now": "3300000", "status": "Discharging"])
                == BatteryReading(percent: nil, millivolts: 3_300, isPowered: false))
        #expect(throws: BatteryLevel.Fault.unbelievable) { try reading([:]) }
        #expect(throws: BatteryLevel.Fault.unbelievable) { try reading(["voltage_now": "3300"]) }
        #expect(throws: BatteryLevel.Fault.absent) { try reading(["voltage_now": "3300000", "present": "0"]) }
        #expect(throws: BatteryLevel.Fault.noBattery) { try reading(["type": "Mains", "voltage_now": "3300000"]) }
    }

    @Test(arguments: [
        "", "-", "--1", "0x10", " 5", "999999999999999999999", "NaN", "1e6", "٥", "5\u{0}",
        String(repeating: "9", count: 4_096),
        "0", "-0", "999999999999",
    ])
    func nonsenseIsLeftOut(text: String) throws {
        let one = try reading([
            "capacity": "50", "status": "Discharging", "voltage_now": text, "current_now": text, "charge_now": text,
            "power_now": text,
            "energy_now": text, "time_to_empty_now": text,
        ])
        #expect(one.percent == 50 && one.millivolts == nil && one.isPowered == false)
        #expect(one.secondsLeft.map { (1...31_536_000).contains($0) } ?? true)
    }
}
