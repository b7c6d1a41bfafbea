// SPDX-License-Identifier: Apache-2.0

import Encounters
import FoundationEssentials
import Interfaces
import RiskConfiguration
import Testing

/// A dinner, a bus ride and a corridor, judged by every model of the field.
@Suite struct RiskTrialTests {
    private static let root =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().path + "/docs/examples/"

    private static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: root + path))) }

    private static func rules(_ name: String) throws -> RiskTrial.Rules {
        .init(name: name, configuration: try RiskConfiguration(parsing: bytes("rules/\(name).json")))
    }

    private static let models = ["1-cwa-second", "2-cwa-first", "3-nhs-second", "4-nhs-first", "5-daily-summaries"]

    @Test func whatEachModelMakesOfIt() throws {
        let names = Self.models + ["6-hardly-anybody", "1-cwa-second"]
        let report = try RiskTrial(
            PeopleScenario(json: Self.bytes("three-encounters.json")), rules: names.map(Self.rules)
        ).run()
        for check in report.checks { #expect(check.problem == nil, "\(check.claim)") }
        let dinner = try #require(report.observers.first { $0.name == "dinner" })
        let bus = try #require(report.observers.first { $0.name == "bus ride" })
        let corridor = try #require(report.observers.first { $0.name == "corridor" })
        #expect(dinner.nearMinutes > 89 && bus.nearMinutes == 0 && bus.farMinutes > 19 && corridor.farMinutes < 0.3)
        // Ninety minutes across a table are a risk to everybody, ten seconds to nobody.
        #expect(dinner.verdicts.prefix(5).allSatisfy { $0.state == .increased })
        #expect(corridor.verdicts.allSatisfy { $0.state == .low })
        // What lies between differs, which is why authorities choose.
        #expect(Set(bus.verdicts.prefix(5).map(\.state)) == [.increased, .low])
        // The dinner weighs more than the bus ride to all of them.
        for (one, other) in zip(dinner.verdicts, bus.verdicts) {
            #expect((one.verdict?.score ?? 0) > (other.verdict?.score ?? .infinity))
        }
        #expect(dinner.verdicts[5].state == .low && dinner.verdicts[6].state == .increased)
        for observer in report.observers {
            #expect(observer.afterRevocation?.state == .low && observer.afterRevocation?.verdict == nil)
        }
        // Six for the dinner and the bus ride: found, taken back, found again; and what the bus ride's models differ in.
        #expect(report.announced >= 8 && report.turned >= 6)
    }

    @Test func withoutSomebodyDiagnosedThereIsNothingToJudge() throws {
        var scenario = try PeopleScenario(json: Self.bytes("three-encounters.json"))
        scenario.diagnoses = []
        #expect(throws: EncountersError.self) { try RiskTrial(scenario, rules: [Self.rules("1-cwa-second")]) }
        scenario.diagnoses = [.init(person: 1, day: 0)]
        scenario.people = scenario.people?.filter { $0.id == 1 }
        #expect(throws: EncountersError.self) { try RiskTrial(scenario, rules: [Self.rules("1-cwa-second")]) }
    }
}
