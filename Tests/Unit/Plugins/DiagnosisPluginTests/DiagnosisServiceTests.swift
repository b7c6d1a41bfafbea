// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import Glibc
import HTTPClient
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import Synchronization
import Testing
import Varlink
import VarlinkSocket

@testable import DiagnosisPlugin

/// What others may ask: the plugin in this process, the real servers of our authority, and a core that hands out keys as the real one does.
@Suite struct DiagnosisServiceTests {
    private let servers: Servers
    private let bench: PluginBench<DiagnosisPlugin>
    private let core: ProviderStandIn
    private let light: ProviderStandIn
    private let access: ProviderStandIn
    private let said = Said()

    /// What the core was told of news, on threads of its own.
    private final class Said: Sendable {
        private let kept = Mutex<(news: [Bool], proofs: Set<String>)>(([], []))
        var news: [Bool] { kept.withLock { $0.news } }
        func add(_ news: Bool) { kept.withLock { $0.news.append(news) } }
        /// Whether it is the first time.
        func spend(_ proof: String) -> Bool { kept.withLock { $0.proofs.insert(proof).inserted } }
    }

    init() throws {
        servers = try Servers()
        var core: ProviderStandIn?
        var light: ProviderStandIn?
        var access: ProviderStandIn?
        bench = try PluginBench<DiagnosisPlugin>(name: "diagnosis", settings: JSON(parsing: Array(servers.settings.utf8))) {
            core = try $0.provide(InterfaceTexts.core[Release1.name] ?? "", granted: ["TakeDiagnosisKeys"])
            access = try $0.provide(InterfaceTexts.core[Access1.name] ?? "", granted: ["RedeemProof"])
            light = try $0.provide(InterfaceTexts.core[Indicator1.name] ?? "", granted: ["SayNews"])
        }
        self.core = try #require(core)
        self.light = try #require(light)
        self.access = try #require(access)
        // The core's: "good:" and the method that it is good for, once.
        let spent = said
        self.access.on("RedeemProof") { parameters in
            let proof = parameters["proof"]?.string ?? ""
            guard proof == "good:\(parameters["method"]?.string ?? "")", spent.spend(proof) else {
                return .failure("\(Access1.name).NotSignedIn", [:])
            }
            return .reply(["seconds": 600])
        }
        let said = said
        self.light.on("SayNews") { parameters in
            said.add(parameters["news"]?.bool == true)
            return .reply([:])
        }
        let now = Int64(time(nil))
        let day = now / 86_400
        self.core.on("TakeDiagnosisKeys") { parameters in
            if parameters["remainder"] == true {
                let rest: JSON = [
                    "keyData": .string(Base64.string([UInt8](repeating: 99, count: 16))),
                    "rollingStartIntervalNumber": .int((day - 1) * 144 + 70), "rollingPeriod": 74,
                ]
                return parameters["ticket"] == "whole"
                    ? .reply(["keys": [rest]]) : .failure("\(Release1.name).ConsentRefused", [:])
            }
            guard parameters["ticket"] == "good" || parameters["ticket"] == "whole" else {
                return .failure("\(Release1.name).ConsentRefused", ["cause": "unknown", "reason": "Agree first."])
            }
            let keys: [JSON] = (1...3).map { age in
                [
                    "keyData": .string(Base64.string([UInt8](repeating: UInt8(age), count: 16))),
                    "rollingStartIntervalNumber": .int((day - Int64(age)) * 144), "rollingPeriod": 144,
                ]
            }
            guard parameters["ticket"] == "whole" else { return .reply(["keys": .array(keys)]) }
            return .reply([
                "keys": .array(keys),
                "remainder": ["from": .int(now - 40_000), "after": .int(now - 5), "until": .int(now + 3_600)],
            ])
        }
        try bench.start()
    }

    private func ask(_ method: String, _ parameters: JSON = .empty) throws -> JSON {
        try bench.call("\(Diagnosis1.name).\(method)", parameters, as: ProofGate.console)
    }

    /// The error's name and parameters.
    private func refusal(_ method: String, _ parameters: JSON) throws -> (String, JSON) {
        do {
            _ = try ask(method, parameters)
            Issue.record("\(method) was not refused")
            return ("", .empty)
        } catch let error as VarlinkSocketError {
            let reply = try #require(error.reply)
            return (reply.error ?? "", .object(reply.parameters))
        }
    }

    /// A slot, on this thread and at once.
    private func slot() throws {
        var player = bench.plugin.player
        player.clock = .withoutPauses
        try player.play(Int64(time(nil)), Cancellation(), HTTPCancellation())
    }

    private func stage() throws -> JSON? { try ask("GetTests")["tests"]?.array?.first?["warning"] }

    /// Looking, entering, being refused and agreeing write the book as often.
    @Test func noCallShowsOnTheDiskWhatItWas() throws {
        let path = "\(bench.supervisor.folder.path)/state/store"
        func size() throws -> Int {
            var status = stat()
            try #require(stat(path, &status) == 0)
            return Int(status.st_size)
        }
        let first = try size()
        func writes(_ act: () throws -> Void) throws -> Int {
            let before = bench.plugin.store.writeCount
            try act()
            #expect(try size() == first)
            return bench.plugin.store.writeCount - before
        }
        var seen: [String: Int] = [:]
        var number: JSON?
        seen["look"] = try writes { _ = try ask("GetTests") }
        seen["enter"] = try writes { number = try ask("EnterTeleTAN", ["typed": .string(servers.teleTAN())])["number"] }
        seen["refused"] = try writes { _ = try refusal("EnterTeleTAN", ["typed": "no teleTAN"]) }
        try slot()
        seen["result"] = try writes { _ = try ask("GetResult", ["number": try #require(number)]) }
        seen["again"] = try writes { _ = try ask("GetResult", ["number": try #require(number)]) }
        seen["warn"] = try writes {
            _ = try ask(
                "Warn",
                [
                    "number": try #require(number), "ticket": "good", "symptoms": ["statement": "noSymptoms"],
                    "federation": false,
                ])
            // The core's keys come a moment later.
            try bench.turn { bench.plugin.store.registry.wantingKeys.isEmpty }
        }
        seen["withdraw"] = try writes { _ = try ask("Withdraw", ["number": try #require(number)]) }
        seen["forget"] = try writes { _ = try ask("Forget", ["number": try #require(number)]) }
        #expect(Set(seen.values) == [2], "\(seen)")
    }

    /// A page that was taken over, with nobody signed in: nothing is read and nothing changed; and a proof is good for one call of one method.
    @Test func withoutAProofNothingIsTheWearers() throws {
        let number = try #require(try ask("EnterTeleTAN", ["typed": .string(servers.teleTAN())])["number"])
        let before = try ask("GetTests")["tests"]
        func page(_ method: String, _ parameters: JSON, proof: String?) throws -> String? {
            var object = parameters.object ?? JSON.Object()
            if let proof { object["proof"] = .string(proof) }
            do {
                _ = try bench.call("\(Diagnosis1.name).\(method)", .object(object), as: "webui")
                return nil
            } catch let error as VarlinkSocketError { return error.reply?.error }
        }
        let calls: [(String, JSON)] = [
            ("GetTests", .empty), ("EnterCode", ["code": "https://localhost/?E1277F-E1277F24-4AD2-40BC-AFF8-CBCCCD893E4B"]),
            ("EnterTeleTAN", ["typed": .string(try servers.teleTAN())]), ("GetResult", ["number": number]),
            (
                "Warn",
                ["number": number, "ticket": "good", "symptoms": ["statement": "noSymptoms"], "federation": false]
            ), ("Withdraw", ["number": number]), ("Forget", ["number": number]),
        ]
        let refused = "\(Diagnosis1.name).NotSignedIn"
        for (method, parameters) in calls {
            for proof in [nil, "", "bad", "good:\(Diagnosis1.name).CheckTeleTAN"] {
                #expect(try page(method, parameters, proof: proof) == refused, "\(method), \(proof ?? "none")")
            }
        }
        #expect(try ask("GetTests")["tests"] == before)
        // Whatever the interface has more, it has for nobody in particular.
        let open = Set(["CheckTeleTAN", "GetWarnedDays", "GetPublished", "Watch"])
        let interface = try InterfaceDescription(parsing: InterfaceTexts.all[Diagnosis1.name] ?? "")
        #expect(Set(interface.methods.map(\.name)) == open.union(calls.map(\.0)))
        for method in ["GetTests", "Withdraw", "Forget"] {
            let proof = "good:\(Diagnosis1.name).\(method)"
            let parameters: JSON = method == "GetTests" ? .empty : ["number": number]
            #expect(try page(method, parameters, proof: proof) == nil, "\(method)")
            #expect(try page(method, parameters, proof: proof) == refused, "\(method)")
        }
        #expect(try ask("GetTests")["tests"]?.array?.isEmpty == true)
    }

    @Test func theWholeWay() throws {
        let number = try #require(try ask("EnterTeleTAN", ["typed": .string(servers.teleTAN().lowercased())])["number"])
        #expect(try ask("GetTests")["news"] == false)
        #expect(try refusal("GetResult", ["number": number]).0 == "\(Diagnosis1.name).NotPossible")
        try slot()
        #expect(try ask("GetTests")["news"] == true)
        // The list says that there is something, not what.
        let text = "\(try ask("GetTests"))"
        #expect(!text.utf8.isEmpty && !text.contains("positive"))
        #expect(try ask("GetResult", ["number": number])["result"] == "positive")
        #expect(try ask("GetTests")["news"] == false)

        let warning: (String) -> JSON = { ticket in
            [
                "number": number, "ticket": .string(ticket), "symptoms": ["statement": "since", "daysAgo": 2],
                "federation": true,
            ]
        }
        // A ticket that is not good: nothing was sent, and the wearer may agree again.
        _ = try ask("Warn", warning("bad"))
        try bench.turn { bench.plugin.store.registry.tests.first?.warning == .ended(.keysLost) }
        #expect(try ask("GetTests")["news"] == true)
        _ = try ask("Warn", warning("good"))
        try bench.turn { if case .prepared? = bench.plugin.store.registry.tests.first?.warning { true } else { false } }
        #expect(try stage() == "prepared")
        #expect(try refusal("Warn", warning("good")).0 == "\(Diagnosis1.name).NotPossible")
        try slot()
        #expect(try stage() == "sent" && servers.shelf.keys.count == 3)
        #expect(try ask("Withdraw", ["number": number])["isWithdrawn"] == false)
        #expect(try ask("Forget", ["number": number])["isForgotten"] == true)
        #expect(try refusal("GetResult", ["number": number]).0 == "\(Diagnosis1.name).NoSuchTest")
    }

    /// One consent, two submissions; and whoever has a light hears that there is something to look at, and not what.
    @Test func theRestOfTheDayFollowsAndNewsAreSaid() throws {
        let number = try #require(try ask("EnterTeleTAN", ["typed": .string(servers.teleTAN())])["number"])
        #expect(try ask("GetTests")["teleTANSeconds"] == 86_400)
        try slot()
        // Nothing to withdraw; but it is an occasion to say that there is news.
        #expect(try ask("Withdraw", ["number": number])["isWithdrawn"] == false)
        try bench.turn { said.news.last == true }
        _ = try ask("GetResult", ["number": number])
        try bench.turn { said.news.last == false }
        _ = try ask(
            "Warn", ["number": number, "ticket": "whole", "symptoms": ["statement": "noSymptoms"], "federation": false])
        try bench.turn {
            if case .prepared? = bench.plugin.store.registry.tests.first?.remainder { true } else { false }
        }
        try slot()
        func test() throws -> JSON? { try ask("GetTests")["tests"]?.array?.first }
        #expect(try stage() == "sent" && servers.shelf.calls == 1)
        #expect(try test()?["remainder"] == "prepared")
        #expect(try test()?["remainderFrom"]?.int.map { $0 < Int64(time(nil)) } == true)
        try slot()
        #expect(try test()?["remainder"] == "sent" && servers.shelf.calls == 2 && servers.shelf.keys.count == 4)
        // The second one was given once; nothing more leaves.
        try slot()
        #expect(servers.shelf.calls == 2)
        // Nothing in a log says that there was a warning.
        #expect(!bench.log.contains { $0.contains("key") || $0.contains("submission") })
    }

    @Test func theRestCanBeCalledBack() throws {
        let number = try #require(try ask("EnterTeleTAN", ["typed": .string(servers.teleTAN())])["number"])
        try slot()
        _ = try ask(
            "Warn", ["number": number, "ticket": "whole", "symptoms": ["statement": "noSymptoms"], "federation": false])
        try bench.turn {
            if case .prepared? = bench.plugin.store.registry.tests.first?.remainder { true } else { false }
        }
        try slot()
        #expect(try ask("Withdraw", ["number": number])["isWithdrawn"] == true)
        try slot()
        #expect(servers.shelf.calls == 1)
        #expect(try ask("GetTests")["tests"]?.array?.first?["remainder"] == "withdrawn")
    }

    /// No submission can be made of these keys, and the disk does not take that either: it is logged, and nobody asks for the keys again and
    /// again meanwhile. When the disk is there again, the wearer hears of it.
    @Test func aFaultThatTheDiskDoesNotTakeIsLoggedAndKeptLater() throws {
        let number = try #require(try ask("EnterTeleTAN", ["typed": .string(servers.teleTAN())])["number"])
        try slot()
        let path = "\(bench.supervisor.folder.path)/state/store"
        let key: JSON = [
            "keyData": .string(Base64.string([UInt8](repeating: 1, count: 16))),
            "rollingStartIntervalNumber": .int((Int64(time(nil)) / 86_400 - 1) * 144), "rollingPeriod": 144,
        ]
        core.on("TakeDiagnosisKeys") { _ in
            rename(path, path + ".away")
            return .reply(["keys": [key, key]])
        }
        _ = try ask(
            "Warn", ["number": number, "ticket": "good", "symptoms": ["statement": "noSymptoms"], "federation": false])
        try bench.turn { bench.log.contains { $0.contains("what is known of tests cannot be kept") } }
        #expect(core.calls.count == 1)
        guard case .agreed? = bench.plugin.store.registry.tests.first?.warning else {
            Issue.record("it was changed without the disk")
            return
        }
        try #require(rename(path + ".away", path) == 0)
        core.on("TakeDiagnosisKeys", reply: ["keys": [key, key]])
        // An occasion to ask again.
        _ = try ask("EnterTeleTAN", ["typed": .string(servers.teleTAN())])
        try bench.turn {
            if case .ended(.refused)? = bench.plugin.store.registry.tests.first?.warning { true } else { false }
        }
        #expect(core.calls.count == 2)
    }

    /// A date of birth is checked, and what is kept of it is a hash until the test is registered.
    @Test func aDateOfBirthBindsACode() throws {
        let text = "https://localhost/?E1277F-E1277F24-4AD2-40BC-AFF8-CBCCCD893E4B"
        for wrong in ["2000-13-01", "01.01.2000", "2999-01-01", ""] {
            let (_, parameters) = try refusal("EnterCode", ["code": .string(text), "dateOfBirth": .string(wrong)])
            #expect(parameters["rule"] == "notADateOfBirth" && parameters["reason"]?.string?.contains("2999") == false)
        }
        let number = try #require(try ask("EnterCode", ["code": .string(text), "dateOfBirth": "2000-01-01"])["number"])
        try servers.report(TestCode(scanned: text).registrationKey, 1)
        // The laboratory reported it for another date: a positive result there would be somebody else's.
        try slot()
        #expect(try ask("GetTests")["tests"]?.array?.first?["refusal"] == "otherBirth")
        #expect(try refusal("GetResult", ["number": number]).0 == "\(Diagnosis1.name).NotPossible")
        #expect(!bench.log.contains { $0.contains("2000") })
    }

    @Test func withdrawnIsErased() throws {
        let number = try #require(try ask("EnterTeleTAN", ["typed": .string(servers.teleTAN())])["number"])
        try slot()
        _ = try ask(
            "Warn",
            ["number": number, "ticket": "good", "symptoms": ["statement": "noSymptoms"], "federation": false])
        try bench.turn { if case .prepared? = bench.plugin.store.registry.tests.first?.warning { true } else { false } }
        #expect(try ask("Withdraw", ["number": number])["isWithdrawn"] == true)
        try slot()
        #expect(servers.shelf.calls == 0)
        #expect(try stage() == "ended")
    }

    /// Every statement of the interface, by the tables of the statement itself; nothing is kept of the question.
    @Test func whomAWarningReachesIsToldBeforeAConsent() throws {
        let before = try ask("GetTests")
        func days(_ symptoms: JSON) throws -> [Int64] {
            try #require(try ask("GetWarnedDays", ["symptoms": symptoms])["days"]?.array).compactMap(\.int)
        }
        for (statement, expected) in [
            ("lastSevenDays", 0...9), ("oneToTwoWeeksAgo", 5...13), ("moreThanTwoWeeksAgo", 12...13),
            ("unknownSince", 0...7),
            ("noSymptoms", 0...2), ("noStatement", 0...7),
        ] as [(String, ClosedRange<Int64>)] {
            #expect(try days(["statement": .string(statement)]) == Array(expected), "\(statement)")
        }
        for daysAgo in 0...21 as ClosedRange<Int64> {
            let found = try days(["statement": "since", "daysAgo": .int(daysAgo)])
            let range = max(0, daysAgo - 4)...(daysAgo + 4)
            #expect(found == range.filter { $0 <= 13 }, "\(daysAgo)")
            #expect(found.contains(0) == (daysAgo <= 4))
        }
        #expect(try ask("GetTests")["tests"] == before["tests"])
    }

    /// The days decide who is warned: one that is missing is not today, and one that cannot be is not another.
    @Test func aStatementAndItsDaysBelongTogether() throws {
        let number = try #require(try ask("EnterTeleTAN", ["typed": .string(servers.teleTAN())])["number"])
        try slot()
        let wrong: [JSON] = [
            ["statement": "since"], ["statement": "since", "daysAgo": -1], ["statement": "since", "daysAgo": 22],
            ["statement": "since", "daysAgo": .int(.max)], ["statement": "since", "daysAgo": .int(.min)],
            ["statement": "noSymptoms", "daysAgo": 0], ["statement": "lastSevenDays", "daysAgo": 3],
        ]
        for symptoms in wrong {
            let warned = try refusal("GetWarnedDays", ["symptoms": symptoms])
            #expect(warned.0 == "\(Diagnosis1.name).Refused" && warned.1["rule"] == "malformedSymptoms", "\(symptoms)")
            let parameters: JSON = ["number": number, "ticket": "good", "symptoms": symptoms, "federation": false]
            let refused = try refusal("Warn", parameters)
            #expect(refused.0 == "\(Diagnosis1.name).Refused" && refused.1["rule"] == "malformedSymptoms", "\(symptoms)")
        }
        // Nothing was spent or begun.
        _ = try ask(
            "Warn",
            ["number": number, "ticket": "good", "symptoms": ["statement": "since", "daysAgo": 21], "federation": false])
    }

    /// A country that servers refuse is found at the start, and not when the keys have been handed out.
    @Test func countriesAreCheckedAtTheStart() throws {
        for (change, wrong) in [
            (#""origin": "de""#, "origin"), (#""origin": "D1""#, "origin"), (#""origin": "É""#, "origin"),
            (#""countries": ["FR", "it"]"#, "countries"), (#""countries": ["FRA"]"#, "countries"),
            (#""origin": "CH""#, nil), (#""countries": ["FR", "IT"]"#, nil), (#""countries": []"#, nil),
        ] as [(String, String?)] {
            let text = #"{"verification": "https://a.example", "submission": "https://a.example", \#(change)}"#
            let settings = try JSON(parsing: Array(text.utf8)).decode(DiagnosisSettings.self)
            do {
                _ = try settings.warningWay()
                #expect(wrong == nil, "\(change)")
            } catch {
                #expect(wrong != nil && "\(error)".hasPrefix(wrong ?? "?"), "\(change): \(error)")
            }
        }
    }

    @Test func whatIsEnteredIsCheckedBeforeAnybodyIsCalled() throws {
        let (name, parameters) = try refusal("EnterTeleTAN", ["typed": "ABC"])
        #expect(name == "\(Diagnosis1.name).Refused" && parameters["rule"] == "teleTANRefused")
        #expect(try refusal("EnterCode", ["code": "https://example.org/?x"]).1["rule"] == "notATestCode")
        #expect(try ask("CheckTeleTAN", ["typed": "AB0"])["problems"]?.array?.count == 1)
        #expect(try ask("CheckTeleTAN", ["typed": "AB"])["problems"]?.array?.isEmpty == true)
        let whole = try ask("CheckTeleTAN", ["typed": .string(servers.teleTAN())])
        #expect(whole["isWhole"] == true)
        let typed: JSON = ["typed": .string(try servers.teleTAN())]
        _ = try ask("EnterTeleTAN", typed)
        #expect(try refusal("EnterTeleTAN", typed).1["rule"] == "alreadyEntered")
    }

    /// Nothing of what was entered, and no token, is in a log.
    @Test func logsSayNothing() throws {
        let teleTAN = try servers.teleTAN()
        _ = try ask("EnterTeleTAN", ["typed": .string(teleTAN)])
        try slot()
        let log = bench.log.joined(separator: "\n")
        #expect(!log.contains(teleTAN))
        for test in bench.plugin.store.registry.tests {
            if case .made(let token) = test.registration { #expect(!log.contains(token)) }
        }
    }
}
