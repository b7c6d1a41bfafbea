// SPDX-License-Identifier: Apache-2.0

import Supervision
import Testing

@Suite struct NetworkTrialTests {
    private func trying() -> NetworkTrial {
        var trial = NetworkTrial()
        #expect(trial.apply("eth0", seconds: 60, at: .seconds(100)) == [.store, .reload])
        #expect(trial.didReload(well: true, at: .seconds(101)) == [])
        return trial
    }

    @Test func whatIsConfirmedStays() {
        var trial = trying()
        #expect(trial.confirmBy == .seconds(160) && trial.due == .seconds(160) && !trial.isSettled)
        #expect(trial.advance(to: .seconds(159)) == [])
        #expect(trial.confirm(at: .seconds(159)) == [.keep(interface: "eth0")])
        #expect(trial.isSettled && trial.due == nil && trial.confirmBy == nil)
        #expect(trial.advance(to: .seconds(1_000)) == [] && trial.confirm(at: .seconds(200)) == nil)
    }

    @Test func whatIsNotConfirmedIsTakenBackByItself() {
        var trial = trying()
        #expect(trial.confirm(at: .seconds(160)) == nil, "it is too late")
        #expect(trial.advance(to: .seconds(160)) == [.takeBack(interface: "eth0"), .reload])
        #expect(trial.confirm(at: .seconds(161)) == nil && !trial.isSettled)
        #expect(trial.advance(to: .seconds(170)) == [])
        #expect(trial.didReload(well: true, at: .seconds(171)) == [])
        #expect(trial.isSettled)
    }

    @Test func whatTheSystemDoesNotTakeIsTakenBackAtOnce() {
        var trial = NetworkTrial()
        _ = trial.apply("eth0", seconds: 60, at: .zero)
        #expect(trial.didReload(well: false, at: .seconds(1)) == [.takeBack(interface: "eth0"), .reload])
        #expect(trial.confirm(at: .seconds(2)) == nil)
    }

    /// The system is told again and again, for two minutes, that the old file is there.
    @Test func takingBackIsTriedAgain() {
        var trial = trying()
        _ = trial.advance(to: .seconds(160))
        var now = Duration.seconds(160)
        var count = 1
        while !trial.isSettled, count < 100 {
            _ = trial.didReload(well: false, at: now)
            guard let due = trial.due else { break }
            #expect(trial.advance(to: due - .seconds(1)) == [])
            now = due
            #expect(trial.advance(to: now) == [.reload])
            count += 1
        }
        #expect(count == 12 && trial.isSettled && now == .seconds(270))
    }

    @Test func whatWasUnconfirmedAtTheStartIsTakenBack() {
        var trial = NetworkTrial()
        #expect(trial.begin(unconfirmed: []) == [] && trial.isSettled)
        #expect(
            trial.begin(unconfirmed: ["a", "b"]) == [.takeBack(interface: "a"), .takeBack(interface: "b"), .reload])
        #expect(!trial.isSettled && trial.confirm(at: .zero) == nil)
        _ = trial.didReload(well: true, at: .seconds(1))
        #expect(trial.isSettled)
    }

    @Test func aConfirmationMayComeWhileTheSystemStillReads() {
        var trial = NetworkTrial()
        _ = trial.apply("eth0", seconds: 30, at: .zero)
        #expect(trial.confirm(at: .seconds(1)) == [.keep(interface: "eth0")])
        #expect(trial.didReload(well: false, at: .seconds(2)) == [], "it was confirmed over the new network")
    }

    @Test func whatCouldNotBeStoredIsOver() {
        var trial = NetworkTrial()
        _ = trial.apply("eth0", seconds: 30, at: .zero)
        trial.couldNotStore()
        #expect(trial.isSettled && trial.due == nil)
    }
}
