// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Glibc
import Interfaces
import JSON
import Ledger
import ProcessLink
import Radio
import TestKit
import Testing
import TimeTrust
import Varlink
import VarlinkSocket

@testable import Core

/// Signing in, and for how long.
@Suite struct AccessTests {
    private func error(_ reply: JSON?) -> String? {
        reply?["error"]?.string.map { String($0.split(separator: ".").last ?? "") }
    }

    private func session(_ reply: JSON?) throws -> String { try #require(reply?["parameters"]?["session"]?.string) }

    // MARK: Secrets

    @Test func aMadeSecretOpensHoweverItIsTyped() throws {
        let desk = try AccessDesk()
        #expect(try desk.call(desk.connect(), "org.vigil.access1.GetRoles")?["parameters"]?["roles"]?.array == [])
        let secret = try desk.makeSecret(.wearer)
        #expect(secret.utf8.count == 19 && secret.split(separator: "-").count == 4)
        #expect(try desk.call(desk.connect(), "org.vigil.access1.GetRoles")?["parameters"]?["roles"]?.array == ["wearer"])
        let letters = secret.replacing("1", with: "l").replacing("0", with: "o")
        for typed in [
            secret, secret.lowercased(), secret.replacing("-", with: ""), " \(letters) ", letters.replacing("-", with: " "),
        ] {
            let reply = try desk.signIn(.wearer, typed)
            #expect(try session(reply).utf8.count == 64)
            #expect(reply?["parameters"]?["idleSeconds"]?.int == 86_400)
        }
        for wrong in ["", "x", String(secret.dropLast()), secret + "0", String(secret.reversed())] {
            let desk = desk
            desk.bench.pass(.seconds(61))
            #expect(try error(desk.signIn(.wearer, wrong)) == "Refused", "\(wrong)")
        }
        desk.bench.pass(.seconds(61))
        #expect(try error(desk.signIn(.technician, secret)) == "Refused", "another role's")
        #expect(try error(desk.signIn(.wearer, String(repeating: "x", count: 257))) == "Unusable")
        #expect(try error(desk.call(desk.connect(), "org.vigil.access1.MakeSecret", ["role": "wearer"])) == "WrongRole")
        #expect(
            try error(desk.call(desk.connect("sync"), "org.vigil.access1.MakeSecret", ["role": "wearer"])) == "WrongRole")
    }

    @Test func nobodyDisablesThePluginTheyAskThrough() throws {
        let desk = try AccessDesk()
        var orders: [ControlMessage] = []
        desk.interfaces.supervisor = SupervisorClient(folder: "/nonexistent", runFolder: "/nonexistent") { message in
            orders.append(message)
            return true
        }
        let line = try desk.connect(as: .technician)
        let refused = desk.call(line, "org.vigil.technician1.SetEnabled", ["name": "page", "enabled": false])
        #expect(error(refused) == "NotPossible" && orders.isEmpty)
        #expect(refused?["parameters"]?["reason"]?.string?.hasPrefix("page is what this was asked through") == true)
        for (name, isEnabled) in [("page", true), ("sync", false)] {
            let count = orders.count
            // Nobody answers the first, and a connection has one call at a time.
            let other = try desk.connect(as: .technician)
            desk.send(other, "org.vigil.technician1.SetEnabled", ["name": .string(name), "enabled": .bool(isEnabled)])
            for _ in 0..<20 { desk.turn() }
            #expect(orders.count == count + 1, "\(name)")
        }
    }

    @Test func makingASecretAnewEndsWhatTheOldOneOpened() throws {
        let desk = try AccessDesk()
        let old = try desk.makeSecret(.technician)
        let line = try desk.connect(as: .technician)
        let watcher = try desk.connect(as: .technician)
        #expect(desk.call(watcher, "org.vigil.exposure1.Watch", more: true)?["continues"] == true)
        let token = desk.call(line, "org.vigil.access1.MakeToken", ["name": "a script", "role": "technicianReadOnly"])
        #expect(token?["parameters"]?["token"]?.string?.utf8.count == 64)
        let new = try desk.makeSecret(.technician)
        #expect(old != new)
        #expect(error(desk.call(line, "org.vigil.device1.GetRadio")) == "NotSignedIn")
        #expect(error(desk.receive(watcher)) == "NotSignedIn", "what was told in its name ends, too")
        #expect(try error(desk.signIn(.technician, old)) == "Refused")
        #expect(try error(desk.signIn(.technician, new)) == nil)
        // Another role's token does not end with it.
        #expect(
            try desk.call(desk.connect("ctl"), "org.vigil.access1.GetTokens")?["parameters"]?["tokens"]?.array?.count == 1)
        #expect(try desk.kinds().filter { $0 == "secretChanged" }.count == 2)
    }

    @Test func whoKnowsThePresentSecretMayChooseAnother() throws {
        let desk = try AccessDesk()
        let (wearer, technician) = (try desk.makeSecret(.wearer), try desk.makeSecret(.technician))
        func change(_ line: AccessDesk.Line, _ role: String, _ present: String, _ wanted: String?) -> JSON? {
            var parameters: JSON.Object = ["role": .string(role), "present": .string(present)]
            if let wanted { parameters["wanted"] = .string(wanted) }
            return desk.call(line, "org.vigil.access1.ChangeSecret", .object(parameters))
        }
        let line = try desk.connect(as: .wearer)
        #expect(error(change(line, "wearer", "not it", "a better sentence")) == "Refused")
        #expect(error(change(line, "technician", wearer, "a better sentence")) == "WrongRole")
        #expect(error(change(line, "wearer", wearer, "short")) == "Unusable")
        #expect(error(change(line, "wearer", wearer, "with a\ttabulator")) == "Unusable")
        #expect(error(change(line, "wearer", wearer, "a better sentence")) == nil)
        #expect(error(desk.call(line, "org.vigil.risk1.GetRisk")) == "NotSignedIn", "its own session ends, too")
        #expect(try error(desk.signIn(.wearer, wearer)) == "Refused")
        #expect(try error(desk.signIn(.wearer, "A better sentence")) == "Refused", "what was chosen is taken as it is")
        #expect(try error(desk.signIn(.wearer, "a better sentence")) == nil)
        // A technician changes those of technicians, with the own secret; without a wish one is made.
        let bench = try desk.connect(as: .technician)
        _ = try desk.makeSecret(.technicianReadOnly)
        #expect(error(change(bench, "technicianReadOnly", "a better sentence", nil)) == "Refused")
        let made = change(bench, "technicianReadOnly", technician, nil)?["parameters"]?["made"]?.string
        #expect(try error(desk.signIn(.technicianReadOnly, try #require(made))) == nil)
        // Never the wearer's: by it whoever looks after the device would read what the wearer alone may.
        #expect(error(change(bench, "wearer", technician, "the technician's own")) == "WrongRole")
        #expect(try error(desk.signIn(.wearer, "a better sentence")) == nil)
        #expect(
            try error(
                desk.call(
                    desk.connect("ctl"), "org.vigil.access1.ChangeSecret", ["role": "technicianReadOnly", "present": "x"]))
                == "Unusable")
    }

    /// Who hands a device on makes the next wearer's secret: after a reset of theirs there is none, and nothing that it would open.
    @Test func aTechnicianMakesTheWearersSecretOnlyWhileThereIsNone() throws {
        let desk = try AccessDesk()
        let technician = try desk.makeSecret(.technician)
        func change(_ wanted: String) throws -> JSON? {
            try desk.call(
                desk.connect(as: .technician), "org.vigil.access1.ChangeSecret",
                ["role": "wearer", "present": .string(technician), "wanted": .string(wanted)])
        }
        #expect(try error(change("the first wearer's")) == nil)
        #expect(try error(desk.signIn(.wearer, "the first wearer's")) == nil)
        #expect(try error(change("the technician's own")) == "WrongRole")
        let bench = try desk.connect(as: .technician)
        let ticket = try #require(
            desk.call(bench, "org.vigil.device1.GiveConsent", ["purpose": "reset"])?["parameters"]?["ticket"]?.string)
        #expect(error(desk.call(bench, "org.vigil.device1.Reset", ["ticket": .string(ticket)])) == nil)
        #expect(desk.bench.service.signIn.access.roles == [.technician])
    }

    @Test func aPlaceHasNoWearerToMakeASecretFor() throws {
        let desk = try AccessDesk()
        let technician = try desk.makeSecret(.technician)
        #expect(try error(desk.call(desk.connect("ctl"), "org.vigil.device1.SetRole", ["role": "place"])) == nil)
        let reply = try desk.call(
            desk.connect(as: .technician), "org.vigil.access1.ChangeSecret",
            ["role": "wearer", "present": .string(technician), "wanted": "nobody's secret"])
        #expect(error(reply) == "Unusable" && desk.bench.service.signIn.access.roles == [.technician])
    }

    // MARK: Trying

    /// Who guesses on six connections at once, without a pause, is looked at as often as who guesses on one: five times, and after 1, 3, 7 and 15 s.
    @Test func sixAtOnceFromOneAddressGuessNoMoreThanOne() throws {
        let desk = try AccessDesk()
        _ = try desk.makeSecret(.technician)
        let lines = try (0..<6).map { _ in try desk.connect() }
        var isAsked = [Bool](repeating: false, count: lines.count)
        var (wrong, early) = (0, 0)
        for _ in 0..<200 {
            for (index, line) in lines.enumerated() {
                if !isAsked[index] {
                    desk.send(
                        line, "org.vigil.access1.SignIn",
                        ["role": "technician", "secret": "a guess of somebody's", "source": "here"])
                    isAsked[index] = true
                }
                guard let reply = desk.receive(line, turns: 3) else { continue }
                isAsked[index] = false
                let wait = try #require(reply["parameters"]?["wait"]?.int)
                if wait == 0 { wrong += 1 } else { early += 1 }
            }
            desk.bench.pass(.milliseconds(100))
        }
        #expect(wrong == 9 && early > 500, "\(wrong) and \(early)")
    }

    @Test func whoKeepsTryingWaitsEverLonger() throws {
        let desk = try AccessDesk()
        let secret = try desk.makeSecret(.technician)
        for _ in 0..<5 { #expect(try desk.signIn(.technician, "wrong secret")?["parameters"]?["wait"]?.int == 0) }
        var waits: [Int64] = []
        for _ in 0..<8 {
            // The right one, too: whoever tries learns nothing meanwhile.
            let wait = try #require(try desk.signIn(.technician, secret)?["parameters"]?["wait"]?.int)
            waits.append(wait)
            #expect(try desk.signIn(.wearer, "wrong secret")?["parameters"]?["wait"]?.int == 0 || waits.count > 5)
            desk.bench.pass(.seconds(wait))
            _ = try desk.signIn(.technician, "wrong secret")
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
        desk.bench.pass(.seconds(3_600))
        #expect(try desk.signIn(.technician, "wrong secret")?["parameters"]?["wait"]?.int == 0, "forgotten after an hour")
        #expect(try error(desk.signIn(.technician, secret)) == nil)
        // Far fewer records than tries.
        let failed = try desk.bench.service.audit(after: nil).records.filter {
            $0.kind == "signInFailed" && $0.details["role"] == "technician"
        }
        #expect((2...6).contains(failed.count))
        #expect(failed.allSatisfy { $0.details.values.allSatisfy { !$0.contains("wrong") && !$0.contains(secret) } })
    }

    /// A try as a page passes it on.
    private func trial(
        _ desk: AccessDesk, _ secret: String, source: String? = nil, browser: String? = nil
    ) throws -> JSON? {
        var call: JSON.Object = ["role": "technician", "secret": .string(secret)]
        if let source { call["source"] = .string(source) }
        if let browser { call["browser"] = .string(browser) }
        return try desk.call(desk.connect(), "org.vigil.access1.SignIn", .object(call))
    }

    /// 50 sources try without end. Who comes from elsewhere is let in at once, who was in before from anywhere, and all others together
    /// are looked at no more often than one count for all allowed.
    @Test func strangersKeepTheOwnerOutOfNothing() throws {
        let desk = try AccessDesk()
        let secret = try desk.makeSecret(.technician)
        let proof = try #require(try trial(desk, secret, source: "home")?["parameters"]?["browser"]?.string)
        var looked = 0
        for minute in 0..<60 {
            for number in 0..<50 {
                let reply = try trial(desk, "a wrong secret", source: "10.0.0.\(number)")
                #expect(error(reply) == "Refused")
                if reply?["parameters"]?["wait"]?.int == 0 { looked += 1 }
            }
            if minute % 10 == 9 {
                #expect(try session(trial(desk, secret, source: "192.168.1.\(minute)")).utf8.count == 64)
                // Even from where they come from.
                #expect(try session(trial(desk, secret, source: "10.0.0.7", browser: proof)).utf8.count == 64)
            }
            desk.bench.pass(.seconds(60))
        }
        #expect((100...185).contains(looked), "\(looked)")
        // Without what it was given a browser is as any other there.
        #expect(try trial(desk, secret, source: "10.0.0.7")?["parameters"]?["wait"]?.int ?? 0 > 0)
    }

    /// A page that was taken over says of each try that it comes from elsewhere, and makes up proofs: no more is looked at.
    @Test func whatThePageSaysOpensNothing() throws {
        let desk = try AccessDesk()
        let secret = try desk.makeSecret(.technician)
        let proof = try #require(try trial(desk, secret)?["parameters"]?["browser"]?.string)
        var looked = 0
        for number in 0..<400 {
            let forged = number % 2 == 0 ? String(repeating: "0", count: 96) : String(proof.dropLast(2)) + "zz"
            let reply = try trial(desk, "a wrong secret", source: "\(number)", browser: forged)
            if reply?["parameters"]?["wait"]?.int == 0 { looked += 1 }
        }
        #expect(looked == 120 + 15)
        // A known browser is slowed by itself, and so is no other one.
        for _ in 0..<5 { #expect(try trial(desk, "wrong", browser: proof)?["parameters"]?["wait"]?.int == 0) }
        #expect(try trial(desk, secret, browser: proof)?["parameters"]?["wait"]?.int == 1)
        #expect(try error(trial(desk, secret, source: String(repeating: "x", count: 65))) == "Unusable")
        // With another secret nobody is known any more.
        desk.bench.pass(.seconds(2))
        let again = try desk.makeSecret(.technician)
        for _ in 0..<6 { _ = try trial(desk, "wrong", browser: proof) }
        #expect(try trial(desk, again, browser: proof)?["parameters"]?["wait"]?.int ?? 0 > 0)
        #expect(try error(trial(desk, again, source: "elsewhere")) == nil)
    }

    @Test func fewWaitAndTheRestIsTurnedAway() throws {
        let desk = try AccessDesk()
        let (secret, technicians) = (try desk.makeSecret(.technicianReadOnly), try desk.makeSecret(.technician))
        func send(_ line: AccessDesk.Line, _ role: String, _ secret: String) {
            desk.send(line, "org.vigil.access1.SignIn", ["role": .string(role), "secret": .string(secret)])
            var descriptors = desk.server.descriptors()
            _ = poll(&descriptors, nfds_t(descriptors.count), 0)
            desk.server.serve(descriptors, at: desk.bench.now.duration)
        }
        let lines = try (0..<8).map { _ in try desk.connect() }
        for line in lines { send(line, "technicianReadOnly", secret) }
        // However many try for one role, another's people are let in.
        let technician = try desk.connect()
        send(technician, "technician", technicians)
        let replies = lines.map { desk.receive($0) }
        #expect(replies.prefix(2).allSatisfy { error($0) == nil && $0 != nil })
        #expect(replies.suffix(6).allSatisfy { error($0) == "Refused" && $0?["parameters"]?["wait"]?.int == 1 })
        #expect(try session(desk.receive(technician)).utf8.count == 64)
        // Wrong ones that waited together count one by one.
        let others = try (0..<2).map { _ in try desk.connect() }
        for _ in 0..<3 {
            for line in others {
                desk.send(line, "org.vigil.access1.SignIn", ["role": "technicianReadOnly", "secret": "wrong"])
            }
            for line in others { _ = desk.receive(line) }
        }
        #expect(try (desk.signIn(.technicianReadOnly, secret)?["parameters"]?["wait"]?.int ?? 0) > 0)
    }

    @Test func aRoleWithoutASecretTakesAsLong() throws {
        let desk = try AccessDesk(ExposureServiceBench(access: AccessControl(data: nil, iterations: 20_000)))
        _ = try desk.makeSecret(.technicianReadOnly)
        func turns(_ role: String) throws -> (count: Int, reply: JSON?) {
            let line = try desk.connect()
            desk.send(line, "org.vigil.access1.SignIn", ["role": .string(role), "secret": "something else"])
            var count = 0
            while count < 10_000 {
                count += 1
                if let reply = desk.receive(line, turns: 1) { return (count, reply) }
            }
            return (count, nil)
        }
        let (with, without) = (try turns("technicianReadOnly"), try turns("technician"))
        #expect(abs(with.count - without.count) <= 1 && with.count >= 40)
        #expect(with.reply == without.reply && with.reply != nil)
    }

    @Test func whoHangsUpCostsNothingMore() throws {
        let desk = try AccessDesk(ExposureServiceBench(access: AccessControl(data: nil, iterations: 100_000)))
        do {
            let lines = try (0..<5).map { _ in try desk.connect() }
            for line in lines {
                desk.send(line, "org.vigil.access1.SignIn", ["role": "technicianReadOnly", "secret": "wrong"])
            }
            desk.turn()
            #expect(desk.bench.service.signIn.access.hasWork)
        }
        // The one under way is finished; the others are not begun.
        var turns = 0
        while desk.bench.service.signIn.access.hasWork, turns < 1_000 {
            desk.turn()
            turns += 1
        }
        #expect((150...230).contains(turns), "\(turns)")
    }

    @Test func nothingIsHashedWhileAnIdentifierIsDue() throws {
        let bench = try Bench(clock: Bench.right)
        bench.run(for: .seconds(60))
        let access = AccessControl(data: nil, iterations: 10_000)
        let service = try bench.service(access)
        service.signIn.makeSecret(.technician, by: ExposureServiceBench.caller(), at: bench.now) { _ in }
        let due = try #require(bench.beacon.rotationDue)
        let close = BootInstant(sinceBoot: due - .milliseconds(10))
        let deadline = try #require(service.signIn.deadline(at: close, in: service.beacon.workWindow))
        #expect(deadline.duration > due)
        for _ in 0..<100 { service.signIn.advance(at: close, in: service.beacon.workWindow) }
        #expect(access.hasWork && access.roles.isEmpty)
        let early = BootInstant(sinceBoot: due - .milliseconds(100))
        #expect(service.signIn.deadline(at: early, in: service.beacon.workWindow) == early)
        for _ in 0..<21 { service.signIn.advance(at: early, in: service.beacon.workWindow) }
        #expect(!access.hasWork && access.roles == [.technician])
    }

    // MARK: Sessions

    @Test func aSessionIsOfItsConnectionAndEndsInTime() throws {
        let desk = try AccessDesk()
        let secret = try desk.makeSecret(.technicianReadOnly)
        let value = try session(desk.signIn(.technicianReadOnly, secret))
        let (one, other) = (try desk.connect(), try desk.connect())
        // Both at once, and the second is judged by the first.
        desk.send(one, "org.vigil.access1.UseSession", ["session": .string(value)])
        desk.send(one, "org.vigil.device1.GetRadio")
        #expect(desk.receive(one)?["parameters"]?["role"]?.string == "technicianReadOnly")
        #expect(error(desk.receive(one)) == nil)
        #expect(error(desk.call(other, "org.vigil.device1.GetRadio")) == "NotSignedIn")
        #expect(
            error(desk.call(other, "org.vigil.access1.UseSession", ["session": .string(String(value.reversed()))]))
                == "NotSignedIn")
        #expect(error(desk.call(other, "org.vigil.access1.UseSession", ["session": "x"])) == "NotSignedIn")
        #expect(error(desk.call(one, "org.vigil.access1.UseSession", ["session": "x"])) == "NotSignedIn")
        #expect(error(desk.call(one, "org.vigil.device1.GetRadio")) == "NotSignedIn", "and then it acts for nobody")
        _ = desk.call(one, "org.vigil.access1.UseSession", ["session": .string(value)])
        for _ in 0..<20 {
            desk.bench.pass(.seconds(19 * 60))
            #expect(error(desk.call(one, "org.vigil.device1.GetRadio")) == nil)
        }
        desk.bench.pass(.seconds(20 * 60))
        #expect(error(desk.call(one, "org.vigil.device1.GetRadio")) == "NotSignedIn", "idle")
        let second = try session(desk.signIn(.technicianReadOnly, secret))
        _ = desk.call(one, "org.vigil.access1.UseSession", ["session": .string(second)])
        for _ in 0..<48 {
            desk.bench.pass(.seconds(10 * 60))
            _ = desk.call(one, "org.vigil.device1.GetRadio")
        }
        #expect(error(desk.call(one, "org.vigil.device1.GetRadio")) == "NotSignedIn", "eight hours")
        let third = try session(desk.signIn(.technicianReadOnly, secret))
        for line in [one, other] { _ = desk.call(line, "org.vigil.access1.UseSession", ["session": .string(third)]) }
        #expect(error(desk.call(one, "org.vigil.access1.SignOut")) == nil)
        #expect(error(desk.call(other, "org.vigil.device1.GetRadio")) == "NotSignedIn", "signed out everywhere")
    }

    @Test func whatNobodyAsksForKeepsNobodySignedIn() throws {
        let desk = try AccessDesk()
        let secret = try desk.makeSecret(.technicianReadOnly)
        let (person, page) = (try desk.connect(), try desk.connect())
        func open() throws {
            let value = try session(desk.signIn(.technicianReadOnly, secret))
            _ = desk.call(person, "org.vigil.access1.UseSession", ["session": .string(value)])
            #expect(error(use(page, value)) == nil)
        }
        func use(_ line: AccessDesk.Line, _ value: String) -> JSON? {
            desk.call(line, "org.vigil.access1.UseSession", ["session": .string(value), "unattended": true])
        }
        // A page that is open: it asks every minute, watches, and begins anew from time to time.
        try open()
        let watcher = try desk.connect()
        var value = try session(desk.signIn(.technicianReadOnly, secret))
        #expect(error(use(watcher, value)) == nil)
        #expect(desk.call(watcher, "org.vigil.exposure1.Watch", more: true)?["continues"] == true)
        for minute in 1..<20 {
            desk.bench.pass(.seconds(60))
            #expect(error(desk.call(page, "org.vigil.device1.GetRadio")) == nil, "minute \(minute)")
            #expect(try error(use(desk.connect(), value)) == nil, "minute \(minute)")
        }
        desk.bench.pass(.seconds(60))
        #expect(error(desk.call(page, "org.vigil.device1.GetRadio")) == "NotSignedIn")
        #expect(try error(use(desk.connect(), value)) == "NotSignedIn")
        #expect(error(desk.call(person, "org.vigil.device1.GetRadio")) == "NotSignedIn", "it is one session")
        // With somebody there it goes on, for both.
        try open()
        for _ in 0..<10 {
            desk.bench.pass(.seconds(15 * 60))
            #expect(error(desk.call(person, "org.vigil.device1.GetRadio")) == nil)
            #expect(error(desk.call(page, "org.vigil.device1.GetRadio")) == nil)
        }
        // The same connection, once with somebody behind it and once without.
        value = try session(desk.signIn(.technicianReadOnly, secret))
        #expect(error(use(page, value)) == nil)
        desk.bench.pass(.seconds(19 * 60))
        _ = desk.call(page, "org.vigil.access1.UseSession", ["session": .string(value)])
        #expect(error(use(page, value)) == nil)
        desk.bench.pass(.seconds(19 * 60))
        #expect(error(desk.call(page, "org.vigil.device1.GetRadio")) == nil)
        desk.bench.pass(.seconds(60))
        #expect(error(desk.call(page, "org.vigil.device1.GetRadio")) == "NotSignedIn")
    }

    @Test func theOldestOfTheSameRoleGoes() {
        var table = SessionTable()
        let digests = (0..<40).map { SHA256.digest(of: [UInt8($0)]) }
        table.add(digests[0], .wearer, at: .zero)
        for index in 1..<40 { table.add(digests[index], .technicianReadOnly, at: .seconds(index)) }
        #expect(table.sessions.count == SessionTable.most)
        #expect(table.role(of: digests[0], at: .seconds(40), isUse: true) == .wearer)
        #expect(table.role(of: digests[8], at: .seconds(40), isUse: true) == nil)
        #expect(table.role(of: digests[9], at: .seconds(40), isUse: true) == .technicianReadOnly)
    }

    @Test func aTechnicianNeverSeesTheRisk() throws {
        let desk = try AccessDesk()
        try desk.bench.service.enable(by: ExposureServiceBench.caller(), at: desk.bench.now)
        let found = try #require(try ExposureServiceBench.match(1))
        try desk.bench.ledger.write { _ = try $0.merge([found]) }
        func count(_ line: AccessDesk.Line) -> JSON? {
            desk.call(line, "org.vigil.exposure1.GetStatus")?["parameters"]?["status"]?["matchCount"]
        }
        #expect(try count(desk.connect(as: .wearer))?.int == 1)
        #expect(try count(desk.connect("ctl"))?.int == 1)
        for line in [try desk.connect(), try desk.connect(as: .technicianReadOnly), try desk.connect(as: .technician)] {
            #expect(count(line) == nil)
            #expect(["NotSignedIn", "WrongRole"].contains(error(desk.call(line, "org.vigil.risk1.GetRisk"))))
        }
        // Nor that the wearer warned others: what is the wearer's alone is not in a technician's log.
        let wearer = try desk.connect(as: .wearer)
        #expect(error(desk.call(wearer, "org.vigil.device1.GiveConsent", ["purpose": "releaseKeys"])) == nil)
        func kinds(_ line: AccessDesk.Line) -> [String] {
            desk.call(line, "org.vigil.device1.GetAudit", more: true)?["parameters"]?["entries"]?.array?
                .compactMap { $0["kind"]?.string } ?? []
        }
        #expect(kinds(wearer).contains("consentGiven"))
        #expect(try kinds(desk.connect("ctl")).contains("consentGiven"))
        #expect(try kinds(desk.connect(as: .technicianReadOnly)) == ["enabled"])
        // The record says how presence was shown.
        let entry = try desk.bench.service.audit(after: nil).records.last { $0.kind == "consentGiven" }
        #expect(entry?.details == ["purpose": "releaseKeys", "presence": "signedIn", "as": "wearer"])
        // A technician agrees to a reset, and to nothing in the wearer's name.
        let technician = try desk.connect(as: .technician)
        #expect(error(desk.call(technician, "org.vigil.device1.GiveConsent", ["purpose": "releaseKeys"])) == "WrongRole")
        #expect(error(desk.call(technician, "org.vigil.device1.GiveConsent", ["purpose": "reset"])) == nil)
        // And when the device becomes a place, there is no wearer.
        #expect(error(desk.call(technician, "org.vigil.device1.SetRole", ["role": "place"])) == nil)
        #expect(error(desk.call(wearer, "org.vigil.device1.ExportMyData", more: true)) == "NotSignedIn")
    }

    /// What the wearer does is told to the wearer, the console and programs that have a part in it: to nobody else by an event, and to nobody by a gap.
    @Test func whatTheWearerAgreesToIsToldToNobodyElse() throws {
        let desk = try AccessDesk()
        try desk.bench.service.enable(by: ExposureServiceBench.caller(), at: desk.bench.now)
        let told = [try desk.connect(as: .wearer), try desk.connect("ctl"), try desk.connect("diagnosis")]
        let others = [
            try desk.connect(as: .technicianReadOnly), try desk.connect(as: .technician), try desk.connect("sync"),
        ]
        for line in told + others {
            #expect(desk.call(line, "org.vigil.exposure1.Watch", more: true)?["parameters"]?["event"]?.string == "current")
        }
        func audit(_ line: AccessDesk.Line) throws -> [Int64] {
            let reply = desk.call(line, "org.vigil.device1.GetAudit", more: true)?["parameters"]
            #expect(reply?["intact"]?.bool == true)
            return try #require(reply?["entries"]?.array).compactMap { $0["sequence"]?.int }
        }
        let console = try desk.connect("ctl")
        let consent = desk.call(console, "org.vigil.device1.GiveConsent", ["purpose": "releaseKeys"])
        let ticket = try #require(consent?["parameters"]?["ticket"])
        #expect(error(desk.call(console, "org.vigil.release1.TakeDiagnosisKeys", ["ticket": ticket])) == nil)
        try desk.bench.service.ledger.write { try $0.addPaired(name: "x", digests: [], day: 1) }
        let entries = try audit(console).count
        // One that is not there is nobody's news.
        #expect(error(desk.call(console, "org.vigil.device1.ForgetPaired", ["name": "nobody"])) == nil)
        #expect(try audit(console).count == entries)
        #expect(error(desk.call(console, "org.vigil.device1.ForgetPaired", ["name": "x"])) == nil)
        #expect(try audit(console).count == entries + 1)
        // Everybody hears of this one: what came before it came before.
        #expect(
            error(desk.call(console, "org.vigil.device1.SetTime", ["now": .int(ExposureServiceBench.noon * 1_000)])) == nil)
        for line in told {
            for event in ["consentGiven", "keysReleased", "pairingChanged", "timeChanged"] {
                #expect(desk.receive(line)?["parameters"]?["event"]?.string == event)
            }
        }
        for line in others { #expect(desk.receive(line)?["parameters"]?["event"]?.string == "timeChanged") }
        #expect(try audit(desk.connect(as: .technicianReadOnly)) == [1, 2])
        #expect(try audit(desk.connect("sync")) == [1, 2])
        #expect(try audit(console).count > 4)
    }

    /// What a plugin that knows no sessions is shown: that the wearer is behind one call of one method, once, for a minute, while the session lasts.
    @Test func aProofIsGoodForOneCallOfTheWearers() throws {
        let desk = try AccessDesk()
        let method = "org.vigil.diagnosis1.GetTests"
        let wearer = try desk.connect(as: .wearer)
        func make(_ line: AccessDesk.Line) -> JSON? {
            desk.call(line, "org.vigil.access1.MakeProof", ["method": .string(method)])
        }
        func proof() throws -> String { try #require(make(wearer)?["parameters"]?["proof"]?.string) }
        let plugin = try desk.connect("sync")
        func redeem(_ proof: String, _ method: String = method) -> String? {
            error(
                desk.call(
                    plugin, "org.vigil.access1.RedeemProof", ["proof": .string(proof), "method": .string(method)]))
        }
        let first = try proof()
        #expect(first.utf8.count == 32 && redeem(first) == nil)
        #expect(redeem(first) == "NotSignedIn")
        // For something else: spent all the same.
        let second = try proof()
        #expect(redeem(second, "org.vigil.diagnosis1.Forget") == "NotSignedIn" && redeem(second) == "NotSignedIn")
        for wrong in ["", "x", String(repeating: "0", count: 32)] { #expect(redeem(wrong) == "NotSignedIn") }
        // Nobody else's, and not from a page.
        for line in [try desk.connect(as: .technicianReadOnly), try desk.connect(as: .technician)] {
            #expect(error(make(line)) == "WrongRole")
        }
        #expect(try error(make(desk.connect())) == "NotSignedIn")
        #expect(
            error(desk.call(wearer, "org.vigil.access1.RedeemProof", ["proof": "x", "method": "x"])) == "WrongRole")
        // The oldest goes where there are too many of a caller's, and nobody else's does; a minute; the end of the session.
        let own = try proof()
        let otherPage = try desk.connect(as: .wearer, at: "otherPage")
        for _ in 0...ProofTable.most { _ = make(otherPage) }
        #expect(redeem(own) == nil)
        let many = try (0...ProofTable.most).map { _ in try proof() }
        #expect(redeem(many[0]) == "NotSignedIn" && redeem(many[1]) == nil)
        let late = try proof()
        desk.bench.pass(.seconds(60))
        #expect(redeem(late) == "NotSignedIn")
        let last = try proof()
        #expect(error(desk.call(wearer, "org.vigil.access1.SignOut")) == nil)
        #expect(redeem(last) == "NotSignedIn")
    }

    /// Every method of a plugin that takes proofs, in every role: the law of its interface says who gets one. What a technician changes with it is in the
    /// audit log, whatever the page says.
    @Test func aProofIsForWhoeverMayCallTheMethod() throws {
        let desk = try AccessDesk()
        let plugin = try desk.connect("sync")
        let tests = Diagnosis1.Method.allCases.map { ($0.path, $0.law) }
        let methods = tests + Checkin1.Method.allCases.map { ($0.path, $0.law) }
        func entries() throws -> [Device1.AuditEntry] {
            try desk.bench.service.audit(after: nil).records.filter { $0.kind == AuditKind.placesChanged.rawValue }
        }
        var changes: [String] = []
        for role in Access1.Role.allCases {
            let page = try desk.connect(as: role)
            for (method, law) in methods {
                let reply = desk.call(page, "org.vigil.access1.MakeProof", ["method": .string(method)])
                guard method != SignInService.releaseMethod else {
                    #expect(error(reply) == "Unusable")
                    continue
                }
                guard law.signedIn.contains(role) else {
                    #expect(error(reply) == "WrongRole", "\(method) as \(role)")
                    continue
                }
                let proof = try #require(reply?["parameters"]?["proof"], "\(method) as \(role)")
                let parameters: JSON = ["proof": proof, "method": .string(method)]
                #expect(error(desk.call(plugin, "org.vigil.access1.RedeemProof", parameters)) == nil)
                #expect(error(desk.call(plugin, "org.vigil.access1.RedeemProof", parameters)) == "NotSignedIn")
                guard law.signedIn == [.technician] else { continue }
                changes.append(String(method.split(separator: ".").last ?? ""))
                let last = try #require(try entries().last)
                #expect(last.actor == "page" && last.details == ["as": "technician", "method": changes.last ?? ""])
            }
        }
        #expect(try entries().count == changes.count)
        #expect(changes.contains("Describe") && changes.contains("SetBroadcast") && !changes.contains("GetPlaces"))
        let nobody = try desk.connect()
        for (method, _) in methods {
            let reply = desk.call(nobody, "org.vigil.access1.MakeProof", ["method": .string(method)])
            #expect(error(reply) == "NotSignedIn")
        }
        // One for reading is good for nothing else, and one of a technician who has signed out for nothing.
        let page = try desk.connect(as: .technician)
        func proof(_ method: String) -> String {
            let wanted: JSON = ["method": .string("org.vigil.checkin1.\(method)")]
            return desk.call(page, "org.vigil.access1.MakeProof", wanted)?["parameters"]?["proof"]?.string ?? ""
        }
        func redeem(_ proof: String, _ method: String) -> String? {
            let parameters: JSON = ["proof": .string(proof), "method": .string("org.vigil.checkin1.\(method)")]
            return error(desk.call(plugin, "org.vigil.access1.RedeemProof", parameters))
        }
        #expect(redeem(proof("GetPlaces"), "GetPlaces") == nil && redeem(proof("GetPlaces"), "Describe") == "NotSignedIn")
        let late = proof("ForgetPlace")
        #expect(error(desk.call(page, "org.vigil.access1.SignOut")) == nil && redeem(late, "ForgetPlace") == "NotSignedIn")
        #expect(try entries().count == changes.count)
    }

    /// What a plugin gets with keys: that the wearer has agreed, for one call of one method, once, for a minute. It is no session's, and no session
    /// makes one.
    @Test func aProofComesWithTheKeysAndInNoOtherWay() throws {
        let desk = try AccessDesk()
        let method = SignInService.releaseMethod
        try desk.bench.service.enable(by: ExposureServiceBench.caller(), at: desk.bench.now)
        let (wearer, console) = (try desk.connect(as: .wearer), try desk.connect("ctl"))
        let (diagnosis, venue) = (try desk.connect("diagnosis"), try desk.connect("sync"))
        func agree(_ line: AccessDesk.Line) throws -> JSON {
            let reply = desk.call(line, "org.vigil.device1.GiveConsent", ["purpose": "releaseKeys"])
            return try #require(reply?["parameters"]?["ticket"])
        }
        func take(_ ticket: JSON, rest: Bool = false) -> JSON? {
            desk.call(diagnosis, "org.vigil.release1.TakeDiagnosisKeys", ["ticket": ticket, "remainder": .bool(rest)])
        }
        func proof(_ line: AccessDesk.Line) throws -> String {
            try #require(take(try agree(line))?["parameters"]?["proof"]?.string)
        }
        func redeem(_ proof: String, _ method: String = method, by line: AccessDesk.Line? = nil) -> String? {
            let parameters: JSON = ["proof": .string(proof), "method": .string(method)]
            return error(desk.call(line ?? venue, "org.vigil.access1.RedeemProof", parameters))
        }
        let first = try proof(wearer)
        #expect(first.utf8.count == 32 && redeem(first) == nil)
        #expect(redeem(first) == "NotSignedIn")
        // For something else: spent all the same. A page redeems none, whoever is signed in.
        let second = try proof(wearer)
        #expect(redeem(second, by: wearer) == "WrongRole")
        #expect(redeem(second, "org.vigil.checkin1.GetVisits") == "NotSignedIn" && redeem(second) == "NotSignedIn")
        // The wearer signs out meanwhile, or was the console: there is no session that could end.
        let third = try proof(wearer)
        #expect(error(desk.call(wearer, "org.vigil.access1.SignOut")) == nil && redeem(third) == nil)
        #expect(redeem(try proof(console)) == nil)
        // No session makes one, and others' proofs do not push it out.
        let page = try desk.connect(as: .wearer)
        let made = desk.call(page, "org.vigil.access1.MakeProof", ["method": .string(method)])
        #expect(error(made) == "Unusable")
        let fourth = try proof(console)
        for _ in 0...ProofTable.most {
            _ = desk.call(page, "org.vigil.access1.MakeProof", ["method": "org.vigil.checkin1.GetVisits"])
        }
        desk.bench.pass(.milliseconds(59_999))
        #expect(redeem(fourth) == nil)
        let late = try proof(console)
        desk.bench.pass(.seconds(60))
        #expect(redeem(late) == "NotSignedIn")
        // A core that was started anew knows none.
        let last = try proof(console)
        let next = try AccessDesk()
        let elsewhere: JSON = ["proof": .string(last), "method": .string(method)]
        #expect(error(next.call(try next.connect("sync"), "org.vigil.access1.RedeemProof", elsewhere)) == "NotSignedIn")
        // A ticket that is refused brings no proof, nor does the rest of a day.
        #expect(take("nothing")?["parameters"]?["proof"] == nil)
        let ticket = try agree(console)
        #expect(take(ticket)?["parameters"]?["proof"] != nil)
        desk.bench.pass(.seconds(13 * 3_600))
        let rest = take(ticket, rest: true)
        #expect(error(rest) == nil && rest?["parameters"]?["keys"] != nil && rest?["parameters"]?["proof"] == nil)
        // Whoever got it is no more.
        let gone = try proof(console)
        desk.interfaces.removeCaller(named: "diagnosis")
        #expect(redeem(gone) == "NotSignedIn")
    }

    /// A page of the same board, or a technician at the wearer's own, may ask for as many consents as it likes.
    @Test func consentsThatOthersAskForLeaveTheWearersAlone() throws {
        let desk = try AccessDesk()
        func agree(_ line: AccessDesk.Line) -> String? {
            error(desk.call(line, "org.vigil.device1.GiveConsent", ["purpose": "reset"]))
        }
        let technician = try desk.connect(as: .technician)
        let wearer = try desk.connect(as: .wearer)
        for line in [technician, try desk.connect(as: .wearer, at: "otherPage")] {
            for _ in 0..<Ledger.maximumOpenTickets { #expect(agree(line) == nil) }
            #expect(agree(line) == "TooManyConsents")
        }
        #expect(agree(wearer) == nil)
    }

    @Test func whereThereIsAButtonAPageAloneCannotWarnOthers() throws {
        var profile = BoardProfile.token
        profile.hasConsentButton = true
        let desk = try AccessDesk(ExposureServiceBench(profile: profile, access: AccessControl(data: nil, iterations: 600)))
        let wearer = try desk.connect(as: .wearer)
        #expect(error(desk.call(wearer, "org.vigil.device1.GiveConsent", ["purpose": "releaseKeys"])) == "ButtonNeeded")
        #expect(error(desk.call(wearer, "org.vigil.device1.GiveConsent", ["purpose": "pair"])) == nil)
        #expect(
            try error(desk.call(desk.connect("ctl"), "org.vigil.device1.GiveConsent", ["purpose": "releaseKeys"])) == nil)
    }

    /// Every kind of caller on a board with a button that nobody has pressed: what each is answered, and that nothing is left of what was refused.
    @Test(arguments: [true, false]) func whoAgreesWithoutAPress(hasButton: Bool) throws {
        var profile = BoardProfile.token
        profile.hasConsentButton = hasButton
        let desk = try AccessDesk(ExposureServiceBench(profile: profile, access: AccessControl(data: nil, iterations: 600)))
        let technician = try desk.connect(as: .technician)
        let script = try #require(
            desk.call(technician, "org.vigil.access1.MakeToken", ["name": "fleet", "role": "technician"])?["parameters"]?[
                "token"]?
                .string)
        let byToken = try desk.connect()
        #expect(error(desk.call(byToken, "org.vigil.access1.UseSession", ["session": .string(script)])) == nil)
        let button: String? = hasButton ? "ButtonNeeded" : nil
        // Purposes in the order releaseKeys, reset, pair.
        let kinds: [(String, AccessDesk.Line, [String?])] = [
            ("console", try desk.connect("ctl"), [nil, nil, nil]),
            ("wearer", try desk.connect(as: .wearer), [button, nil, nil]),
            ("technician", technician, ["WrongRole", nil, "WrongRole"]),
            ("script", byToken, ["WrongRole", nil, "WrongRole"]),
            ("technicianReadOnly", try desk.connect(as: .technicianReadOnly), ["WrongRole", "WrongRole", "WrongRole"]),
            ("nobody", try desk.connect(), ["NotSignedIn", "NotSignedIn", "NotSignedIn"]),
            // Granted to give consents, and no way to sign in.
            ("program", try desk.connect("sync"), [button, button, button]),
        ]
        for (kind, line, wanted) in kinds {
            for (purpose, outcome) in zip(["releaseKeys", "reset", "pair"], wanted) {
                let before = try consents(desk)
                let answer = desk.call(line, "org.vigil.device1.GiveConsent", ["purpose": .string(purpose)])
                #expect(error(answer) == outcome, "\(kind), \(purpose)")
                #expect((answer?["parameters"]?["ticket"] != nil) == (outcome == nil), "\(kind), \(purpose)")
                #expect(try consents(desk) == before + (outcome == nil ? 1 : 0), "\(kind), \(purpose)")
            }
        }
    }

    private func consents(_ desk: AccessDesk) throws -> Int {
        try desk.bench.service.audit(after: nil).records.count { $0.kind == "consentGiven" }
    }

    // MARK: Tokens

    @Test func aTokenIsGoodUntilItIsTakenBack() throws {
        let desk = try AccessDesk()
        let technician = try desk.connect(as: .technician)
        func make(_ name: String, _ role: String) -> JSON? {
            desk.call(technician, "org.vigil.access1.MakeToken", ["name": .string(name), "role": .string(role)])
        }
        let value = try #require(make("metrics", "technicianReadOnly")?["parameters"]?["token"]?.string)
        #expect(error(make("metrics", "technicianReadOnly")) == "Unusable")
        #expect(error(make("mine", "wearer")) == "Unusable")
        for name in ["", "a/b", "ü", String(repeating: "x", count: 33), "a\nb"] {
            #expect(error(make(name, "technicianReadOnly")) == "Unusable")
        }
        let script = try desk.connect()
        #expect(
            desk.call(script, "org.vigil.access1.UseSession", ["session": .string(value)])?["parameters"]?["role"]?.string
                == "technicianReadOnly")
        desk.bench.pass(.seconds(90 * 86_400))
        #expect(error(desk.call(script, "org.vigil.device1.GetRadio")) == nil)
        #expect(
            error(desk.call(script, "org.vigil.access1.MakeToken", ["name": "more", "role": "technicianReadOnly"]))
                == "WrongRole")
        let again = try desk.connect(as: .technician)
        let list = desk.call(again, "org.vigil.access1.GetTokens")?["parameters"]?["tokens"]?.array
        #expect(list?.count == 1 && list?[0]["name"] == "metrics" && list?[0]["lastUsed"]?.int != nil)
        for number in 2...16 {
            _ = desk.call(
                again, "org.vigil.access1.MakeToken", ["name": .string("t\(number)"), "role": "technicianReadOnly"])
        }
        #expect(
            error(desk.call(again, "org.vigil.access1.MakeToken", ["name": "t17", "role": "technicianReadOnly"]))
                == "Unusable")
        #expect(error(desk.call(again, "org.vigil.access1.RevokeToken", ["name": "nobody"])) == "Unusable")
        #expect(error(desk.call(again, "org.vigil.access1.RevokeToken", ["name": "metrics"])) == nil)
        #expect(error(desk.call(script, "org.vigil.device1.GetRadio")) == "NotSignedIn")
    }

    // MARK: The disk

    @Test func whatIsKeptOutlastsTheProgramAndTellsNothing() throws {
        let folder = try TemporaryFolder()
        defer { _ = system("rm -rf \(folder.path)/*") }
        func desk() throws -> AccessDesk {
            try AccessDesk(ExposureServiceBench(access: AccessControl(data: folder.path, iterations: 600)))
        }
        let first = try desk()
        let secret = try first.makeSecret(.technician)
        let technician = try first.connect(as: .technician)
        let token = first.call(technician, "org.vigil.access1.MakeToken", ["name": "t", "role": "technicianReadOnly"])?[
            "parameters"]?[
                "token"]?.string
        let value = try session(first.signIn(.technician, secret))
        let path = "\(folder.path)/access/secrets"
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
        let text = String(decoding: bytes, as: UTF8.self)
        for word in [secret, secret.replacing("-", with: ""), value, token ?? "-"] { #expect(!text.contains(word)) }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)

        let second = try desk()
        #expect(try error(second.signIn(.technician, secret)) == nil)
        let line = try second.connect()
        #expect(error(second.call(line, "org.vigil.access1.UseSession", ["session": .string(value)])) == "NotSignedIn")
        #expect(error(second.call(line, "org.vigil.access1.UseSession", ["session": .string(try #require(token))])) == nil)
        // A disk that refuses changes nothing.
        #expect(rename("\(folder.path)/access", "\(folder.path)/was") == 0)
        try Data().write(to: URL(filePath: "\(folder.path)/access"))
        #expect(
            try error(second.call(second.connect("ctl"), "org.vigil.access1.MakeSecret", ["role": "technician"]))
                == "StorageUnavailable")
        #expect(try error(second.signIn(.technician, secret)) == nil)
        unlink("\(folder.path)/access")
        #expect(rename("\(folder.path)/was", "\(folder.path)/access") == 0)

        // Any bit: set aside, told, and nobody can sign in until the console makes new secrets.
        for place in stride(from: 0, to: bytes.count, by: 7) {
            var damaged = bytes
            damaged[place] ^= 1
            try Data(damaged).write(to: URL(filePath: path))
            let access = AccessControl(data: folder.path)
            #expect(access.roles.isEmpty && access.findings.count == 1 && access.tokens.isEmpty)
        }
        let third = try desk()
        #expect(third.bench.service.signIn.access.findings.isEmpty, "set aside once")
        #expect(try error(third.signIn(.technician, secret)) == "Refused")
        let fresh = try third.makeSecret(.technician)
        #expect(try error(third.signIn(.technician, fresh)) == nil)
    }

    @Test func provisionedSecretsAreTakenAndErased() throws {
        let folder = try TemporaryFolder()
        defer { _ = system("rm -rf \(folder.path)/*") }
        let path = "\(folder.path)/first-secrets"
        try Data(
            #"{"wearer": "7h2k-9qwe-rt11-zzzz", "technician": "a whole sentence", "technicianReadOnly": "short", "boss": 1}"#
                .utf8
        )
        .write(to: URL(filePath: path))
        let desk = try AccessDesk(ExposureServiceBench(access: AccessControl(data: folder.path, iterations: 600)))
        desk.bench.service.signIn.takeFirstSecrets(at: desk.bench.now)
        #expect(access(path, F_OK) == 0, "not before they are kept")
        for _ in 0..<20 { desk.turn() }
        #expect(access(path, F_OK) != 0)
        #expect(desk.bench.service.signIn.access.roles == [.wearer, .technician])
        #expect(try error(desk.signIn(.wearer, "7H2K9QWERTLLZZZZ")) == nil)
        #expect(try error(desk.signIn(.technician, "a whole sentence")) == nil)
        try Data("{".utf8).write(to: URL(filePath: path))
        desk.bench.service.signIn.takeFirstSecrets(at: desk.bench.now)
        for _ in 0..<20 { desk.turn() }
        #expect(access(path, F_OK) == 0, "what cannot be read is the operator's to mend")
    }
}
