// SPDX-License-Identifier: Apache-2.0

import Supervision
import Testing

@Suite struct PaceTests {
    @Test func whoSaysTooMuchWaitsForTheNextSecond() {
        var pace = Pace(100, at: .seconds(10))
        pace.take(60, at: .seconds(10))
        #expect(pace.rests(at: .seconds(10)) == nil)
        pace.take(60, at: .milliseconds(10_500))
        #expect(pace.rests(at: .milliseconds(10_500)) == .seconds(11))
        #expect(pace.rests(at: .seconds(11)) == nil)
    }

    @Test func whoSaysLittleNeverWaits() {
        var pace = Pace(10, at: .zero)
        for second in 0..<100 {
            pace.take(9, at: .seconds(second))
            #expect(pace.rests(at: .seconds(second)) == nil)
        }
    }

    @Test func everySecondIsCountedAnew() {
        var pace = Pace(10, at: .zero)
        pace.take(1000, at: .zero)
        #expect(pace.rests(at: .milliseconds(999)) == .seconds(1))
        pace.take(9, at: .seconds(5))
        #expect(pace.rests(at: .seconds(5)) == nil)
        pace.take(1, at: .milliseconds(5_100))
        #expect(pace.rests(at: .milliseconds(5_100)) == .seconds(6))
    }
}
