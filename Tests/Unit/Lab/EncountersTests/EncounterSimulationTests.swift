// SPDX-License-Identifier: Apache-2.0

import Encounters
import ExposureRisk
import FoundationEssentials
import GAEN
import Interfaces
import Matching
import RiskStudy
import Simulation
import Testing
import Trust
import VirtualAir

/// Whole boards, people, diagnoses: everything is found, and a simulation that finds nothing says so.
@Suite struct EncounterSimulationTests {
    private static func example(_ name: String) throws -> PeopleScenario {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try PeopleScenario(json: Array(Data(contentsOf: URL(filePath: root.path + "/docs/examples/\(name)"))))
    }

    @Test func sixPeople() throws {
        let report = try EncounterSimulation(Self.example("six-people.json")).run()
        for check in report.checks { #expect(check.problem == nil, "\(check.claim)") }
        #expect(report.people == 6)
        #expect(report.diagnosed == 3)
        // Person 1 was near 2 and 3; person 3 near 1, 4; nobody was near 5 for more than twenty seconds.
        #expect(report.certain == 4)
        #expect(report.certainFound == report.certain)
        // The wearers are told of all but the revoked one.
        #expect(report.certainTold + report.certainTakenBack == report.certain)
        #expect(report.certainTold > 0)
        for claim in ["reference agree", "consent releases", "stands for a place", "seven days", "times a day"] {
            #expect(report.checks.contains { $0.claim.contains(claim) }, "\(claim)")
        }
        #expect(report.checks.contains { $0.claim.contains("revocation") })
        #expect(report.checks.contains { $0.claim.contains("confirmedTest") })
        let long = try #require(report.encounters.last)
        #expect(long.real > 0)
        #expect(long.recall == 1)
        for error in report.attenuationErrors where (error.metres ?? 99) <= 8 { #expect(abs(error.mean) < 2) }
    }

    /// What it says does not depend on anything but the scenario, although signatures do.
    @Test func theSameTwice() throws {
        var scenario = try Self.example("six-people.json")
        scenario.days = 1
        scenario.people = scenario.people?.filter { [1, 2, 3].contains($0.id) }
        scenario.events = []
        scenario.diagnoses = [.init(person: 1, day: 0)]
        let reports = try (0..<2).map { _ in try EncounterSimulation(scenario).run() }
        #expect(reports[0] == reports[1])
        #expect(reports[0].matches == 2)
    }

    /// Where near packets are lost nothing is certain, but everything else has to hold.
    @Test func inTheFittedAirNothingIsCertain() throws {
        var scenario = try Self.example("six-people.json")
        scenario.days = 1
        scenario.people = scenario.people?.filter { [1, 2, 3].contains($0.id) }
        scenario.events = []
        scenario.diagnoses = [.init(person: 1, day: 0)]
        var environment = Scenario.EnvironmentChange()
        environment.air = .fitted
        scenario.environment = environment
        let report = try EncounterSimulation(scenario).run()
        for check in report.checks { #expect(check.problem == nil, "\(check.claim)") }
        #expect(report.checks.contains { $0.claim.contains("nobody has to") })
        #expect(!report.checks.contains { $0.claim.contains("everybody within") })
        // Boards send 29 dB more than the captured phones, and hours are many scans.
        #expect(report.matches == 2)
    }

    /// What is written for studies is what the boards found, with the truth of the paths, and can be read again.
    @Test func windowsForStudies() throws {
        var scenario = try Self.example("six-people.json")
        scenario.days = 1
        scenario.people = scenario.people?.filter { [1, 2, 3].contains($0.id) }
        scenario.events = []
        var diagnosis = PeopleScenario.Diagnosis(person: 1, day: 0)
        diagnosis.onset = 0
        diagnosis.transmissionRiskLevel = 5
        scenario.diagnoses = [diagnosis]
        let simulation = try EncounterSimulation(scenario)
        let report = try simulation.run()
        let dataset = simulation.windowsDataset()
        #expect(try StudyDataset(parsing: dataset.document) == dataset)
        #expect(dataset.cases.map(\.name) == ["person 2 met person 1 on day 0", "person 3 met person 1 on day 0"])
        #expect(dataset.cases.allSatisfy { $0.windows.allSatisfy { $0.day == 0 && $0.daysSinceOnset == 0 } })
        #expect(dataset.cases.allSatisfy { $0.windows.allSatisfy { $0.transmissionRiskLevel == 5 } })
        for one in dataset.cases {
            // The first generation counted half a scan period more at either end of a stretch.
            let seconds = (one.exposures ?? []).reduce(0) { $0 + $1.periods.reduce(0) { $0 + $1.seconds } }
            #expect(abs(seconds - one.seconds) <= 900, "\(seconds) and \(one.seconds)")
        }
        // Person 2 sat at 1.5 m for three hours, person 3 at 3 m for two: walking there and away is within 2 m for seconds.
        let (near, far) = (dataset.cases[0], dataset.cases[1])
        #expect(near.truth?.expected == .increased && far.truth?.expected == .low)
        #expect(abs((near.truth?.minutes ?? 0) - 180) <= 1)
        #expect(abs(near.seconds - 10_800) <= 600 && abs(far.seconds - 7_200) <= 600)
        #expect(report.encounters.first?.real == 1)
    }

    /// Takes files and finds nothing.
    private final class BlindChecking: ExposureChecking {
        func provide(_ files: [SimulatedAuthority.File], to board: SimulatedBoard) {}
        func matches(of board: SimulatedBoard) -> [Match] { [] }
        func windows(of board: SimulatedBoard) -> [Exposure1.ExposureWindow] { [] }
        func setMapping(_ mapping: DiagnosisKeyMapping, of board: SimulatedBoard) {}
    }

    /// The core's answers, without one window.
    private final class ForgetfulChecking: ExposureChecking {
        private let core: CoreChecking
        init(_ trust: TrustStore) { core = CoreChecking(trust: trust) }
        func provide(_ files: [SimulatedAuthority.File], to board: SimulatedBoard) throws {
            try core.provide(files, to: board)
        }
        func matches(of board: SimulatedBoard) throws -> [Match] { try core.matches(of: board) }
        func windows(of board: SimulatedBoard) throws -> [Exposure1.ExposureWindow] {
            try core.windows(of: board).dropLast()
        }
        func setMapping(_ mapping: DiagnosisKeyMapping, of board: SimulatedBoard) throws {
            try core.setMapping(mapping, of: board)
        }
    }

    @Test func oneWindowLessIsSeen() throws {
        var scenario = try Self.example("six-people.json")
        scenario.days = 1
        scenario.people = scenario.people?.filter { [1, 2].contains($0.id) }
        scenario.events = []
        scenario.diagnoses = [.init(person: 1, day: 0)]
        let report = try EncounterSimulation(scenario) { ForgetfulChecking($0) }.run()
        let failed = report.checks.filter { $0.problem != nil }.map(\.claim)
        #expect(failed.contains { $0.contains("reference agree") })
        #expect(failed.contains { $0.contains("own answers") })
    }

    @Test func aBlindBoardIsSeen() throws {
        var scenario = try Self.example("six-people.json")
        scenario.days = 1
        scenario.people = scenario.people?.filter { [1, 2].contains($0.id) }
        scenario.events = []
        scenario.diagnoses = [.init(person: 1, day: 0)]
        let report = try EncounterSimulation(scenario) { _ in BlindChecking() }.run()
        #expect(!report.isSound)
        #expect(report.checks.filter { $0.problem != nil }.map(\.claim).contains { $0.contains("whole scan period") })
        // And it took a forged file without a word.
        #expect(report.checks.filter { $0.problem != nil }.map(\.claim).contains { $0.contains("one bit changed") })
        #expect(report.checks.filter { $0.problem != nil }.map(\.claim).contains { $0.contains("reference agree") })
        #expect(report.certain == 1)
        #expect(report.certainFound == 0)
        #expect(report.certainTold == 0)
    }

    @Test(arguments: [
        #"{}"#, #"[]"#, #"{"format":"x","days":1,"generator":{"people":2}}"#,
        #"{"format":"vigil-simulation-1","days":0,"generator":{"people":2}}"#,
        #"{"format":"vigil-simulation-1","days":1}"#,
        #"{"format":"vigil-simulation-1","days":1,"people":[{"id":1}]}"#,
        #"{"format":"vigil-simulation-1","days":1,"people":[{"id":1,"path":[[0,0]]}]}"#,
        #"{"format":"vigil-simulation-1","days":1,"generator":{"people":2,"offices":[3,2]}}"#,
        #"{"format":"vigil-simulation-1","days":1,"generator":{"people":2},"epoch":5}"#,
        #"{"format":"vigil-simulation-1","days":1,"generator":{"people":2},"diagnoses":[{"person":3,"day":0}]}"#,
        #"{"format":"vigil-simulation-1","days":1,"generator":{"people":2},"diagnoses":[{"person":1,"day":1}]}"#,
        #"{"format":"vigil-simulation-1","days":1,"generator":{"people":2},"colour":1}"#,
        #"{"format":"vigil-simulation-1","days":1,"generator":{"people":2,"busses":0.5}}"#,
        #"{"format":"vigil-simulation-1","days":1,"generator":{"people":2},"events":[{"person":1,"day":0,"hour":2,"what":"off","minutes":3}]}"#,
        #"{"format":"vigil-simulation-1","days":1,"generator":{"people":2},"environment":{"shadow":41}}"#,
        #"{"format":"vigil-simulation-1","days":1,"generator":{"people":2},"environment":{"air":"clean"}}"#,
        #"{"format":"vigil-simulation-1","days":1,"generator":{"people":2},"environment":{"lost":1.5}}"#,
        #"{"format":"vigil-simulation-1","days":1,"people":[{"id":1,"profile":"kiosk","path":[[0,0,0]]}],"diagnoses":[{"person":1,"day":0}]}"#,
        // Receivers take no revocation of a confirmed test.
        #"{"format":"vigil-simulation-1","days":3,"generator":{"people":2},"diagnoses":[{"person":1,"day":0,"revokedOn":1}]}"#,
        #"{"format":"vigil-simulation-1","days":1,"generator":{"people":2},"events":[{"person":1,"day":0,"hour":24,"what":"off"}]}"#,
    ]) func refused(json: String) {
        #expect(throws: EncountersError.self) { try PeopleScenario(json: Array(json.utf8)) }
    }

    @Test func theGeneratorMakesWhatItShould() throws {
        var scenario = try Self.example("fortnight.json")
        scenario.days = 1
        scenario.generator?.people = 4
        scenario.generator?.diagnoses = 1
        let report = try EncounterSimulation(scenario).run()
        #expect(report.people == 4)
        #expect(report.publishedKeys >= 1)
        #expect(report.isSound)
    }
}
