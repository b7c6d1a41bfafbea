// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Supervision

/// A configuration stays only if it is brought once more, late enough, to a board that lacks nothing.
struct ConfigurationTrialTests {
    private func trial(waits: Bool = false) -> ConfigurationTrial {
        var trial = ConfigurationTrial()
        trial.begin(version: 7, seconds: 600, waitsForNetwork: waits, at: .seconds(100))
        return trial
    }

    @Test func itIsKeptWhenItComesAgain() {
        var trial = trial()
        #expect(trial.version == 7 && trial.due == .seconds(700))
        #expect(trial.broughtAgain(isByPerson: false, lacks: nil, at: .seconds(119)) == .tooSoon)
        #expect(trial.broughtAgain(isByPerson: false, lacks: "it is mute", at: .seconds(120)) == .lacks("it is mute"))
        #expect(trial.broughtAgain(isByPerson: false, lacks: nil, at: .seconds(699)) == .kept)
        #expect(trial == ConfigurationTrial() && trial.advance(to: .seconds(5_000)) == [])
    }

    /// Who stands at the console of a board that is cut off can bring it as often as they like: it shows nothing of the network. What keeps it there has a name of its own.
    @Test func aPersonKeepsItByName() {
        var trial = trial(waits: true)
        #expect(trial.broughtAgain(isByPerson: true, lacks: nil, at: .seconds(699)) == .byPerson)
        #expect(trial.keep(lacks: nil) == .tooSoon && trial.version == 7)
        #expect(trial.didReload(well: true, at: .seconds(130)) == [])
        #expect(trial.broughtAgain(isByPerson: true, lacks: nil, at: .seconds(699)) == .byPerson)
        #expect(trial.keep(lacks: "it is mute") == .lacks("it is mute") && trial.version == 7)
        #expect(trial.keep(lacks: nil) == .kept && trial.version == nil)
        #expect(trial.keep(lacks: nil) == .tooSoon)
    }

    @Test func itIsTakenBackWhenNobodyComes() {
        var trial = trial()
        #expect(trial.advance(to: .seconds(699)) == [])
        let acts = trial.advance(to: .seconds(700))
        #expect(acts.count == 1 && trial == ConfigurationTrial())
        #expect(trial.broughtAgain(isByPerson: false, lacks: nil, at: .seconds(800)) == .tooSoon)
    }

    /// What comes while the system still reads its files may have come over the network of before.
    @Test func theNetworkIsWaitedFor() {
        var trial = trial(waits: true)
        #expect(trial.broughtAgain(isByPerson: false, lacks: nil, at: .seconds(200)) == .tooSoon)
        #expect(trial.didReload(well: true, at: .seconds(200)) == [])
        #expect(trial.broughtAgain(isByPerson: false, lacks: nil, at: .seconds(219)) == .tooSoon)
        #expect(trial.broughtAgain(isByPerson: false, lacks: nil, at: .seconds(220)) == .kept)
        var other = self.trial(waits: true)
        #expect(other.didReload(well: false, at: .seconds(101)).count == 1 && other.version == nil)
        // A system that hangs does not prolong it.
        var hanging = self.trial(waits: true)
        #expect(hanging.advance(to: .seconds(700)).count == 1)
        #expect(hanging.didReload(well: false, at: .seconds(701)) == [])
    }
}
