// SPDX-License-Identifier: Apache-2.0

import Power
import Testing

@Suite struct PowerEstimateTests {
    private static func figures(
        idle: Int = 0, awake: Int = 0, wake: Int = 0, receive: Int = 0, transmit: Int = 0, converter: Int = 100
    ) -> PowerFigures {
        PowerFigures(
            millivolts: 5_000, idleMicroamps: idle, awakeMicroamps: awake, wakeMicroseconds: wake,
            receiveMicroamps: receive,
            transmitMicroamps: transmit, converterPercent: converter, source: "a test", confidence: .estimated)
    }

    private static let duty = Duty(
        scanMilliseconds: 4_000, scanPeriodMilliseconds: 255_500, advertisingMilliseconds: 235, wakesPerSecond: 10)

    /// Each share by hand.
    @Test func sharesAddUp() {
        let estimate = PowerEstimate(
            Self.figures(idle: 100_000, awake: 50_000, wake: 1_000, receive: 20_000, transmit: 30_000), Self.duty,
            milliwattHours: 10_000)
        #expect(abs(estimate.idle - 100_000) < 0.01)
        // 10 × 1 ms in a second.
        #expect(abs(estimate.waking - 500) < 0.01)
        // 4 s of 255.5 s.
        #expect(abs(estimate.receiving - 313.11) < 0.01)
        // 3 × 376 µs of 235 ms.
        #expect(abs(Duty.advertisementMicroseconds - 1_128) < 0.01)
        #expect(abs(estimate.sending - 144) < 0.01)
        #expect(abs(estimate.milliwatts - 504.786) < 0.01)
        #expect(abs(estimate.hours - 19.81) < 0.01)
    }

    @Test func aConverterAndAReserveTakeTheirShare() {
        let whole = PowerEstimate(Self.figures(idle: 100_000), Self.duty, milliwattHours: 10_000)
        let part = PowerEstimate(
            Self.figures(idle: 100_000, converter: 80), Self.duty, milliwattHours: 10_000, usablePercent: 95)
        #expect(abs(whole.hours - 20) < 0.001 && abs(part.hours - 20 * 0.8 * 0.95) < 0.001)
    }

    @Test func nothingDividesByNothing() {
        let duty = Duty(scanMilliseconds: 9, scanPeriodMilliseconds: 0, advertisingMilliseconds: 0, wakesPerSecond: -1)
        #expect(PowerEstimate(Self.figures(receive: 9, transmit: 9), duty, milliwattHours: 1).hours == 0)
        let busy = Duty(scanMilliseconds: 9, scanPeriodMilliseconds: 1, advertisingMilliseconds: 0.1, wakesPerSecond: 1e9)
        #expect(busy.receiving == 1 && busy.sending == 1)
        // No more than always awake.
        #expect(PowerEstimate(Self.figures(awake: 7, wake: 1_000_000), busy, milliwattHours: 1).waking == 7)
    }
}
