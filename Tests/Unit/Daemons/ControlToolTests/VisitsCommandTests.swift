// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Interfaces
import JSON
import Synchronization
import Testing

@testable import ControlTool

/// `vigil ctl visits` and `vigil ctl venue` against a server that holds its answers against the interface.
@Suite struct VisitsCommandTests {
    private static func visit(_ number: Int64, isOpen: Bool = false) -> JSON {
        [
            "number": .int(number), "system": "coronaWarnApp", "name": .string("Café \(number)"), "street": "Street 1",
            "arrival": 1_795_250_000, "departure": isOpen ? 1_795_260_600 : 1_795_253_600, "open": .bool(isOpen),
            "warns": .bool(number != 2), "published": false,
        ]
    }

    private static func code(_ number: Int64, _ state: JSON) -> JSON {
        ["number": .int(number), "system": "nhs", "name": "Pub", "state": state, "own": false, "ends": 1_795_260_600]
    }

    private static func place(_ number: Int64) -> JSON {
        [
            "number": .int(number), "name": "Pub", "street": .string("Street \(number)"), "kind": "foodService",
            "stayMinutes": 90, "codes": [code(1, "revoked"), code(2, "shown")],
        ]
    }

    private static func answer(_ method: String, _ parameters: JSON) -> TestCore.Answer {
        switch method.split(separator: ".").last {
        case "GetVisits"?:
            parameters["after"] == nil
                ? .reply(["visits": [visit(1), visit(2)], "more": true])
                : parameters["after"] == 2 ? .reply(["visits": [visit(3, isOpen: true)], "more": false]) : .silence
        case "CheckIn"?: .reply(["visit": visit(3, isOpen: true), "began": .bool(parameters["code"] == "https://new")])
        case "CheckOut"?, "EditVisit"?, "SetWarning"?:
            parameters["number"] == 9
                ? .error("org.vigil.checkin1.NoSuchNumber", [:])
                : .reply(["visit": visit(parameters["warns"] == false ? 2 : 1)])
        case "DeleteVisit"?, "Acknowledge"?, "ForgetPlace"?: .reply([:])
        case "SetHiding"?:
            parameters["on"] == true && parameters["secret"] != "a long secret"
                ? .error("org.vigil.checkin1.Refused", ["rule": "wrongSecret", "reason": "This is another one."])
                : .reply(parameters["on"] == true ? ["hidden": 2, "unhidden": 3] : ["hidden": 2])
        case "ExportVisits"?:
            parameters["after"] == nil
                ? .reply(["text": "a\r\n", "next": 12]) : .reply(["text": .string("b \(parameters["after"] ?? 0)\r\n")])
        case "GetNotices"?:
            .reply([
                "notices": [
                    [
                        "number": 1, "system": "coronaWarnApp", "visit": 1, "name": "Café", "day": 20_778,
                        "level": "increased", "news": true,
                    ],
                    [
                        "number": 4, "system": "coronaWarnApp", "visit": 2, "name": "Café", "day": 20_778,
                        "level": "unknown", "news": false,
                    ],
                ], "more": false,
                "followed": [
                    ["system": "coronaWarnApp", "checked": 1_795_256_400, "behind": false],
                    ["system": "nhs", "problem": "It does not answer.", "behind": false],
                ], "news": true, "lost": false,
            ])
        case "GetPlaces"?:
            parameters["after"] == nil
                ? .reply(["places": [place(1)], "more": true, "makes": [], "imports": ["nhs"]])
                : .reply(["places": [place(2)], "more": false, "makes": [], "imports": ["nhs"]])
        case "Describe"?, "Revoke"?: .reply(["place": place(1)])
        case "Start"?, "End"?: .reply(["code": code(3, "shown")])
        case "ImportCode"?: .reply(["added": code(2, "shown")])
        case "GetPoster"?: .reply(["code": code(2, "shown"), "text": "UKC19TRACING:1:x", "street": "Street 1"])
        default: Canned.answer(method, parameters)
        }
    }

    private func with(
        _ answer: @escaping @Sendable (String, JSON) -> TestCore.Answer = answer, _ body: (Desk) throws -> Void
    ) throws {
        let core = try TestCore(answer)
        defer { core.end() }
        // The plugin answers where the supervisor listens for it; here the same server does.
        try FileManager.default.createDirectory(atPath: core.folder + "/console", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: core.folder + "/console/\(Checkin1.name)", withDestinationPath: "../ctl.sock")
        try body(Desk(core))
        #expect(core.unsendable == 0, "an answer of this test is not what the interface says")
    }

    /// The risk is that of encounters and visits together, also for scripts; without the plugin it is that of encounters.
    @Test func theRiskHasVisitsInIt() throws {
        let low: JSON = ["risk": ["state": "low", "sentence": "A sentence.", "news": false, "days": []]]
        func answer(_ notices: TestCore.Answer?) -> @Sendable (String, JSON) -> TestCore.Answer {
            { method, parameters in
                if method == "org.vigil.risk1.GetRisk" { return .reply(low) }
                if method.hasSuffix(".GetNotices"), let notices { return notices }
                return Self.answer(method, parameters)
            }
        }
        try with(answer(nil)) { desk in
            #expect(try desk.shows { try $0.risk(explains: false) }.hasPrefix("Increased risk, from encounters and visits"))
            let script = try JSON(parsing: Array(try desk.shows(json: true) { try $0.risk(explains: false) }.utf8))
            #expect(script["together"] == "increased" && script["visits"] == "news" && script["risk"]?["state"] == "low")
        }
        try with(answer(.error("org.vigil.checkin1.NotPossible", ["reason": "x"]))) { desk in
            #expect(try desk.shows { try $0.risk(explains: false) }.hasPrefix("Not known, from encounters and visits"))
            let script = try JSON(parsing: Array(try desk.shows(json: true) { try $0.risk(explains: false) }.utf8))
            #expect(script["together"] == "unknown" && script["visits"] == "unknown")
        }
        let core = try TestCore(answer(nil))
        defer { core.end() }
        let script = try JSON(parsing: Array(try Desk(core).shows(json: true) { try $0.risk(explains: false) }.utf8))
        #expect(script["together"] == "low" && script["visits"] == nil)
    }

    @Test func theListHasAllParts() throws {
        try with { desk in
            let text = try desk.shows { try $0.listVisits() }
            let lines = text.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            #expect(
                lines == [
                    "Visit Where From To When you warn others",
                    "1 Café 1, Street 1 2026-11-21 08:33 UTC 2026-11-21 09:33 UTC may be published",
                    "2 Café 2, Street 1 2026-11-21 08:33 UTC 2026-11-21 09:33 UTC is never published",
                    "3 Café 3, Street 1 2026-11-21 08:33 UTC there now; ends by itself in 1 hour may be published",
                ])
            let asJSON = try json(desk.shows(json: true) { try $0.listVisits() })
            #expect(asJSON["visits"]?.array?.count == 3 && asJSON["more"] == false)
        }
        try with({ method, _ in method.hasSuffix("GetVisits") ? .reply(["visits": [], "more": false]) : .silence }) {
            desk in
            let text = try desk.shows { try $0.listVisits() }
            #expect(text.hasPrefix("No visit is kept here."))
        }
        // Who is to be reminded is, below the list.
        for (from, isSaid) in [(1_795_257_001, false), (1_795_257_000, true)] as [(Int64, Bool)] {
            var open = Self.visit(3, isOpen: true).object ?? .init()
            open["remindFrom"] = .int(from)
            let visit = JSON.object(open)
            try with({ method, _ in
                method.hasSuffix("GetVisits") ? .reply(["visits": [visit], "more": false]) : .silence
            }) { desk in
                let text = try desk.shows { try $0.listVisits() }.replacing("\n", with: " ")
                #expect(text.contains("Visit 3 ends by itself at 2026-11-21 11:30 UTC.") == isSaid)
            }
        }
        // A list that does not go on ends.
        try with({ method, _ in
            method.hasSuffix("GetVisits") ? .reply(["visits": [Self.visit(1)], "more": true]) : .silence
        }) { desk in
            let text = try desk.shows { try $0.listVisits() }
            #expect(text.contains("Café 1"))
        }
    }

    @Test func checkingInAndOut() throws {
        try with { desk in
            let begun = try desk.shows { try $0.checkIn("https://new") }
            #expect(begun.hasPrefix("Checked in at Café 3. This is visit 3;"))
            let again = try desk.shows(answers: ["https://old"]) { try $0.checkIn(nil) }
            #expect(again.hasPrefix("You are checked in at Café 3 already."))
            #expect(desk.failure { try $0.checkIn(nil) }?.status == .usage)
            #expect(try desk.shows { try $0.checkOut(1) } == "Checked out of Café 1, after 1 hour.\n")
            let failure = desk.failure { try $0.checkOut(9) }
            #expect(failure?.status == .refused && failure?.description.contains("nothing of that number") == true)
        }
    }

    @Test func changingVisits() throws {
        try with { desk in
            _ = try desk.shows { try $0.editVisit(1, arrival: nil, departure: 1_795_253_000) }
            // What is not said stays as it was.
            #expect(
                desk.core.calls.last?.parameters
                    == ["number": 1, "arrival": 1_795_250_000, "departure": 1_795_253_000])
            #expect(desk.failure { try $0.editVisit(1, arrival: nil, departure: nil) }?.status == .usage)
            #expect(desk.failure { try $0.editVisit(8, arrival: 5, departure: nil) }?.status == .refused)
            #expect(try desk.shows { try $0.setWarning(2, to: false) } == "Visit 2 is never published.\n")
            #expect(try desk.shows { try $0.setWarning(1, to: true) } == "Visit 1 may be published when you warn others.\n")
            let before = desk.core.calls.count
            #expect(desk.failure(answers: ["n"]) { try $0.deleteVisit(1, isAgreed: false) }?.status == .refused)
            #expect(desk.core.calls.count == before)
            #expect(try desk.shows { try $0.deleteVisit(1, isAgreed: true) } == "Deleted.\n")
        }
    }

    /// The present secret once; what is not as the wearer wants it is said with the list.
    @Test func aSecretThatIsSetIsAskedForOnce() throws {
        let told = Mutex(0)
        try with({ method, parameters in
            guard method.hasSuffix(".GetVisits") else { return Self.answer(method, parameters) }
            told.withLock { $0 += 1 }
            return .reply([
                "visits": [], "more": false, "hides": true, "unhidden": 3, "hidingIsSet": true, "choiceLost": true,
            ])
        }) { desk in
            _ = try desk.shows(answers: ["a long secret"]) { try $0.hideVisits(true, isAnew: false) }
            #expect(desk.core.calls.last?.parameters == ["on": true, "secret": "a long secret"])
            let text = try desk.shows { try $0.listVisits() }.replacing("\n", with: " ")
            #expect(text.contains("not yet: 3") && text.contains("vigil ctl visits hide --off"))
        }
        #expect(told.withLock { $0 } == 2)
    }

    /// A plugin that went before it answered is asked again by the same text, and by another one the next time.
    @Test func aCheckInWithoutAnswerIsSentAgainAsTheSame() throws {
        let attempts = Mutex<[String]>([])
        try with({ method, parameters in
            guard method.hasSuffix(".CheckIn") else { return Self.answer(method, parameters) }
            let count = attempts.withLock {
                $0.append(parameters["attempt"]?.string ?? "")
                return $0.count
            }
            return count == 1 ? .hangUp : Self.answer(method, parameters)
        }) { desk in
            #expect(try desk.shows { try $0.checkIn("https://new") }.contains("Checked in at Café 3"))
            _ = try desk.shows { try $0.checkIn("https://new") }
        }
        let texts = attempts.withLock { $0 }
        #expect(texts.count == 3 && texts[0] == texts[1] && texts[1] != texts[2] && texts[0].count == 36)
    }

    /// The secret is asked for, and is no argument; without anybody at the terminal nothing is asked of the plugin.
    @Test func placesAreHiddenAndShownByASecret() throws {
        try with { desk in
            // A new one twice, and what was mistyped changes nothing.
            let failure = desk.failure(answers: ["a long secret", "a long sercet"]) {
                try $0.hideVisits(true, isAnew: false)
            }
            #expect(failure?.code == .badUsage && desk.core.calls.last?.method == "org.vigil.checkin1.GetVisits")
            let text = try desk.shows(answers: ["a long secret", "a long secret"]) {
                try $0.hideVisits(true, isAnew: false)
            }
            let words = text.replacing("\n", with: " ")
            #expect(words.contains("hidden visits: 2") && words.contains("not hidden yet: 3"))
            #expect(desk.core.calls.last?.parameters == ["on": true, "secret": "a long secret"])
            #expect(
                desk.failure(answers: ["another one", "another one"]) { try $0.hideVisits(true, isAnew: true) }?.status
                    == .refused)
            #expect(desk.core.calls.last?.parameters == ["on": true, "secret": "another one", "anew": true])
            #expect(try desk.shows { try $0.hideVisits(false, isAnew: false) }.contains("still hidden: 2"))
            #expect(desk.core.calls.last?.parameters == ["on": false])
            #expect(desk.failure { try $0.hideVisits(true, isAnew: false) }?.code == .badUsage)
            let before = desk.core.calls.count
            #expect(desk.failure { try $0.hideVisits(true, isAnew: true) }?.code == .badUsage)
            #expect(desk.failure { try $0.listVisits(isOpened: true) }?.code == .badUsage)
            #expect(desk.core.calls.count == before)
            _ = try desk.shows(answers: ["a long secret"]) { try $0.exportVisits(isOpened: true) }
            #expect(desk.core.calls.last?.parameters == ["after": 12, "secret": "a long secret"])
        }
    }

    @Test func noticesAndTheExport() throws {
        try with { desk in
            let text = try desk.shows { try $0.showNotices(isSeen: false) }.split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            #expect(text.contains("risk of that day is increased") && text.contains("Take it for increased."))
            #expect(text.contains("NHS COVID-19: no warnings were looked at. It does not answer."))
            #expect(!desk.core.calls.contains { $0.method.hasSuffix("Acknowledge") })
            _ = try desk.shows { try $0.showNotices(isSeen: true) }
            #expect(desk.core.calls.last?.parameters == ["number": 4])
            #expect(try desk.shows { try $0.exportVisits() } == "a\r\nb 12\r\n")
            #expect(try json(desk.shows(json: true) { try $0.exportVisits() }) == ["text": "a\r\nb 12\r\n"])
        }
    }

    /// That no warning is known is said only where all were looked at.
    @Test(arguments: [(false, nil), (true, nil), (false, "It does not answer.")] as [(Bool, String?)])
    func thatAWarningMayBeMissingIsSaid(isBehind: Bool, problem: String?) throws {
        var followed: JSON.Object = ["system": "nhs", "checked": 1_795_256_400, "behind": .bool(isBehind)]
        followed["problem"] = problem.map(JSON.string)
        let reply: JSON = ["notices": [], "more": false, "followed": [.object(followed)], "news": false, "lost": false]
        try with({ method, _ in method.hasSuffix("GetNotices") ? .reply(reply) : .silence }) { desk in
            let text = try desk.shows { try $0.showNotices(isSeen: false) }
            let isMissing = isBehind || problem != nil
            #expect(text.contains("No warning is known about your visits.") == !isMissing)
            #expect(text.contains("so one may be missing here.") == isMissing)
        }
    }

    /// The console can end it too, where there is no notice whose number could be said.
    @Test func lostVisitsAreSaidUntilTheyWereSeen() throws {
        func notices(isLost: Bool) -> @Sendable (String, JSON) -> TestCore.Answer {
            { method, _ in
                method.hasSuffix("Acknowledge")
                    ? .reply([:])
                    : .reply(["notices": [], "more": false, "followed": [], "news": false, "lost": .bool(isLost)])
            }
        }
        try with(notices(isLost: true)) { desk in
            let text = try desk.shows { try $0.showNotices(isSeen: false) }.split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            #expect(text.contains("earlier visits are lost"))
            #expect(!desk.core.calls.contains { $0.method.hasSuffix("Acknowledge") })
            _ = try desk.shows { try $0.showNotices(isSeen: true) }
            #expect(desk.core.calls.last?.parameters == ["number": 0])
        }
        try with(notices(isLost: false)) { desk in
            let text = try desk.shows { try $0.showNotices(isSeen: true) }
            #expect(!text.contains("lost") && !desk.core.calls.contains { $0.method.hasSuffix("Acknowledge") })
        }
    }

    @Test func thePlacesCodes() throws {
        try with { desk in
            let list = try desk.shows { try $0.listPlaces() }
            #expect(list.hasPrefix("Place 1: Pub, Street 1\n") && list.contains("revoked"))
            #expect(list.contains("Place 2: Pub, Street 2\n"))
            let asJSON = try json(desk.shows(json: true) { try $0.listPlaces() })
            #expect(asJSON["places"]?.array?.count == 2 && asJSON["more"] == false)
            #expect(list.contains("at the door until 2026-11-21 11:30 UTC"))
            _ = try desk.shows {
                try $0.describe(.init(name: "Pub", street: "Street 1", kind: .foodService, stayMinutes: 90))
            }
            #expect(
                desk.core.calls.last?.parameters
                    == ["name": "Pub", "street": "Street 1", "kind": "foodService", "stayMinutes": 90])
            let started = try desk.shows { try $0.startEvent(.init(number: 1, kind: .culture, ends: 5)) }
            #expect(started.contains("`vigil ctl venue poster 3`"))
            let ended = try desk.shows { try $0.endEvent(3) }
            #expect(ended.hasPrefix("The event is over."))
            let added = try desk.shows { try $0.importCode("UKC19TRACING:1:x", to: 1) }
            #expect(added.contains("a code of NHS COVID-19"))
            let revoked = try desk.shows { try $0.revokeCode(1) }
            #expect(revoked.hasPrefix("Take the old poster down"))
            #expect(try desk.shows { try $0.showPoster(2) } == "UKC19TRACING:1:x\n")
            #expect(desk.failure(answers: ["n"]) { try $0.forgetPlace(1, isAgreed: false) }?.status == .refused)
            #expect(try desk.shows { try $0.forgetPlace(1, isAgreed: true) } == "Forgotten.\n")
        }
    }

    @Test func withoutThePlugin() throws {
        let core = try TestCore(Self.answer)
        defer { core.end() }
        let failure = Desk(core).failure { try $0.listVisits() }
        #expect(failure?.status == .unavailable)
        #expect(failure?.description.contains("Nobody serves org.vigil.checkin1 here") == true)
    }
}
