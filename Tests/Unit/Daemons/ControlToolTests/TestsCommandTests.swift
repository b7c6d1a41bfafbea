// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Interfaces
import JSON
import Synchronization
import Testing
import Varlink

@testable import ControlTool

/// `vigil ctl tests` against a server that holds its answers against the interfaces.
@Suite struct TestsCommandTests {
    private static let tests = """
        {"tests":[{"number":1,"kind":"pcr","byTelephone":true,"entered":1795250000,"state":"ready","warning":"sent",\
        "sentence":"Your warning was taken.","news":true},\
        {"number":3,"kind":"rapidAntigen","byTelephone":false,"entered":1795256000,"state":"ready","news":true},\
        {"number":4,"kind":"pcr","byTelephone":false,"entered":1795256940,"state":"registering","news":false}],\
        "news":true,"nextExchange":1795257060}
        """

    private static func answer(_ method: String, _ parameters: JSON) -> TestCore.Answer {
        switch method {
        case "org.vigil.diagnosis1.GetTests": .reply(json(tests))
        case "org.vigil.diagnosis1.EnterCode", "org.vigil.diagnosis1.EnterTeleTAN": .reply(["number": 4])
        case "org.vigil.diagnosis1.GetResult":
            parameters["number"] == 3
                ? .reply(["result": "positive"]) : .error("org.vigil.diagnosis1.NoSuchTest", [:])
        case "org.vigil.diagnosis1.GetWarnedDays":
            .reply([
                "days": parameters["symptoms"]?["daysAgo"] == 2
                    ? [0, 1, 2] : parameters["symptoms"]?["daysAgo"] == 7 ? [3, 4] : []
            ])
        case "org.vigil.diagnosis1.Warn": .reply(["nextExchange": 1_795_257_060])
        case "org.vigil.diagnosis1.Withdraw": .reply(["isWithdrawn": true])
        case "org.vigil.diagnosis1.Forget": .reply(["isForgotten": .bool(parameters["number"] == 3)])
        case "org.vigil.diagnosis1.Watch": .replies([["news": false], ["news": true]])
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
            atPath: core.folder + "/console/\(Diagnosis1.name)", withDestinationPath: "../ctl.sock")
        try body(Desk(core))
        #expect(core.unsendable == 0, "an answer of this test is not what the interface says")
    }

    @Test func theListHasNoResults() throws {
        try with { desk in
            let text = try desk.shows { try $0.listTests() }
            #expect(
                text == """
                    Test  What           Entered                    State
                       1  hotline        1 hour 56 minutes ago      its result is here. Your warning was taken.
                       3  rapid antigen  16 minutes 40 seconds ago  there is news: `vigil ctl tests result 3`
                       4  PCR            1 minute ago               is registered at the next exchange
                    Next exchange in 1 minute. There is one whether there is anything to say or not.

                    """)
            let asJSON = try desk.shows(json: true) { try $0.listTests() }
            #expect(json(asJSON) == json(Self.tests))
        }
        try with({ method, _ in method.hasSuffix("GetTests") ? .reply(["tests": [], "news": false]) : .silence }) { desk in
            let text = try desk.shows { try $0.listTests() }
            #expect(text == "No test is known here. `vigil ctl tests enter` takes the code of one.\n")
        }
    }

    /// What looks like a link is a test's code, anything else a hotline's number; without either a person is asked.
    @Test func codesAndNumbers() throws {
        try with { desk in
            _ = try desk.shows { try $0.enterTest("https://localhost/?123456-12345678-1234-4DA7-B166-B86D85475064") }
            _ = try desk.shows { try $0.enterTest("wb7-8xq 23ap") }
            _ = try desk.shows(answers: ["WB78XQ23AP"]) { try $0.enterTest(nil) }
            let born = try desk.shows(answers: ["1961-08-13"]) { try $0.enterTest("https://localhost/?1", born: "-") }
            #expect(!born.contains("1961"))
            _ = try desk.shows { try $0.enterTest("https://localhost/?1", born: "1961-08-14") }
            let entered = desk.core.calls.filter { $0.method.contains(".Enter") }
            #expect(
                entered.map(\.method)
                    == ["EnterCode", "EnterTeleTAN", "EnterTeleTAN", "EnterCode", "EnterCode"].map {
                        "\(Diagnosis1.name).\($0)"
                    })
            #expect(entered[2].parameters["typed"] == "WB78XQ23AP")
            #expect(entered.map { $0.parameters["dateOfBirth"] } == [nil, nil, nil, "1961-08-13", "1961-08-14"])
            #expect(desk.failure { try $0.enterTest("WB78XQ23AP", born: "1961-08-13") }?.status == .usage)
            #expect(desk.failure { try $0.enterTest(nil) }?.status == .usage)
        }
    }

    @Test func aResultIsShownToWhoAsks() throws {
        try with { desk in
            let text = try desk.shows { try $0.showResult(of: 3) }
            #expect(text.hasPrefix("Test 3: positive. The virus was found.\n") && text.contains("tests warn 3"))
            let failure = desk.failure { try $0.showResult(of: 9) }
            #expect(failure?.status == .refused && failure?.reply?.error == "org.vigil.diagnosis1.NoSuchTest")
        }
    }

    /// The ticket is asked for after the person has agreed, and goes to the plugin with what was said about symptoms.
    @Test func aWarningNeedsAgreement() throws {
        try with { desk in
            let warn = { (session: ControlSession) throws in
                try session.warn(3, symptoms: .init(statement: .since, daysAgo: 2), isFederated: false, isAgreed: false)
            }
            #expect(desk.failure(warn)?.status == .usage)
            #expect(desk.failure(answers: ["n"], warn)?.status == .refused)
            // Asked is only whom it would reach.
            #expect(desk.core.calls.allSatisfy { $0.method == "org.vigil.diagnosis1.GetWarnedDays" })
            let text = try desk.shows(answers: ["y"], warn)
            #expect(text.contains("Your warning is sent at the next exchange, in 1 minute."))
            #expect(desk.questions.last?.contains("Only the health authority at home publishes them.") == true)
            #expect(
                desk.core.calls.suffix(3).map(\.method) == [
                    "org.vigil.diagnosis1.GetWarnedDays", "org.vigil.device1.GiveConsent", "org.vigil.diagnosis1.Warn",
                ])
            #expect(
                desk.questions.last?.contains("whom you met on these days (UTC): 2026-11-21, 2026-11-20, 2026-11-19.")
                    == true)
            #expect(desk.core.calls.last?.parameters["ticket"] == "ABCD-EFGH")
            #expect(desk.core.calls.last?.parameters["symptoms"] == ["statement": "since", "daysAgo": 2])
        }
    }

    /// Before anybody agrees, and before a script's --yes counts: whom the warning reaches, and that today is not among the days.
    @Test func whomAWarningReachesIsSaidFirst() throws {
        try with { desk in
            func text(_ daysAgo: Int) throws -> String {
                try desk.shows {
                    try $0.warn(3, symptoms: .init(statement: .since, daysAgo: daysAgo), isFederated: false, isAgreed: true)
                }
            }
            let today = try text(2)
            #expect(today.contains("2026-11-21") && !today.contains("Whom you met today is not warned"))
            let earlier = try text(7)
            #expect(
                earlier.hasPrefix(
                    "By what you say about symptoms, people are warned whom you met on these days (UTC): 2026-11-18,"))
            #expect(earlier.contains("Whom you met today is not warned"))
            #expect(try text(20).contains("nobody is warned"))
            _ = try desk.shows(answers: ["y"]) {
                try $0.warn(3, symptoms: .init(statement: .since, daysAgo: 20), isFederated: false, isAgreed: false)
            }
            #expect(desk.questions.last?.contains("nobody is warned") == true)
        }
    }

    @Test func takingBackForgettingWatching() throws {
        try with { desk in
            let withdrawn = try desk.shows { try $0.withdrawWarning(3) }
            #expect(withdrawn.hasPrefix("Taken back: what had not left is erased"))
            let forgotten = try desk.shows { try $0.forgetTest(3, isAgreed: true) }
            #expect(forgotten == "Forgotten.\n")
            let kept = try desk.shows { try $0.forgetTest(4, isAgreed: true) }
            #expect(kept.hasPrefix("Not while"))
            let watched = try desk.shows { try $0.watchTests() }
            #expect(watched == "No news.\nThere is news.\n")
        }
    }

    /// Without the plugin it is said what is missing, and no consent is given for nothing.
    @Test func withoutThePlugin() throws {
        let core = try TestCore(Self.answer)
        defer { core.end() }
        let desk = Desk(core)
        let failure = desk.failure {
            try $0.warn(1, symptoms: .init(statement: .noStatement), isFederated: false, isAgreed: true)
        }
        #expect(failure?.status == .unavailable)
        #expect(failure?.description.contains("Nobody serves org.vigil.diagnosis1 here") == true)
        #expect(core.calls.isEmpty)
    }
}
