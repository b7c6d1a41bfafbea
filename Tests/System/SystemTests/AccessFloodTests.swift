// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Testing

/// Several callers try wrong secrets against a real core, as fast as they are answered, while others sign in and an identifier ends.
@Suite(.serialized) struct AccessFloodTests {
    private static let methods = ["access1.SignIn", "access1.UseSession", "exposure1.GetStatus", "device1.GetRadio"]
    private static let callers = ["page", "second", "third"]
    /// On each socket; 16 may be open there, and people use it, too.
    private static let each = 12
    /// As long as others try.
    private static let flood = Duration.seconds(5)
    /// What did not come until then does not come any more.
    private static let longest = Duration.seconds(60)

    private struct Outcome {
        var count = 0
        /// Told to be wrong: those whose hash was computed.
        var wrong = 0
        /// Refused before that: too early after others, or too many at once.
        var early = 0
        var busy = 0
        var slowest = Duration.zero
        /// What was none of these.
        var odd: [String] = []
    }

    /// One who tries and tries.
    private final class Guesser {
        let line: CallClient
        private var sent = ContinuousClock.now
        init(_ line: CallClient) { self.line = line }

        func ask(_ number: Int) {
            sent = .now
            line.send(
                CallClient.message(
                    "org.vigil.access1.SignIn", #"{"role":"technician","secret":"a wrong guess \#(number)"}"#))
        }

        func take(_ outcome: inout Outcome) -> Bool {
            guard let answer = line.receiveWaiting() else { return false }
            outcome.count += 1
            outcome.slowest = max(outcome.slowest, .now - sent)
            switch (answer.member("error"), answer.member("wait")) {
            case ("org.vigil.access1.Refused", "0"): outcome.wrong += 1
            case ("org.vigil.access1.Refused", let wait?) where answer.contains("too many wrong secrets"):
                outcome.early += 1
                if !(1...60).contains(Int(wait) ?? 0) { outcome.odd.append(answer) }
            case ("org.vigil.access1.Refused", "1"): outcome.busy += 1
            default: outcome.odd.append(answer)
            }
            return true
        }
    }

    private func signIn(_ line: CallClient, _ role: String, _ secret: String) throws -> (answer: String, time: Duration) {
        let start = ContinuousClock.now
        let answer = try #require(
            line.call("org.vigil.access1.SignIn", #"{"role":"\#(role)","secret":"\#(secret)"}"#))
        return (answer, .now - start)
    }

    @Test func aFloodOfWrongSecretsStopsNobodyElse() throws {
        let air = try AirProcess()
        let grants = Self.methods.map { "\"org.vigil.\($0)\"" }.joined(separator: ",")
        let callers = Self.callers.map { #"{"name": "\#($0)", "grants": [\#(grants)]}"# }.joined(separator: ",")
        try Data(#"{"callers": [\#(callers)]}"#.utf8).write(to: URL(filePath: air.folder + "/callers.json"))
        // The first identifier ends in the middle of it, with its day: others last for ten minutes at least. A machine that is busy may need longer than
        // that day has left to start a core, so the next try has more of it.
        var begun: (core: CoreProcess, undisturbed: (answer: String, time: Duration))?
        for seconds in [6, 30, 120] where begun == nil {
            let core = try CoreProcess("core\(seconds)", on: air, ["--callers", air.folder + "/callers.json"])
            try FileManager.default.createDirectory(atPath: core.folder + "/data", withIntermediateDirectories: true)
            let secrets =
                #"{"technicianReadOnly": "a read-only technician's secret", "technician": "a technician's secret"}"#
            try Data(secrets.utf8).write(to: URL(filePath: core.folder + "/data/first-secrets"))
            let midnight = (Int(time(nil)) / 86_400 + 1) * 86_400
            let set = ContinuousClock.now
            try #require(
                try Program.vigil("time", "set", "\(midnight - seconds)", "--run", core.folder).status == 0)
            try core.start()
            try #require(core.waits { core.field("onAir") == "true" }, "\(core.log)")
            try #require(core.waits { access(core.folder + "/data/first-secrets", F_OK) != 0 }, "\(core.log)")
            let undisturbed = try signIn(
                try CallClient("\(core.folder)/page.sock"), "technicianReadOnly", "a read-only technician's secret")
            if .now - set < .seconds(seconds - 1) { begun = (core, undisturbed) }
        }
        let (core, undisturbed) = try #require(begun, "no core was ready within two minutes")
        func line(_ name: String = "page") throws -> CallClient { try CallClient("\(core.folder)/\(name).sock") }
        let session = try #require(undisturbed.answer.member("session"))
        // What a hash takes is the machine's matter, and its other work's. Only so many times longer may the flood make it: far less than the flood
        // lasts, and more than a machine takes that has ten programs for each processor (14 s were seen).
        let patience = max(.seconds(30), undisturbed.time * 10)
        let rotations = core.number("rotations")
        try #require(core.number("secondsToRotation") > 0, "\(core.state)")

        // All at once.
        let guessers = try Self.callers.flatMap { name in try (0..<Self.each).map { _ in Guesser(try line(name)) } }
        var outcome = Outcome()
        let start = ContinuousClock.now
        for guesser in guessers { guesser.ask(0) }
        /// They go on until a person has what was waited for.
        func storm(until done: () -> Bool) {
            while !done() {
                var isQuiet = true
                for guesser in guessers where guesser.take(&outcome) {
                    isQuiet = false
                    guesser.ask(outcome.count)
                }
                if isQuiet { usleep(1_000) }
            }
        }
        // A read-only technician, whose secret they do not guess, signs in among them.
        let technicianReadOnly = try line()
        technicianReadOnly.send(
            CallClient.message(
                "org.vigil.access1.SignIn", #"{"role":"technicianReadOnly","secret":"a read-only technician's secret"}"#))
        var letIn: String?
        storm { () -> Bool in
            letIn = technicianReadOnly.receiveWaiting()
            return letIn != nil || .now - start > Self.longest
        }
        let waited = ContinuousClock.now - start
        #expect(letIn?.member("session")?.utf8.count == 64, "\(letIn ?? "no answer")")
        #expect(waited < patience)
        // The technician whose secret they guess is told when to come again, and who is signed in goes on.
        let technician = try line()
        technician.send(
            CallClient.message("org.vigil.access1.SignIn", #"{"role":"technician","secret":"a technician's secret"}"#))
        let person = try line("second")
        person.send(
            CallClient.message("org.vigil.access1.UseSession", #"{"session":"\#(session)"}"#)
                + CallClient.message("org.vigil.device1.GetRadio"))
        var (refused, used, seen): (String?, String?, String?)
        let asked = ContinuousClock.now
        storm { () -> Bool in
            refused = refused ?? technician.receiveWaiting()
            if used == nil { used = person.receiveWaiting() } else { seen = seen ?? person.receiveWaiting() }
            return refused != nil && seen != nil || .now - asked > Self.longest
        }
        #expect(
            used?.member("role") == "technicianReadOnly" && seen?.member("onAir") == "true", "\(used ?? "") \(seen ?? "")")
        let isIn = refused?.member("session") != nil
        #expect(isIn || (1...60).contains(Int(refused?.member("wait") ?? "") ?? 0), "\(refused ?? "no answer")")
        // Until the identifier has ended and the throttle holds.
        storm {
            let isEnough = core.number("rotations") > rotations && outcome.early > 0 && outcome.count > 300
            return .now - start > Self.flood && isEnough || .now - start > Self.longest
        }
        let asleep = ContinuousClock.now + patience
        var left = guessers.count
        while left > 0, .now < asleep { for guesser in guessers where guesser.take(&outcome) { left -= 1 } }
        let took = ContinuousClock.now - start

        print(
            "alone a sign-in took \(undisturbed.time); \(outcome.count) wrong secrets from \(guessers.count) connections in \(took): \(outcome.wrong) hashed, \(outcome.early) too early, \(outcome.busy) too many at once, slowest answer \(outcome.slowest); \(core.mebibytes("VmHWM")) MiB; the read-only technician was let in after \(waited)"
        )
        #expect(left == 0, "everybody is answered")
        #expect(outcome.odd == [])
        #expect(outcome.count > 300)
        #expect(outcome.slowest < patience)
        // Five are free, and those that follow were waited for: 1, 2, 4 … 60 s, all in all no longer than it took.
        var (most, past) = (5, 0)
        for wait in [1, 2, 4, 8, 16, 32, 60] where .seconds(past + wait) <= took {
            past += wait
            most += 1
        }
        // Whoever comes by with the right one has the others forgotten.
        #expect((5...(isIn ? 2 * most : most)).contains(outcome.wrong), "\(outcome.wrong) were hashed, \(most) may be")
        #expect(core.waits { core.number("rotations") > rotations })
        print("the identifier that ended was at most \(core.number("worstRotationLateness")) ms late")
        #expect(core.field("onAir") == "true")
        #expect(core.number("worstRotationLateness") < 3_000, "\(core.state)")
        #expect(core.mebibytes("VmHWM") < HostileScene.mostMemory)
        // They are gone, and the technician comes when told.
        guard !isIn else { return }
        var waits: [Int] = []
        var answer = ""
        for _ in 0..<3 {
            answer = try signIn(try line(), "technician", "a technician's secret").answer
            guard let wait = Int(answer.member("wait") ?? "") else { break }
            waits.append(wait)
            usleep(UInt32(min(wait, 20)) * 1_000_000)
        }
        #expect(answer.member("session")?.utf8.count == 64, "\(answer) after \(waits)")
        #expect(waits.count <= 1 && waits.allSatisfy { $0 <= 16 }, "\(waits)")
    }
}
