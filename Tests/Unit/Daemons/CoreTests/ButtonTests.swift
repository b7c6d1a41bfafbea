// SPDX-License-Identifier: Apache-2.0

import Core
import Interfaces
import JSON
import LabKit
import Ledger
import Radio
import Testing
import TimeTrust
import Varlink
import Vault

@Suite struct ButtonTests {
    /// A plugin that was granted to ask for consents.
    private let plugin = Caller(name: "webui", reading: .nothing, spool: nil, presence: "caller")
    private let other = Caller(name: "other", reading: .nothing, spool: nil, presence: "caller")

    private func bench(hasButton: Bool = true) throws -> ExposureServiceBench {
        var profile = BoardProfile.token
        profile.hasConsentButton = true
        let bench = try ExposureServiceBench(profile: profile)
        try bench.service.enable(by: ExposureServiceBench.caller(), at: bench.now)
        if hasButton { bench.service.connectButton(isPressed: false, at: bench.now) }
        wait(bench, 2_000)
        return bench
    }

    private func wait(_ bench: ExposureServiceBench, _ span: Int) {
        // Not in one step: a service wakes up whenever something is due.
        for _ in 0..<(span / 50) {
            bench.pass(.milliseconds(50))
            bench.service.advanceButton(to: bench.now)
        }
    }

    private func press(_ bench: ExposureServiceBench, _ span: Int = 200) {
        bench.service.moveButton(isPressed: true, before: .zero, at: bench.now)
        wait(bench, span)
        bench.service.moveButton(isPressed: false, before: .zero, at: bench.now)
        wait(bench, 200)
    }

    private func refusal(_ bench: ExposureServiceBench, _ caller: Caller) -> String? {
        do {
            _ = try bench.service.giveConsent(.releaseKeys, by: caller, at: bench.now)
            return nil
        } catch {
            return error.name
        }
    }

    @Test func askedThenPressedThenAskedAgainGivesOneTicket() throws {
        let bench = try bench()
        #expect(refusal(bench, plugin) == "ButtonNeeded")
        #expect(bench.service.scene(at: bench.now).button == .consentWanted)
        press(bench)
        #expect(bench.service.scene(at: bench.now).button == .idle)
        #expect(bench.service.scene(at: bench.now).done == 1)
        let ticket = try bench.service.giveConsent(.releaseKeys, by: plugin, at: bench.now).ticket
        let entry = try #require(try bench.service.audit(after: nil).records.last)
        #expect(entry.kind == "consentGiven" && entry.details["presence"] == "button")
        bench.set(ExposureServiceBench.noon + 800)
        #expect(try !bench.service.takeKeys(ticket: ticket, by: plugin, at: bench.now).isEmpty)
        // One press is one consent.
        #expect(refusal(bench, plugin) == "ButtonNeeded")
    }

    @Test func aPressBeforeTheQuestionIsNoAnswer() throws {
        let bench = try bench()
        press(bench)
        #expect(bench.service.scene(at: bench.now).presses == 1)
        #expect(refusal(bench, plugin) == "ButtonNeeded")
        // Pressed already when the question came, let go after.
        let second = try self.bench()
        second.service.moveButton(isPressed: true, before: .zero, at: second.now)
        wait(second, 500)
        #expect(refusal(second, plugin) == "ButtonNeeded")
        second.service.moveButton(isPressed: false, before: .zero, at: second.now)
        wait(second, 500)
        #expect(refusal(second, plugin) == "ButtonNeeded")
    }

    @Test func aPressForOneIsNoneForAnother() throws {
        let bench = try bench()
        #expect(refusal(bench, plugin) == "ButtonNeeded")
        press(bench)
        #expect(refusal(bench, other) == "ButtonNeeded")
        #expect(bench.service.scene(at: bench.now).button == .idle)
        #expect(refusal(bench, plugin) == nil)
        #expect(refusal(bench, other) == "ButtonNeeded")
        #expect(bench.service.scene(at: bench.now).button == .consentWanted)
        // Who asks meanwhile does not take the question over.
        #expect(refusal(bench, plugin) == "ButtonNeeded")
        press(bench)
        #expect(refusal(bench, plugin) == "ButtonNeeded")
        #expect(refusal(bench, other) == nil)
    }

    /// Over sockets: a press is for one session, not for another one at the same socket, not for a program, and not for another purpose.
    @Test func aPressIsForOneSessionAndOnePurpose() throws {
        var profile = BoardProfile.token
        profile.hasConsentButton = true
        let bench = try ExposureServiceBench(profile: profile, access: AccessControl(data: nil, iterations: 600))
        let desk = try AccessDesk(bench)
        bench.service.connectButton(isPressed: false, at: bench.now)
        wait(bench, 2_000)
        func ask(_ line: AccessDesk.Line, _ purpose: String = "releaseKeys") -> String? {
            let answer = desk.call(line, "org.vigil.device1.GiveConsent", ["purpose": .string(purpose)])
            return answer?["error"]?.string.map { String($0.split(separator: ".").last ?? "") }
        }
        func presence() throws -> String? {
            try bench.service.audit(after: nil).records.last { $0.kind == "consentGiven" }?.details["presence"]
        }
        let wearer = try desk.connect(as: .wearer)
        let other = try desk.connect(as: .wearer)
        // Granted to give consents, and no way to sign in.
        let program = try desk.connect("sync")
        #expect(ask(wearer) == "ButtonNeeded")
        press(bench)
        for line in [other, program] { #expect(ask(line) == "ButtonNeeded") }
        #expect(ask(wearer) == nil)
        #expect(try presence() == "button")
        #expect(ask(wearer) == "ButtonNeeded")
        wait(bench, 61_000)
        // What a program without people may have is the press that was made for it, and for nothing else.
        #expect(ask(program) == "ButtonNeeded")
        press(bench)
        for purpose in ["reset", "pair"] { #expect(ask(program, purpose) == "ButtonNeeded") }
        for purpose in ["reset", "pair"] { #expect(ask(wearer, purpose) == nil) }
        #expect(try presence() == "signedIn")
        #expect(ask(program) == nil)
        #expect(try presence() == "button")
        #expect(ask(program) == "ButtonNeeded")
        // A technician agrees to nothing in the wearer's name, whoever presses.
        let technician = try desk.connect(as: .technician)
        press(bench)
        #expect(ask(technician) == "WrongRole")
    }

    @Test func questionAndPressEndAfterAMinute() throws {
        let bench = try bench()
        #expect(refusal(bench, plugin) == "ButtonNeeded")
        wait(bench, 60_100)
        #expect(bench.service.scene(at: bench.now).button == .idle)
        press(bench)
        #expect(bench.service.scene(at: bench.now).presses == 1)
        #expect(refusal(bench, plugin) == "ButtonNeeded")
        press(bench)
        wait(bench, 60_100)
        #expect(refusal(bench, plugin) == "ButtonNeeded")
    }

    /// The button cannot be heard: nobody agrees by a page; the console does.
    @Test func withoutAButtonThatIsHeardOnlyTheConsoleAgrees() throws {
        let bench = try bench(hasButton: false)
        for _ in 0..<3 { #expect(refusal(bench, plugin) == "ButtonNeeded") }
        #expect(bench.service.scene(at: bench.now).button == .idle)
        #expect(refusal(bench, ExposureServiceBench.caller()) == nil)
        bench.service.connectButton(isPressed: false, at: bench.now)
        bench.service.disconnectButton()
        #expect(refusal(bench, plugin) == "ButtonNeeded")
    }

    @Test func heldCountedLetGoAndPressedErasesEverything() throws {
        let bench = try bench()
        var told: [Indicator1.Scene] = []
        bench.service.announcer.listen { if $0 == .scene { told.append(bench.service.scene(at: bench.now)) } }
        bench.service.moveButton(isPressed: true, before: .zero, at: bench.now)
        wait(bench, 2_500)
        #expect(bench.service.scene(at: bench.now).button == .countdown)
        #expect(bench.service.scene(at: bench.now).count == 5)
        wait(bench, 8_000)
        #expect(bench.service.scene(at: bench.now).button == .release)
        bench.service.moveButton(isPressed: false, before: .zero, at: bench.now)
        wait(bench, 1_000)
        #expect(bench.service.scene(at: bench.now).button == .confirmWanted)
        #expect(!bench.service.wasReset)
        press(bench)
        #expect(bench.service.wasReset)
        #expect(told.last?.done == 1)
        let next = try Vault(bench.data, provider: FileKeyProvider(bench.keys))
        #expect(next.isEnabled == nil)
    }

    @Test func lettingGoEarlyErasesNothing() throws {
        let bench = try bench()
        press(bench, 6_000)
        wait(bench, 20_000)
        #expect(!bench.service.wasReset)
        #expect(bench.service.scene(at: bench.now).cancelled == 1)
    }

    /// No signal is about anybody, and nothing in the interface presses the button.
    @Test func whoShowsItCanOnlyWatch() throws {
        let text = try #require(InterfaceTexts.core[Indicator1.name])
        #expect(
            text.split(separator: "\n").filter { $0.hasPrefix("method ") } == ["method Watch() -> (", "method SayNews("])
        let methods = try InterfaceDescription(parsing: text).methods
        let saying = try #require(methods.first { $0.name == "SayNews" })
        #expect(saying.parameters.map(\.name) == ["news", "reminders"] && saying.results.isEmpty)
    }

    /// An exposure, a test's result, both, or what became of a warning: the light is the same, and it is quiet only if the wearer wants that. Of a token whose wearer never
    /// opens the page nobody has chosen anything.
    @Test(arguments: [true, false, nil]) func newsOfAPluginLookLikeAnyOther(chosen: Bool?) throws {
        let bench = try ExposureServiceBench()
        let wearer = ExposureServiceBench.caller()
        let wanted = chosen ?? true
        if let chosen {
            _ = try bench.service.setPreferences(.init(introduced: true, notifications: chosen, language: nil))
        }
        func shows() -> Bool { bench.service.scene(at: bench.now).signals.contains(.news) }
        #expect(!shows())
        let quiet = bench.service.scene(at: bench.now)
        bench.service.say(news: true, of: "diagnosis")
        #expect(shows() == wanted)
        bench.service.say(news: true, of: "other")
        bench.service.say(news: false, of: "diagnosis")
        #expect(shows() == wanted)
        bench.service.say(news: false, of: "other")
        #expect(bench.service.scene(at: bench.now) == quiet)
        // A place has no wearer whose news they could be.
        bench.service.say(news: true, of: "diagnosis")
        try bench.service.setRole(.place, by: wearer, at: bench.now)
        #expect(!shows())
        // Nothing of it is on record.
        #expect(try !bench.service.audit(after: nil).records.contains { "\($0)".contains("diagnosis") })
    }

    @Test func scenesSayWhatHolds() throws {
        let bench = try ExposureServiceBench(hasTime: false)
        #expect(bench.service.scene(at: bench.now).signals == [.off])
        try bench.service.enable(by: ExposureServiceBench.caller(), at: bench.now)
        #expect(bench.service.scene(at: bench.now).signals == [.timeUntrusted])
        bench.set(ExposureServiceBench.noon)
        // Nothing is on air: there is no radio.
        bench.pass(.seconds(5))
        #expect(bench.service.scene(at: bench.now).signals == [.problem])
    }

    @Test func aButtonThatIsStuckIsAProblem() throws {
        let bench = try bench()
        bench.service.moveButton(isPressed: true, before: .zero, at: bench.now)
        wait(bench, 120_000)
        #expect(bench.service.scene(at: bench.now).button == .stuck)
        #expect(bench.service.scene(at: bench.now).signals.contains(.problem))
        #expect(!bench.service.wasReset)
    }
}
