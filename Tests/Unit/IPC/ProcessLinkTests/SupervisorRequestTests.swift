// SPDX-License-Identifier: Apache-2.0

import ProcessLink
import Testing

@Suite struct SupervisorRequestTests {
    private static let wish = NetworkWish(
        interface: "eth0", isManual: true, addresses: ["192.0.2.7/24", "2001:db8::7/64"], gateway: "192.0.2.1",
        nameServers: ["192.0.2.53"])

    private static let actions: [SupervisorRequest.Action] = [
        .restart(plugin: "a"), .setEnabled(plugin: "a", true), .setEnabled(plugin: "a", false), .setSettings(plugin: "a"),
        .reboot, .keepNetwork, .configure(isByPerson: true), .configure(isByPerson: false),
        .keepConfiguration(version: 1 << 53),
        .tryNetwork(wish, seconds: 60),
        .tryNetwork(
            NetworkWish(interface: "eth0", isManual: false, addresses: [], gateway: nil, nameServers: []), seconds: 30),
    ]

    @Test(arguments: actions) func anOrderArrivesAsItWasSent(action: SupervisorRequest.Action) throws {
        let order = SupervisorRequest(number: 7, action: action)
        let bytes = try #require(order.message.bytes)
        let message = try #require(ControlMessage(parsing: bytes))
        #expect(SupervisorRequest(message) == order)
    }

    @Test(arguments: [
        ["action": "reboot"], ["number": "x", "action": "reboot"], ["number": "-1", "action": "reboot"],
        ["number": "4294967296", "action": "reboot"], ["number": "1"], ["number": "1", "action": "erase"],
        ["number": "1", "action": "restart"], ["number": "1", "action": "enable", "plugin": "a"],
        ["number": "1", "action": "enable", "plugin": "a", "value": "true"],
        ["number": "1", "action": "reboot", "plugin": "a"], ["number": "1", "action": "configure"],
        ["number": "1", "action": "configure", "by": "nobody"], ["number": "1", "action": "keep"],
        ["number": "1", "action": "keep", "version": "7.5"],
        ["number": "1", "action": "keep", "version": "7", "plugin": "a"],
        ["number": "1", "action": "try", "interface": "eth0", "method": "manual"],
        ["number": "1", "action": "try", "interface": "eth0", "method": "other", "seconds": "30"],
    ])
    func whatIsNoOrderIsNone(values: [String: String]) {
        #expect(SupervisorRequest(ControlMessage(SupervisorRequest.verb, values)) == nil)
        #expect(SupervisorRequest(ControlMessage("OTHER", values)) == nil)
    }

    @Test func answersFitAMessageHoweverMuchThereIsToSay() throws {
        let problems = (0..<100).map { "settings.x\($0): " + String(repeating: "wrong \n\u{1b}ü", count: 90) }
        let message = SupervisorAnswer(number: 1, outcome: .unfit(problems)).message
        let bytes = try #require(message.bytes)
        let answer = try #require(ControlMessage(parsing: bytes).flatMap { SupervisorAnswer($0) })
        guard case .unfit(let told) = answer.outcome else { return #expect(Bool(false), "\(answer)") }
        #expect(told.count >= 4 && told[0].hasPrefix("settings.x0: wrong") && told.last == "and \(101 - told.count) more")
        let reason = SupervisorAnswer(number: 1, outcome: .notPossible(String(repeating: "ü", count: 5_000)))
        #expect(reason.message.bytes != nil)
        for outcome in [SupervisorAnswer.Outcome.done, .noSuchPlugin, .unfit(["a: b", "c: d"]), .notPossible("x")] {
            #expect(SupervisorAnswer(SupervisorAnswer(number: 3, outcome: outcome).message)?.outcome == outcome)
        }
        #expect(SupervisorAnswer(ControlMessage(SupervisorAnswer.verb, ["number": "1", "outcome": "perhaps"])) == nil)
        #expect(SupervisorAnswer(ControlMessage(SupervisorAnswer.verb, ["outcome": "done"])) == nil)
    }
}

@Suite struct KeptLineTests {
    @Test(arguments: [
        ("12.345 warning the controller is slow step=x", "warning", "the controller is slow step=x"),
        ("notice told word=1", "notice", "told word=1"), ("trace tiny", "debug", "tiny"), ("error", "error", ""),
        ("no level here", "info", "no level here"), ("warnings are many", "info", "warnings are many"),
        ("12.345 nothing", "info", "12.345 nothing"), ("1.2.3 error x", "info", "1.2.3 error x"), ("", "info", ""),
        (
            #"{"boot":1.000,"level":"critical","message":"x"}"#, "critical",
            #"{"boot":1.000,"level":"critical","message":"x"}"#
        ),
        (#"{"boot":1.000,"level":"loud","message":"x"}"#, "info", #"{"boot":1.000,"level":"loud","message":"x"}"#),
        (#"{"message":"level","level":"error"}"#, "info", #"{"message":"level","level":"error"}"#),
    ])
    func theLevelIsReadAsItIsWritten(line: String, level: String, text: String) {
        let found = KeptLine.reading(line)
        #expect(found.level.rawValue == level && found.text == text)
    }

    @Test func aLineIsReadAsItWasWritten() throws {
        let line = KeptLine(number: 42, time: 1_700_000_000_123, process: "sync", level: .error, text: "a  b c ")
        #expect(line.bytes.last == 10 && KeptLine(parsing: line.bytes.dropLast()) == line)
        let long = KeptLine(
            number: .max / 100, time: 1, process: "x", level: .info, text: "one\ntwo" + String(repeating: "ü", count: 3_000)
        )
        #expect(long.text.hasPrefix("one?two") && long.text.utf8.count <= KeptLine.longestText)
        #expect(long.bytes.count <= KeptLine.maximumByteCount && long.bytes.filter { $0 == 10 }.count == 1)
        for text in [
            "", "1", "1 2 x info", "x 2 p info t", "1 2 p loud t", "1 2  info t", "-1 2 p info t",
            "99999999999999999999 1 p info t",
        ] {
            #expect(KeptLine(parsing: Array(text.utf8)) == nil, "\(text)")
        }
    }
}
