// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ExposureRisk
import GAEN
import JSON
import Matching
import RandomValues
import Testing

@testable import RiskConfiguration

/// The authorities' documents, as they were published, against the numbers that are known of them.
@Suite struct AuthoritiesTests {
    private func sample(_ id: String) throws -> JSON {
        try #require(try Samples.vector("cwa-configurations")["cases"]?.array?.first { $0["id"]?.string == id })
    }

    private func bytes(_ id: String) throws -> [UInt8] {
        try #require(sample(id)["bytes"]?.string.flatMap(Base64.bytes))
    }

    private func problems(_ body: () throws(RiskConfigurationError) -> RiskConfiguration) -> [String] {
        do throws(RiskConfigurationError) {
            _ = try body()
            return []
        } catch { return error.problems.map(\.path) }
    }

    // MARK: Corona-Warn-App, second generation

    @Test func theAppsLastConfigurationIsTheLastParameters() throws {
        let read = try RiskConfiguration(cwaConfiguration: bytes("android-default-v2"), version: 9)
        // In the app "no limit" is 9,999 minutes, at the server 99,999.
        var parameters = Samples.cwaSecond
        parameters.normalizedTimePerDayToRiskLevelMapping[1].normalizedTimeRange.max = 9_999
        #expect(read.models == [.cwaSecond(parameters)])
        #expect(try read.mapping == Samples.mapping())
        #expect(read.version == 9 && read.service == .running && read.problems.isEmpty)
        let decoded = try #require(sample("android-default-v2")["decoded"]).with("dailySummariesConfig", nil)
        #expect(try RiskConfiguration(cwaContent: decoded, version: 9) == read)
    }

    /// The server's files are YAML with dashes in their names, and placeholders.
    private func server(_ file: String) throws -> JSON {
        Self.camelCase(try #require(try Samples.vector("cwa-server-main-config")["files"]?[file]))
    }

    private static func camelCase(_ json: JSON) -> JSON {
        switch json {
        case .object(let object):
            var result = JSON.Object()
            for member in object.members {
                let parts = member.name.split { $0 == "-" || $0 == "_" }
                // A map's name is a number, and may be negative.
                let isNumber = Int(member.name) != nil
                let rest = parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
                result[isNumber ? member.name : parts[0] + rest] = camelCase(member.value)
            }
            return .object(result)
        case .array(let elements): return .array(elements.map(camelCase))
        case .string(let text) where text.hasPrefix("${"):
            return Int64(text.dropLast().split(separator: ":").last ?? "").map { .int($0) } ?? json
        default: return json
        }
    }

    @Test func theServersFilesAreTheSameParameters() throws {
        let mapping = try server("v2/diagnosis-keys-data-mapping.yaml")
        func read(_ file: String) throws -> CWASecondParameters? {
            // The values by level are kept elsewhere in the server; without them this model warns nobody.
            let values = try #require(
                sample("android-default-v2")["decoded"]?["riskCalculationParameters"]?["transmissionRiskValueMapping"])
            let json: JSON = [
                "riskCalculationParameters": try server(file).with("transmissionRiskValueMapping", values),
                "diagnosisKeysDataMapping": mapping,
            ]
            guard case .cwaSecond(let parameters) = try RiskConfiguration(cwaContent: json, version: 1).models.first else {
                return nil
            }
            return parameters
        }
        let last = Samples.cwaSecond
        #expect(try read("v2/risk-calculation-parameters-1.15.yaml") == last)
        var earlier = last
        earlier.minutesAtAttenuationFilters = [
            .init(
                attenuationRange: .init(max: 79, maxExclusive: true),
                dropIfMinutesInRange: .init(max: 5, maxExclusive: true))
        ]
        earlier.trlFilters = [.init(min: 1, max: 2)]
        earlier.normalizedTimePerEWToRiskLevelMapping[0].normalizedTimeRange.max = 13
        earlier.normalizedTimePerEWToRiskLevelMapping[1].normalizedTimeRange.min = 13
        earlier.normalizedTimePerDayToRiskLevelMapping[0].normalizedTimeRange = .init(max: 13, maxExclusive: true)
        earlier.normalizedTimePerDayToRiskLevelMapping[1].normalizedTimeRange.min = 13
        earlier.transmissionRiskLevelMultiplier = 0.2
        #expect(try read("v2/risk-calculation-parameters.yaml") == earlier)
    }

    @Test(arguments: ["2020-11", "2021-03", "2022-03"])
    func theConfigurationsOfTheAppsTestsAreRead(_ year: String) throws {
        let given = try #require(try Samples.vector("cwa-second-\(year)")["defaultRiskCalculationConfiguration"])
        let json: JSON = ["riskCalculationParameters": given, "diagnosisKeysDataMapping": [:]]
        guard case .cwaSecond(let read) = try RiskConfiguration(cwaContent: json, version: 1).models.first else {
            Issue.record("another model")
            return
        }
        switch year {
        case "2022-03":
            var expected = Samples.cwaSecond
            expected.maxEncounterAgeInDays = 0
            #expect(read == expected)
        case "2020-11":
            #expect(read.minutesAtAttenuationWeights.map(\.weight) == [1, 0.5])
            #expect(read.minutesAtAttenuationWeights.map(\.attenuationRange.max) == [55, 63])
            #expect(read.minutesAtAttenuationFilters.map(\.attenuationRange.max) == [73])
            #expect(read.minutesAtAttenuationFilters.map(\.dropIfMinutesInRange.max) == [10])
            #expect(read.trlFilters == [.init(min: 1, max: 2)] && read.transmissionRiskLevelMultiplier == 0.2)
            #expect(read.normalizedTimePerDayToRiskLevelMapping.map(\.normalizedTimeRange.min) == [0, 15])
        default:
            #expect(read.transmissionRiskValueMapping == Samples.cwaSecond.transmissionRiskValueMapping)
            #expect(read.normalizedTimePerEWToRiskLevelMapping.map(\.riskLevel) == [.low, .increased])
        }
        #expect(read.trlEncoding == CWASecondParameters.LevelEncoding())
    }

    @Test func faultsOfAMessageHaveItsPaths() throws {
        let decoded = try #require(sample("android-default-v2")["decoded"]).with("dailySummariesConfig", nil)
        let bad = decoded.with("riskCalculationParameters/minutesAtAttenuationWeights/0/weight", .double(.nan))
            .with("riskCalculationParameters/minutesAtAttenuationWeights/1/attenuationRange/max", .double(.infinity))
            .with("riskCalculationParameters/trlEncoding", nil)
            .with("diagnosisKeysDataMapping/infectiousnessWhenDaysSinceOnsetMissing", 3)
        #expect(
            problems { () throws(RiskConfigurationError) in try RiskConfiguration(cwaContent: bad, version: 1) } == [
                "riskCalculationParameters.minutesAtAttenuationWeights[0].weight",
                "riskCalculationParameters.minutesAtAttenuationWeights[1].attenuationRange.max",
                "riskCalculationParameters.trlEncoding", "diagnosisKeysDataMapping.infectiousnessWhenDaysSinceOnsetMissing",
            ])
        #expect(
            problems { () throws(RiskConfigurationError) in try RiskConfiguration(cwaConfiguration: [], version: 1) } == [
                "riskCalculationParameters", "diagnosisKeysDataMapping",
            ])
        #expect(
            problems { () throws(RiskConfigurationError) in try RiskConfiguration(cwaConfiguration: [0xFF], version: 1) }
                == [""])
    }

    // MARK: Corona-Warn-App, first generation

    @Test func theFirstModelsConfigurationsAreTheirHistory() throws {
        let history = try #require(try Samples.vector("cwa-first-parameters")["publishedParameters"]?.array)
        var state = JSON.Object()
        var steps: [CWAFirstParameters] = []
        for entry in history {
            for member in (entry["change"]?.object ?? entry.object ?? JSON.Object()).members {
                state[member.name] = member.value
            }
            if let most = state["HIGH_max"] { state["classes"] = state["classes"]?.with("1/max", most) }
            func numbers(_ name: String) -> [Int] {
                (state[name]?.array ?? []).compactMap { $0.wholeNumber.map { Int($0) } }
            }
            let thresholds = numbers("attenuationThresholdsDbm")
            var parameters = CWAFirstParameters(
                exposures: try #require(
                    ExposureConfigurationV1(
                        minimumRiskScore: 11, attenuationScores: numbers("attenuation"),
                        daysScores: numbers("daysSinceLastExposure"), durationScores: numbers("duration"),
                        transmissionRiskScores: numbers("transmission"), durationThresholds: (thresholds[0], thresholds[1]))
                ))
            parameters.weights = (state["weights"]?.array ?? []).compactMap(\.anyNumber)
            parameters.offset = try #require(state["offset"]?.anyNumber)
            parameters.divisor = try #require(state["divisor"]?.anyNumber)
            parameters.classes = try #require(state["classes"]?.array).map {
                .init(
                    level: $0["label"] == "HIGH" ? .increased : .low, min: $0["min"]?.anyNumber ?? -1,
                    max: $0["max"]?.anyNumber ?? -1)
            }
            steps.append(parameters)
        }
        let (first, last) = (try #require(steps.first), try #require(steps.last))
        #expect(try last == Samples.cwaFirst())
        let app = try RiskConfiguration(cwaFirstConfiguration: bytes("android-1-7-1-v1"), version: 1)
        #expect(app.models == [.cwaFirst(last)] && app.mapping == .standard)
        let early = try #require(sample("app-config-v1-android-test")["decoded"])
        #expect(try RiskConfiguration(cwaFirstContent: early, version: 1).models == [.cwaFirst(first)])
        let files: JSON = [
            "minRiskScore": try #require(try server("app-config.yaml")["minRiskScore"]),
            "riskScoreClasses": try server("risk-score-classification.yaml"),
            "exposureConfig": try server("exposure-config.yaml"),
            "attenuationDuration": try server("attenuation-duration.yaml"),
        ]
        #expect(try RiskConfiguration(cwaFirstContent: files, version: 1).models == [.cwaFirst(last)])
    }

    @Test func aFirstConfigurationWithoutADivisorIsRefused() throws {
        let good = try #require(sample("app-config-v1-android-test")["decoded"])
        let bad = good.with("attenuationDuration/riskScoreNormalizationDivisor", nil).with(
            "attenuationDuration/thresholds/lower", 70
        )
        .with("riskScoreClasses/riskClasses/0/label", "MEDIUM").with("exposureConfig/duration/gt30Min", "RISK_LEVEL_X")
        #expect(
            Set(problems { () throws(RiskConfigurationError) in try RiskConfiguration(cwaFirstContent: bad, version: 1) })
                == [
                    "attenuationDuration.riskScoreNormalizationDivisor", "attenuationDuration.thresholds",
                    "riskScoreClasses.riskClasses[0].label", "exposureConfig.duration.gt30Min",
                ])
    }

    // MARK: NHS COVID-19

    private func nhs() throws -> JSON { try #require(try Samples.vector("nhs-exposure-configuration")["document"]) }

    @Test func theNHSDocumentIsTwoModels() throws {
        let read = try RiskConfiguration(nhsConfiguration: nhs().bytes, version: 2)
        var exposures = NHSFirstParameters(
            exposures: try #require(
                ExposureConfigurationV1(
                    minimumRiskScore: 11, attenuationScores: [0, 1, 1, 1, 1, 1, 1, 1],
                    daysScores: [5, 5, 5, 5, 5, 5, 5, 5],
                    durationScores: [0, 0, 0, 1, 1, 1, 1, 1], transmissionRiskScores: [1, 2, 3, 4, 5, 6, 7, 8],
                    durationThresholds: (55, 63))))
        exposures.durationBucketWeights = [1, 0.5, 0]
        exposures.riskThreshold = 20
        #expect(read.models == [.nhsSecond(NHSSecondParameters()), .nhsFirst(exposures)])
        for (days, expected): (ClosedRange<Int32>, Infectiousness) in [
            (-14 ... -6, .none), (-5 ... -3, .standard), (-2...3, .high), (4...9, .standard), (10...14, .none),
        ] { for day in days { #expect(read.mapping.infectiousness(daysSinceOnset: day) == expected) } }
        #expect(
            read.mapping.infectiousness(daysSinceOnset: nil) == .high
                && read.mapping.reportTypeWhenMissing == .confirmedTest)
        #expect(read.problems.isEmpty)
    }

    @Test func blocksThatAreNotThereAreModelsThatAreNotThere() throws {
        let android = try nhs().with("riskCalculation", nil)
        #expect(try RiskConfiguration(nhsConfiguration: android.bytes, version: 1).models.map(\.name) == [.nhsSecond])
        let old = try nhs().with("riskScore", nil).with("v2RiskCalculation", nil)
        #expect(try RiskConfiguration(nhsConfiguration: old.bytes, version: 1).models.map(\.name) == [.nhsFirst])
        for (name, path) in [
            ("riskScore", "riskScore"), ("v2RiskCalculation", "v2RiskCalculation"),
            ("exposureNotification", "exposureNotification"),
        ] {
            let json = try nhs().with(name, nil)
            #expect(
                problems { () throws(RiskConfigurationError) in
                    try RiskConfiguration(nhsConfiguration: json.bytes, version: 1)
                }
                    == [path])
        }
        #expect(
            problems { () throws(RiskConfigurationError) in try RiskConfiguration(nhsConfiguration: [123, 125], version: 1)
            } == [""])
    }

    @Test func faultsOfTheNHSDocumentHaveItsPaths() throws {
        let bad = try nhs().with("riskScore/initialData/covariance", -1).with("riskScore/smootherParameters/kapa", 1)
            .with("v2RiskCalculation/daysSinceOnsetToInfectiousness/3", 7).with("v2RiskCalculation/riskThreshold", "120")
            .with("exposureNotification/attenuationWeight", "50").with(
                "exposureNotification/attenuationDurationThresholds", [63, 55]
            )
            .with("riskCalculation/durationBucketWeights", [1, 0.5]).with("v3", [:])
        #expect(
            Set(
                problems { () throws(RiskConfigurationError) in
                    try RiskConfiguration(nhsConfiguration: bad.bytes, version: 1)
                })
                == [
                    "riskScore.initialData.covariance",
                    "v2RiskCalculation.daysSinceOnsetToInfectiousness[3]", "v2RiskCalculation.riskThreshold",
                    "exposureNotification.attenuationWeight", "exposureNotification.attenuationDurationThresholds",
                    "riskCalculation.durationBucketWeights",
                ])
        // Fields that nobody knows are stepped over, as the apps do.
        let newer = try nhs().with("v3", [:]).with("riskScore/smootherParameters/kapa", 1)
        #expect(
            try RiskConfiguration(nhsConfiguration: newer.bytes, version: 1)
                == RiskConfiguration(nhsConfiguration: nhs().bytes, version: 1))
    }

    // MARK: Daily summaries

    @Test func dailySummariesAreRead() throws {
        let json: JSON = [
            "dailySummariesConfig": try server("v2/daily-summaries-config.yaml"),
            "diagnosisKeysDataMapping": try server("v2/diagnosis-keys-data-mapping.yaml"),
        ]
        let read = try RiskConfiguration(dailySummaries: json.bytes, measure: .maximum, increasedFrom: 900, version: 1)
        var expected = DailySummariesParameters(
            summaries: try #require(
                DailySummariesConfiguration(
                    attenuationThresholds: [30, 50, 70], attenuationWeights: [1, 1, 1, 1],
                    reportTypeWeights: [0, 1, 1, 1, 1, 0], infectiousnessWeights: [0, 1, 1])))
        expected.measure = .maximum
        expected.increasedFrom = 900
        #expect(read.models == [.dailySummaries(expected)])
        #expect(try read.mapping == Samples.mapping())
        #expect(throws: RiskConfigurationError(.invalid)) {
            try RiskConfiguration(dailySummaries: json.bytes, measure: .sum, increasedFrom: .infinity, version: 1)
        }
        let bad = json.with("dailySummariesConfig/attenuationBucketWeights", [1, 1, 1, 3])
        #expect(
            problems { () throws(RiskConfigurationError) in
                try RiskConfiguration(dailySummaries: bad.bytes, measure: .sum, increasedFrom: 1, version: 1)
            } == ["dailySummariesConfig.attenuationBucketWeights[3]"])
    }

    // MARK: All of them

    /// What an authority published can be published again in Vigil's own words.
    @Test func everyDocumentCanBeWrittenAsOurs() throws {
        for read in [
            try RiskConfiguration(cwaConfiguration: bytes("android-default-v2"), version: 3),
            try RiskConfiguration(cwaFirstConfiguration: bytes("android-1-7-1-v1"), version: 3),
            try RiskConfiguration(nhsConfiguration: nhs().bytes, version: 3),
        ] { #expect(try RiskConfiguration(parsing: read.document) == read) }
    }

    @Test func bytesThatWereTamperedWithDoNoHarm() throws {
        var dice = SeededGenerator(seed: 5)
        var refused = 0
        for (id, isFirst) in [("android-default-v2", false), ("android-1-7-1-v1", true)] {
            let good = try bytes(id)
            for _ in 0..<500 {
                var bytes = good
                for _ in 0..<Int.random(in: 1...4, using: &dice) {
                    bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
                }
                do throws(RiskConfigurationError) {
                    let read =
                        isFirst
                        ? try RiskConfiguration(cwaFirstConfiguration: bytes, version: 1)
                        : try RiskConfiguration(cwaConfiguration: bytes, version: 1)
                    #expect(read.problems.isEmpty)
                } catch {
                    #expect(!error.problems.isEmpty)
                    refused += 1
                }
            }
        }
        #expect(refused > 50)
    }
}
