// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import HTTPFields
import JSON
import Testing

@testable import RiskConfiguration

/// Vigil's own document.
@Suite struct DocumentTests {
    @Test func whatIsWrittenIsReadAsTheSame() throws {
        for configuration in [try Samples.full(), try Samples.plain()] {
            let bytes = configuration.document
            #expect(try RiskConfiguration(parsing: bytes) == configuration)
            #expect(try RiskConfiguration(parsing: bytes).document == bytes)
            #expect(configuration.problems.isEmpty)
            #expect(bytes.count < RiskConfiguration.maximumByteCount / 8)
        }
    }

    @Test func whatMayBeLeftOutHasItsDefault() throws {
        let text = """
            {"vigilRisk":1,"version":3,"models":[{"cwaFirst":{"exposures":{"minimumRiskScore":11,"attenuationScores":[0,2,2,2,2,2,2,2],
            "daysSinceLastExposureScores":[5,5,5,5,5,5,5,5],"durationScores":[0,0,0,1,1,1,1,1],
            "transmissionRiskScores":[0,0,3,4,5,6,7,8],"durationAtAttenuationThresholds":[55,63]},"weights":[1,0.5,0],"divisor":50,
            "classes":[{"level":"LOW","min":0,"max":15},{"level":"HIGH","min":15,"max":9999}]}}],
            "mapping":{"daysSinceOnsetToInfectiousness":{"1":1,"2":2},"infectiousnessWhenDaysSinceOnsetMissing":0,"reportTypeWhenMissing":1}}
            """
        let configuration = try RiskConfiguration(parsing: Array(text.utf8))
        #expect(try configuration.models == [.cwaFirst(Samples.cwaFirst())])
        #expect(try configuration.mapping == Samples.mapping())
        #expect(configuration.service == .running && configuration.validFrom == nil && configuration.version == 3)
    }

    @Test func theServicesStatesSayWhatTheyAre() throws {
        let json = try JSON(parsing: Samples.plain().document)
        func service(_ value: JSON) throws -> RiskService {
            try RiskConfiguration(parsing: json.with("service", value).bytes).service
        }
        let paused = try service(["state": "paused"])
        #expect(paused == .paused(words: nil) && paused.sentence?.contains("paused") == true)
        #expect(try service(["state": "paused", "words": "Pause bis morgen."]).sentence == "Pause bis morgen.")
        let ended = try service(["state": "ended", "eraseOn": "2023-06-01"])
        #expect(ended.sentence?.contains("2023-06-01") == true)
        #expect(try service(["state": "running"]).sentence == nil)
    }

    /// One pass over a document with a fault in every part.
    @Test func everyProblemIsToldWithItsPath() throws {
        let json = try Samples.json().with("version", 0).with("vigilRisk", 2).with("unknown", 1).with("validFrom", "today")
            .with("models/0/cwaSecond/minutesAtAttenuationWeights/1/attenuationRange/min", -1)
            .with("models/0/cwaSecond/minutesAtAttenuationWeights/2/weight", "much")
            .with("models/0/cwaSecond/trlEncoding/reportTypeOffsetRecursive", nil)
            .with("models/0/cwaSecond/transmissionRiskValueMapping/3/transmissionRiskLevel", 3)
            .with("models/0/cwaSecond/normalizedTimePerDayToRiskLevelMapping/0/riskLevel", "MEDIUM")
            .with("models/1/nhsSecond/riskScore/rssiParameters/covariance", 0)
            .with("models/1/nhsSecond/riskScore/observationType", "friis")
            .with("models/2/dailySummaries/summaries/attenuationBucketThresholdDb", [50, 40, 60])
            .with("models/2/dailySummaries/summaries/reportTypeWeights/7", 1)
            .with("models/2/dailySummaries/measure", "mean")
            .with("models/3/cwaFirst/divisor", 0)
            .with("models/3/cwaFirst/exposures/durationAtAttenuationThresholds", [63, 55])
            .with("models/3/cwaFirst/exposures/durationScores", [0, 9, 0])
            .with("models/4/nhsFirst/exposures", nil)
            .with("mapping/daysSinceOnsetToInfectiousness/15", 1)
            .with("mapping/daysSinceOnsetToInfectiousness/01", 1)
            .with("mapping/reportTypeWhenMissing", 5)
            .with("service/eraseOn", "2027-02-30").with("service/words", "a\u{202E}b")
        let paths = Samples.problems(json.bytes).map(\.path)
        for path in [
            "version", "vigilRisk", "unknown", "validFrom",
            "models[0].cwaSecond.minutesAtAttenuationWeights[1].attenuationRange.min",
            "models[0].cwaSecond.minutesAtAttenuationWeights[2].weight",
            "models[0].cwaSecond.trlEncoding.reportTypeOffsetRecursive",
            "models[0].cwaSecond.transmissionRiskValueMapping[3].transmissionRiskLevel",
            "models[0].cwaSecond.normalizedTimePerDayToRiskLevelMapping[0].riskLevel",
            "models[1].nhsSecond.riskScore.rssiParameters.covariance", "models[1].nhsSecond.riskScore.observationType",
            "models[2].dailySummaries.summaries.attenuationBucketThresholdDb",
            "models[2].dailySummaries.summaries.reportTypeWeights.7", "models[2].dailySummaries.measure",
            "models[3].cwaFirst.divisor", "models[3].cwaFirst.exposures.durationAtAttenuationThresholds",
            "models[3].cwaFirst.exposures.durationScores", "models[3].cwaFirst.exposures.durationScores[1]",
            "models[4].nhsFirst.exposures", "mapping.daysSinceOnsetToInfectiousness.15",
            "mapping.daysSinceOnsetToInfectiousness.01", "mapping.reportTypeWhenMissing", "service.eraseOn",
            "service.words",
        ] {
            #expect(paths.contains(path), "\(path) is not told")
        }
    }

    @Test(arguments: [
        ("", "not JSON"), ("[]", "an object"), ("null", "an object"), ("{\"version\":1e999}", "the number does not fit"),
        ("{\"version\":-1e999}", "the number does not fit"), ("{\"version\":NaN}", "not JSON"),
        ("{\"version\":1,\"version\":2}", "a key appears twice"), ("{\"a\":\"\\u0000\"}", "U+0000"),
        (String(repeating: "[", count: 40_000), "too deep"),
        ("{\"version\":99999999999999999999}", "the number does not fit"),
    ])
    func whatIsNoDocumentIsToldAsSuch(_ text: String, _ part: String) {
        let problems = Samples.problems(Array(text.utf8))
        #expect(problems.contains { $0.description.contains(part) }, "\(problems.prefix(3))")
    }

    @Test func sizeAndCountsAreLimited() throws {
        let large = Array(repeating: UInt8(ascii: " "), count: RiskConfiguration.maximumByteCount + 1)
        #expect(throws: RiskConfigurationError(.tooLarge)) { try RiskConfiguration(parsing: large) }
        let filter = try #require(try Samples.json()["models"]?.array?[0]["cwaSecond"]?["trlFilters"]?.array?[0])
        let many = try Samples.json().with("models/0/cwaSecond/trlFilters", .array(Array(repeating: filter, count: 17)))
        #expect(Samples.problems(many.bytes).map(\.path) == ["models[0].cwaSecond.trlFilters"])
        let empties = JSON.array(Array(repeating: .empty, count: 20_000))
        #expect(Samples.problems(try Samples.json().with("models", empties).bytes).count < 100)
        var strange = JSON.Object()
        for index in 0..<5_000 { strange["x\(index)"] = .int(0) }
        let problems = Samples.problems(JSON.object(strange).bytes)
        #expect(problems.count == RiskConfigurationError.mostProblems)
        // A name may be as long as the document; what is said of it may not.
        let long = Samples.problems(try Samples.json().with(String(repeating: "x\u{1B}", count: 7_000), 1).bytes)
        #expect(
            long.count == 1 && long.allSatisfy { $0.description.utf8.count < 400 && !$0.description.contains("\u{1B}") })
    }

    @Test func aModelOnlyOnce() throws {
        let json = try Samples.json()
        let again = json.with("models/1", json["models"]?.array?[0])
        #expect(Samples.problems(again.bytes).map(\.path) == ["models[1]"])
    }

    /// The writer takes any value; what nobody could read is told before it is published.
    @Test func valuesThatNoDocumentCanSayHaveProblems() throws {
        var parameters = Samples.cwaSecond
        parameters.minutesAtAttenuationWeights[0].weight = .infinity
        parameters.normalizedTimePerDayToRiskLevelMapping[1].normalizedTimeRange.max = .nan
        parameters.transmissionRiskValueMapping[3] = -1
        let configuration = RiskConfiguration(
            version: 0, models: [.cwaSecond(parameters)], mapping: .standard, service: .paused(words: ""))
        let paths = configuration.problems.map(\.path)
        for path in [
            "version", "models[0].cwaSecond.minutesAtAttenuationWeights[0].weight",
            "models[0].cwaSecond.normalizedTimePerDayToRiskLevelMapping[1].normalizedTimeRange.max",
            "models[0].cwaSecond.transmissionRiskValueMapping[2].transmissionRiskValue", "service.words",
        ] { #expect(paths.contains(path), "\(path) is not told") }
        #expect(!RiskConfiguration(version: 1, models: [], mapping: .standard).problems.isEmpty)
    }
}
