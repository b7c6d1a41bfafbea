// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import VirtualAir

/// Scenario files: the example of the documentation, and what is refused.
@Suite struct ScenarioTests {
    private static let example: [UInt8] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? Data(contentsOf: URL(filePath: root.path + "/docs/examples/office.json"))).map { Array($0) } ?? []
    }()

    @Test func theExampleRuns() throws {
        let air = VirtualAir(seed: 1)
        let scenario = try Scenario(json: Self.example)
        scenario.begin(in: air)
        #expect(air.epoch == 1_609_495_200)
        #expect(air.nodeIDs.count == 21)
        let board = Host(air)
        scenario.place(board.id, in: air)
        let other = Host(air)
        scenario.place(other.id, in: air)
        #expect(air.position(of: other.id)?.x == 30)
        air.advance(to: .seconds(1_810))
        #expect(air.nodeIDs.count == 24)
        air.advance(to: .seconds(3_605))
        #expect(air.position(of: other.id)?.x == 15.75)
        #expect(air.faults(of: board.id) == [.deaf])
        air.advance(to: .seconds(5_401))
        #expect(air.nodeIDs.count == 23)
        #expect(air.faults(of: board.id).isEmpty)
        air.advance(to: .seconds(6_001))
        #expect(!air.isConnected(board.id))
    }

    @Test(arguments: [
        "", "[]", "{\"phones\": 3}", "{\"epoch\": -1}", "{\"phones\": [{\"path\": [[0, 1]]}]}",
        "{\"phones\": [{\"path\": [[0, 1, 1e7]]}]}", "{\"phones\": [{\"tx\": 300}]}", "{\"phones\": [{\"count\": 20000}]}",
        "{\"phones\": [{\"form\": \"palm\"}]}", "{\"phones\": [{\"interval\": 0.001}]}", "{\"phones\": [{\"from\": -1}]}",
        "{\"environment\": {\"sigma\": -1}}", "{\"hosts\": [{}]}", "{\"hosts\": [{\"id\": 1, \"loss\": 2}]}",
        "{\"faults\": [{\"at\": 1, \"id\": 1, \"kind\": \"tired\"}]}",
        "{\"faults\": [{\"at\": 1, \"id\": 1, \"kind\": \"deaf\", \"cure\": \"prayer\"}]}",
    ])
    func refused(json: String) {
        let error = #expect(throws: VirtualAirError.self) { try Scenario(json: Array(json.utf8)) }
        #expect(error?.code == .invalidScenario)
    }

    @Test func nothingIsAScenarioToo() throws {
        let air = VirtualAir(seed: 1)
        try Scenario(json: Array("{}".utf8)).begin(in: air)
        #expect(air.nodeIDs.isEmpty && air.nextEvent == nil)
    }
}
