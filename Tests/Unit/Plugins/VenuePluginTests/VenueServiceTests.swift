// SPDX-License-Identifier: Apache-2.0

import BLS12381
import CivilTime
import CrowdNotifier
import Cryptography
import Dispatch
import ExposureRisk
import Glibc
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import PresenceTracing
import RandomValues
import Testing
import Varlink
import VarlinkSocket
import VenuePlan

@testable import VenuePlugin

/// What others may ask, and what they are told.
@Suite struct VenueServiceTests {
    private static let day: Int64 = 86_400_000
    private let scene: VenueScene
    private var world: VenueScene.World { scene.world }
    private var bench: PluginBench<VenuePlugin> { scene.bench }

    init() throws { scene = try VenueScene() }

    private func ask(_ method: String, _ parameters: JSON = .empty, as caller: String = ProofGate.console) throws -> JSON {
        try scene.ask(method, parameters, as: caller)
    }

    private func refusal(
        _ method: String, _ parameters: JSON = .empty, as caller: String = ProofGate.console
    ) throws -> (name: String, parameters: JSON) { try scene.refusal(method, parameters, as: caller) }

    private func code(_ name: String, minutes: UInt32 = 90) throws -> JSON { try scene.code(name, minutes: minutes) }

    private var visits: [JSON] { get throws { try scene.visits } }

    // MARK: The wearer

    @Test func aVisitFromDoorToDoor() throws {
        let reply = try ask("CheckIn", ["code": code("Canary Café")])
        #expect(reply["began"] == true)
        let visit = try #require(reply["visit"])
        #expect(
            visit["name"] == "Canary Café" && visit["street"] == "Canary Street 7" && visit["system"] == "coronaWarnApp")
        #expect(visit["arrival"] == 1_614_850_000 && visit["departure"] == 1_614_855_400 && visit["open"] == true)
        #expect(visit["warns"] == true && visit["published"] == false && visit["number"] == 1)
        // There already, and somewhere else as well.
        #expect(try ask("CheckIn", ["code": code("Canary Café")])["began"] == false)
        #expect(try ask("CheckIn", ["code": code("Canary Bar", minutes: 15)])["visit"]?["number"] == 2)
        #expect(try visits.count == 2)
        world.now = 1_614_850_000_000 + 600_000
        #expect(try ask("CheckOut", ["number": 1])["visit"]?["departure"] == 1_614_850_600)
        #expect(try refusal("CheckOut", ["number": 1]).name == "NotPossible")
        // The other one ends by itself.
        world.now = 1_614_850_000_000 + 1_000_000
        #expect(try visits.map { $0["open"] } == [false, false])
        #expect(try visits[1]["departure"] == 1_614_850_900)
        let edited = try ask("EditVisit", ["number": 2, "arrival": 1_614_849_000, "departure": 1_614_850_500])
        #expect(edited["visit"]?["arrival"] == 1_614_849_000)
        #expect(
            try refusal("EditVisit", ["number": 2, "arrival": 5, "departure": 4]).parameters["rule"] == "invalidTimes")
        #expect(try ask("SetWarning", ["number": 2, "warns": false])["visit"]?["warns"] == false)
        #expect(bench.plugin.store.records.diary.visit(2)?.warns == false)
        _ = try ask("DeleteVisit", ["number": 1])
        #expect(try visits.map { $0["number"] } == [2])
        for method in ["CheckOut", "DeleteVisit"] {
            #expect(try refusal(method, ["number": 1]).name == "NoSuchNumber")
        }
        #expect(try ask("GetRegistrationFacts") == ["hasCheckIns": true, "inIsolation": false])
        _ = try ask("DeleteVisit", ["number": 2])
        #expect(try ask("GetRegistrationFacts") == ["hasCheckIns": false, "inIsolation": false])
    }

    /// The core is told when to remind of a long visit, and no more: not of which. A check-out takes it back.
    @Test func theCoreIsToldWhenToRemind() throws {
        let visit = try ask("CheckIn", ["code": code("Canary Café")])["visit"]
        #expect(visit?["remindFrom"] == 1_614_854_500)
        #expect(try ask("CheckIn", ["code": code("Canary Bar", minutes: 45)])["visit"]?["remindFrom"] == nil)
        try bench.turn { world.reminders == [["from": 1_614_854_500, "until": 1_614_855_400]] }
        #expect(try ask("CheckOut", ["number": 1])["visit"]?["remindFrom"] == nil)
        try bench.turn { world.reminders.isEmpty }
    }

    /// Hidden by the wearer's choice, read by the wearer's secret, and by nothing else.
    @Test func aWearerHidesPlacesAndReadsThem() throws {
        var random = SeededGenerator(seed: 3)
        let authority = try MasterPublicKey(secret: .random(using: &random))
        let (bench, world) = try VenueScene.bench([
            "systems": ["coronaWarnApp", "swissCovid"], "swissCovidKey": .string(Base64.string(authority.bytes)),
        ])
        func ask(_ method: String, _ parameters: JSON = .empty) throws -> JSON {
            try bench.call("\(Checkin1.name).\(method)", parameters, as: ProofGate.console)
        }
        func rule(_ method: String, _ parameters: JSON) throws -> String? {
            do {
                _ = try ask(method, parameters)
                return "none"
            } catch let error as VarlinkSocketError {
                return error.reply?.parameters["rule"]?.string ?? error.reply?.error
            }
        }
        func bar(_ name: String, _ seed: UInt8) throws -> JSON {
            .string(
                CrowdNotifierCode.swissCovid.text(
                    try CrowdNotifierVenue(
                        name: name, address: "Canary Street 8", start: 0, end: 2_000_000_000,
                        publicKey: [UInt8](repeating: 1, count: 96), seed: [UInt8](repeating: seed, count: 32),
                        countryData: [])))
        }
        let now: Int64 = 1_614_850_000, midnight: Int64 = 1_614_816_000
        _ = try ask("CheckIn", ["code": bar("Canary One", 1)])
        _ = try ask("CheckIn", ["code": code("Canary Café")])
        world.now = (now + 600) * 1_000
        _ = try ask("CheckOut", ["number": 1])
        #expect(try ask("GetVisits")["hides"] == false)
        // A secret that is none, and then one.
        #expect(try rule("SetHiding", ["on": true]) == "unfitSecret")
        #expect(try rule("SetHiding", ["on": true, "secret": "short"]) == "unfitSecret")
        #expect(try ask("GetVisits")["hidingIsSet"] == nil)
        #expect(try ask("SetHiding", ["on": true, "secret": "canary-secret-1"]) == ["hidden": 0, "unhidden": 1])
        try bench.turn { bench.plugin.store.records.unhiddenCount == 0 }
        #expect(try ask("SetHiding", ["on": true, "secret": "canary-secret-1"]) == ["hidden": 1])
        #expect(try rule("SetHiding", ["on": true, "secret": "canary-secret-2"]) == "wrongSecret")
        let began = try ask("CheckIn", ["code": bar("Canary Two", 2)])
        #expect(began["visit"]?["name"] == "Canary Two" && began["visit"]?["hidden"] == true && began["began"] == true)
        let shown = try ask("GetVisits")
        #expect(shown["hidingIsSet"] == true && shown["unhidden"] == nil && shown["choiceLost"] == nil)
        #expect(shown["hides"] == true && shown["visits"]?.array?.map { $0["name"] } == ["", "Canary Café", ""])
        #expect(shown["visits"]?.array?[0]["arrival"] == .int(midnight))
        #expect(shown["visits"]?.array?[2]["arrival"] == .int(now + 600))
        // Nothing on the disk, in the log or in a technician's sight has the names; the café's is as ever.
        let text = String(decoding: bench.plugin.store.records.diary.json.bytes, as: UTF8.self)
        #expect(
            !text.contains("Canary One")
                && bench.plugin.store.records.diary.visits.map(\.place.words.name) == ["", "Canary Café", ""])
        #expect(try rule("GetVisits", ["secret": "canary-secret-2"]) == "wrongSecret")
        #expect(try rule("GetVisits", ["secret": ""]) == "wrongSecret")
        let read = try ask("GetVisits", ["secret": "canary-secret-1"])["visits"]?.array ?? []
        #expect(read.map { $0["name"] } == ["Canary One", "Canary Café", "Canary Two"])
        #expect(
            read[0]["arrival"] == .int(now) && read[0]["departure"] == .int(now + 600)
                && read[0]["street"] == "Canary Street 8")
        let export = try ask("ExportVisits", ["secret": "canary-secret-1"])["text"]?.string ?? ""
        #expect(export.contains("Canary One") && export.contains("Canary Two"))
        let hidden = try ask("ExportVisits")["text"]?.string ?? ""
        #expect(!hidden.contains("Canary One") && hidden.contains("1,swissCovid,\"\",\"\",2021-03-04,2021-03-04\r\n"))
        // Changed with the secret, deleted without it.
        let times: JSON.Object = ["number": 1, "arrival": .int(now - 86_400), "departure": .int(now - 86_000)]
        #expect(try rule("EditVisit", .object(times)) == "hiddenVisit")
        var call = times
        call["secret"] = "canary-secret-2"
        #expect(try rule("EditVisit", .object(call)) == "wrongSecret")
        call["secret"] = "canary-secret-1"
        #expect(try ask("EditVisit", .object(call))["visit"]?["arrival"] == .int(now - 86_400))
        #expect(try ask("GetVisits")["visits"]?.array?[0]["arrival"] == .int(midnight - 86_400))
        #expect(try ask("CheckOut", ["number": 3])["visit"]?["open"] == false)
        _ = try ask("DeleteVisit", ["number": 3])
        // Another secret, if the wearer says that the former one is lost: then what was hidden stays so.
        #expect(try ask("SetHiding", ["on": true, "secret": "canary-secret-2", "anew": true]) == ["hidden": 1])
        #expect(
            try ask("GetVisits", ["secret": "canary-secret-2"])["visits"]?.array?.map { $0["name"] } == ["", "Canary Café"])
        #expect(try rule("GetVisits", ["secret": "canary-secret-1"]) == "wrongSecret")
        // Off: what comes is in the clear again.
        #expect(try ask("SetHiding", ["on": false]) == ["hidden": 1])
        #expect(try ask("CheckIn", ["code": bar("Canary Three", 3)])["visit"]?["hidden"] == nil)
        #expect(try ask("GetVisits")["visits"]?.array?.map { $0["name"] } == ["", "Canary Café", "Canary Three"])
        // A place has no such choice.
        world.role = "place"
        #expect(try rule("SetHiding", ["on": true, "secret": "canary-secret-1"])?.hasSuffix("WrongRole") == true)
        #expect(bench.plugin.store.records.hiding == nil)
    }

    // MARK: Hiding, and what can go wrong with it

    private static let secret: JSON = "canary-secret-1"

    /// A plugin that can hide places, or has a key that is none.
    private static func hidingBench(
        isRight: Bool = true, keeping records: VenueRecords? = nil, isDamaged: Bool = false
    ) throws -> (PluginBench<VenuePlugin>, VenueScene.World) {
        var random = SeededGenerator(seed: 3)
        let right = try MasterPublicKey(secret: .random(using: &random)).bytes
        let key = Base64.string(isRight ? right : [UInt8](repeating: 1, count: 96))
        return try VenueScene.bench(
            ["systems": ["coronaWarnApp", "swissCovid"], "swissCovidKey": .string(key)], keeping: records,
            isDamaged: isDamaged
        )
    }

    private static func bar(_ seed: UInt8) throws -> CrowdNotifierVenue {
        try CrowdNotifierVenue(
            name: "Canary Bar", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
            seed: [UInt8](repeating: seed, count: 32), countryData: [])
    }

    private static func barCode(_ seed: UInt8 = 1) throws -> JSON {
        .string(CrowdNotifierCode.swissCovid.text(try bar(seed)))
    }

    /// One visit in the clear, and the choice to hide, as a power cut leaves it behind.
    private static func recordsInTheClear() throws -> VenueRecords {
        var random = SeededGenerator(seed: 4)
        var records = VenueRecords()
        let number = try records.diary.checkIn(.swissCovid(bar(1)), at: 1_614_840_000)
        try records.diary.checkOut(number, at: 1_614_841_000)
        records.hiding = try VisitHiding(secret: SecretBytes(copying: Array("canary-secret-1".utf8)), using: &random)
        return records
    }

    private func ask(_ bench: PluginBench<VenuePlugin>, _ method: String, _ parameters: JSON = .empty) throws -> JSON {
        try bench.call("\(Checkin1.name).\(method)", parameters, as: ProofGate.console)
    }

    /// The error's name or, if it has one, its rule.
    private func rule(_ bench: PluginBench<VenuePlugin>, _ method: String, _ parameters: JSON) throws -> String? {
        do {
            _ = try ask(bench, method, parameters)
            return nil
        } catch let error as VarlinkSocketError {
            let reply = try #require(error.reply)
            return reply.parameters["rule"]?.string ?? reply.error?.split(separator: ".").last.map(String.init)
        }
    }

    /// A look at warnings takes minutes; the wearer is answered meanwhile, and what was promised is done.
    @Test func theChoiceDoesNotWaitForALookAtWarnings() throws {
        let (bench, world) = try Self.hidingBench()
        defer { withExtendedLifetime(world) {} }
        _ = try ask(bench, "CheckIn", ["code": Self.barCode()])
        let mayEnd = DispatchSemaphore(value: 0)
        defer { mayEnd.signal() }
        bench.host.work { _ in
            mayEnd.wait()
        } then: { _ in
        }
        #expect(try ask(bench, "SetHiding", ["on": true, "secret": Self.secret]) == ["hidden": 0, "unhidden": 1])
        try bench.turn { bench.plugin.store.records.unhiddenCount == 0 }
        let shown = try ask(bench, "GetVisits", ["secret": Self.secret])
        #expect(shown["unhidden"] == nil && shown["visits"]?.array?.first?["name"] == "Canary Bar")
        #expect(shown["visits"]?.array?.first?["hidden"] == true)
    }

    /// Not more than a few wait for arithmetic; who is one too many is told so, and nothing was done.
    @Test func notTooManyWaitForArithmetic() throws {
        let mayEnd = DispatchSemaphore(value: 0)
        var ended = 0
        for _ in 1...WorkLane.mostPrompt {
            bench.host.work(.prompt) { _ in
                mayEnd.wait()
            } then: { _ in
                ended += 1
            }
        }
        let refused = try refusal("CheckIn", ["code": code("Canary Café")])
        #expect(refused.name == "NotPossible" && refused.parameters["reason"]?.string?.hasPrefix("So many changes") == true)
        for _ in 1...WorkLane.mostPrompt { mayEnd.signal() }
        try bench.turn { ended == WorkLane.mostPrompt }
        #expect(try visits == [])
        #expect(try ask("CheckIn", ["code": code("Canary Café")])["began"] == true)
    }

    /// Where the power fails before the visits of before are hidden, the next start goes on, and both halves of the file are clean in the end.
    @Test func aCutBetweenTheChoiceAndTheVisitsIsMadeGood() throws {
        let (bench, world) = try Self.hidingBench(keeping: Self.recordsInTheClear())
        defer { withExtendedLifetime(world) {} }
        try bench.turn { bench.plugin.store.records.unhiddenCount == 0 }
        #expect(!bench.plugin.store.records.hasTrace && bench.plugin.store.records.diary.hiddenCount == 1)
        let seal = SecretBytes(copying: Array(String(repeating: "s", count: 32).utf8))
        let versions = try VenueAttack.versions(in: bench.supervisor.folder.path + "/state", seal: seal)
        let needle = Base64.string(try Array(Self.bar(1).payload.prefix(30)))
        #expect(versions.count >= 2 && versions.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains(needle) })
    }

    /// Without the key, or with one that is none, nothing can be hidden: what is said of it is true, codes of others are taken, and nothing that was to be hidden is written down in the clear.
    @Test(arguments: [false, true]) func withoutAKeyNothingIsHiddenAndThatIsSaid(hasWrongKey: Bool) throws {
        let records = try Self.recordsInTheClear()
        let (bench, world) =
            hasWrongKey
            ? try Self.hidingBench(isRight: false, keeping: records)
            : try VenueScene.bench(["systems": ["coronaWarnApp", "swissCovid"]], keeping: records)
        defer { withExtendedLifetime(world) {} }
        let shown = try ask(bench, "GetVisits")
        #expect(shown["hides"] == true && shown["unhidden"] == 1 && shown["hidingIsSet"] == true)
        #expect(try rule(bench, "CheckIn", ["code": Self.barCode(2)]) == "NotPossible")
        #expect(try rule(bench, "SetHiding", ["on": true, "secret": Self.secret]) == "NotPossible")
        #expect(try ask(bench, "CheckIn", ["code": code("Canary Café")])["began"] == true)
        #expect(bench.plugin.store.records.diary.visits.count == 2)
        // The wearer can end it all the same.
        #expect(try ask(bench, "SetHiding", ["on": false]) == ["hidden": 0])
        #expect(try ask(bench, "GetVisits")["hides"] == nil)
        #expect(try ask(bench, "CheckIn", ["code": Self.barCode(2)])["visit"]?["name"] == "Canary Bar")
    }

    /// Whether places are to be hidden was damaged: nothing is written down in the clear before the wearer has said so again.
    @Test(arguments: [false, true]) func aDamagedChoiceIsAskedForAgain(hides: Bool) throws {
        let (bench, world) = try Self.hidingBench(keeping: Self.recordsInTheClear(), isDamaged: true)
        let shown = try ask(bench, "GetVisits")
        #expect(shown["choiceLost"] == true && shown["hides"] == false && shown["hidingIsSet"] == nil)
        #expect(try rule(bench, "CheckIn", ["code": Self.barCode()]) == "NotPossible")
        #expect(try ask(bench, "CheckIn", ["code": code("Canary Café")])["began"] == true)
        let bytes = Base64.string(BroadcastCode.bytes(of: try Self.barCode().string ?? "") ?? [])
        world.doorCode = (1, bytes)
        try bench.supervisor.send("FETCH")
        try bench.turn { world.notes == [["number": 1, "kept": false]] }
        #expect(bench.plugin.store.records.diary.visits.count == 1)
        _ = try ask(bench, "SetHiding", hides ? ["on": true, "secret": Self.secret] : ["on": false])
        #expect(try ask(bench, "GetVisits")["choiceLost"] == nil)
        let visit = try ask(bench, "CheckIn", ["code": Self.barCode()])["visit"]
        #expect(visit?["hidden"] == (hides ? true : nil) && visit?["name"] == "Canary Bar")
    }

    /// A check-in whose answer was lost, sent again as the same one, is one visit; another one is another.
    @Test func aHiddenCheckInThatComesAgainIsOneVisit() throws {
        let (bench, world) = try Self.hidingBench()
        _ = try ask(bench, "SetHiding", ["on": true, "secret": Self.secret])
        let call: JSON = ["code": try Self.barCode(), "attempt": "0123456789abcdef012345"]
        let first = try ask(bench, "CheckIn", call)
        #expect(first["began"] == true && first["visit"]?["number"] == 1)
        world.now = 1_614_850_060_000
        let second = try ask(bench, "CheckIn", call)
        #expect(second["began"] == false && second["visit"]?["number"] == 1 && second["visit"]?["name"] == "Canary Bar")
        let other: JSON = ["code": try Self.barCode(), "attempt": "0123456789abcdef012346"]
        #expect(try ask(bench, "CheckIn", other)["visit"]?["number"] == 2)
        #expect(try rule(bench, "CheckIn", ["code": Self.barCode(), "attempt": "short"]) == "unfitAttempt")
        #expect(bench.plugin.store.records.diary.visits.map(\.isOpen) == [false, true])
    }

    @Test func aKeyThatIsNoneIsRefusedBySettings() throws {
        for bytes in [[UInt8](repeating: 1, count: 96), [UInt8](repeating: 0, count: 96), [1]] {
            var settings = VenueSettings()
            settings.swissCovidKey = Base64.string(bytes)
            #expect(throws: VenueSettings.Fault.self) { _ = try settings.authorityKey() }
        }
    }

    @Test func whatIsNoCodeIsRefusedWithoutSayingWhatItWas() throws {
        let broken = try #require(code("Canary").string) + "*"
        for (text, rule): (String, JSON) in [
            ("canary", "notAVenueCode"), ("", "notAVenueCode"), (broken, "codeRefused"),
            ("UKC19TRACING:1:canary", "notAVenueCode"), (String(repeating: "canary", count: 1_000), "codeRefused"),
        ] {
            let refusal = try refusal("CheckIn", ["code": .string(text)])
            #expect(refusal.name == "Refused" && refusal.parameters["rule"] == rule, "\(text.prefix(30))")
            #expect(refusal.parameters["reason"]?.string?.lowercased().contains("canary") == false)
        }
        #expect(try visits == [])
    }

    @Test func manyVisitsComeInParts() throws {
        for number in 1...30 { _ = try ask("CheckIn", ["code": code("Place \(number)")]) }
        let first = try ask("GetVisits")
        #expect(first["visits"]?.array?.count == 12 && first["more"] == true)
        let second = try ask("GetVisits", ["after": 12])
        #expect(second["visits"]?.array?.first?["number"] == 13 && second["more"] == true)
        let third = try ask("GetVisits", ["after": 24])
        #expect(third["visits"]?.array?.count == 6 && third["more"] == false)
        #expect(try ask("GetVisits", ["after": 99]) == ["visits": [], "more": false])
    }

    /// The longest names there are, of characters that JSON writes with six each, fit a message.
    @Test func theLongestNamesFitAPart() throws {
        for number in 10...22 {
            let long = String(repeating: "\"", count: 253) + "\(number)"
            let location = try TraceLocation(
                name: long, address: String(repeating: "\u{0001}", count: 255), kind: .permanentRetail, publicKey: [],
                seed: [UInt8](repeating: 2, count: 16))
            _ = try ask("CheckIn", ["code": .string(VenueCode.text(location))])
        }
        let page = try ask("GetVisits")
        #expect(page["visits"]?.array?.count == 12 && page["more"] == true)
        #expect(page["visits"]?.array?.first?["street"] == .string(String(repeating: "?", count: 255)))
        #expect(try ask("ExportVisits")["next"] == 12)
    }

    @Test func anExportIsWholeAndNoFormula() throws {
        _ = try ask("CheckIn", ["code": code("=1+1")])
        _ = try ask("CheckIn", ["code": code(#"The "Bar", Town"#)])
        for number in 3...13 { _ = try ask("CheckIn", ["code": code("Place \(number)")]) }
        _ = try ask("CheckOut", ["number": 2])
        let first = try ask("ExportVisits")
        let lines = try #require(first["text"]?.string).split(separator: "\r\n")
        #expect(lines.count == 13 && first["next"] == 12)
        #expect(lines[0] == "number,system,name,street,arrival,departure")
        #expect(lines[1] == #"1,coronaWarnApp,"'=1+1","Canary Street 7",2021-03-04 09:26 UTC,"#)
        #expect(
            lines[2]
                == #"2,coronaWarnApp,"The ""Bar"", Town","Canary Street 7",2021-03-04 09:26 UTC,2021-03-04 09:26 UTC"#)
        let second = try ask("ExportVisits", ["after": 12])
        #expect(second["text"]?.string?.hasPrefix("13,") == true && second["next"] == nil)
    }

    @Test func withoutAProofNothingIsTheWearers() throws {
        _ = try ask("CheckIn", ["code": code("Canary Café")])
        let calls: [(String, JSON.Object)] = [
            ("CheckIn", ["code": try code("Canary Café")]), ("CheckOut", ["number": 1]), ("GetVisits", [:]),
            ("EditVisit", ["number": 1, "arrival": 1, "departure": 2]), ("DeleteVisit", ["number": 1]),
            ("SetWarning", ["number": 1, "warns": false]), ("ExportVisits", [:]), ("GetNotices", [:]),
            ("Acknowledge", ["number": 1]), ("SetHiding", ["on": false]),
        ]
        // Its own look at what is due, at its start, is over.
        try bench.turn { bench.plugin.store.records.downloads.nextRun != nil }
        let before = bench.plugin.store.records
        for (method, parameters) in calls {
            var wrong = parameters
            #expect(try refusal(method, .object(parameters), as: "webui").name == "NotSignedIn", "\(method)")
            for proof in ["", "bad", "good:\(Checkin1.name).Watch"] {
                wrong["proof"] = .string(proof)
                #expect(try refusal(method, .object(wrong), as: "webui").name == "NotSignedIn", "\(method)")
            }
        }
        #expect(bench.plugin.store.records == before)
        for (method, parameters) in calls where method != "DeleteVisit" && method != "EditVisit" {
            var right = parameters
            right["proof"] = .string("good:\(Checkin1.name).\(method)")
            _ = try ask(method, .object(right), as: "webui")
            // Once.
            #expect(try refusal(method, .object(right), as: "webui").name == "NotSignedIn", "\(method)")
        }
        // The law says the same: every method that only somebody who has signed in may call takes a proof, and no other. That of keys is no session's.
        let interface = try InterfaceDescription(parsing: Checkin1.text)
        for method in Checkin1.Method.allCases where method != .takeReports {
            let takesProof = interface.method(named: method.rawValue)?.parameters.contains { $0.name == "proof" } == true
            let isOpen = method.law.roles.isEmpty || method.law.roles.contains(.nobody)
            #expect(takesProof == !isOpen, "\(method)")
            let isTheWearers = (calls.map(\.0) + ["Watch"]).contains(method.rawValue)
            #expect(isTheWearers == (method.law.roles == [.wearer]), "\(method)")
        }
    }

    @Test func withoutAProofNothingIsTheHosts() throws {
        world.role = "place"
        let describe: JSON.Object = ["name": "Café", "street": "S", "kind": "foodService", "stayMinutes": 90]
        _ = try ask("Describe", .object(describe))
        let calls: [(String, JSON.Object)] = [
            ("GetPlaces", [:]), ("Describe", describe),
            ("Start", ["number": 1, "kind": "culture", "ends": 1_614_860_000]), ("End", ["number": 3]),
            ("ImportCode", ["number": 1, "code": try code("Other host")]), ("GetPoster", ["number": 1]),
            ("SetScreen", ["number": 1]), ("SetBroadcast", ["number": 1]), ("Revoke", ["number": 1]),
            ("ForgetPlace", ["number": 1]),
        ]
        let hosts = Checkin1.Method.allCases.filter { $0.law.roles.contains(.technician) && $0 != .getScreen }
        #expect(Set(calls.map(\.0)) == Set(hosts.map(\.rawValue)))
        try bench.turn { world.hasAnswer }
        let before = bench.plugin.store.records
        for (method, parameters) in calls {
            var wrong = parameters
            #expect(try refusal(method, .object(parameters), as: "webui").name == "NotSignedIn", "\(method)")
            for proof in ["", "bad", "good:\(Checkin1.name).GetScreen"] {
                wrong["proof"] = .string(proof)
                #expect(try refusal(method, .object(wrong), as: "webui").name == "NotSignedIn", "\(method)")
            }
        }
        // A core that cannot note what is to be changed: that is no matter of signing in.
        let full = try refusal("Revoke", ["number": 1, "proof": "full"], as: "webui")
        #expect(full.name == "NotPossible" && full.parameters["reason"] == "The disk is full.")
        #expect(bench.plugin.store.records == before)
        #expect(try ask("GetScreen", as: "webui") == ["isOn": false])
        for (method, parameters) in calls {
            var right = parameters
            right["proof"] = .string("good:\(Checkin1.name).\(method)")
            _ = try ask(method, .object(right), as: "webui")
            #expect(try refusal(method, .object(right), as: "webui").name == "NotSignedIn", "\(method)")
        }
    }

    /// Somebody whose page is open on the visits, in the loop of the test.
    private final class Watch {
        let bench: PluginBench<VenuePlugin>
        private let watcher: VarlinkCaller
        private let real = SystemLoopClock()
        private(set) var replies: [JSON] = []
        /// Whether it was ended because its proof is good no more.
        private(set) var isOver = false

        init(_ bench: PluginBench<VenuePlugin>) throws {
            self.bench = bench
            watcher = VarlinkCaller(path: try bench.supervisor.allow("webui", ["\(Checkin1.name).*"]))
            watcher.call(
                "\(Checkin1.name).Watch", ["proof": .string("good:\(Checkin1.name).Watch")], wantsMore: true, timeout: nil,
                at: real.now
            ) { [unowned self] outcome in
                switch outcome {
                case .success(let (parameters, _)): replies.append(parameters)
                case .failure(let error): isOver = "\(error)".contains("NotSignedIn")
                }
            }
        }

        func turn(until done: () -> Bool) throws {
            try bench.turn {
                var list = watcher.descriptors()
                real.wait(for: &list, until: .zero)
                watcher.serve(list, at: real.now)
                return done()
            }
        }
    }

    @Test func aWatchIsToldOfChangesAndEndsWithItsProof() throws {
        _ = try ask("CheckIn", ["code": code("Canary Café", minutes: 15)])
        world.now = 1_614_850_000_000 + 600_000
        let watch = try Watch(bench)
        try watch.turn { watch.replies.count == 1 }
        _ = try ask("CheckIn", ["code": code("Canary Bar")])
        try watch.turn { watch.replies.count == 2 }
        // The first visit ends by itself, before the eyes of who watches: nobody calls.
        world.now = 1_614_850_000_000 + 901_000
        // Its end is five minutes away; the proof is good for ten. The clock waits while the core is asked: it answers on a thread of its own,
        // and its time for an answer is of this clock.
        let end = bench.clock.now + .seconds(400)
        try watch.turn {
            if bench.plugin.checkOut != nil, bench.clock.now < end { bench.clock.advance(by: .seconds(1)) }
            return watch.replies.count == 3
        }
        #expect(bench.plugin.store.records.diary.visits.map(\.isOpen) == [false, true])
        #expect(watch.replies == [["news": false], ["news": false], ["news": false]])
        // Ten minutes after its begin the proof is good no more.
        try watch.turn {
            bench.clock.advance(by: .seconds(1))
            return watch.isOver
        }
    }

    /// The core may be starting again just when a visit ends: who watches learns of it all the same.
    @Test func aWatchIsToldOfAnEndAtWhichTheCoreWasSilent() throws {
        _ = try ask("CheckIn", ["code": code("Canary Café", minutes: 15)])
        world.now = 1_614_850_000_000 + 600_000
        let watch = try Watch(bench)
        try watch.turn { watch.replies.count == 1 && bench.plugin.checkOut != nil }
        world.isSilent = true
        let asked = world.standIns[0].answered
        bench.clock.advance(by: .seconds(300))
        try watch.turn { world.standIns[0].answered > asked && bench.plugin.checkOut != nil }
        #expect(watch.replies.count == 1)
        world.isSilent = false
        world.now = 1_614_850_000_000 + 961_000
        bench.clock.advance(by: .seconds(60))
        try watch.turn { watch.replies.count == 2 }
        #expect(bench.plugin.store.records.diary.visits.map(\.isOpen) == [false])
    }

    @Test func noticesAreToldAndAcknowledged() throws {
        _ = try ask("CheckIn", ["code": code("Canary Café")])
        try bench.plugin.store.change { records in
            records.diary.note([PresenceMatch(visit: 1, day: .init(number: 18_690), minutes: 30, level: 8)])
            records.diary.judge(by: .published, at: 1_614_850_000)
        }
        let reply = try ask("GetNotices")
        let notice = try #require(reply["notices"]?.array?.first)
        #expect(notice["level"] == "increased" && notice["day"] == 18_690 && notice["visit"] == 1 && notice["news"] == true)
        #expect(notice["name"] == "Canary Café" && notice["message"] == nil && notice["advice"] == nil)
        #expect(reply["more"] == false)
        #expect(
            reply["followed"] == [
                ["system": "coronaWarnApp", "behind": false], ["system": "swissCovid", "behind": false],
            ])
        _ = try ask("Acknowledge", ["number": 1])
        #expect(try ask("GetNotices")["notices"]?.array?.first?["news"] == false)
        try bench.turn { world.news.last == false && world.news.count >= 2 }
    }

    /// Neither hides the other: that earlier visits are lost ends when it was seen, trouble with a server when it is over.
    @Test func lostVisitsAndTroubleAreSaidBesideEachOther() throws {
        _ = try ask("CheckIn", ["code": code("Canary Café")])
        try bench.plugin.store.change { records in
            records.wasLost = true
            records.downloads.noteProblem(.coronaWarnApp, "No answer.")
        }
        let followed: JSON = [
            ["system": "coronaWarnApp", "problem": "No answer.", "behind": false],
            ["system": "swissCovid", "behind": false],
        ]
        let reply = try ask("GetNotices")
        #expect(reply["lost"] == true && reply["followed"] == followed)
        _ = try ask("Acknowledge", ["number": 0])
        let later = try ask("GetNotices")
        #expect(later["lost"] == false && later["followed"] == followed)
    }

    /// The risk is not low while warnings about a visit may be missing: two days after the visit, or after they were last all known.
    @Test func whatWasNotLookedAtForTwoDaysIsSaid() throws {
        func behind() throws -> [Bool?] { try ask("GetNotices")["followed"]?.array?.map { $0["behind"]?.bool } ?? [] }
        #expect(try behind() == [false, false])
        _ = try ask("CheckIn", ["code": code("Canary Café")])
        let arrival = try #require(bench.plugin.store.records.diary.visits.first?.arrival), days: Int64 = 2 * 86_400
        for (checked, seconds, isBehind) in [
            (nil, days, false), (nil, days + 1, true), (arrival - 9, days, false), (arrival + 60, days + 60, false),
            (arrival + 60, days + 61, true), (arrival + days, days + 61, false), (arrival + 60 * days, days + 1, true),
            (nil, -60, false),
        ] as [(Int64?, Int64, Bool)] {
            try bench.plugin.store.change {
                $0.downloads = VenueDownloads()
                if let checked { $0.downloads.noteComplete(.coronaWarnApp, at: checked) }
            }
            let desk = VisitDesk(store: bench.plugin.store, reader: .init(), followed: [.coronaWarnApp, .swissCovid])
            let reply = desk.notices(after: nil, at: arrival + seconds)
            #expect(reply.followed.map(\.behind) == [isBehind, false], "\(seconds)")
            #expect(VisitWarnings(reply).isUnknown == isBehind)
            // Of a system without a server nobody expects warnings.
            let alone = VisitDesk(
                store: bench.plugin.store, reader: .init(), followed: [.coronaWarnApp, .swissCovid], served: [])
            #expect(alone.notices(after: nil, at: arrival + seconds).followed.allSatisfy { !$0.behind })
            #expect(desk.notices(after: nil, at: nil).followed.allSatisfy { !$0.behind })
        }
    }

    // MARK: The host

    @Test func aPlaceFromItsDescriptionToThePoster() throws {
        world.role = "place"
        let described = try ask(
            "Describe", ["name": "Café", "street": "Street 1", "kind": "foodService", "stayMinutes": 90])
        #expect(described["place"]?["number"] == 1 && described["place"]?["codes"]?.array?.first?["state"] == "shown")
        let poster = try ask("GetPoster", ["number": 1])
        #expect(poster["street"] == "Street 1" && poster["code"]?["own"] == true && poster["place"] == nil)
        let location = try VenueCode.read(
            try #require(poster["text"]?.string), as: VenueCode.Descriptor.published)
        #expect(location.name == "Café" && location.defaultMinutes == 90)
        let started = try ask("Start", ["number": 1, "name": "Concert", "kind": "culture", "ends": 1_614_860_000])
        #expect(started["code"]?["begins"] == 1_614_850_000 && started["code"]?["state"] == "shown")
        // Who reads "Concert" on a door has to know at which place.
        #expect(try ask("GetPoster", ["number": 2])["place"] == "Café")
        #expect(try ask("End", ["number": 2])["code"]?["state"] == "ended")
        #expect(try refusal("End", ["number": 2]).name == "NotPossible")
        #expect(try refusal("End", ["number": 1]).name == "NotPossible")
        let revoked = try ask("Revoke", ["number": 1])
        #expect(revoked["place"]?["codes"]?.array?.map { $0["state"] } == ["revoked", "ended", "shown"])
        let imported = try ask("ImportCode", ["number": 1, "code": code("Other host")])
        #expect(imported["added"]?["own"] == false && imported["added"]?["name"] == "Other host")
        #expect(try ask("GetPoster", ["number": 4])["place"] == nil)
        #expect(try refusal("ImportCode", ["number": 1, "code": "canary"]).parameters["rule"] == "notAVenueCode")
        let all = try ask("GetPlaces")
        #expect(all["makes"] == ["coronaWarnApp"] && all["imports"] == ["coronaWarnApp", "swissCovid"])
        #expect(all["places"]?.array?.first?["codes"]?.array?.count == 4)
        // A screen at the door: nothing before it is switched on, then what a poster says, and no word of there being none without the time.
        #expect(try ask("GetScreen") == ["isOn": false])
        _ = try ask("SetScreen", ["number": 1])
        let own = try ask("GetPoster", ["number": 3])
        let screen = try ask("GetScreen")
        #expect(screen["isOn"] == true && screen["code"] == own["code"] && screen["text"] == own["text"])
        #expect(try ask("GetPlaces")["screen"] == 1)
        (world.now, world.state) = (nil, "untrusted")
        #expect(try refusal("GetScreen").name == "NotPossible")
        (world.now, world.state) = (1_614_850_000_000, "authenticated")
        #expect(try ask("GetScreen") == screen)
        _ = try ask("SetScreen")
        #expect(try ask("GetScreen") == ["isOn": false] && ask("GetPlaces")["screen"] == nil)
        _ = try ask("SetScreen", ["number": 1])
        for (method, number): (String, JSON) in [
            ("GetPoster", 9), ("Revoke", 9), ("End", 9), ("ForgetPlace", 9), ("SetScreen", 9),
        ] {
            #expect(try refusal(method, ["number": number]).name == "NoSuchNumber", "\(method)")
        }
        #expect(
            try refusal("Describe", ["name": "", "street": "S", "kind": "other", "stayMinutes": 90]).parameters["rule"]
                == "invalidName")
        _ = try ask("ForgetPlace", ["number": 1])
        #expect(try ask("GetPlaces")["places"] == [])
        #expect(try ask("GetScreen") == ["isOn": false])
    }

    /// Sixteen places with sixteen codes each, all of the longest names, are more than one message has room for.
    @Test func manyPlacesComeInParts() throws {
        let (name, now): (String, Int64) = (String(repeating: "東", count: 255), 1_614_850_000)
        let maker = PlaceBook.Maker(publicKey: [], seed: [UInt8](repeating: 3, count: 16))
        var records = VenueRecords()
        for number in 1...PlaceBook.maximumPlaces {
            _ = try records.places.describe(
                nil, name: name, street: name, kind: .other, stayMinutes: 90, making: maker, at: now)
            for _ in 1..<PlaceBook.maximumCodes {
                _ = try records.places.start(
                    number, name: nil, kind: .other, begins: now, ends: now + 3_600, making: maker, at: now)
            }
        }
        let world = VenueScene.World()
        world.role = "place"
        let (bench, _) = try VenueScene.bench(world: world, keeping: records)
        func part(after: JSON?) throws -> JSON {
            var parameters = JSON.Object()
            parameters["after"] = after
            return try bench.call("\(Checkin1.name).GetPlaces", .object(parameters), as: ProofGate.console)
        }
        var (places, parts, isMore): ([JSON], Int, Bool) = ([], 0, true)
        while isMore, parts < PlaceBook.maximumPlaces {
            let reply = try part(after: places.last?["number"])
            places += reply["places"]?.array ?? []
            isMore = reply["more"] == true
            parts += 1
        }
        #expect(parts > 1 && !isMore)
        #expect(places.compactMap { $0["number"]?.int } == Array(Int64(1)...16))
        #expect(places.allSatisfy { $0["codes"]?.array?.count == 16 && $0["name"] == .string(name) })
        #expect(try part(after: 6)["places"]?.array?.first?["number"] == 7)
        #expect(try part(after: 16)["places"] == [] && part(after: 16)["more"] == false)
    }

    // MARK: The door

    /// What a place is told to broadcast is what a visitor's device takes in: the way of the code without the air between.
    @Test func whatOneBroadcastsAnotherChecksInBy() throws {
        world.role = "place"
        _ = try ask(
            "Describe", ["name": "Canary Café", "street": "Canary Street 7", "kind": "foodService", "stayMinutes": 90])
        _ = try ask("SetBroadcast", ["number": 1])
        #expect(try ask("GetPlaces")["broadcast"] == ["number": 1])
        try bench.turn { world.showings.last?.isEmpty == false }
        let now: Int64 = 1_614_850_000
        let showing = try #require(world.showings.last?.first)
        #expect(showing["from"] == .int(now) && showing["until"] == .int(now + 3 * 3_600))
        let content = try #require(showing["content"]?.string)
        // Hours, another code and the end of it are said to the core at once.
        _ = try ask("SetBroadcast", ["number": 1, "opens": 0, "closes": 600])
        try bench.turn { world.showings.last?.first?["until"] == .int(now - now % 86_400 + 600 * 60) }
        _ = try ask("SetBroadcast")
        try bench.turn { world.showings.last == [] }
        #expect(try ask("GetPlaces")["broadcast"] == nil)
        for hours: JSON in [
            ["number": 1, "opens": 5], ["number": 1, "opens": 5, "closes": 5], ["number": 1, "opens": 0, "closes": 1_440],
        ] {
            #expect(try refusal("SetBroadcast", hours).parameters["rule"] == "invalidHours")
        }
        #expect(try refusal("SetBroadcast", ["number": 9]).name == "NoSuchNumber")
        // A form of an old page does not end what was chosen since.
        for method in ["SetBroadcast", "SetScreen"] {
            let chosen = method == "SetScreen" ? "screen" : "broadcast"
            _ = try ask(method, ["number": 1])
            #expect(try refusal(method, ["former": 2]).name == "NotPossible")
            #expect(try ask("GetPlaces")[chosen] != nil, "\(method)")
            for _ in 1...2 { _ = try ask(method, ["former": 1]) }
            #expect(try ask("GetPlaces")[chosen] == nil, "\(method)")
        }
        let long: JSON = [
            "number": 1, "name": .string(String(repeating: "n", count: 255)),
            "street": .string(String(repeating: "ä", count: 255)), "kind": "other", "stayMinutes": 90,
        ]
        _ = try ask("Describe", long)
        #expect(try refusal("SetBroadcast", ["number": 1]).parameters["rule"] == "codeTooLong")

        let (visitor, other) = try VenueScene.bench()
        other.doorCode = (7, content)
        try visitor.supervisor.send("FETCH")
        try visitor.turn { !other.notes.isEmpty }
        #expect(other.notes == [["number": 7, "kept": true]])
        let visits = try #require(
            try visitor.call("\(Checkin1.name).GetVisits", [:], as: ProofGate.console)["visits"]?.array)
        #expect(visits.count == 1 && visits[0]["name"] == "Canary Café" && visits[0]["open"] == true)
        // Again at the same place: there already.
        other.doorCode = (8, content)
        try visitor.supervisor.send("FETCH")
        try visitor.turn { other.notes.count == 2 }
        #expect(other.notes.last == ["number": 8, "kept": true])
        #expect(visitor.plugin.store.records.diary.visits.count == 1)
    }

    /// What is no code, or of a system that is not followed, is no visit, and the wearer is told that nothing came of it.
    @Test func whatWasCollectedAndIsNoCodeIsNoVisit() throws {
        let contents = [
            Base64.string([1, 2, 3]), Base64.string([0] + Array("https://example.org/canary".utf8)), Base64.string([9, 9]),
            Base64.string([0]), "no Base64", "",
        ]
        for (number, content) in contents.enumerated() {
            world.doorCode = (Int64(number), content)
            try bench.supervisor.send("FETCH")
            try bench.turn { world.notes.count == number + 1 }
            #expect(world.notes.last == ["number": .int(Int64(number)), "kept": false])
        }
        world.doorCode = (90, Base64.string([1, 2, 3]))
        world.now = nil
        try bench.supervisor.send("FETCH")
        try bench.turn { world.notes.count == contents.count + 1 }
        #expect(bench.plugin.store.records.diary.visits.isEmpty)
    }

    @Test func whereNothingIsMadeEventsAreNot() throws {
        let (bench, world) = try VenueScene.bench([:])
        world.role = "place"
        func ask(_ method: String, _ parameters: JSON) throws -> JSON {
            try bench.call("\(Checkin1.name).\(method)", parameters, as: ProofGate.console)
        }
        let described = try ask("Describe", ["name": "Café", "street": "S", "kind": "foodService", "stayMinutes": 90])
        #expect(described["place"]?["codes"] == [])
        #expect(throws: VarlinkSocketError.self) {
            try ask("Start", ["number": 1, "kind": "culture", "ends": 1_614_860_000])
        }
        #expect(try ask("GetPlaces", [:])["makes"] == [])
    }

    // MARK: Which device

    /// Each half on a device of the other role: refused, and what the other role kept is gone.
    @Test func eachHalfIsForItsOwnRole() throws {
        _ = try ask("CheckIn", ["code": code("Canary Café")])
        let describe: JSON = ["name": "Café", "street": "S", "kind": "other", "stayMinutes": 90]
        let host: [(String, JSON)] = [
            ("GetPlaces", [:]), ("Describe", describe), ("ForgetPlace", ["number": 1]),
            ("Start", ["number": 1, "kind": "other", "ends": 1_614_860_000]), ("End", ["number": 1]),
            ("ImportCode", ["number": 1, "code": try code("Café")]), ("Revoke", ["number": 1]),
            ("GetPoster", ["number": 1]), ("SetScreen", ["number": 1]), ("SetScreen", [:]), ("GetScreen", [:]),
            ("SetBroadcast", ["number": 1]), ("SetBroadcast", [:]),
        ]
        for (method, parameters) in host { #expect(try refusal(method, parameters).name == "WrongRole", "\(method)") }
        #expect(try visits.count == 1)
        world.role = "place"
        _ = try ask("Describe", describe)
        #expect(bench.plugin.store.records.diary.visits.isEmpty)
        #expect(try ask("GetRegistrationFacts")["hasCheckIns"] == false)
        #expect(try ask("LookForWarnings") == .empty && bench.plugin.store.records.downloads.wished == nil)
        let wearer: [(String, JSON)] = [
            ("CheckIn", ["code": try code("Canary Café")]), ("CheckOut", ["number": 1]), ("GetVisits", [:]),
            ("EditVisit", ["number": 1, "arrival": 1, "departure": 2]), ("DeleteVisit", ["number": 1]),
            ("SetWarning", ["number": 1, "warns": false]), ("ExportVisits", [:]), ("GetNotices", [:]),
            ("Acknowledge", ["number": 1]), ("TakeReports", ["levels": [8], "most": 32]), ("SetHiding", ["on": false]),
        ]
        for (method, parameters) in wearer { #expect(try refusal(method, parameters).name == "WrongRole", "\(method)") }
        let all = host.map(\.0) + wearer.map(\.0) + ["Watch", "GetRegistrationFacts", "LookForWarnings"]
        #expect(Set(all) == Set(Checkin1.Method.allCases.map(\.rawValue)))
        world.role = "person"
        #expect(try visits == [])
        #expect(bench.plugin.store.records.places.places.isEmpty)
    }

    @Test func withoutATimeNothingBeginsAndNothingIsForgotten() throws {
        _ = try ask("CheckIn", ["code": code("Canary Café")])
        world.state = "untrusted"
        world.now = nil
        #expect(try refusal("CheckIn", ["code": code("Other")]).name == "NotPossible")
        #expect(try refusal("CheckOut", ["number": 1]).name == "NotPossible")
        #expect(try visits.count == 1)
        world.isSilent = true
        #expect(try refusal("GetVisits").name == "NotPossible")
        world.isSilent = false
        // A clock that nobody has signed forgets nothing.
        world.state = "plausible"
        world.now = 1_614_850_000_000 + 40 * Self.day
        #expect(try visits.map { $0["open"] } == [false])
        world.state = "authenticated"
        #expect(try visits == [])
    }

    /// Without signed time a signed key file has to say that it is past, too.
    @Test(arguments: [false, true]) func aSignedFileLetsForget(isThere: Bool) throws {
        for name in ["Canary Café", "Canary Bar"] { _ = try ask("CheckIn", ["code": code(name)]) }
        _ = try ask("CheckOut", ["number": 1])
        let world = VenueScene.World()
        world.state = "plausible"
        world.now = 1_614_850_000_000 + 40 * Self.day
        world.newestEnd = isThere ? 1_614_850_000 + 20 * 86_400 : nil
        // The same records at a later start: what is over ends, and with it goes what may be forgotten.
        let (later, _) = try VenueScene.bench(world: world, keeping: bench.plugin.store.records)
        try later.turn { !later.plugin.store.records.diary.visits.contains(where: \.isOpen) }
        #expect(later.plugin.store.records.diary.visits.isEmpty == isThere)
    }

    /// From the start of the plugin to what the wearer is told: nobody calls in between.
    @Test func aStartFetchesWarnings() throws {
        let servers = try WarningServers()
        try servers.publishConfiguration()
        _ = try ask("CheckIn", ["code": code("Canary Café")])
        let kept = bench.plugin.store.records
        let hour = Int64(1_614_850_000 / 3_600)
        try servers.publish(hour...(hour + 2))
        guard case .coronaWarnApp(let payload)? = kept.diary.visit(1)?.place else { return }
        try servers.publish(hour + 2, LocationID(payload: payload), [(1_614_850_000, 30, 8)])
        let settings = try VenueScene.settings(servers)
        let world = VenueScene.World()
        world.now = 1_614_850_000_000 + 3 * 3_600_000
        let (later, _) = try VenueScene.bench(settings, world: world, keeping: kept)
        try later.turn { later.plugin.store.records.downloads.checked[.coronaWarnApp] != nil && world.news.last == true }
        let reply = try later.call("\(Checkin1.name).GetNotices", as: ProofGate.console)
        #expect(reply["notices"]?.array?.map { $0["level"] } == ["increased"])
        #expect(
            reply["followed"] == [
                ["system": "coronaWarnApp", "checked": .int(1_614_850_000 + 3 * 3_600), "behind": false]
            ])
        for line in later.log { #expect(!line.lowercased().contains("canary"), "\(line)") }
        // In a place nothing of it is left, and nobody is asked.
        world.role = "place"
        _ = try later.call("\(Checkin1.name).GetPlaces", as: ProofGate.console)
        #expect(later.plugin.store.records.downloads == VenueDownloads())
    }

    /// A code at the door that visitors' rules refuse by now: the screen does not say that there is none.
    @Test func aCodeThatCannotBeReadBackIsNoReasonToSayThatThereIsNone() throws {
        world.role = "place"
        _ = try ask("Describe", ["name": "Café", "street": "Street 1", "kind": "foodService", "stayMinutes": 90])
        _ = try ask("SetScreen", ["number": 1])
        // The Corona-Warn-App is not followed any more.
        let (later, _) = try VenueScene.bench(
            ["systems": ["swissCovid"]], world: world, keeping: bench.plugin.store.records)
        func screen() throws -> JSON { try later.call("\(Checkin1.name).GetScreen", as: ProofGate.console) }
        do {
            Issue.record("it was not refused: \(try screen())")
        } catch let error as VarlinkSocketError {
            #expect(error.reply?.error == "\(Checkin1.name).Refused")
        }
        // Without any code nobody need check in.
        _ = try later.call("\(Checkin1.name).Revoke", ["number": 1], as: ProofGate.console)
        #expect(try screen() == ["isOn": true])
    }

    // MARK: What must not show

    @Test func withoutASealItDoesNotStart() throws {
        #expect(throws: VenueSettings.Fault.self) { try VenueScene.bench(isSealed: false) }
    }

    @Test func logsSayNothing() throws {
        _ = try ask("CheckIn", ["code": code("Canary Café")])
        _ = try refusal("CheckIn", ["code": "canary"])
        _ = try refusal("CheckIn", ["code": .string(try #require(code("Canary").string) + "*")])
        _ = try ask("ExportVisits")
        _ = try ask("DeleteVisit", ["number": 1])
        world.isSilent = true
        _ = try refusal("GetVisits")
        for line in bench.log { #expect(!line.lowercased().contains("canary"), "\(line)") }
    }

    /// The store's file has one size, with some visits and without any.
    @Test func theFileDoesNotGrowWithAVisit() throws {
        func size() throws -> Int {
            var status = stat()
            try #require(stat("\(bench.supervisor.folder.path)/state/store", &status) == 0)
            return Int(status.st_size)
        }
        let before = try size()
        for number in 1...20 { _ = try ask("CheckIn", ["code": code("Canary \(number)")]) }
        #expect(try size() == before)
    }

    /// Where the core does not answer nothing is due; two hours would be too long.
    @Test func aCoreThatDoesNotAnswerIsAskedAgainSoon() throws {
        let world = VenueScene.World()
        world.isSilent = true
        let (person, _) = try VenueScene.bench(world: world)
        try person.turn { person.host.startsAgainAfter != nil }
        #expect(person.host.startsAgainAfter == .seconds(60) && world.questions == 0)
        withExtendedLifetime(world) {}
    }

    /// Without a clock of its own a board learns the time after its plugins have started. Until then nobody else is started, and the waits grow; the core
    /// says when it knows the time.
    @Test(arguments: ["person", "place"]) func whileTheTimeIsNotKnownNobodyElseIsStarted(role: String) throws {
        let now = world.now
        let world = VenueScene.World()
        (world.role, world.now) = (role, nil)
        let (bench, _) = try VenueScene.bench(world: world)
        try bench.turn { bench.host.startsAgainAfter != nil }
        // The bench's machine has been up for 1,000 seconds.
        #expect(bench.host.startsAgainAfter == .seconds(1_000))
        #expect(world.questions == 0 && world.asked.isEmpty)
        world.now = now
        try bench.supervisor.send("FETCH")
        try bench.turn { world.hasAnswer }
        #expect(world.questions == 1)
        if role == "place" {
            #expect(bench.host.startsAgainAfter == nil)
        } else {
            try bench.turn { bench.host.startsAgainAfter.map { $0 > .seconds(3_600) } ?? false }
        }
        withExtendedLifetime(world) {}
    }

    /// Somebody looks at the page all the time: warnings do not wait until the page is closed.
    @Test(arguments: [false, true]) func whoIsKeptUpLooksAgainToo(isSilent: Bool) throws {
        let now = world.now
        let world = VenueScene.World()
        world.now = nil
        world.isSilent = isSilent
        let (person, _) = try VenueScene.bench(world: world)
        try person.turn { person.host.startsAgainAfter != nil }
        let before = world.asked.count
        (world.now, world.isSilent) = (now, false)
        for _ in 0..<16 {
            _ = try person.call("\(Checkin1.name).GetVisits", as: ProofGate.console)
            person.advance(by: .seconds(4))
        }
        try person.turn { world.asked.count > before }
        try person.turn { person.host.startsAgainAfter.map { $0 > .seconds(3_600) } ?? false }
        #expect(!person.host.isStopping)
        withExtendedLifetime(world) {}
    }

    @Test func itGoesWhenNobodyNeedsIt() throws {
        _ = try ask("CheckIn", ["code": code("Canary Café")])
        // Diagnosis has answered: the clock runs ahead of it below.
        try bench.turn { world.hasAnswer }
        // What it sent is read with this at the latest.
        _ = try ask("GetVisits")
        bench.advance(by: .seconds(60))
        #expect(bench.host.isStopping && bench.supervisor.heard.contains("IDLE"))
        // Back on the grid, as whoever has no visit: it counts from the first start, however long it was up.
        #expect(bench.host.startsAgainAfter.map { (.seconds(7_185)...(.seconds(7_200))).contains($0) } == true)
    }

    @Test(
        arguments: [
            ["systems": ["luca"]], ["systems": ["nhs"]], ["systems": ["nhs"], "posterKeys": [["id": "3", "key": "x"]]],
            ["placeKey": "*"], ["systems": ["coronaWarnApp"], "coronaWarnAppServer": "https://a.example"],
            [
                "systems": ["coronaWarnApp"], "coronaWarnAppServer": "http://a.example",
                "signers": [["system": "coronaWarnApp", "name": "a-1", "key": "x", "role": "export"]],
            ],
        ] as [JSON]) func settingsThatCannotBeUsed(settings: JSON) throws
    {
        #expect(throws: VenueSettings.Fault.self) { try VenueScene.bench(settings) }
    }
}
