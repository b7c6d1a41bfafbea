// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Testing

@testable import Core

/// What is told of a board's processes, to whom.
@Suite struct ProcessLineTests {
    private func line(_ state: String, onDemand: Bool = true) -> ArraySlice<UInt8> {
        var object: JSON.Object = [
            "name": "venue", "state": .string(state), "restarts": 2, "since": 400, "memory": 9_000, "lastExit": "status 0",
            "reason": "why", "title": "Check-in",
        ]
        if onDemand { object["onDemand"] = true }
        return JSON.object(object).bytes[...]
    }

    private func told(_ state: String, onDemand: Bool = true, to reader: ProcessLine.Reader) throws -> JSON {
        try #require(ProcessLine.told(line(state, onDemand: onDemand), to: reader, at: 1_000))
    }

    /// Whoever may not learn when a plugin runs is told the same of each moment of its life.
    @Test func onAPersonsDeviceAPluginIsSaidToWait() throws {
        let states = ["waiting", "starting", "running", "stopping"]
        let texts = try Set(states.map { try told($0, to: .other("page")).bytes })
        let only = try #require(texts.count == 1 ? texts.first : nil)
        let process = try JSON(parsing: only)
        #expect(process["state"] == "waiting" && process["sinceSeconds"] == 1_000 && process["restarts"] == 2)
        #expect(process["title"] == "Check-in")
        for name in ["memory", "lastExit", "reason", "onDemand", "since"] { #expect(process[name] == nil, "\(name)") }
    }

    /// Troubles are told, and so is what always runs, what a caller asks through, and all of it to the console.
    @Test(arguments: Technician1.ProcessState.allCases) func theRestIsTold(_ state: Technician1.ProcessState) throws {
        let word = state.rawValue
        var readers: [(ProcessLine.Reader, Bool)] = [(.everything, true), (.other("venue"), true), (.other("page"), false)]
        if ["backingOff", "quarantined", "disabled", "refused", "safeMode"].contains(word) {
            readers.append((.other("page"), true))
        }
        for (reader, onDemand) in readers {
            let process = try told(word, onDemand: onDemand, to: reader)
            #expect(process["state"] == .string(word) && process["sinceSeconds"] == 600)
            #expect(process["memory"] == 9_000 && process["lastExit"] == "status 0" && process["reason"] == "why")
            #expect(process["onDemand"] == nil)
        }
    }

    @Test func whatIsNoObjectIsLeftOut() {
        for text in ["", "x", "[]", "1"] { #expect(ProcessLine.told(Array(text.utf8)[...], to: .everything, at: 1) == nil) }
    }
}
