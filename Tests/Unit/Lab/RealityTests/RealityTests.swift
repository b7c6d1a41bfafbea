// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import ExposureRisk
import FoundationEssentials
import GAEN
import HCI
import Matching
import RiskConfiguration
import Testing
import VirtualAir

@testable import Reality

/// The published captures of real phones, which may be read and not be passed on in another form. Where they are not beside
/// this tree, nothing of this is checked, and the log says so.
@Suite struct RealityTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    private static let folder = root + "/../shared/reality"
    static let soldiers = "\(folder)/bt-measurements/exp34-epfl-soldiers"
    static let isThere = FileManager.default.fileExists(atPath: soldiers + "/pcaps")
    static let afternoon = Result { try RecordedAfternoon(folder: soldiers) }
    static let absent: Comment = "NOT CHECKED: ../shared/reality is not there"

    /// Figures of the sheet `reality`, section 2, to be met exactly.
    @Test(.enabled(if: isThere, absent)) func capturesHaveTheFiguresOfTheSheet() throws {
        let data = try Self.afternoon.get()
        let receptions = RecordedAfternoon.phones.map { data.captures[$0]?.receptions.count ?? 0 }
        #expect(
            receptions == [
                9957, 10622, 10530, 9820, 9847, 10418, 5173, 9533, 11104, 10232, 9908, 11400, 12285, 12873, 11069, 11258,
                11255,
                10309,
            ])
        let all = data.captures.values.flatMap(\.receptions)
        #expect(all.count == 187_593)
        let known = all.filter { data.identifiers[$0.payload.identifier] != nil }
        let phones = all.filter { $0.flags == 0x1A }
        #expect(known.count == 84_456 && phones.count == 95_369 && all.count - known.count - phones.count == 7_768)
        #expect(data.identifiers.count == 332)
        #expect(Set(known.map(\.payload.identifier)).count == 330)
        #expect(all.count { $0.address.type == .publicIdentity } == 461)
        #expect(data.captures.values.allSatisfy { $0.refusedEvents == 0 })
        // Each identifier with one metadata; a time between 11 and 15 minutes for nearly all.
        let sent = data.captures.values.flatMap(\.sent)
        #expect(Set(sent.map(\.payload)).count == Set(sent.map(\.payload.identifier)).count)
        // The rhythm of scans; phone 4 is left out, whose scans are cut into many.
        let periods = data.captures.filter { $0.key != 4 }.values.flatMap { capture in
            zip(capture.scans, capture.scans.dropFirst()).map { Double($1.start - $0.start) / 1e6 }
        }.sorted()
        #expect((250...260).contains(periods[periods.count / 2]))
        #expect(Double(periods.count { (210...306).contains($0) }) >= 0.92 * Double(periods.count))

        // Windows, section 3: at least 85 % matched, none below 60 %, the control below 20 %.
        let found = try data.compare(.july2020)
        let reported = found.reduce(0) { $0 + $1.comparison.reportedCount }
        let matched = found.reduce(0) { $0 + $1.comparison.matched.count }
        #expect(found.count == 9 && reported >= 950)
        #expect(Double(matched) >= 0.85 * Double(reported), "\(matched) of \(reported)")
        for (receiver, comparison) in found { #expect(comparison.share >= 0.6, "receiver \(receiver)") }
        let control = try data.compare(.august2020).reduce(0) { $0 + $1.comparison.matched.count }
        #expect(Double(control) < 0.2 * Double(reported), "\(control)")

        // Scan by scan; the seconds agree by themselves, the attenuations only with the calibration of the day.
        let agreement = try data.agreement(.july2020)
        #expect(agreement.minimum.count > 2_000 && agreement.matchedSeconds.count > 4_000)
        #expect(agreement.isAsDemanded, "\(agreement)")
        let off = try data.agreement(.august2020)
        #expect(!off.isAsDemanded && off.minimum.count < 100, "\(off)")
    }

    /// Section 5: 564 units in three scenes, 182 near for a quarter of an hour within 2 m, 114 within 1.5 m; the Swiss rule by
    /// −29 dBm has an area of .73 to .83, and fires for about 107.
    @Test(.enabled(if: isThere, absent)) func theSwissRuleFaresAsTheSheetSays() throws {
        let data = try Self.afternoon.get()
        let pairs = try data.pairs([.lunch, .train, .office], .august2020)
        #expect(pairs.count == 564)
        let rules = try RiskConfiguration(
            parsing: [UInt8](Data(contentsOf: URL(filePath: Self.root + "/docs/examples/swiss-covid.json"))))
        let judged = Rule.model(rules.models[0]).judge(pairs)
        let two = RuleVerdicts(of: judged, on: pairs)
        #expect(two.positives == 182 && (0.73...0.83).contains(two.area?.value ?? 0), "\(two)")
        #expect((80...120).contains(two.alarms) && (two.precision?.value ?? 0) > 0.6)
        let nearer = RuleVerdicts(of: judged, on: pairs, isNearer: true, resamples: 1)
        #expect(nearer.positives == 114 && (0.73...0.83).contains(nearer.area?.value ?? 0))
        try fitsAreScoredOnOtherScenes(FittedRule(rules, model: .swissCovid), pairs)
    }

    private func fitsAreScoredOnOtherScenes(_ rule: FittedRule, _ pairs: [MetPair]) throws {
        let fit = LeftOutScenes(rule, pairs, resamples: 100)
        #expect(fit.folds.map(\.scene) == [.lunch, .train, .office] && fit.together.count == 564)
        #expect(fit.folds.allSatisfy { !$0.fittedOn.contains($0.scene) && $0.fittedOn.count == 2 })
        // Worse than before by more than its interval would be a fault of the search.
        #expect((fit.together.area?.value ?? 0) > 0.7 && (fit.together.balance?.value ?? 0) > 0.6)
    }

    /// Section 5: the line has errors per scan of 0.69 m at lunch, 0.84 in the train, 1.20 in the office and 2.95 on the move,
    /// and is better than a constant everywhere. The sheet took all pairs, this takes those that were seen for eight minutes.
    @Test(.enabled(if: isThere, absent)) func distancesAreAsFarOffAsTheSheetSays() throws {
        let pairs = try Self.afternoon.get().pairs(ScenePositions.Name.allCases, .july2020)
        let errors = DistanceErrors(pairs, by: NHSSecondParameters())
        #expect(errors.scenes.map(\.name) == [.lunch, .train, .office, .movement] && errors.leftOut == 0)
        for (scene, line) in zip(errors.scenes, [0.69, 0.84, 1.20, 2.95]) {
            let found = try #require(scene.lineOfScans).metres
            #expect(abs(found - line) < 0.3 * line, "\(scene.name): \(found)")
            // Below 0.6 m would be suspicious (section 5).
            let constant = try #require(scene.constantOfScans).metres
            #expect(found > 0.6 && found < constant)
            let slope = try #require(scene.fitted?.slope)
            #expect((0.010...0.024).contains(slope), "\(slope)")
            // Its errors are of the size of the distances themselves.
            let model = try #require(scene.model).metres
            #expect((0.5...2.5).contains(model), "\(scene.name)")
        }
    }

    /// Section 7: an iPhone 11 at 1 m is heard by an iPhone at -48 dBm, by six Samsungs at -41 to -52.
    @Test(.enabled(if: isThere, absent)) func theChamberIsThatOfTheSheet() throws {
        let table = try ChamberTable(folder: "\(Self.folder)/bt-measurements")
        let phones = table.rows.filter { $0.experiment == "exp25" && $0.transmitter == "iPhone11" }
        #expect(phones.count == 7 && phones.allSatisfy { $0.power == 1 })
        #expect(phones.first { $0.receiver == "iPhone11" }?.quartiles[1] == -48)
        let samsungs = phones.filter { $0.receiver.hasPrefix("SM-") }.map { $0.quartiles[1] }
        #expect(samsungs.count == 6 && (samsungs.min() ?? 0) >= -55 && (samsungs.max() ?? 0) <= -40, "\(samsungs)")
        #expect(table.refused > 0)
        #expect(throws: InputError.self) { try ChamberTable(folder: "/nowhere") }
        #expect(throws: InputError.self) { try ChamberTable(folder: Self.soldiers) }
    }

    /// Section 4: four scenarios of July, and the five of April. The sheet has .538 for one, of 4,419 in 8,222.
    @Test(.enabled(if: isThere, absent)) func theTableIsThatOfTheSheet() throws {
        func texts(_ table: DistanceTable) -> [[String]] {
            table.cells.map { row in row.map { "\(thousandths($0.precision))/\(thousandths($0.recall))" } }
        }
        func thousandths(_ value: Double?) -> Int { Int(((value ?? -1) * 1_000).rounded()) }
        let july = try MeasuredReception.read(
            ["01-lunch", "02-train", "03-office", "06-movement"].map { "\(Self.soldiers)/scenario\($0).sqlite" })
        #expect(july.count == 13_044)
        #expect(
            texts(DistanceTable(july, power: -29, attenuations: [50, 55, 60, 65], distances: [1.5, 2, 3])) == [
                ["696/387", "866/323", "967/271"], ["602/602", "799/537", "941/475"], ["516/821", "727/777", "901/723"],
                ["446/956", "655/943", "858/927"],
            ])
        let names = ["01-lunch", "02-train", "03-office", "04-queue", "05-party"]
        let april = try MeasuredReception.read(
            names.map { "\(Self.folder)/bt-measurements/exp05-epfl-soldiers/scenario\($0).sqlite" })
        #expect(april.count == 139_837)
        #expect(
            texts(DistanceTable(april, power: -35, attenuations: [50, 55, 60], distances: [1.5, 2, 3])) == [
                ["502/705", "696/657", "868/599"], ["433/876", "624/848", "818/812"], ["394/968", "581/959", "786/947"],
            ])
    }

    /// Section 2: what a scan brings by distance, and that the fitted air comes nearer to it than the measured one in the
    /// office, which it was not fitted to.
    @Test(.enabled(if: isThere, absent)) func theFittedAirIsNearerToTheCaptures() throws {
        let data = try Self.afternoon.get()
        var positions: [ScenePositions.Name: ScenePositions] = [:]
        for name in ScenePositions.Name.allCases { positions[name] = try data.positions(name) }
        let scans = positions.flatMap { data.heardScans($1, $0) }
        let all = AirTable(scans, resamples: 0)
        func near(_ measure: AirTable.Measure, _ expected: [Double], within: Double) {
            for (row, value) in zip(all.rows, expected) {
                #expect(abs((row.values[measure]?.value ?? .nan) - value) <= within, "\(measure) from \(row.from) m")
            }
        }
        #expect(all.rows.map(\.from) == [0, 1, 1.5, 2, 3, 4, 6])
        near(.nothing, [0.07, 0.08, 0.10, 0.19, 0.27, 0.24], within: 0.04)
        near(.receptions, [7.1, 6.1, 5.7, 4.3, 3.2, 3.3], within: 0.5)

        let office = AirComparison(
            data, .office, try #require(positions[.office]), environments: [.measured, .fitted], resamples: 100,
            repetitions: 2)
        #expect(office.inside(0).count <= 4 && office.inside(1).count >= 12, "\(office.inside(0)), \(office.inside(1))")
        // The same seed, the same scans; they are those that were captured, but for one cut by the scene's end.
        let stage = SimulatedAfternoon(data, [(.movement, try #require(positions[.movement]))])
        let simulated = stage.heardScans(in: .fitted, seed: 3)
        #expect(simulated == stage.heardScans(in: .fitted, seed: 3))
        let captured = scans.count { $0.scene == .movement }
        #expect((captured * 95 / 100...captured).contains(simulated.count), "\(simulated.count) of \(captured)")
    }

    /// Section 6.
    @Test(.enabled(if: isThere, absent)) func theBusIsAsPublished() throws {
        let bus = try BusTable(path: "\(Self.folder)/dublinbus_gaen_dataset/dublinbus_dataset_attenuations.txt")
        #expect(bus.pairs.count == 60)
        #expect(bus.count(full: 50, half: 55, minutes: 15, orEqual: true) == 0)
        #expect(bus.count(full: 70, minutes: 15) == 3)
        #expect(bus.count(full: 70, minutes: 10) == 5)
        #expect(bus.count(full: 70, minutes: 10, orEqual: true) == 7)
    }
}
