// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import ExposureRisk
import GAEN
import JSON
import RiskConfiguration
import Testing

/// Rules that warn nobody are faults of a profile: every number of theirs is in range, and a board would say *low* to everybody.
@Suite struct SilentRulesTests {
    private static let model = "rules/document/models/0/dailySummaries"

    @Test(
        arguments: [
            ("summaries/attenuationBucketWeights", [0, 0, 0, 0]), ("summaries/infectiousnessWeights", [:]),
            ("summaries/infectiousnessWeights", ["0": 0, "1": 0, "2": 0]), ("summaries/reportTypeWeights", [:]),
            ("summaries/reportTypeWeights", ["0": 1, "5": 1]), ("summaries/minimumWindowScore", 1_000_000),
            // Minutes that somebody took for days, more than a window can have, and a sum of a kind of report that weighs nothing.
            ("increasedFrom", 900_000), ("measure", "maximum"), ("classes", [["recursivePerDaySumERVThreshold": 60]]),
        ] as [(String, JSON)])
    func daySummariesThatWarnNobody(_ path: String, _ value: JSON) throws {
        let problems = Sample.problems(try Sample.json().with("\(Self.model)/\(path)", value).bytes)
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.path == "rules.document.models[0].dailySummaries")
        #expect(problems.first?.sentence.hasPrefix("nobody would ever be warned") == true)
    }

    /// Only one thing needs to count.
    @Test(
        arguments: [
            ("summaries/attenuationBucketWeights", [0, 0, 0, 0.1]), ("summaries/infectiousnessWeights", ["1": 0.1]),
            ("summaries/reportTypeWeights", ["4": 0.1]), ("increasedFrom", 80_000),
            ("classes", [["confirmedTestPerDaySumERVThreshold": 60]]),
        ] as [(String, JSON)])
    func daySummariesThatWarnFew(_ path: String, _ value: JSON) throws {
        #expect(Sample.problems(try Sample.json().with("\(Self.model)/\(path)", value).bytes).isEmpty)
    }

    /// The gravest day with one person has 42 windows of 35 minutes. What only several people on one day could reach is refused, and told as that.
    @Test func theLimitIsADayBesideOnePerson() throws {
        let json = try Sample.json().with("\(Self.model)/summaries/attenuationBucketWeights", [1, 1, 1, 1])
            .with("\(Self.model)/summaries/infectiousnessWeights", ["1": 1, "2": 1])
            .with("\(Self.model)/summaries/reportTypeWeights", ["1": 1])
        let most = Int64(42 * 35 * 60)
        #expect(Sample.problems(json.with("\(Self.model)/increasedFrom", .int(most)).bytes).isEmpty)
        let problems = Sample.problems(json.with("\(Self.model)/increasedFrom", .int(most + 1)).bytes)
        #expect(problems.first?.sentence.hasPrefix("nobody would ever be warned of one infected person") == true)
    }

    /// By attenuation alone the kinds of report play no part.
    @Test func timeAloneCanWarn() throws {
        let json = try Sample.json().with("\(Self.model)/measure", "weightedDuration")
            .with("\(Self.model)/summaries/reportTypeWeights", [:])
        #expect(Sample.problems(json.bytes).isEmpty)
    }

    @Test func rulesOfAServiceThatPausesMayBeSilent() throws {
        let json = try Sample.json().with("\(Self.model)/summaries/reportTypeWeights", [:])
            .with("rules/document/service", ["state": "paused"])
        #expect(Sample.problems(json.bytes).isEmpty)
    }

    @Test func mappingsInWhichNobodyIsInfectious() throws {
        let own = try Sample.json().with("rules/document/mapping/daysSinceOnsetToInfectiousness", [:])
            .with("rules/document/mapping/infectiousnessWhenDaysSinceOnsetMissing", 0)
        let google = try Sample.json().with(
            "rules/document",
            ["symptomOnsetToInfectiousnessMap": "0", "confirmedTestPerDaySumERVThreshold_1": 2_700])
        for json in [own, google] {
            let problems = Sample.problems(json.bytes)
            #expect(problems.map(\.path) == ["rules.document"])
            #expect(problems.first?.sentence.hasPrefix("nobody is infectious") == true)
        }
    }

    @Test(arguments: ["attenuation", "infectiousness", "reportType"])
    func enExpressSettingsThatWarnNobody(_ which: String) throws {
        let weights = [
            "attenuation": ["ImmediateWeight", "NearWeight", "MedWeight", "OtherWeight"],
            "infectiousness": ["StandardWeight", "HighWeight"],
            "reportType": ["ConfirmedTestWeight", "ConfirmedClinicalDiagnosisWeight", "SelfReportWeight"],
        ]
        var document: JSON = [
            "symptomOnsetToInfectiousnessMap": "0x0401555AA9400000", "confirmedTestPerDaySumERVThreshold_1": 2_700,
        ]
        #expect(Sample.problems(try Sample.json().with("rules/document", document).bytes).isEmpty)
        for weight in try #require(weights[which]) { document = document.with("\(which)\(weight)", 0) }
        let problems = Sample.problems(try Sample.json().with("rules/document", document).bytes)
        #expect(problems.map(\.path) == ["rules.document"], "\(problems)")
        #expect(problems.first?.sentence.hasPrefix("nobody would ever be warned") == true)
    }

    /// One sentence in place of all that Vigil's form lacks.
    @Test func aDocumentOfNoKnownKindIsToldSo() throws {
        let problems = Sample.problems(
            try Sample.json().with("rules/document", ["confirmedTestPerDaySumERVThreshold_1": 2_700]).bytes)
        #expect(problems.count == 1)
        #expect(problems.first?.sentence.contains("symptomOnsetToInfectiousnessMap") == true)
    }
}
