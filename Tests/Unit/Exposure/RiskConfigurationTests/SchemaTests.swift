// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import Glibc
import JSON
import PluginManifest
import RandomValues
import SchemaCheck
import Testing

@testable import RiskConfiguration

/// The published schema is the reader's, and says the same as it does.
@Suite struct SchemaTests {
    private let schema = RiskConfiguration.schema

    /// With `VIGIL_WRITE_SCHEMAS=1` it writes it instead: to be done after a change, and looked through.
    @Test func thePublishedFileIsTheReaders() throws {
        let path = "docs/schemas/risk-configuration.schema.json"
        let text = schema.indentedText
        if getenv("VIGIL_WRITE_SCHEMAS") != nil, let file = fopen("\(Samples.root)/\(path)", "w") {
            fputs(text, file)
            fclose(file)
        }
        let published = String(decoding: try Samples.file(path), as: UTF8.self)
        #expect(
            published == text,
            "\(path) is not what the reader says; run this test with VIGIL_WRITE_SCHEMAS=1 and look at the difference")
    }

    @Test func goodDocumentsFit() throws {
        let json = try Samples.json()
        for good in [
            json, try JSON(parsing: Samples.plain().document), json.with("service", nil), json.with("validFrom", nil),
            json.with("$schema", "https://example.org/s.json"), json.with("version", 3.0),
            json.with("service", ["state": "running"]), json.with("service", ["state": "paused", "words": "x"]),
            json.with("models/0/cwaSecond/normalizedTimePerDayToRiskLevelMapping/0/riskLevel", 2),
            json.with("models/1", nil), json.with("models/2/dailySummaries/summaries/infectiousnessWeights", [:]),
            json.with("mapping/daysSinceOnsetToInfectiousness", [:]),
        ] {
            #expect(Samples.problems(good.bytes).isEmpty, "\(Samples.problems(good.bytes))")
            #expect(SchemaCheck.faults(good, schema).isEmpty, "\(SchemaCheck.faults(good, schema))")
        }
    }

    @Test(
        arguments: [
            ("vigilRisk", 2), ("vigilRisk", nil), ("version", 0), ("version", 1.5), ("version", nil),
            ("version", .int(1 << 40)),
            ("validFrom", -1), ("validFrom", "now"), ("x", 1), ("models", nil), ("models", []), ("models", [:]),
            ("models/0", [:]), ("models/0", ["other": [:]]), ("models/0/nhsSecond", [:]), ("models/0/cwaSecond", []),
            ("models/0/cwaSecond/x", 1), ("models/0/cwaSecond/trlEncoding", nil),
            ("models/0/cwaSecond/trlEncoding/infectiousnessOffsetHigh", 9),
            ("models/0/cwaSecond/minutesAtAttenuationWeights", []),
            ("models/0/cwaSecond/minutesAtAttenuationWeights/0/attenuationRange/max", nil),
            ("models/0/cwaSecond/minutesAtAttenuationWeights/0/attenuationRange/minExclusive", 1),
            ("models/0/cwaSecond/minutesAtAttenuationWeights/0/weight", -0.5),
            ("models/0/cwaSecond/minutesAtAttenuationWeights/0/weight", 1e300),
            ("models/0/cwaSecond/normalizedTimePerDayToRiskLevelMapping/0/riskLevel", 3),
            ("models/0/cwaSecond/normalizedTimePerDayToRiskLevelMapping/0/riskLevel", "low"),
            ("models/0/cwaSecond/maxEncounterAgeInDays", -1), ("models/1/nhsSecond/riskScore/sampleResolution", 0),
            ("models/1/nhsSecond/riskScore/smootherParameters", nil), ("models/1/nhsSecond/infectiousnessWeights", [1, 1]),
            ("models/2/dailySummaries/measure", "mean"),
            ("models/2/dailySummaries/summaries/attenuationBucketWeights/0", 2.6),
            ("models/2/dailySummaries/summaries/reportTypeWeights", ["6": 1]),
            ("models/3/cwaFirst/divisor", 0), ("models/3/cwaFirst/classes", []),
            ("models/3/cwaFirst/exposures/attenuationScores/0", 9), ("models/4/nhsFirst/sigma", 0),
            ("mapping", nil), ("mapping/daysSinceOnsetToInfectiousness", ["15": 1]),
            ("mapping/daysSinceOnsetToInfectiousness", ["1": 3]), ("mapping/reportTypeWhenMissing", 0),
            ("service/state", "stopped"), ("service/eraseOn", nil), ("service/eraseOn", "soon"),
            ("service/state", "paused"),
            ("service", ["state": "running", "words": "x"]), ("service/words", ""), ("service/words", "a\nb"),
        ] as [(String, JSON?)])
    func badDocumentsDoNot(_ path: String, _ value: JSON?) throws {
        let bad = try Samples.json().with(path, value)
        #expect(!Samples.problems(bad.bytes).isEmpty)
        #expect(!SchemaCheck.faults(bad, schema).isEmpty)
    }

    /// What only the reader can say: order, sums, days that do not exist, models that are there twice.
    @Test(
        arguments: [
            ("models/2/dailySummaries/summaries/attenuationBucketThresholdDb", [50, 40, 60]),
            ("models/3/cwaFirst/exposures/durationAtAttenuationThresholds", [63, 55]), ("service/eraseOn", "2027-02-30"),
            ("models/0/cwaSecond/transmissionRiskValueMapping/1/transmissionRiskLevel", 1),
        ] as [(String, JSON)])
    func beyondTheSchema(_ path: String, _ value: JSON) throws {
        let bad = try Samples.json().with(path, value)
        #expect(Samples.problems(bad.bytes).count == 1)
        #expect(SchemaCheck.faults(bad, schema).isEmpty)
    }

    /// Whatever the reader takes, the schema takes; what the schema takes and the reader does not is one of the few things above, or
    /// what the models say of their numbers.
    @Test func readerAndSchemaAgreeOnMutants() throws {
        var dice = SeededGenerator(seed: 7)
        var (taken, refused, beyond) = (0, 0, 0)
        let sample = try Samples.json()
        for _ in 0..<800 {
            let mutant = Mutation.changed(sample, using: &dice)
            let fits = SchemaCheck.faults(mutant, schema).isEmpty
            let problems = Samples.problems(mutant.bytes)
            if problems.isEmpty {
                taken += 1
                #expect(fits, "the schema refuses what is taken: \(SchemaCheck.faults(mutant, schema))")
            } else if fits {
                beyond += 1
            } else {
                refused += 1
            }
        }
        #expect(taken > 50 && refused > 300 && beyond < 300, "\(taken) taken, \(refused) refused, \(beyond) beyond")
    }
}
