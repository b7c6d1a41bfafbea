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
