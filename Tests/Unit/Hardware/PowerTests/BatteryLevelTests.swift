// SPDX-License-Identifier: Apache-2.0

import Power
import Testing

@Suite struct BatteryLevelTests {
    private func level(_ files: [String: String]) throws -> BatteryLevel { try BatteryLevel { files[$0] } }

    @Test func aGaugeSaysHowFull() throws {
        #expect(
            try level(["type": "Battery", "capacity": "87", "status": "Discharging"])
                == BatteryLevel(percent: 87, isPowered: false))
        #expect(try level(["type": "Battery", "capacity": "0"]).isPowered == nil)
        #expect(try level(["type": "Battery", "capacity": "100", "status": "Full"]).isPowered == true)
    }

    @Test func withoutAPercentageItIsComputed() throws {
        #expect(try level(["type": "Battery", "charge_now": "250000", "charge_full": "1000000"]).percent == 25)
        #expect(try level(["type": "Battery", "energy_now": "1", "energy_full_design": "3"]).percent == 33)
        // A little above full is full.
        #expect(try level(["type": "Battery", "charge_now": "1010000", "charge_full": "1000000"]).percent == 100)
    }

    @Test func whatIsNoBatteryIsNone() {
        #expect(throws: BatteryLevel.Fault.absent) { try level([:]) }
        #expect(throws: BatteryLevel.Fault.absent) { try level(["type": "Battery", "present": "0", "capacity": "50"]) }
        #expect(throws: BatteryLevel.Fault.noBattery) { try level(["type": "Mains", "capacity": "50"]) }
        #expect(throws: BatteryLevel.Fault.noBattery) { try level(["type": "USB"]) }
    }

    @Test(arguments: [
        "", "-1", "101", "1e2", "0x10", " 5", "5 ", "5\n", "٥", "999999999999999999999", "NaN", "4294967297", "50.0",
        String(repeating: "9", count: 4_096),
    ])
    func nonsenseIsNotBelieved(text: String) {
        #expect(throws: BatteryLevel.Fault.unbelievable) { try level(["type": "Battery", "capacity": text]) }
        #expect(throws: BatteryLevel.Fault.unbelievable) {
            try level(["type": "Battery", "charge_now": text, "charge_full": "0"])
        }
    }

    @Test func arithmeticStaysInRange() throws {
        #expect(throws: BatteryLevel.Fault.unbelievable) {
            try level(["type": "Battery", "charge_now": "999999999999", "charge_full": "1"])
        }
        #expect(
            try level(["type": "Battery", "charge_now": "999999999999", "charge_full": "999999999999"]).percent == 100)
    }
}
