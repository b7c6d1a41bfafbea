// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import JSON
import RiskConfiguration
import Testing

@testable import RiskStudy

/// A sweep is as many evaluations of changed documents, and says what cannot be used.
@Suite struct SweepTests {
    private static let weight = "models[0].cwaSecond.minutesAtAttenuationWeights[1].weight"
    private static let limit = "models[1].nhsSecond.riskThreshold"

    private static let dataset = StudyDataset(
        cases: [55, 62, 66, 70, 78, 90].enumerated().map { index, attenuation in
            StudyCase(
                name: "\(attenuation)", truth: StudyTruth(expected: index < 3 ? .increased : .low),
                windows: [Samples.window(attenuation, scans: index + 1)])
        })

    private static func sweep(_ variations: [String], model: String? = nil) throws -> Sweep {
        try Sweep(
            dataset, configuration: Samples.configuration(), variations: variations.map { try Variation($0) }, model: model)
    }

    @Test func everyPointIsAnEvaluation() throws {
        let sweep = try Self.sweep(["\(Self.weight)=0:2:0.5"])
        #expect(sweep.model == .cwaSecond)
        #expect(sweep.present == [1])
        #expect(sweep.points.map(\.values) == [[0], [0.5], [1], [1.5], [2]])
        let document = try JSON(parsing: Samples.configuration().document)
        for point in sweep.points {
            let changed = try DocumentPath(Self.weight).setting(point.values[0], in: document)
            let configuration = try RiskConfiguration(parsing: changed.bytes)
            let evaluation = Evaluation(
                Self.dataset, models: try configuration.studied("cwaSecond"), mapping: configuration.mapping)
            #expect(point.result?.increased == evaluation.models[0].increased)
            #expect(point.result?.agreement == evaluation.models[0].agreement)
        }
        let counts = sweep.points.compactMap { $0.result?.increased }
        #expect(counts == counts.sorted() && counts.first != counts.last)
        #expect(sweep.best != nil)
        #expect(sweep.csv.split(separator: "\n").count == 6)
    }

    @Test func whatCannotBeUsedIsShown() throws {
        let sweep = try Self.sweep(["\(Self.weight)=-1:1:1"])
        #expect(sweep.points.map { $0.result == nil } == [true, false, false])
        #expect(sweep.points[0].problem?.contains("minutesAtAttenuationWeights[1].weight") == true)
        #expect(sweep.text.joined().contains("cannot be used"))
        #expect(sweep.picture.contains("cannot be used"))
        #expect(sweep.csv.contains("minutesAtAttenuationWeights[1].weight: "))
    }

    @Test func twoParametersAreAMap() throws {
        let sweep = try Self.sweep(["\(Self.limit)=60:180:60", "models[1].nhsSecond.contactCaseDays=1:2:1"])
        #expect(sweep.model == .nhsSecond)
        #expect(sweep.points.map(\.values) == [[60, 1], [60, 2], [120, 1], [120, 2], [180, 1], [180, 2]])
        let counts = sweep.points.compactMap { $0.result?.increased }
        #expect(counts.count == 6 && counts[0] >= counts[2] && counts[2] >= counts[4])
        #expect(sweep.picture.contains("down: \(Self.limit), now 120"))
        #expect(!sweep.picture.contains("nan"))
        #expect(sweep.text.contains("increased of 6; * is now, x cannot be used"))
    }

    @Test func theModelIsThePathsOrTheOneNamed() throws {
        #expect(try Self.sweep(["mapping.daysSinceOnsetToInfectiousness.-1=0:2:1"]).model == .cwaSecond)
        #expect(
            try Self.sweep(["mapping.infectiousnessWhenDaysSinceOnsetMissing=0:2:1"], model: "nhsSecond").model
                == .nhsSecond)
        #expect(throws: StudyError(.noSuchModel)) { try Self.sweep(["version=1:2:1"], model: "nhsFirst") }
    }

    @Test(
        arguments: [
            "models[9].cwaSecond=0:1:1", "models[0].cwaSecond=0:1:1", "models[0].cwaSecond.weight=0:1:1", "x=0:1:1",
            "=0:1:1",
            "models[-1].x=0:1:1", "models[0=0:1:1", "version.x=0:1:1", "service.state=0:1:1", ".=0:1:1", "a..b=0:1:1",
        ])
    func pathsThatLeadNowhereAreRefused(_ text: String) {
        #expect(throws: StudyError(.invalidPath)) { try Self.sweep([text]) }
    }

    @Test(
        arguments: [
            "version", "version=1", "version=1:2", "version=2:1:1", "version=1:2:0", "version=1:2:-1", "version=a:b:c",
            "version=0:1:1e-9", "version=0:inf:1", "version=nan:1:1", "version=1:2:3:4", "version=0:1e308:1",
        ])
    func rangesWithoutEndAreRefused(_ text: String) {
        #expect(throws: StudyError(.invalidRange)) { try Self.sweep([text]) }
    }

    @Test func combinationsHaveALimit() {
        #expect(throws: StudyError(.invalidRange)) { try Self.sweep(["version=1:1000:1", "\(Self.limit)=1:11:1"]) }
        #expect(throws: StudyError(.invalidRange)) { try Self.sweep(["version=1:2:1", "version=1:2:1"]) }
        #expect(throws: StudyError(.invalidRange)) { try Self.sweep([]) }
    }

    @Test func valuesAreAsWritten() throws {
        #expect(try Variation("a=0:1:0.1").values == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
        #expect(try Variation("a=5:5:1").values == [5])
        #expect(try Variation("a=-1:0:0.3").values == [-1, -0.7, -0.4, -0.1])
    }
}
