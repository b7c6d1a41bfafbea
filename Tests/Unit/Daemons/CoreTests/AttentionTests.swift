// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Testing

@testable import Core

@Suite struct AttentionTests {
    @Test(arguments: [
        (Exposure1.State.active, [Indicator1.Signal.onAir]), (.disabled, [.off]), (.timeUnknown, [.timeUntrusted]),
        (.radioTrouble, [.problem]), (.stopping, []),
    ])
    func aStateHasItsSignal(_ state: Exposure1.State, _ signals: [Indicator1.Signal]) {
        #expect(Attention().signals(in: state, hasProblem: false, hasNews: false) == signals)
    }

    @Test func signalsAddUpInTheOrderOfTheInterface() {
        var attention = Attention()
        attention.isBatteryLow = true
        let signals = attention.signals(in: .active, hasProblem: true, hasNews: true)
        #expect(Set(signals) == [.onAir, .problem, .batteryLow, .news])
        #expect(signals == Indicator1.Signal.allCases.filter(signals.contains))
        // A problem is said once, whatever it is.
        #expect(Attention().signals(in: .radioTrouble, hasProblem: true, hasNews: false) == [.problem])
    }

    @Test func aReminderHoldsFromItsBeginningToItsEnd() {
        var attention = Attention()
        let isTaken = attention.note(reminders: [.init(from: 100, until: 200), .init(from: 150, until: 300)], of: "a")
        #expect(isTaken)
        #expect([99, 100, 250, 299, 300].map { attention.reminds(at: $0) } == [false, true, true, true, false])
        #expect([0, 100, 200, 300].map { attention.nextReminder(after: $0) } == [100, 150, 300, nil])
        let signals = attention.signals(in: .active, hasProblem: false, hasNews: false, reminds: true)
        #expect(signals == [.reminder, .onAir])
        // What is said next is in its place; another plugin's stays.
        for (times, name) in [([Indicator1.Reminder(from: 400, until: 500)], "b"), ([], "a")] {
            let isTaken = attention.note(reminders: times, of: name)
            #expect(isTaken)
        }
        #expect(!attention.reminds(at: 250) && attention.reminds(at: 400))
    }

    @Test func whatNoLightCanShowChangesNothing() {
        var attention = Attention()
        let many = (0..<Int64(Attention.mostReminders) + 1).map { Indicator1.Reminder(from: $0, until: $0 + 1) }
        for (times, isGood) in [
            ([.init(from: 1, until: 2)], true), ([.init(from: 5, until: 5)], false),
            ([.init(from: .max, until: .min)], false),
            (many, false),
        ] as [([Indicator1.Reminder], Bool)] {
            let isTaken = attention.note(reminders: times, of: "a")
            #expect(isTaken == isGood)
        }
        #expect(attention.reminds(at: 1) && attention.nextReminder(after: 2) == nil)
    }

    @Test func newsLastUntilEveryPluginHasTakenThemBack() {
        var attention = Attention()
        attention.note(news: true, of: "a")
        attention.note(news: true, of: "b")
        attention.note(news: false, of: "a")
        #expect(attention.hasNewsOfPlugins)
        attention.note(news: false, of: "b")
        #expect(!attention.hasNewsOfPlugins)
    }
}
