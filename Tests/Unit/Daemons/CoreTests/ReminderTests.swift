// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Testing
import TimeTrust

@testable import Core

/// When the light reminds the wearer of something that a plugin has asked for.
@Suite struct ReminderTests {
    private let bench: ExposureServiceBench
    private let noon = ExposureServiceBench.noon

    init() throws {
        bench = try ExposureServiceBench()
        bench.set(noon)
    }

    private var reminds: Bool { bench.service.scene(at: bench.now).signals.contains(.reminder) }
    private func ask(_ from: Int64, _ until: Int64) -> Bool {
        bench.service.say(reminders: [.init(from: noon + from, until: noon + until)], of: "venue")
    }

    @Test(arguments: [true, false]) func theLightRemindsWhenItIsTimeAndOnlyWhoWantsIt(wanted: Bool) throws {
        _ = try bench.service.setPreferences(.init(introduced: true, notifications: wanted, language: nil))
        #expect(ask(600, 1_500))
        #expect(!reminds)
        let due = try #require(bench.service.reminderDeadline(at: bench.now))
        #expect(due.duration - bench.now.duration == .seconds(600))
        bench.pass(.seconds(600))
        #expect(reminds == wanted)
        let end = try #require(bench.service.reminderDeadline(at: bench.now))
        #expect(end.duration - bench.now.duration == .seconds(900))
        bench.pass(.seconds(900))
        #expect(!reminds && bench.service.reminderDeadline(at: bench.now) == nil)
    }

    @Test func whoCheckedOutIsNotReminded() throws {
        _ = try bench.service.setPreferences(.init(introduced: true, notifications: true, language: nil))
        #expect(ask(0, 900) && reminds)
        #expect(bench.service.say(reminders: [], of: "venue") && !reminds)
    }

    @Test func aPlaceHasNobodyToRemind() throws {
        _ = try bench.service.setPreferences(.init(introduced: true, notifications: true, language: nil))
        #expect(ask(0, 900) && reminds)
        try bench.service.setRole(.place, by: ExposureServiceBench.caller(), at: bench.now)
        #expect(!reminds && bench.service.reminderDeadline(at: bench.now) == nil)
    }

    /// The end of all time is far, and is looked at in a day.
    @Test func aFarReminderIsLookedAtAgain() throws {
        #expect(bench.service.say(reminders: [.init(from: .max - 1, until: .max)], of: "venue"))
        let due = try #require(bench.service.reminderDeadline(at: bench.now))
        #expect(due.duration - bench.now.duration == .seconds(86_400))
    }
}
