// SPDX-License-Identifier: Apache-2.0

import DiagnosisPlan
import RandomValues
import Testing

@testable import WireTrial

/// Days are as many as asked for, mixed, and short enough to end with a warning.
@Suite struct DayPlanTests {
    @Test func daysAreMixed() {
        var random = SeededGenerator(seed: 1)
        let days = DayPlan.days(with: 500, without: 500, using: &random)
        #expect(days.count == 1_000 && days.map(\.number) == Array(0..<1_000))
        #expect(days.filter { $0.story != nil }.count == 500)
        // Neither half is of one kind: a chance of less than 10⁻⁹.
        let early = days.prefix(500).filter { $0.story != nil }.count
        #expect((150...350).contains(early))
    }

    /// Whatever the slots, with one in four hours: the one after entering registers, the first after the report that is due hears, the one after
    /// agreeing sends.
    @Test func storiesEndOnTheirDay() {
        var random = SeededGenerator(seed: 2)
        var keys: Set<Int> = []
        let window = 86_400 / SlotSchedule.Density.six.rawValue
        for day in DayPlan.days(with: 2_000, without: 0, using: &random) {
            guard let story = day.story else { continue }
            keys.insert(story.keys)
            let slots = (0..<SlotSchedule.Density.six.rawValue).map {
                $0 * window + .random(in: 0..<window - SlotSchedule.minimumGap, using: &random)
            }
            let registered = slots.first { $0 > story.entered }
            let reported = story.isTeleTAN ? 0 : story.entered + story.reported
            let heard = slots.first { slot in
                guard let registered else { return false }
                return slot >= reported && (slot == registered || slot >= registered + PollingRhythm.pcrSeconds)
            }
            let sent = slots.first { slot in heard.map { slot > $0 + story.agreed } ?? false }
            #expect(sent != nil)
        }
        #expect(keys == Set(1...14))
    }

    @Test func addressesAreOfTheLoopbackAndDiffer() {
        let addresses = (0..<100_000).map(WireTrial.address)
        #expect(Set(addresses).count == 100_000)
        #expect(addresses.allSatisfy { $0.hasPrefix("127.") && !$0.hasPrefix("127.0.") })
        #expect(addresses.allSatisfy { $0.split(separator: ".").allSatisfy { UInt8($0) != nil } })
    }
}
